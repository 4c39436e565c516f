import ArgumentParser
import Basics
import Foundation
import Geodesy
import PlaceStore
import Places
import Timeline

/// `nearme cache info`.
struct CacheInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Say what a cache holds, where it comes from and how old it is.",
    discussion: """
        nearme cache info pois.sqlite
        nearme cache info pois.sqlite --format json
      """
  )

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(help: "The cache.")
  var file: String

  @Option(help: "How to print it.")
  var format = Format.text

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        let cache = try openCache(file)
        let summary = try cache.summary()
        let provenance = try cache.provenance()
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        if format == .json {
          print(json(summary, provenance, byteCount: attributes?[.size] as? Int), terminator: "")
          return
        }
        print("\(file): \(counted(summary.placeCount, "place"))")
        if let size = attributes?[.size] as? Int { print("size: \(size) bytes") }
        printCounts(summary)
        if let extent = summary.extent {
          print("extent: \(extent.west),\(extent.south),\(extent.east),\(extent.north)")
        }
        print("built: \(RFC3339.format(provenance.builtAt)) by \(shown(provenance.toolVersion))")
        if !provenance.selection.isEmpty { print("selection: \(shown(provenance.selection))") }
        for input in provenance.inputs { printInput(input) }
        var credits: [String] = []
        for credit in provenance.inputs.compactMap(\.attribution) where !credits.contains(credit) {
          credits.append(credit)
        }
        for credit in credits { print("attribution: \(shown(credit))") }
      }
    }
  }

  private func json(
    _ summary: CacheSummary,
    _ provenance: CacheProvenance,
    byteCount: Int?
  ) -> String {
    let categories = summary.categories.map { count in
      JSONValue.object([
        ("category", .string(count.category.name)), ("places", .integer(count.total)),
        ("nodes", .integer(count.nodes)), ("ways", .integer(count.ways)),
        ("relations", .integer(count.relations)), ("others", .integer(count.others)),
      ])
    }
    let inputs = provenance.inputs.map { input in
      JSONValue.object([
        ("name", .string(input.name)), ("format", .string(input.format)),
        ("bytes", .number("\(input.byteCount)")), ("crc32", .string(input.crc32)),
        ("data_timestamp", input.dataTimestamp.map { .string($0) } ?? .null),
        ("places", .number("\(input.placeCount)")),
        ("attribution", input.attribution.map { .string($0) } ?? .null),
      ])
    }
    let extent = summary.extent.map { box in
      JSONValue.array([box.west, box.south, box.east, box.north].map { .number("\($0)") })
    }
    return
      JSONValue.object([
        ("file", .string(file)), ("places", .integer(summary.placeCount)),
        ("bytes", byteCount.map(JSONValue.integer) ?? .null), ("categories", .array(categories)),
        ("without_name", .integer(summary.unnamedCount)), ("extent", extent ?? .null),
        ("built", .string(RFC3339.format(provenance.builtAt))),
        ("tool", .string(provenance.toolVersion)), ("selection", .string(provenance.selection)),
        ("inputs", .array(inputs)),
      ])
      .document
  }

  private func printInput(_ input: CacheProvenance.Input) {
    let age = input.dataTimestamp.map { "data of \($0)" } ?? "age unknown"
    print(
      shown(
        "from: \(input.name) (\(input.format), \(input.byteCount) bytes, crc32 \(input.crc32), "
          + "\(age), \(counted(input.placeCount, "place")))"
      )
    )
  }
}
