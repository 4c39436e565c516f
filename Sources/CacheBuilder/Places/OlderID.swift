import Places

/// Which places get an id back under which an older version has put them into a cache.
///
/// What is being told of a place goes by its id, and versions have read ids out of more and more columns.
///
/// - Parameters:
///   - older: by source id, what older versions have called a place.
///   - known: the ids of the cache so far.
/// - Returns: the places by their index, with the ids: those that the cache has, that no place has now, and that
///   only one can mean.
func olderIDs(
  of places: [PointOfInterest],
  older: [String: String],
  known: Set<String>
) -> [(index: Int, id: String)] {
  guard !known.isEmpty else { return [] }
  var claims: [(index: Int, id: String)] = []
  var countByID: [String: Int] = [:]
  for (index, place) in places.enumerated() {
    let newer = older[place.sourceID] ?? place.sourceID
    // What was made up began in another way before that.
    let names = [older[place.sourceID], olderMadeUpID(of: newer)].compactMap(\.self)
    guard let id = names.first(where: known.contains) else { continue }
    claims.append((index, id))
    countByID[id, default: 0] += 1
  }
  guard !claims.isEmpty else { return [] }
  let taken = Set(places.map(\.sourceID))
  return claims.filter { claim in
    !known.contains(places[claim.index].sourceID) && !taken.contains(claim.id)
      && countByID[claim.id] == 1
  }
}

extension PointOfInterest {
  /// The same place under another id.
  func named(_ id: String) -> PointOfInterest {
    PointOfInterest(
      sourceID: id,
      categories: categories,
      name: name,
      brand: brand,
      coordinate: coordinate,
      footprintRadiusMeters: footprintRadiusMeters
    )
  }
}
