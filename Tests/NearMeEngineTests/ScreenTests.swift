import Fencing
import Geodesy
import NearMeEngine
import Places
import Testing
import Timeline

/// The screen without an engine: what is shown, joined, shrunk and left to the system.
@Suite struct ScreenTests {
  private static let start = Timestamp(seconds: 1_767_600_000)
  private let policy = Policy()
  private let roster: Roster
  private var screen = Screen()

  init() {
    var roster = Roster()
    for id in ["a", "b", "c"] {
      roster.append(
        Reminder(
          id: id,
          title: "do \(id)",
          target: .category(CategoryID("bank")),
          priority: id == "c" ? 1 : 0
        )
      )
    }
    self.roster = roster
  }

  private func member(
    _ reminder: String,
    _ tier: Tier = .approach(miles: 3),
    meters: Double
  ) throws -> ReminderNotification.Member {
    let key = OccasionKey(
      reminder: reminder,
      trigger: 0,
      happening: .rung(tier, depth: 0, poi: nil)
    )
    let spot = Spot(
      poi: "node/1",
      name: "First Bank",
      coordinate: Coordinate(uncheckedLatitude: 0, longitude: 10),
      distanceMeters: meters
    )
    return try #require(
      ReminderNotification.Member(
        Occasion(key, at: Self.start, spot: spot),
        roster,
        Speech(policy.text),
        at: Self.start
      )
    )
  }

  private func second(_ second: Int64) -> Timestamp { Self.start + .seconds(second) }

  private mutating func tell(
    _ news: [ReminderNotification.Member],
    second: Int64,
    asSummary: Bool = false
  ) -> [Effect] {
    var nothing: [Effect] = []
    var turn = EventTurn(heardAt: self.second(second), reusing: &nothing)
    let bundle = asSummary ? nil : screen.joinable(at: self.second(second), policy)
    _ = screen.tell(
      news,
      joining: bundle,
      standing: bundle?.members ?? [],
      asSummary: asSummary,
      at: self.second(second),
      policy: policy,
      roster: roster,
      speech: Speech(policy.text),
      &turn
    )
    return turn.effects
  }

  private func described(_ effects: [Effect]) -> [String] {
    effects.map { effect in
      func members(_ n: ReminderNotification) -> String {
        n.members.map { "\($0.reminder)@\(Int($0.distanceMeters ?? -1))" }.joined(separator: " ")
      }
      return switch effect {
      case .post(let n): "post \(n.id) \(n.kind.rawValue): \(members(n))"
      case .replace(let n): "replace \(n.id) \(n.kind.rawValue): \(members(n))"
      case .withdraw(let id): "withdraw \(id)"
      case .schedule(let n, let at):
        "schedule \(n.id) in \(Int((at - Self.start).seconds)) s: \(members(n))"
      case .unschedule(let id): "unschedule \(id)"
      default: "\(effect)"
      }
    }
  }

  @Test mutating func `news within a minute joins, nearest first, and later news does not`() throws
  {
    #expect(
      described(tell([try member("a", meters: 4_800)], second: 0)) == ["post n1 approach: a@4800"]
    )
    #expect(
      described(tell([try member("b", meters: 4_700)], second: 60))
        == ["replace n1 approach: b@4700 a@4800"]
    )
    #expect(
      described(tell([try member("c", .arrival, meters: 20)], second: 61))
        == ["post n2 arrival: c@20"]
    )
  }

  @Test mutating func `at one distance the higher priority comes first, then the id`() throws {
    let news = [try member("b", meters: 9), try member("a", meters: 9), try member("c", meters: 9)]
    #expect(described(tell(news, second: 0)) == ["post n1 approach: c@9 a@9 b@9"])
  }

  @Test mutating func `news of a reminder takes its older line away`() throws {
    _ = tell([try member("a", meters: 4_800), try member("b", meters: 4_900)], second: 0)
    #expect(
      described(tell([try member("a", .arrival, meters: 10)], second: 300)) == [
        "replace n1 approach: b@4900", "post n2 arrival: a@10",
      ]
    )
    #expect(
      described(tell([try member("b", .arrival, meters: 10)], second: 900))
        == ["withdraw n1", "post n3 arrival: b@10"]
    )
    #expect(screen.posted.map(\.id) == ["n2", "n3"])
  }

  @Test mutating func `a summary never joins what is on the screen`() throws {
    _ = tell([try member("a", meters: 4_800)], second: 0)
    #expect(
      described(tell([try member("b", meters: 4_700)], second: 10, asSummary: true))
        == ["post n2 summary: b@4700"]
    )
  }

  @Test mutating func `the system is asked for the difference only`() throws {
    let a = try member("a", .postArrival(delay: .minutes(5)), meters: 5)
    let b = try member("b", .postArrival(delay: .minutes(5)), meters: 3)
    func reconcile(_ due: [(Int64, ReminderNotification.Member)]) -> [String] {
      var nothing: [Effect] = []
      var turn = EventTurn(heardAt: Self.start, reusing: &nothing)
      screen.reconcile(
        due.map { Screen.Due(at: second($0), member: $1) },
        after: Self.start,
        heardAt: Self.start,
        policy: policy,
        roster: roster,
        speech: Speech(policy.text),
        &turn
      )
      return described(turn.effects)
    }
    #expect(reconcile([(300, a)]) == ["schedule n1 in 300 s: a@5"])
    #expect(reconcile([(300, a)]) == [])
    // Within one bundle window both are shown as one, when the last of them is due.
    #expect(
      reconcile([(300, a), (350, b)]) == ["unschedule n1", "schedule n2 in 350 s: b@3 a@5"]
    )
    #expect(
      reconcile([(300, a), (361, b)]) == [
        "unschedule n2", "schedule n3 in 300 s: a@5", "schedule n4 in 361 s: b@3",
      ]
    )
    #expect(screen.nextInstant == second(300))
    #expect(screen.takeShown(upTo: second(299)) == nil)
    #expect(screen.takeShown(upTo: second(300))?.id == "n3")
    #expect(reconcile([]) == ["unschedule n4"])
  }
}
