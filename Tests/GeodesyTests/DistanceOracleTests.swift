import CProj
import Geodesy
import TestSupport
import Testing

/// Our metric beside PROJ's geodesics, which are good to 15 nanometers.
@Suite struct DistanceOracleTests {
  private static func geodesic() -> geod_geodesic {
    var geodesic = geod_geodesic()
    geod_init(&geodesic, WGS84.equatorialRadiusMeters, WGS84.flattening)
    return geodesic
  }

  private static func inverse(_ a: Coordinate, _ b: Coordinate) -> Double {
    var geodesic = geodesic()
    var meters = 0.0
    geod_inverse(
      &geodesic,
      a.latitude,
      a.longitude,
      b.latitude,
      b.longitude,
      &meters,
      nil,
      nil
    )
    return meters
  }

  private static func destination(
    _ a: Coordinate,
    azimuthDegrees: Double,
    meters: Double
  ) -> Coordinate {
    var geodesic = geodesic()
    var latitude = 0.0
    var longitude = 0.0
    geod_direct(
      &geodesic,
      a.latitude,
      a.longitude,
      azimuthDegrees,
      meters,
      &latitude,
      &longitude,
      nil
    )
    return Coordinate(uncheckedLatitude: latitude, longitude: longitude)
  }

  private static func anywhere(_ random: inout SeededGenerator) -> Coordinate {
    switch random.integer(0...7) {
    case 0:
      Coordinate(
        uncheckedLatitude: random.uniform(89.9...90) * (random.integer(0...1) == 0 ? 1 : -1),
        longitude: random.uniform(-180...180)
      )
    case 1:
      Coordinate(uncheckedLatitude: random.uniform(-90...90), longitude: 179.9999)
    default:
      Coordinate(
        uncheckedLatitude: random.uniform(-90...90),
        longitude: random.uniform(-180...180)
      )
    }
  }

  @Test func `1 m to 50 km are within 2 mm of the geodesic, everywhere`() {
    for seed in UInt64(1)...200_000 {
      var random = SeededGenerator(seed: seed)
      let a = Self.anywhere(&random)
      let meters = [1.0, 30, 150, 1_609.344, 8_046.72, 50_000][random.integer(0...5)]
      let b = Self.destination(a, azimuthDegrees: random.uniform(0...360), meters: meters)
      let error = abs(a.distanceMeters(to: b) - Self.inverse(a, b))
      if error > 0.002 {
        Issue.record("seed \(seed): \(a) \(b) \(meters) m: off by \(error) m")
        return
      }
    }
  }

  @Test func `50 to 1 000 km are within 0.002 percent`() {
    for seed in UInt64(1)...50_000 {
      var random = SeededGenerator(seed: seed)
      let a = Self.anywhere(&random)
      let meters = random.uniform(50_000...990_000)
      let b = Self.destination(a, azimuthDegrees: random.uniform(0...360), meters: meters)
      let share = abs(a.distanceMeters(to: b) / Self.inverse(a, b) - 1)
      if share > 2e-5 {
        Issue.record("seed \(seed): \(a) \(b) \(meters) m: off by \(share)")
        return
      }
    }
  }

  @Test func `any two points are within 0.1 percent, antipodes too`() {
    for seed in UInt64(1)...50_000 {
      var random = SeededGenerator(seed: seed)
      let a = Self.anywhere(&random)
      var b = Self.anywhere(&random)
      if seed % 4 == 0 {
        // Near the antipode, where the shortest way is hardest to tell.
        let longitude = a.longitude > 0 ? a.longitude - 180 : a.longitude + 180
        b = Coordinate(
          uncheckedLatitude: max(-90, min(90, -a.latitude + random.uniform(-1...1))),
          longitude: max(-180, min(180, longitude + random.uniform(-1...1)))
        )
      }
      let truth = Self.inverse(a, b)
      let error = abs(a.distanceMeters(to: b) - truth)
      if error > max(1, truth * 1e-3) {
        Issue.record("seed \(seed): \(a) \(b): off by \(error) m of \(truth)")
        return
      }
    }
  }

  @Test func `half a meridian is the longest shortest way`() {
    let north = Coordinate(uncheckedLatitude: 90, longitude: 0)
    let south = Coordinate(uncheckedLatitude: -90, longitude: 0)
    #expect(abs(Self.inverse(north, south) - WGS84.halfMeridianMeters) < 0.001)
    #expect(north.distanceMeters(to: south) == WGS84.halfMeridianMeters)
  }

  @Test func `a chord and its arc are inverse to each other`() {
    for meters in [0.5, 150, 8_046.72, 100_000, 900_000] {
      let back = arcMeters(chordSquared: chordSquared(arcMeters: meters))
      #expect(abs(back / meters - 1) < 1e-8)
    }
    #expect(chordSquared(arcMeters: -5) == 0)
  }

  @Test func `a longer arc has the longer chord, all around the earth`() {
    var last = 0.0
    for kilometers in stride(from: 100.0, through: 20_000, by: 50) {
      let chord = chordSquared(arcMeters: kilometers * 1_000).squareRoot()
      #expect(chord > last, "\(kilometers) km")
      last = chord
    }
    // Half of the way around it is the earth's diameter.
    #expect(abs(last / 12_742_000 - 1) < 0.01)
    #expect(chordSquared(arcMeters: 50_000_000).squareRoot() >= last)
  }

  @Test func `a box around a circle holds all of it`() {
    for seed in UInt64(1)...20_000 {
      var random = SeededGenerator(seed: seed)
      let center = Self.anywhere(&random)
      let radius = random.uniform(1...60_000)
      let box = BoundingBox(around: center, radiusMeters: radius)
      let edge = Self.destination(
        center,
        azimuthDegrees: random.uniform(0...360),
        meters: radius * 0.9999
      )
      if !box.contains(edge) {
        Issue.record("seed \(seed): \(box) around \(center) lacks \(edge)")
        return
      }
    }
  }

  @Test func `coordinates off the globe are refused with a reason`() {
    #expect(throws: CoordinateError.latitudeOutOfRange(91)) {
      try Coordinate(latitude: 91, longitude: 0)
    }
    #expect(throws: CoordinateError.longitudeOutOfRange(180.5)) {
      try Coordinate(latitude: 0, longitude: 180.5)
    }
    #expect(throws: CoordinateError.self) { try Coordinate(latitude: .nan, longitude: 0) }
  }
}
