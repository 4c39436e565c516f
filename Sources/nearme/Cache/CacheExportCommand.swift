import ArgumentParser
import CacheBuilder
import Foundation
import PlaceStore
import Places

/// `nearme cache export`.
struct CacheExportCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case geojson, csv, places
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the places of a cache as GeoJSON or CSV, or for an app.",
    discussion: """
      In order of source id; `nearme cache build` reads GeoJSON and CSV back. An app that embeds the \
      engine and has no SpatiaLite, as on an iPhone, decodes what --format places writes, a JSON \
      array, as [PointOfInterest].

        nearme cache export pois.sqlite -o pois.geojson
        nearme cache export pois.sqlite --format csv > pois.csv
        nearme cache export pois.sqlite --format places -o places.json
      """
  )

  @Argument(help: "The cache.")
  var file: String

  @Option(help: "geojson, csv or places; else what the output's name ends with.")
  var format: Format?

  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?

  func validate() throws {
    if format == nil, named == nil {
      let advice =
        "--format geojson, csv or places, or a name with -o that ends in .geojson, .json or .csv"
      throw ValidationError(
        output.map { "\($0) does not end as a format that can be written: say \(advice)" }
          ?? "say what to write: \(advice)"
      )
    }
    if let output, isSameFile(file, output) {
      throw ValidationError("\(output) is the cache itself: name another file")
    }
  }

  /// The format that the output's name asks for.
  private var named: Format? {
    switch output?.split(separator: ".").last?.lowercased() {
    case "geojson", "json": .geojson
    case "csv": .csv
    default: nil
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        guard let format = format ?? named else { return }
        let cache = try openCache(file)
        let output = try OutputFile(path: output)
        let places = try cache.allPointsOfInterest()
        let details = try cache.allAttributes()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        switch format {
        case .csv: try output.write(csvHeader)
        case .geojson: try output.write(geoJSONStart)
        case .places: try output.write("[\n")
        }
        for (index, place) in places.enumerated() {
          switch format {
          case .csv: try output.write(csvRow(place, details: details[place.sourceID]))
          case .places:
            let line = String(decoding: try encoder.encode(place), as: UTF8.self)
            try output.write((index == 0 ? "" : ",\n") + line)
          case .geojson:
            try output.write(
              (index == 0 ? "" : ",\n")
                + geoJSONFeature(place, details: details[place.sourceID])
            )
          }
        }
        switch format {
        case .csv: break
        case .geojson: try output.write(geoJSONEnd)
        case .places: try output.write("\n]\n")
        }
        try output.finish()
      }
    }
  }
}
