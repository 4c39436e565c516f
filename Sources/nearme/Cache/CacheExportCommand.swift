import ArgumentParser
import CacheBuilder
import PlaceStore
import Places

/// `nearme cache export`.
struct CacheExportCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case geojson, csv
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the places of a cache as GeoJSON or CSV.",
    discussion: """
      In order of source id; `nearme cache build` reads both formats back.

        nearme cache export pois.sqlite -o pois.geojson
        nearme cache export pois.sqlite --format csv > pois.csv
      """
  )

  @Argument(help: "The cache.")
  var file: String

  @Option(help: "geojson or csv; else what the output's name ends with.")
  var format: Format?

  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?

  func validate() throws {
    if format == nil, named == nil {
      let advice =
        "--format geojson or --format csv, or a name with -o that ends in .geojson, .json or .csv"
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
        try output.write(format == .csv ? csvHeader : geoJSONStart)
        for (index, place) in places.enumerated() {
          switch format {
          case .csv: try output.write(csvRow(place, details: details[place.sourceID]))
          case .geojson:
            try output.write(
              (index == 0 ? "" : ",\n")
                + geoJSONFeature(place, details: details[place.sourceID])
            )
          }
        }
        if format == .geojson { try output.write(geoJSONEnd) }
        try output.finish()
      }
    }
  }
}
