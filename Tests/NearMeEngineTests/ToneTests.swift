import NearMeEngine
import Places
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
}
