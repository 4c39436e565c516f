import ArgumentParser
import Foundation
import Geodesy
import PlaceStore
import Timeline

/// `nearme cache info`.
struct CacheInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Say what a cache holds, where it comes from and how old it is.",
    discussion: "  nearme cache info pois.sqlite"
  )

  @Argument(help: "The cache.")
  var file: String

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        let cache = try openCache(file)
        let summary = try cache.summary()
        let provenance = try cache.provenance()
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        print("\(file): \(summary.placeCount) places")
        if let size = attributes?[.size] as? Int { print("size: \(size) bytes") }
        printCounts(summary)
        if let extent = summary.extent {
          print("extent: \(extent.west),\(extent.south),\(extent.east),\(extent.north)")
        }
        print("built: \(RFC3339.format(provenance.builtAt)) by \(provenance.toolVersion)")
        if !provenance.selection.isEmpty { print("selection: \(provenance.selection)") }
        for input in provenance.inputs { printInput(input) }
        var credits: [String] = []
        for credit in provenance.inputs.compactMap(\.attribution) where !credits.contains(credit) {
          credits.append(credit)
        }
        for credit in credits { print("attribution: \(credit)") }
      }
    }
  }

  private func printInput(_ input: CacheProvenance.Input) {
    let age = input.dataTimestamp.map { "data of \($0)" } ?? "age unknown"
    print(
      "from: \(input.name) (\(input.format), \(input.byteCount) bytes, crc32 \(input.crc32), "
        + "\(age), \(input.placeCount) places)"
    )
  }
}
