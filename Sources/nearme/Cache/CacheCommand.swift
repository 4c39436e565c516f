import ArgumentParser

/// `nearme cache`: builds, describes, checks and exports caches of points of interest.
struct CacheCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract:
      "Build, update and look into the offline cache of pharmacies, gas stations and so on.",
    discussion: """
      A cache is one SpatiaLite file, made from OpenStreetMap extracts, Overpass JSON, GeoJSON, KML, GeoPackages or CSV. Everything \
      else works from it without a network.

        nearme cache build maryland.osm.pbf -o pois.sqlite
        nearme cache info pois.sqlite
      """,
    subcommands: [
      CacheBuildCommand.self, CacheInfoCommand.self, CacheVerifyCommand.self,
      CacheExportCommand.self, CacheUpdateCommand.self, CacheIndexCommand.self,
    ]
  )
}
