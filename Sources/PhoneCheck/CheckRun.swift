import Foundation
import Replay
import Timeline

/// One day through one simulator with one kind of trouble.
struct CheckRun {
  let day: Day
  let simulator: Simulator
  let trouble: Trouble
  let command: String
  let seed: UInt64
  let keep: String?
  let shows: Bool

  /// So many differences from a plain replay are shown of each kind.
  private static let mostShown = 5

  /// The names of the columns.
  static let head = line([
    "simulator", "trouble", "requests", "unanswered", "repeats", "kills", "told", "lost", "twice",
    "plans", "other plans", "seconds", "equal",
  ])

  private static func line(_ cells: [String]) -> String {
    let widths = [18, 9, 9, 11, 8, 6, 6, 6, 6, 6, 12, 8, 6]
    return zip(cells, widths)
      .map { $0.0.padding(toLength: max($0.1, $0.0.count), withPad: " ", startingAt: 0) }
      .joined(separator: " ")
  }

  /// Makes the run and prints its line, and what differs.
  ///
  /// - Returns: whether nothing differs.
  func make() throws -> Bool {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("phone-check-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let begun = Date()
    let door = DoorProcess(
      command: command,
      folder: folder,
      cache: day.cache,
      zone: day.person.zone.identifier,
      holdSeconds: simulator.holdSeconds(under: trouble)
    )
    defer { door.killNow() }
    let account = try door.letIn(person: "anna", app: simulator.road)
    try day.fill(door.home + "/people/anna.db")
    try door.ensureRunning()
    var drive = try Drive(day, simulator, trouble, door: door, account: account, seed: seed)
    if shows { drive.show = say }
    var stopped: String?
    do { try drive.run() } catch let failure as CheckFailure { stopped = failure.description }
    try door.stop()
    let verdict = Verdict(
      told: folder.appendingPathComponent("told/anna.ndjson").path,
      reference: drive.reference.lines
    )
    let counts = drive.counts
    let isEqual =
      verdict.isEqual && counts.otherPlans == 0 && counts.refusals.isEmpty && stopped == nil
    say(
      Self.line([
        simulator.rawValue, trouble.name, "\(counts.requests)", "\(counts.answersLost)",
        "\(counts.repeats)", "\(counts.kills)", "\(verdict.notifications)", "\(verdict.lost)",
        "\(verdict.twice)", "\(counts.plans)", "\(counts.otherPlans)",
        String(format: "%.1f", Date().timeIntervalSince(begun)), isEqual ? "yes" : "NO",
      ])
    )
    if let stopped { say("  stopped: \(stopped)") }
    if let difference = verdict.difference { say("  \(difference)") }
    if drive.slowGroups > 0 {
      say("  \(drive.slowGroups) groups took longer than they are held: try it on a faster machine")
    }
    if let plan = drive.firstOtherPlan { say("  another plan first at \(plan)") }
    for (status, count) in counts.refusals.sorted(by: { $0.key < $1.key }) {
      say("  answered \(status): \(count)")
    }
    if trouble.name == Trouble.calm.name { try compareWithReplay(drive.reference.lines) }
    try tidy(folder, isEqual: isEqual)
    return isEqual
  }

  private func tidy(_ folder: URL, isEqual: Bool) throws {
    if !isEqual, let keep {
      let target = URL(fileURLWithPath: keep)
        .appendingPathComponent("\(simulator.rawValue)-\(trouble.name)")
      try FileManager.default.createDirectory(
        atPath: keep,
        withIntermediateDirectories: true
      )
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.moveItem(at: folder, to: target)
    } else {
      try FileManager.default.removeItem(at: folder)
    }
  }

  /// Says how the day differs from its plain replay, which is handed more than a phone says.
  private func compareWithReplay(_ lines: [String]) throws {
    let told = lines.filter { $0.hasPrefix("{\"type\":\"notification\"") }.compactMap(Self.words)
    let replayed = try Reference.replayed(day, hasRegions: simulator.hasRegions)
    let (said, wanted) = (told.map(\.text), replayed.map { String($0.dropFirst(21)) })
    let difference = wanted.difference(from: said)
    let lines = difference.removals.map { change in
      guard case .remove(let offset, _, _) = change else { return "" }
      return "only here: \(told[offset].at) \(told[offset].text)"
    }
    let others = difference.insertions.map { change in
      guard case .insert(let offset, _, _) = change else { return "" }
      return "only in the replay: \(replayed[offset])"
    }
    let same = difference.isEmpty ? "the same" : "\(said.count - lines.count) the same"
    say("  \(said.count) notifications, \(wanted.count) in the plain replay; \(same)")
    for line in lines.prefix(Self.mostShown) + others.prefix(Self.mostShown) {
      say("    " + line.replacing("\n", with: " / "))
    }
  }

  private static func words(_ line: String) -> (at: String, text: String)? {
    guard let data = line.data(using: .utf8),
      let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      let at = object["at"] as? String, let text = object["text"] as? String
    else { return nil }
    return (at, text)
  }
}
