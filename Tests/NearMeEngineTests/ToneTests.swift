import Foundation
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline
import Tones

/// The engine's own sentences beside those of the tone `plain`, which are to be the same to the byte.
@Suite struct ToneTests {
  private static let titles = [
    "call mum", "Call {place}", "  two   blanks ", "a\nb\tc", "\u{202E}turned", "crème brûlée",
    "👩‍👧 and 🇲🇹", String(repeating: "x", count: 80), String(repeating: "x", count: 81),
    String(repeating: "é", count: 300), "%@ \\(title) {title}", "«quoted» \"too\"",
  ]

  private func plain(_ kind: SentenceKind, _ values: SentenceValues) -> String {
    TonePack.plain.sentence(kind, values, reminder: "r", occurrence: "1").text
  }

  @Test(arguments: titles)
  func `MOM-14: the tone plain says what the engine says, to the byte`(_ title: String) throws {
    let reminder = Reminder(
      id: "r",
      title: title,
      triggers: [
        .place(.category(CategoryID("pharmacy"))), .signal("unlock"),
        .schedule(.instant(Scene.start + .minutes(60))),
      ]
    )
    var scene = try Scene([reminder], pois: [(0, "pharmacy")]) {
      $0.cooldown.perReminder = .minutes(0)
      $0.cooldown.overall = .minutes(0)
    }
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    for minute in 20...30 { scene.at(0, minute: Double(minute), speed: 0) }
    scene.send(.signal(Signal(name: "unlock", id: "1")), minute: 40)
    scene.wait(until: 61)
    let said = scene.heard().map { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) }
    let values = SentenceValues(title: title, place: "pharmacy", distance: "5 miles")
    var there = values
    there.place = "Pharmacy 1"
    // The next position is at the door: the last tier on the way is told late, with the real distance.
    var late = values
    late.distance = "0.1 miles"
    #expect(
      said == [
        plain(.approach, values), plain(.approach, late), plain(.arrival, there),
        plain(.postArrival, there),
        plain(.signal, values), plain(.scheduled, values),
      ]
    )
  }

  // MARK: Tones of reminders

  /// A tone that says of everything which of its three templates it is.
  private static func pack(_ name: String = "numbered") throws -> TonePack {
    try TonePack(name: name) { kind throws(ToneError) in
      (1...3).map { "\(kind.rawValue) \($0) {\(kind.neededPlaceholder)}" }
    }
  }

  private static func pills(tone: String?) throws -> Reminder {
    var pills = Reminder(
      id: "pills",
      title: "take them",
      triggers: [
        .schedule(
          Schedule(
            start: try #require(WrittenTime("2026-01-05T08:30")),
            rule: try RecurrenceRule("FREQ=DAILY")
          )
        )
      ]
    )
    pills.tone = tone
    return pills
  }

  private func sentences(_ heard: [String]) -> [String] {
    heard.compactMap { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) }
  }

  @Test
  func `MOM-6, MOM-14: a reminder speaks in its tone, and never says the same twice in a row`()
    throws
  {
    let tones = TonePacks([try Self.pack()])
    var scene = try Scene([try Self.pills(tone: "numbered")], tones: tones)
    scene.wait(until: 40 * 24 * 60)
    let heard = sentences(scene.heard())
    #expect(heard.count == 40)
    #expect(heard.allSatisfy { $0.hasPrefix("scheduled ") && $0.hasSuffix(" take them") })
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 != $1 })
    #expect(Set(heard).count == 3)
    #expect(scene.engine.violations() == [])
  }

  @Test func `what is said does not depend on when the app was awake or began anew`() throws {
    let tones = TonePacks([try Self.pack()], seed: 7)
    let pills = try Self.pills(tone: "numbered")
    var asleep = try Scene([pills], tones: tones)
    asleep.wait(until: 20 * 24 * 60)
    var awake = try Scene([pills], tones: tones)
    for hour in 1...(20 * 24) { awake.wait(until: Double(hour) * 60) }
    let heard = awake.heard()
    #expect(asleep.heard() == heard)
    var first = try Scene([pills], tones: tones)
    first.wait(until: 9 * 24 * 60)
    let data = try JSONEncoder().encode(first.engine.state)
    let state = try JSONDecoder().decode(EngineState.self, from: data)
    #expect(state == first.engine.state)
    var second = try Scene([], tones: tones, state: state)
    second.wait(until: 20 * 24 * 60)
    #expect(first.heard() + second.heard() == heard)
  }

  @Test func `one that names no tone speaks in the usual one, one of an unknown tone plainly`()
    throws
  {
    let tones = TonePacks([try Self.pack()], usual: "numbered")
    var usual = try Scene([try Self.pills(tone: nil)], tones: tones)
    usual.wait(until: 60)
    #expect(sentences(usual.heard()).allSatisfy { $0.hasPrefix("scheduled ") })
    var plain = try Scene([try Self.pills(tone: "plain")], tones: tones)
    plain.wait(until: 60)
    #expect(sentences(plain.heard()) == ["Take them."])
    var unknown = try Scene([try Self.pills(tone: "gone")], tones: tones)
    unknown.wait(until: 60)
    #expect(sentences(unknown.heard()) == ["Take them."])
  }

  @Test func `what is told again unasked says that it is still open`() throws {
    var nagging = try Self.pills(tone: "numbered")
    nagging.nag = Reminder.Nag(every: .minutes(10), atMost: 2)
    var scene = try Scene([nagging], tones: TonePacks([try Self.pack()]))
    scene.wait(until: 24 * 60 + 45)
    let heard = sentences(scene.heard()).map { String($0.prefix { $0 != " " }) }
    #expect(heard == ["scheduled", "overdue", "overdue", "scheduled", "overdue"])
  }

  @Test func `over a summary stands a line of the usual tone, until one of its lines goes`() throws
  {
    let tones = TonePacks([try Self.pack()], usual: "numbered")
    let reminders = ["bank", "pharmacy"]
      .map { Reminder(id: $0, title: "go", target: .category(CategoryID($0))) }
    var scene = try Scene(reminders, pois: [(0, "bank"), (0.1, "pharmacy")], tones: tones)
    scene.send(.focus(true), minute: 0)
    scene.at(7, minute: 1)
    scene.at(4.9, minute: 4)
    scene.send(.focus(false), minute: 6)
    func newest() -> ReminderNotification? {
      scene.effects.reversed().lazy
        .compactMap { effect in
          switch effect {
          case .post(let notification), .replace(let notification): notification
          default: nil
          }
        }
        .first
    }
    let headline = try #require(newest()?.headline)
    #expect(headline.hasPrefix("summary ") && headline.hasSuffix(" 2"))
    scene.act("bank", .complete, minute: 7)
    #expect(newest()?.members.count == 1)
    #expect(newest()?.headline == nil)
  }
}
