import ArgumentParser
import CacheBuilder
import DayReports

/// What a page that shows a day can be given.
struct DayPageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The Leaflet that the page takes in for its map, where it is not found by itself.",
      valueName: "FILE.js"
    )
  )
  var mapLibrary: String?

  @Option(
    help: ArgumentHelp(
      "An OpenStreetMap extract whose streets and shores are drawn under the way.",
      valueName: "EXTRACT"
    )
  )
  var basemap: String?

  /// The files that are read.
  var inputs: [String?] { [mapLibrary, basemap] }

  /// Refuses options of a page that nobody asked for.
  func refuse(unless option: String) throws {
    guard mapLibrary == nil, basemap == nil else {
      throw ValidationError("--map-library and --basemap are of a page: ask for it with \(option)")
    }
  }

  /// The library of the map.
  func library() throws -> MapLibrary { try MapLibrary(path: mapLibrary) }

  /// Streets and shores around a day; nil where none are known.
  func baseMap(around report: DayReport) throws -> BaseMap? {
    guard let basemap else { return nil }
    guard let map = BaseMap(try importMapFeatures(path: basemap), around: report.track.coordinates)
    else {
      printError("nearme: note: \(basemap) has nothing to draw where the trace was recorded")
      return nil
    }
    return map
  }
}
