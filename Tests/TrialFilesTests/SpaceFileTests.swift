import Arrivals
import Fencing
import NearMeEngine
import SettingsFiles
import Testing
import Timeline
import TrialFiles
import Tuning

@Suite struct SpaceFileTests {
  private static func read(_ text: String) throws -> PolicySpace {
    try SpaceFile.read(text: text, file: "space.yaml")
  }

  private static func values(_ space: PolicySpace, _ name: String) -> [String]? {
    for knob in space.knobs where knob.name == name {
      if case .values(let values) = knob.domain { return values }
    }
    return nil
  }

  @Test func `a space has lists, ranges and fixed values`() throws {
    let space = try Self.read(
      """
      arrival: {detector: [radius, posterior], threshold: {from: 0.2, to: 0.5, step: 0.1}}
      tiers:
        category: [["1mi", arrival], [arrival]]
        arrival_radius: {from: 50m, to: 200m, count: 3, scale: log}
      cooldown: {dense_pois: {from: 3, to: 9, step: 3}}
      persistence: {arrival: {from: 0, to: 1m, step: 20s}, exit: 30s}
      """
    )
    #expect(Self.values(space, "arrival.detector") == ["radius", "posterior"])
    #expect(Self.values(space, "arrival.threshold") == ["0.2", "0.3", "0.4", "0.5"])
    #expect(Self.values(space, "tiers.category") == ["[\"1mi\", arrival]", "[arrival]"])
    #expect(Self.values(space, "tiers.arrival_radius") == ["50m", "100m", "200m"])
    #expect(Self.values(space, "cooldown.dense_pois") == ["3", "6", "9"])
    #expect(Self.values(space, "persistence.arrival") == ["0s", "20s", "40s", "60s"])
    #expect(Self.values(space, "persistence.exit") == ["30s"])
    #expect(space.count == 2 * 4 * 2 * 3 * 3 * 4)
    let grid = space.grid()
    #expect(grid.count == space.count)
    #expect(Set(grid).count == grid.count)
    for candidate in grid {
      let policy = try PolicyFile.policy(candidate.values, over: Policy())
      let text = try PolicyFile.text(candidate.values, over: nil)
      #expect(try PolicyFile.read(text: text, file: "best.yaml") == policy, "\(text)")
    }
    let policies = try Set(
      grid.map { PolicyFile.show(try PolicyFile.policy($0.values, over: Policy())) }
    )
    #expect(policies.count == grid.count)
  }

  @Test func `quiet hours may begin and end at several times`() throws {
    let space = try Self.read(
      "quiet_hours: {start: [\"21:00\", \"22:00\", \"00:00\"], end: [\"06:30\", \"07:00\"]}"
    )
    let windows = try space.grid()
      .map { try PolicyFile.policy($0.values, over: Policy()).quietHours }
    let minutes = windows.map { [$0?.startMinute, $0?.endMinute] }
    #expect(
      minutes == [
        [1_260, 390], [1_260, 420], [1_320, 390], [1_320, 420], [0, 390], [0, 420],
      ]
    )
    #expect(throws: SettingsError.self) {
      try Self.read("quiet_hours: {start: [\"21:00\", \"21:00\"], end: \"07:00\"}")
    }
  }

  @Test func `a space with one end of the quiet hours has the other of the policy that it is over`()
    throws
  {
    let base = try PolicyFile.read(
      text: "quiet_hours: {start: \"22:00\", end: \"07:00\"}",
      file: "policy.yaml"
    )
    let starts = try Self.read("quiet_hours: {start: [\"21:00\", \"23:00\"]}").grid()
    let windows = try starts.map { try PolicyFile.policy($0.values, over: base).quietHours }
    #expect(windows.map { $0?.startMinute } == [1_260, 1_380])
    #expect(windows.map { $0?.endMinute } == [420, 420])
    #expect(throws: SettingsError.self) { try PolicyFile.policy(starts[0].values, over: Policy()) }
  }

  @Test(arguments: [
    ("", "empty"), ("{}", "has no key"), ("arival: {threshold: 0.3}", "did you mean \"arrival\""),
    ("arrival: {treshold: [0.3]}", "did you mean \"threshold\""),
    ("arrival: {latest: [24h]}", "\"latest\" is no key any more, since no score depended on it"),
    ("arrival: {threshold: []}", "is empty"),
    ("arrival: {threshold: [0.3, 5]}", "arrival.threshold[1]: must lie between"),
    ("arrival: {threshold: [0.3, 0.3]}", "comes twice"),
    (
      "arrival: {threshold: [0.3, 0.30]}",
      "arrival.threshold[1]: comes twice: it is the same as 0.3"
    ),
    ("persistence: {arrival: [0s, 60s, 1m]}", "comes twice: it is the same as 60s"),
    ("arrival: {threshold: 5}", "must lie between"),
    ("arrival: {threshold: {from: 0.5, to: 0.2, step: 0.1}}", "is an empty range"),
    ("arrival: {threshold: {from: 0.2, to: 7, step: 0.1}}", "arrival.threshold.to: must lie"),
    ("arrival: {threshold: {from: 0.2}}", "needs both from and to"),
    ("arrival: {threshold: {from: 0.2, to: 0.5, step: 0}}", "must be more than 0"),
    ("arrival: {threshold: {from: 0.2, to: 0.5, step: 0.1, count: 3}}", "together with"),
    ("arrival: {threshold: {from: 0.2, to: 0.5, step: 1e-9}}", "take a larger step"),
    ("arrival: {threshold: {from: 0.2, to: 0.5, count: 1}}", "whole number from 2"),
    ("arrival: {detector: {from: radius, to: posterior}}", "list them"),
    ("arrival: {detector: [radius, oracle]}", "is none of"),
    ("cooldown: {dense_pois: {from: 1, to: 9}}", "needs step or count"),
    ("persistence: {arrival: {from: 0s, to: 9s, count: 3, scale: log}}", "more than 0 with"),
    ("persistence: {arrival: {a: 1}}", "unknown key \"a\""),
  ])
  func `a wrong space says where and what`(_ text: String, _ words: String) {
    do {
      _ = try Self.read(text)
      Issue.record("nothing was said of \(text)")
    } catch let error as SettingsError {
      #expect(error.description.contains(words), "\(error.description)")
      #expect(error.description.hasPrefix("space.yaml"), "\(error.description)")
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func `draws repeat with their seed, come once each, and keep to the space`() throws {
    let space = try Self.read(
      """
      arrival: {threshold: {from: 0.1, to: 0.9}, unknown_density: {from: 1e-6, to: 1e-2, scale: log}}
      persistence: {arrival: {from: 0s, to: 300s}, exit: [10s, 20s]}
      """
    )
    #expect(space.count == nil)
    let draws = space.draws(500, seed: 3)
    #expect(draws.count == 500)
    #expect(Set(draws).count == 500)
    #expect(draws == space.draws(500, seed: 3))
    #expect(draws != space.draws(500, seed: 4))
    #expect(Array(draws.prefix(100)) == space.draws(100, seed: 3))
    var small = 0
    for draw in draws {
      let policy = try PolicyFile.policy(draw.values, over: Policy())
      #expect((0.1...0.9).contains(policy.arrival.decision.threshold))
      #expect((0...300).contains(policy.fencing.arrivalHold.seconds))
      #expect((1e-6...1e-2).contains(policy.arrival.places.unknownPerSquareMeter))
      if policy.arrival.places.unknownPerSquareMeter < 1e-4 { small += 1 }
    }
    // Half of the factors lie below the middle one.
    #expect((200...300).contains(small), "\(small)")
  }

  @Test func `a small space is tried whole`() throws {
    let space = try Self.read("persistence: {arrival: [0s, 20s, 40s]}")
    #expect(space.draws(10, seed: 1) == space.grid())
    #expect(space.draws(2, seed: 1).count == 2)
  }
}
