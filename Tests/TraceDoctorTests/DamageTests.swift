import TestSupport
import Testing
import Timeline
import TraceDoctor
import Traces

/// Damage done to clean traces at random is found where it was done, and nothing else is.
@Suite struct DamageTests {
  /// What a clean trace has, too.
  private static let ordinary: Set<FindingKind> = [.heldPosition, .silence, .cadenceChange]

  @Test func `clean traces are clean, and a repair leaves them as they are`() {
    for seed in 0..<200 {
      let outing = Outing(seed: UInt64(seed))
      let diagnosis = diagnose(outing.records)
      #expect(found(diagnosis, without: Self.ordinary).isEmpty, "seed \(seed)")
      let repaired = repaired(outing.records)
      #expect(repaired.records == outing.records, "seed \(seed)")
      #expect(repaired.steps.isEmpty, "seed \(seed)")
    }
  }

  @Test(arguments: Damage.allCases)
  func `damage is found where it was done, and repaired`(_ damage: Damage) throws {
    for seed in 0..<60 {
      var random = SeededGenerator(seed: 1_000 + UInt64(seed))
      let outing = Outing(seed: UInt64(seed))
      let index = try #require(Self.choose(outing, &random))
      var points = outing.records
      let expected = damage.strike(&points, at: index, &random)
      let diagnosis = diagnose(points)
      #expect(
        found(diagnosis, without: Self.ordinary) == expected.found,
        "\(damage), seed \(seed), index \(index)"
      )
      let repaired = repaired(points)
      #expect(!diagnose(repaired.records).isDistorted(), "\(damage), seed \(seed)")
      if damage != .hole {
        let kept = repaired.records.compactMap(\.fix)
        let clean = outing.records.compactMap(\.fix)
        #expect(Set(kept).isSubset(of: clean), "\(damage), seed \(seed): nothing is invented")
        #expect(kept.count == clean.count - expected.lost, "\(damage), seed \(seed)")
      }
    }
  }

  @Test func `several kinds of damage are found side by side`() throws {
    for seed in 0..<200 {
      var random = SeededGenerator(seed: 5_000 + UInt64(seed))
      let outing = Outing(seed: UInt64(seed))
      var points = outing.records
      var expected: [String] = []
      // From the end on, so that what is inserted moves nothing that was found before.
      var limit = points.count
      for _ in 0..<4 {
        let damage = Damage.allCases[random.integer(0...(Damage.allCases.count - 2))]
        let places = outing.driving.filter { $0 > 20 && $0 + 60 < limit }
        guard !places.isEmpty else { break }
        let index = places[random.integer(0...(places.count - 1))]
        let before = points.count
        let found = damage.strike(&points, at: index, &random).found
        expected = expected.map { Self.shifted($0, by: points.count - before) } + found
        limit = index - 20
      }
      let diagnosis = diagnose(points)
      #expect(
        Set(found(diagnosis, without: Self.ordinary)) == Set(expected),
        "seed \(seed)"
      )
      let once = repaired(points)
      #expect(!diagnose(once.records).isDistorted(), "seed \(seed)")
      let twice = repaired(once.records)
      #expect(twice.records == once.records, "seed \(seed): a second repair changes nothing")
      #expect(twice.steps.isEmpty, "seed \(seed)")
    }
  }

  @Test func `in what pieces the points come makes no difference`() throws {
    for seed in 0..<50 {
      var random = SeededGenerator(seed: 7_000 + UInt64(seed))
      let outing = Outing(seed: UInt64(seed))
      var points = outing.records
      let damage = Damage.allCases[seed % Damage.allCases.count]
      _ = damage.strike(&points, at: try #require(Self.choose(outing, &random)), &random)
      var doctor = TraceDoctor(placesKept: 1_000)
      var repair = TraceRepair()
      var rest = points[...]
      while !rest.isEmpty {
        let columns = FixColumns()
        for record in rest.prefix(random.integer(1...90)) { columns.append(record) }
        doctor.examine(columns)
        repair.add(columns)
        rest = rest.dropFirst(columns.pointCount)
      }
      let diagnosis = doctor.finish()
      #expect(diagnosis == diagnose(points), "seed \(seed)")
      let fixes = repair.finish().fixes
      #expect(records(fixes) == repaired(points).records, "seed \(seed)")
    }
  }

  @Test func `noise of any kind neither stops the doctor nor survives a repair`() {
    for seed in 0..<200 {
      var random = SeededGenerator(seed: 9_000 + UInt64(seed))
      var points: [TraceRecord] = []
      for _ in 0..<random.integer(0...300) {
        points.append(
          Scene.record(
            second: Double(random.integer(0...2_000)),
            east: Double(random.integer(0...3)) * random.uniform(0...90_000),
            north: Double(random.integer(0...2)) * 40,
            accuracy: random.uniform(0...100),
            speed: random.integer(0...1) == 0 ? nil : random.uniform(0...60),
            startsSegment: random.integer(0...20) == 0
          )
        )
      }
      points = Scene.numbered(points)
      let diagnosis = diagnose(points)
      #expect(diagnosis.points == points.count)
      let once = repaired(points)
      let left = Set(diagnose(once.records).findings.map(\.kind))
        .subtracting([.impossibleSpeed, .teleport, .optimisticAccuracy, .wrongSpeed])
      #expect(left.allSatisfy { $0.severity == .note }, "seed \(seed): \(left)")
      #expect(Set(once.records.compactMap(\.fix)).isSubset(of: points.compactMap(\.fix)))
      let twice = repaired(once.records)
      #expect(twice.records == once.records, "seed \(seed)")
    }
  }

  private static func choose(_ outing: Outing, _ random: inout SeededGenerator) -> Int? {
    let places = outing.driving.filter { $0 > 20 && $0 + 60 < outing.records.count }
    guard !places.isEmpty else { return nil }
    return places[random.integer(0...(places.count - 1))]
  }

  /// The same finding, so many points later.
  private static func shifted(_ finding: String, by points: Int) -> String {
    let parts = finding.split(separator: " ")
    let numbers = parts[1].split(separator: "-").compactMap { Int($0) }.map { String($0 + points) }
    return parts[0] + " " + numbers.joined(separator: "-")
  }
}
