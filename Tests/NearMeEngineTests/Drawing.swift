import Fencing
import Foundation
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline

/// A scene drawn as a time-line: what happens above, what is heard below.
///
/// The drawings stand in `docs/`, and the tests play them: what is heard and why is written anew from
/// the engine and must be what the page says. The page explains the language.
struct Drawing {
  /// Which heading it stands under.
  let title: String
  /// The lines above the time-line, without the last, empty one.
  private let head: [String]
  private let lanes: [(name: String, cells: [Character])]
  private var stepMinutes = 5.0
  private var startMinute = 8.0 * 60
  private var reminders: [(reminder: Reminder, mile: Double)] = []
  private var places: [Place] = []
  private var entitlement = Entitlement.premium
  /// Whether the last reminder's category has eight places and not one.
  private var isCrowded = false
  private var change: (inout Policy) -> Void = { _ in }
  private var isWalked = false

  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  init(title: String, _ text: String) throws {
    self.title = title
    let lines = text.components(separatedBy: "\n")
    let isHead = lines.prefix { !$0.isEmpty }
    head = Array(isHead)
    var lanes: [(String, [Character])] = []
    for line in lines.dropFirst(isHead.count + 1).prefix(while: { !$0.isEmpty }) {
      guard let name = line.split(separator: " ").first, !line.hasPrefix(" ") else { continue }
      let cells = line.dropFirst(name.count).drop { $0 == " " }
      lanes.append((String(name), Array(cells)))
    }
    self.lanes = lanes
    for line in head { try read(line) }
    try readWindows()
  }

  // MARK: Reading

  private mutating func read(_ line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    if words.count > 3, words[1...3] == ["min", "a", "column"], let step = Double(words[0]) {
      stepMinutes = step
      if words.count == 6 { startMinute = try Self.minute(words[5]) }
      return
    }
    switch line {
    case "free": entitlement = .free
    case "crowd": isCrowded = true
    case "no cooldown":
      change = {
        $0.cooldown.perReminder = .seconds(0)
        $0.cooldown.overall = .seconds(0)
        $0.cooldown.dense = .seconds(0)
      }
    default: try readReminder(line, words)
    }
  }

  /// `meds = "fetch meds" at pharmacy` or `… at hut, 4 miles on`.
  private mutating func readReminder(_ line: String, _ words: [String]) throws {
    let parts = line.components(separatedBy: "\"")
    if let i = reminders.firstIndex(where: { $0.reminder.id == words.first }), words.count > 1 {
      reminders[i].reminder = try changed(reminders[i].reminder, words.dropFirst(), line)
      return
    }
    guard parts.count == 3, words.count > 2, words[1] == "=" else {
      throw Mistake(description: "\(title): what is \"\(line)\"?")
    }
    if let trigger = try readTrigger(parts[2].split(separator: " ").map(String.init)) {
      reminders.append((Reminder(id: words[0], title: parts[1], triggers: [trigger]), 0))
      return
    }
    let aim = parts[2].split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    guard aim.count >= 2, aim[0] == "at" else {
      throw Mistake(description: "\(title): where is \"\(line)\"?")
    }
    let mile = aim.count > 2 ? -(Double(aim[2]) ?? 0) : 0
    let target: Reminder.Target
    let kind = PlaceKind(rawValue: aim[1])
    if kind != nil || aim[1] == "hut" {
      target = .place(aim[1])
      if !places.contains(where: { $0.id == aim[1] }) {
        places.append(Scene.place(aim[1], mile: mile, kind: kind ?? .other))
      }
    } else {
      target = .category(CategoryID(aim[1]))
    }
    reminders.append((Reminder(id: words[0], title: parts[1], target: target), mile))
  }

  /// `due 08:30`, `daily at 08:30`, `on unlock`, `leaving hut`; nil for what is at a place.
  private mutating func readTrigger(_ words: [String]) throws -> Trigger? {
    switch words.first {
    case "due", "daily":
      let minute = Int(try Self.minute(words.last ?? ""))
      var schedule = Schedule.local(CivilDate(daysSinceEpoch: 20_458), minuteOfDay: minute)
      if words[0] == "daily" { schedule.rule = try RecurrenceRule("FREQ=DAILY") }
      return .schedule(schedule)
    case "on": return .signal(words[1])
    case "leaving":
      addHut()
      return .leave(.place(words[1]))
    default: return nil
    }
  }

  private mutating func addHut() {
    if !places.contains(where: { $0.id == "hut" }) { places.append(Scene.place("hut", mile: 0)) }
  }

  /// `if {"signal": {"charging": true}}`, `once`, `again 10m 3`, `expires 2026-01-06`, `before 10m`.
  private mutating func changed(
    _ reminder: Reminder,
    _ words: ArraySlice<String>,
    _ line: String
  ) throws -> Reminder {
    var reminder = reminder
    let words = Array(words)
    switch words[0] {
    case "if":
      let json = Data(line.drop { $0 != "{" }.utf8)
      reminder.conditions.append(try JSONDecoder().decode(Condition.self, from: json))
      if line.contains("hut") { addHut() }
    case "once": reminder.persistence = .once
    case "again":
      reminder.nag = Reminder.Nag(every: try #require(Milliseconds(words[1])))
      if words.count > 2 { reminder.nag?.atMost = try #require(Int(words[2])) }
    case "expires": reminder.expires = WrittenTime(words[1])
    case "before":
      guard case .schedule(var schedule) = reminder.triggers[0] else {
        throw Mistake(description: "\(title): \(reminder.id) is due at no time")
      }
      schedule.leads = [try #require(Milliseconds(words[1]))]
      reminder.triggers[0] = .schedule(schedule)
    default: throw Mistake(description: "\(title): what is \"\(line)\"?")
    }
    return reminder
  }

  private static func minute(_ text: String) throws -> Double {
    let parts = text.split(separator: ":").compactMap { Double($0) }
    guard parts.count == 2 else { throw Mistake(description: "\(text) is no time of day") }
    return parts[0] * 60 + parts[1]
  }

  /// Quiet hours and windows are drawn as what they are, from `[` to `)`.
  private mutating func readWindows() throws {
    for (name, cells) in lanes where name == "quiet" || name.hasSuffix(":open") {
      guard let open = cells.firstIndex(of: "["), let close = cells.firstIndex(of: ")") else {
        throw Mistake(description: "\(title): \(name) needs [ and )")
      }
      let start = Int(minuteOfDay(open))
      let end = Int(minuteOfDay(close))
      if name == "quiet" {
        let before = change
        change = {
          before(&$0)
          $0.quietHours = DailyWindow(startMinute: start, endMinute: end)
        }
      } else if let i = reminders.firstIndex(where: { $0.reminder.id + ":open" == name }) {
        reminders[i].reminder.window = WeeklyWindow(startMinute: start, endMinute: end)
      }
    }
  }

  private func minuteOfDay(_ column: Int) -> Double {
    (startMinute + Double(column) * stepMinutes).truncatingRemainder(dividingBy: 1_440)
  }

  // MARK: Playing

  /// The drawing with what the engine makes of it.
  func played() throws -> String {
    let (marks, told) = try play()
    return text(marks, told.map(\.line))
  }

  /// What is heard with the policy that ships, by a phone that is seen every few seconds on its way.
  ///
  /// Drawings have a position every few minutes, from which nobody could tell an arrival; here the phone
  /// drives from each to the next, stands there, and arrivals are weighed.
  ///
  /// - Returns: what is heard and what is not, without times; the last word of what went wrong in a part
  ///   of the engine, if anything did.
  func walked() throws -> (told: [String], violations: [String]) {
    var walking = self
    walking.isWalked = true
    let before = change
    walking.change = {
      before(&$0)
      $0.fencing.arrivalDetection = Policy().fencing.arrivalDetection
    }
    var violations: [String] = []
    let told = try walking.play { violations += $0.engine.violations() }.told
    return (told.map { Self.timeless($0.line) }, violations)
  }

  /// As ``walked()`` gives them, of the drawing as it stands.
  func drawnLines() throws -> [String] {
    try play().told.map { Self.timeless($0.line) }
  }

  /// A line without its time, and without that until which something waits.
  private static func timeless(_ line: String) -> String {
    let words = line.dropFirst("08:00:00 ".count).trimmingCharacters(in: .whitespaces)
    return words.components(separatedBy: " until ")[0]
  }

  private func play(
    _ look: (Scene) -> Void = { _ in }
  ) throws -> (marks: [Character], told: [(mark: Character, line: String)]) {
    var pois: [(mile: Double, category: String)] = []
    for (reminder, mile) in reminders {
      guard case .category(let category) = reminder.target,
        !pois.contains(where: { $0 == (mile, category.name) })
      else { continue }
      pois.append((mile, category.name))
    }
    if isCrowded, let last = pois.last {
      pois += (1...7).map { (last.mile + Double($0) / 100, last.category) }
    }
    var scene = try Scene(
      reminders.map(\.reminder),
      pois: pois,
      places: places,
      entitlement: entitlement,
      from: Scene.start + Milliseconds(Int64((startMinute - 480) * 60_000)),
      change
    )
    let columns = lanes.map(\.cells.count).max() ?? 0
    var marks = [Character](repeating: ".", count: columns)
    var heard: [(mark: Character, line: String)] = []
    var mile: Double?
    for column in 0..<columns {
      let minute = Double(column) * stepMinutes
      var next: Double?
      for (name, cells) in lanes where cells.indices.contains(column) {
        if isWalked, name == "way", let digit = cells[column].wholeNumberValue {
          next = digit == 0 ? 0 : Double(digit) - 0.1
        } else {
          try happen(cells[column], name, &scene, minute: minute)
        }
      }
      // What the user does comes first, for the way takes its time.
      if let next {
        walk(from: mile ?? next, to: next, &scene, minute: minute)
        mile = next
      }
      scene.wait(until: Double(column + 1) * stepMinutes - 0.001)
      look(scene)
      let told = scene.drawn()
      heard += told
      for sound in ["!", "~", "x"] as [Character] where marks[column] == "." {
        if told.contains(where: { $0.mark == sound }) { marks[column] = sound }
      }
    }
    return (marks, heard)
  }

  /// Drives in the first part of a column, and stands for the rest of it.
  private func walk(
    from start: Double,
    to end: Double,
    _ scene: inout Scene,
    minute: Double
  ) {
    let meters = abs(end - start) * Tier.metersPerMile
    let column = stepMinutes * 60 - 5
    let seconds = min(max(meters / 25, 10), column * 0.6)
    var second = 0.0
    while second < column {
      let share = min(1, second / seconds)
      let isThere = share >= 1
      scene.at(
        start + (end - start) * share,
        minute: minute + second / 60,
        accuracy: 8,
        speed: isThere || meters == 0 ? 0 : meters / seconds
      )
      second += isThere ? 10 : 2
    }
  }

  private func happen(
    _ cell: Character,
    _ lane: String,
    _ scene: inout Scene,
    minute: Double
  ) throws {
    if cell == "." || lane == "heard" || lane == "quiet" || lane.hasSuffix(":open") { return }
    switch (lane, cell) {
    case ("way", _):
      guard let digit = cell.wholeNumberValue else { break }
      scene.at(digit == 0 ? 0 : Double(digit) - 0.1, minute: minute, speed: digit == 0 ? 0 : 10)
      return
    case (_, "=") where lane.hasPrefix("is:"): return
    case (_, "[") where lane.hasPrefix("is:"), (_, ")") where lane.hasPrefix("is:"):
      let level = cell == "[" ? "on" : "off"
      let signal = Signal(name: String(lane.dropFirst(3)), id: "\(minute)", level: level)
      return scene.send(.signal(signal), minute: minute)
    case (_, "*"):
      guard lane.hasPrefix("on:") else { break }
      let signal = Signal(name: String(lane.dropFirst(3)), id: "\(minute)")
      return scene.send(.signal(signal), minute: minute)
    case ("late", "["): return scene.keepFixes()
    case ("late", ")"): return scene.handOver(minute: minute)
    case ("late", "="): return
    case ("focus", "["): return scene.send(.focus(true), minute: minute)
    case ("focus", ")"): return scene.send(.focus(false), minute: minute)
    case ("focus", "="): return
    case ("plan", "f"): return scene.send(.entitlement(.free), minute: minute)
    case ("plan", "p"): return scene.send(.entitlement(.premium), minute: minute)
    default:
      guard let reminder = reminders.first(where: { $0.reminder.id == lane })?.reminder else {
        break
      }
      if let action = Self.actions[cell] {
        return scene.act(lane, action, minute: minute)
      }
      var edited = reminder
      switch cell {
      case "d": return scene.send(.reminderDeleted(lane), minute: minute)
      case "e": edited.title = "really " + reminder.title
      case "w": edited.window = WeeklyWindow()
      case "r": edited.tiers = [.arrival, .postArrival(delay: .minutes(5))]
      default: throw Mistake(description: "\(title): what is \(cell) in \(lane)?")
      }
      return scene.send(.reminderSaved(edited), minute: minute)
    }
    throw Mistake(description: "\(title): what is \(cell) in \(lane)?")
  }

  private static let actions: [Character: ReminderAction] = [
    "s": .snoozeFor(.minutes(15)), "h": .snoozeFor(.minutes(60)), "t": .snoozeToday,
    "n": .snoozeUntilNextArrival, "c": .complete, "m": .mute, "u": .unmute, "x": .dismiss,
    "o": .reopen,
    "2": .snoozeFor(.minutes(120)),
  ]

  // MARK: Writing

  private func text(_ marks: [Character], _ heard: [String]) -> String {
    var rows = lanes.filter { $0.name != "heard" }
    rows.append(("heard", marks))
    let indent = (rows.map(\.name.count).max() ?? 0) + 2
    let drawn = rows.map { name, cells in
      name + String(repeating: " ", count: indent - name.count) + String(cells)
    }
    return (head + ["", ruler(indent, marks.count)] + drawn + [""] + heard)
      .joined(separator: "\n")
  }

  /// The time over every twelfth column.
  private func ruler(_ indent: Int, _ columns: Int) -> String {
    var line = String(repeating: " ", count: indent)
    for column in stride(from: 0, to: max(1, columns - 3), by: 12) {
      line += String(repeating: " ", count: indent + column - line.count)
      line += Scene.clock(minuteOfDay(column))
    }
    return line
  }
}

extension Drawing {
  /// The drawings of a page under `docs`, in order, and the page around them.
  static func drawings(of page: String) throws -> [Drawing] {
    var drawings: [Drawing] = []
    try forEach(in: text(of: page)) { title, body in
      drawings.append(try Drawing(title: title, body))
      return nil
    }
    return drawings
  }

  /// The page with every drawing as it is now.
  static func drawnAnew(_ page: String) throws -> String {
    try forEach(in: text(of: page)) { title, body in
      try Drawing(title: title, body).played()
    }
  }

  static func text(of page: String) throws -> String {
    try String(contentsOf: url(of: page), encoding: .utf8)
  }

  static func url(of page: String) -> URL {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("docs/\(page).md")
  }

  /// Drawings are fenced blocks with the word `timeline`.
  @discardableResult
  private static func forEach(
    in page: String,
    _ replace: (_ title: String, _ body: String) throws -> String?
  ) rethrows -> String {
    var title = ""
    var body: [String]?
    var lines: [String] = []
    for line in page.components(separatedBy: "\n") {
      if let drawn = body {
        guard line == "```" else {
          body?.append(line)
          continue
        }
        let text = drawn.joined(separator: "\n")
        lines.append(try replace(title, text) ?? text)
        body = nil
      } else if line == "```timeline" {
        body = []
      } else if line.hasPrefix("#") {
        title = String(line.drop { $0 == "#" || $0 == " " })
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }
}
