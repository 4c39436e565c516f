import Foundation
import GRDB
import NearMeEngine
import Places
import Timeline

/// Places from elsewhere, whose ids others may have here: every user's first place is `p1`.
extension UserStore {
  /// What places from elsewhere are here.
  ///
  /// One that is here, too, by its position and its id or name, is that one as it is here, for it may have been renamed.
  /// One whose id another one has here gets a new id.
  ///
  /// - Parameter replacing: whether it takes the place of the one that is it, or else of the one with its id.
  /// - Returns: each under its id here, in their order.
  public func placesHere(
    _ coming: [Place],
    replacing: Bool = false
  ) throws(UserStoreError) -> [Place] {
    try connection.read { database in
      let known = try places(database)
      var number = try Self.lastNumber(among: known + coming, database)
      let same = coming.map { Self.same($0, among: known) }
      // What is the same as one of the file is not put aside for another one.
      let kept = Set(same.compactMap(\.?.id))
      let ids = Set(known.map(\.id))
      return zip(coming, same)
        .map { place, here in
          if let here { return replacing ? Place(place, id: here.id) : here }
          let isFree = !ids.contains(place.id)
          if isFree || replacing && !kept.contains(place.id) { return place }
          number += 1
          return Place(place, id: "p\(number)")
        }
    }
  }

  /// The place of a position and of an id or a name; of several the one with the id.
  ///
  /// - Complexity: O(places): a person has some.
  private static func same(_ place: Place, among known: [Place]) -> Place? {
    let name = plainName(place)
    let near = known.filter { $0.lies(where: place) }
    return near.first { $0.id == place.id } ?? near.first { plainName($0) == name }
  }

  private static func plainName(_ place: Place) -> String {
    place.name.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The last number that was given to a place, or that one has.
  private static func lastNumber(among places: [Place], _ database: Database) throws -> Int64 {
    let given =
      try Int64.fetchOne(database, sql: "SELECT value FROM counter WHERE name = 'place'") ?? 0
    let numbers = places.compactMap { number(of: $0.id, letter: "p") }
    return max(given, numbers.max() ?? 0)
  }

  /// The number in an id such as `p7`; nil for other ids.
  static func number(of id: String, letter: Character) -> Int64? {
    guard id.first == letter, let number = Int64(id.dropFirst()), (1...(1 << 52)).contains(number)
    else { return nil }
    return number
  }
}

extension Place {
  /// The same place under another id.
  fileprivate init(_ other: Place, id: String) {
    self.init(
      id: id,
      name: other.name,
      kind: other.kind,
      coordinate: other.coordinate,
      arrivalRadiusMeters: other.arrivalRadiusMeters
    )
  }
}
