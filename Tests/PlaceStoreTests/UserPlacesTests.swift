import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing

@Suite struct UserPlacesTests {
  private static let home = Place(
    id: "home",
    name: "Home",
    kind: .home,
    coordinate: Coordinate(uncheckedLatitude: 39.29, longitude: -76.61),
    arrivalRadiusMeters: 150
  )

  @Test func `places survive closing and opening`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("user.sqlite")
    let store = try UserPlaces.open(path)
    try store.insert(Self.home)
    let work = Place(
      id: "work",
      name: "Wörk",
      kind: .work,
      coordinate: Coordinate(uncheckedLatitude: 39.3, longitude: -76.6)
    )
    try store.insert(work)
    try store.close()
    let again = try UserPlaces.open(path)
    #expect(try again.all() == [Self.home, work])
    #expect(try again.delete(id: "work"))
    #expect(try !again.delete(id: "work"))
    let moved = Place(
      id: "home",
      name: "New home",
      kind: .home,
      coordinate: Coordinate(uncheckedLatitude: -17, longitude: 179.999)
    )
    #expect(try again.update(moved))
    #expect(try !again.update(work))
    let overTheLine = Coordinate(uncheckedLatitude: -17, longitude: -179.999)
    #expect(try again.within(300, of: overTheLine).map(\.place) == [moved])
    #expect(try again.within(100, of: overTheLine).isEmpty)
  }

  @Test func `a taken id and a radius of nothing are refused`() throws {
    let folder = try TemporaryFolder()
    let store = try UserPlaces.open(folder.path("user.sqlite"))
    try store.insert(Self.home)
    let twice = #expect(throws: PlaceStoreError.self) { try store.insert(Self.home) }
    #expect(twice?.code == .invalidValue)
    let pointless = Place(
      id: "x",
      name: "",
      kind: .other,
      coordinate: Self.home.coordinate,
      arrivalRadiusMeters: 0
    )
    #expect(throws: PlaceStoreError.self) { try store.insert(pointless) }
    #expect(try store.all() == [Self.home])
  }

  @Test func `nearest agrees with a scan`() throws {
    let folder = try TemporaryFolder()
    let store = try UserPlaces.open(folder.path("user.sqlite"))
    var generator = SeededGenerator(seed: 5)
    let places = (0..<120)
      .map { index in
        Place(
          id: "p\(index)",
          name: "p",
          kind: .other,
          coordinate: randomCoordinate(&generator)
        )
      }
    for place in places { try store.insert(place) }
    for _ in 0..<40 {
      let centre = randomCoordinate(&generator)
      let expected =
        places
        .map { (centre.distanceMeters(to: $0.coordinate), $0) }
        .sorted { a, b in a.0 != b.0 ? a.0 < b.0 : a.1.id < b.1.id }
      let nearest = try store.nearest(to: centre, limit: 5)
      #expect(nearest.map(\.place) == expected.prefix(5).map(\.1), "\(centre)")
    }
  }

  @Test func `a cache is not taken for the user's data`() throws {
    let folder = try TemporaryFolder()
    try writeCache([], to: folder.path("a.sqlite"))
    let error = #expect(throws: PlaceStoreError.self) {
      try UserPlaces.open(folder.path("a.sqlite"))
    }
    #expect(error?.code == .foreignDatabase)
  }
}
