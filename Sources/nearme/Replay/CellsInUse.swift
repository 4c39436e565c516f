import NearMeEngine
import PlaceStore
import Places

extension CellFolder {
  /// Refuses what cells cannot do, with what to do instead.
  ///
  /// - Throws: ``CommandFailure``.
  func requireRoom(for engine: Engine) throws {
    guard engine.policy.tiers.fenceSemantics != .perPOI else {
      throw CommandFailure(
        .usage,
        "\(path): fences for each point (fence_semantics: per_poi) need one cache of all places, not cells"
      )
    }
    // Beyond a ring lies the way between two fixes.
    let neededMeters = engine.farthestRingMeters + Self.wayMeters
    guard neededMeters <= knownMeters else {
      let margin = (neededMeters / (knownMeters / index.marginMeters) / 1_000).rounded(.up)
      throw CommandFailure(
        .usage,
        "\(path): its cells know \(Int(knownMeters / 1_000)) km around a position, and a reminder looks as far as "
          + "\(Int((engine.farthestRingMeters / 1_000).rounded(.up))) km: build them with --margin \(Int(margin))km"
      )
    }
  }

  /// How far one may come between two fixes that tell of a crossing.
  ///
  /// - Source: ten minutes, the default of `hysteresis.crossing_gap`, at 150 km/h.
  private static let wayMeters = 25_000.0
}

/// Where a category is looked for that a cache or a folder of cells may not have.
struct KnownCategories {
  let categories: [CategoryID]

  init(_ catalog: POICatalog) { categories = catalog.categories }

  init(_ cells: CellFolder) { categories = cells.index.categories.map { CategoryID($0) } }
}
