import ArgumentParser
import CacheBuilder
import Foundation
import PlaceStore
import Places

/// `nearme cache export`.
struct CacheExportCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case geojson, csv
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the places of a cache to standard output.",
    discussion: """
      In order of source id; `nearme cache build` reads both formats back.

        nearme cache export pois.sqlite --format geojson > pois.geojson
      """
  )

  @Argument(help: "The cache.")
  var file: String

  @Option(help: "geojson or csv.")
  var format: Format

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        let cache = try openCache(file)
        let places = try cache.allPointsOfInterest()
        let details = try cache.allAttributes()
        var text = ""
        func flush() throws {
          do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
          } catch {
            throw CommandFailure(.inputOutput, "standard output: \(error.localizedDescription)")
          }
          text = ""
        }
        text += format == .csv ? csvHeader : geoJSONStart
        for (index, place) in places.enumerated() {
          switch format {
          case .csv: text += csvRow(place, details: details[place.sourceID])
          case .geojson:
            text += index == 0 ? "" : ",\n"
            text += geoJSONFeature(place, details: details[place.sourceID])
          }
          if text.utf8.count > 1 << 16 { try flush() }
        }
        if format == .geojson { text += geoJSONEnd }
        try flush()
      }
    }
  }
}
