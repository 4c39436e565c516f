import NearMeEngine
import Places
import Scoring
import TestSupport
import Testing
import Timeline

/// Which announcement tells of which visit, in cases that a person can check by eye.
@Suite struct MatchingTests {
  private static let start = Timestamp(seconds: 1_767_614_400)

  private static func at(_ minutes: Double) -> Timestamp {
    start + Milliseconds(Int64((minutes * 60_000).rounded()))
  }

  /// Visits to pharmacies, by the minutes of arriving and leaving.
  private static func visits(_ spans: [(String, Double, Double)]) throws -> [TargetVisit] {
    let truth = try DayTruth(
      id: "d",
      person: "p",
      start: at(-60),
      end: at(600),
      noise: "none",
      sampling: "1hz",
      visits: spans.map { poi, from, to in
        DayTruth.Visit(
          poi: poi,
          category: CategoryID("pharmacy"),
          coordinate: Scene.spot(0),
          arrive: at(from),
          leave: at(to),
          mode: "car"
        )
      }
    )
    return TargetVisit.all(in: truth, of: Scene.person(), catalog: .empty)
  }

  private static func told(_ minutes: Double, _ poi: String? = "node/1") -> Announcement {
    Announcement(at: at(minutes), reminder: "pharmacy", tier: .arrival, poi: poi)
  }

  @Test(arguments: [
    (-3.02, false), (-3.0, true), (0.0, true), (5.0, true), (10.0, true), (12.0, true),
    (12.02, false),
  ])
  func `an arrival is true from three minutes before a visit to two minutes after it`(
    _ minutes: Double,
    _ isTrue: Bool
  ) throws {
    let visits = try Self.visits([("node/1", 0, 10)])
    let matching = Matching([Self.told(minutes)], with: visits)
    #expect(matching.verdicts == [isTrue ? .found(visit: 0) : .untrue])
    #expect(matching.told == [isTrue ? 0 : nil])
  }

  @Test func `the second word of a visit is a repeat`() throws {
    let visits = try Self.visits([("node/1", 0, 10)])
    let matching = Matching([Self.told(1), Self.told(6), Self.told(30)], with: visits)
    #expect(matching.verdicts == [.found(visit: 0), .repeated(visit: 0), .untrue])
  }

  @Test func `visits to one point less than two minutes apart are one`() throws {
    let visits = try Self.visits([("node/1", 0, 10), ("node/1", 11.9, 20)])
    #expect(visits.count == 1)
    #expect(visits[0].arrive == Self.at(0))
    #expect(visits[0].leave == Self.at(20))
    #expect(try Self.visits([("node/1", 0, 10), ("node/1", 12, 20)]).count == 2)
    #expect(try Self.visits([("node/1", 0, 10), ("node/2", 10.5, 20)]).count == 2)
  }

  @Test func `the place that is named comes first`() throws {
    // Told late of the first shop, when the person was in the second already.
    let visits = try Self.visits([("node/1", 0, 10), ("node/2", 10.5, 20)])
    let late = Matching([Self.told(11, "node/1")], with: visits)
    #expect(late.told == [0, nil])
    let prompt = Matching([Self.told(11, "node/2")], with: visits)
    #expect(prompt.told == [nil, 0])
    // Neither is named: where one is counts.
    let unnamed = Matching([Self.told(11, "node/9")], with: visits)
    #expect(unnamed.told == [nil, 0])
  }

  @Test func `another reminder's arrival tells of nothing`() throws {
    let visits = try Self.visits([("node/1", 0, 10)])
    var other = Self.told(1)
    other.reminder = "bank"
    #expect(Matching([other], with: visits).verdicts == [.untrue])
  }

  // MARK: Properties

  private struct World {
    var visits: [TargetVisit]
    var announcements: [Announcement]

    init(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      var spans: [(String, Double, Double)] = []
      var minute = 0.0
      for _ in 0..<random.integer(0...8) {
        minute += random.uniform(0...12)
        let end = minute + random.uniform(0.2...20)
        spans.append(("node/\(random.integer(1...3))", minute, end))
        minute = end
      }
      visits = try MatchingTests.visits(spans)
      announcements = (0..<random.integer(0...12))
        .map { _ in
          // Whole minutes, so that instants coincide.
          MatchingTests.told(
            Double(random.integer(-5...Int(minute + 10))),
            "node/\(random.integer(1...4))"
          )
        }
    }
  }

  @Test func `the order of announcements changes nothing`() throws {
    var matched = 0
    for seed in 0..<400 as Range<UInt64> {
      let world = try World(seed: seed)
      let plain = Matching(world.announcements, with: world.visits)
      let order = world.announcements.indices.sorted {
        ($0 &* 7_919 &+ Int(seed)) % 13 < ($1 &* 7_919 &+ Int(seed)) % 13
      }
      let mixed = Matching(order.map { world.announcements[$0] }, with: world.visits)
      let plainTold = plain.told.map { $0.map { world.announcements[$0] } }
      let mixedTold = mixed.told.map { $0.map { world.announcements[order[$0]] } }
      #expect(plainTold == mixedTold, "seed \(seed)")
      for kind in [0, 1, 2] {
        #expect(
          plain.verdicts.count { Self.kind($0) == kind }
            == mixed.verdicts.count { Self.kind($0) == kind },
          "seed \(seed)"
        )
      }
      matched += plainTold.compactMap(\.self).count
    }
    #expect(matched > 300)
  }

  private static func kind(_ verdict: Matching.Verdict) -> Int {
    switch verdict {
    case .found: 0
    case .repeated: 1
    case .untrue: 2
    }
  }

  @Test func `each visit is used once, and each announcement is one thing`() throws {
    for seed in 0..<400 as Range<UInt64> {
      let world = try World(seed: seed)
      let matching = Matching(world.announcements, with: world.visits)
      let found = matching.verdicts.compactMap {
        if case .found(let visit) = $0 { visit } else { nil }
      }
      #expect(Set(found).count == found.count, "seed \(seed)")
      #expect(found.count == matching.told.count { $0 != nil }, "seed \(seed)")
      for (i, verdict) in matching.verdicts.enumerated() {
        if case .found(let visit) = verdict { #expect(matching.told[visit] == i, "seed \(seed)") }
        if case .repeated(let visit) = verdict {
          #expect(matching.told[visit] != nil, "seed \(seed)")
        }
      }
    }
  }

  @Test func `word of every visit as it begins finds all, and silence none`() throws {
    for seed in 0..<200 as Range<UInt64> {
      let world = try World(seed: seed)
      let perfect = world.visits.map {
        Announcement(at: $0.arrive, reminder: $0.reminder, tier: .arrival, poi: $0.poi)
      }
      let matching = Matching(perfect, with: world.visits)
      #expect(matching.told.allSatisfy { $0 != nil }, "seed \(seed)")
      #expect(matching.verdicts.allSatisfy { Self.kind($0) == 0 }, "seed \(seed)")
      let silent = Matching([], with: world.visits)
      #expect(silent.told.allSatisfy { $0 == nil }, "seed \(seed)")
    }
  }
}
