import Foundation
import NearMeEngine
import Places
import Recurrence
import Sentences
import SettingsFiles
import Timeline

/// A file of sentences, each with the reminder that it asks for.
///
/// A line that begins with `@` says when, in which zone and in which locale the sentences below are said. The rest are
/// `sentence => title ; part ; part`, a part being a time with its rule (`2026-02-17T15:00 FREQ=WEEKLY;BYDAY=TU`, with
/// `anchor=` and `before=`), a place (`near grocery 2mi`, `place home`, `leave home`, `leave any grocery`), a signal
/// (`on car=connected`), a condition (`if window mon-fri`, `if dates 2026-02-14..`, `if inside home`,
/// `if charging=true`), `priority 9`, `nag 10m`, `tone sassy`, `once`, `except 2026-03-06`, or `unsupported`, which says
/// that a part is understood and not supported. A line without `=>` is all title.
struct SentenceFile {
  struct Line {
    let number: Int
    let sentence: String
    let expected: Reminder
    let isUnsupported: Bool
    let context: SentenceContext
  }

  struct Malformed: Error {
    let line: String
  }

  let name: String
  let lines: [Line]

  init(_ name: String) throws {
    self.name = name
    let text = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
    var context: SentenceContext?
    var lines: [Line] = []
    for (index, line) in text.components(separatedBy: "\n").enumerated() where !line.isEmpty {
      if line.hasPrefix("#"), !line.contains("=>") { continue }
      if line.hasPrefix("@") {
        context = try Self.context(line)
        continue
      }
      guard let context else { throw Malformed(line: line) }
      let sides = line.components(separatedBy: " => ")
      let parts = sides.count == 2 ? sides[1].components(separatedBy: " ; ") : [line]
      var reminder = Reminder(id: "r", title: parts[0], triggers: [])
      for part in parts.dropFirst() where part != "unsupported" { try Self.take(part, &reminder) }
      lines.append(
        Line(
          number: index + 1,
          sentence: sides[0],
          expected: reminder,
          isUnsupported: parts.contains("unsupported"),
          context: context
        )
      )
    }
    self.lines = lines
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Phrases")

  private static func context(_ line: String) throws -> SentenceContext {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 4, let now = WrittenTime(words[1]) else { throw Malformed(line: line) }
    return SentenceContext(
      now: now.local,
      zone: UTCOffsetTable(systemZone: words[2]),
      zones: SystemZones(),
      isDayFirst: words[3] != "en-US"
    )
  }

  private static func take(_ part: String, _ reminder: inout Reminder) throws {
    let words = part.split(separator: " ").map(String.init)
    func word(_ index: Int) throws -> String {
      guard words.indices.contains(index) else { throw Malformed(line: part) }
      return words[index]
    }
    switch try word(0) {
    case "near":
      reminder.triggers.append(.place(.category(CategoryID(try word(1))), tiers: try tiers(words)))
    case "place":
      let name = words.dropFirst().filter { tier($0) == nil }.joined(separator: " ")
      reminder.triggers.append(.place(.place(name), tiers: try tiers(words)))
    case "leave": reminder.triggers.append(.leave(try target(words)))
    case "on":
      let sides = try word(1).components(separatedBy: "=")
      reminder.triggers.append(.signal(sides[0], to: sides.count == 2 ? sides[1] : nil))
    case "if": reminder.conditions.append(try condition(Array(words.dropFirst()), part))
    case "priority": reminder.priority = Int(try word(1)) ?? -1
    case "nag":
      guard let span = Milliseconds(try word(1)) else { throw Malformed(line: part) }
      reminder.nag = Reminder.Nag(every: span)
    case "tone": reminder.tone = try word(1)
    case "once": reminder.persistence = .once
    case "except":
      guard let time = WrittenTime(try word(1)),
        case .schedule(var schedule)? = reminder.triggers.last
      else { throw Malformed(line: part) }
      schedule.excluded.append(time)
      reminder.triggers[reminder.triggers.count - 1] = .schedule(schedule)
    default: reminder.triggers.append(.schedule(try schedule(words, part)))
    }
  }

  private static func tiers(_ words: [String]) throws -> [Tier]? {
    let tiers = words.dropFirst(2).compactMap(tier)
    return tiers.isEmpty ? nil : tiers
  }

  /// A distance with its unit; a number alone is one of a name, such as Motel 6.
  private static func tier(_ word: String) -> Tier? {
    word.last?.isNumber ?? true ? nil : Tier(word)
  }

  private static func target(_ words: [String]) throws -> Reminder.Target {
    if words[1] == "any", words.count == 3 { return .category(CategoryID(words[2])) }
    return .place(words.dropFirst().joined(separator: " "))
  }

  private static func condition(_ words: [String], _ part: String) throws -> Condition {
    guard let first = words.first else { throw Malformed(line: part) }
    let rest = words.dropFirst().joined(separator: " ")
    switch first {
    case "window":
      guard let window = WeeklyWindow(rest) else { throw Malformed(line: part) }
      return .window(window)
    case "dates":
      let ends = rest.components(separatedBy: "..").map { WrittenTime($0)?.local.date }
      return .dates(from: ends[0], until: ends[1])
    case "inside": return .inside(try target(words))
    case "outside": return .outside(try target(words))
    default:
      let sides = first.components(separatedBy: "=")
      guard sides.count == 2 else { throw Malformed(line: part) }
      return .signal(sides[0], is: sides[1])
    }
  }

  private static func schedule(_ words: [String], _ part: String) throws -> Schedule {
    guard let start = WrittenTime(words[0]) else { throw Malformed(line: part) }
    var schedule = Schedule(start: start)
    for word in words.dropFirst() {
      if word.hasPrefix("FREQ=") {
        schedule.rule = try RecurrenceRule(word)
      } else if word.hasPrefix("anchor="), let anchor = Anchor(rawValue: String(word.dropFirst(7)))
      {
        schedule.anchor = anchor
      } else if word.hasPrefix("before="), let span = Milliseconds(String(word.dropFirst(7))) {
        schedule.leads = [span]
      } else {
        throw Malformed(line: part)
      }
    }
    return schedule
  }
}

/// The languages that come with the command.
enum Languages {
  static func read(_ name: String) throws -> SentenceReader {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("data")
    return SentenceReader(try LanguageFile.read(path: folder.path + "/languages/\(name).yaml"))
  }
}

extension Reminder {
  /// What a sentence says of a reminder, in a short form for messages.
  var inShort: String {
    var parts = ["\"\(title)\""] + triggers.map { "\($0)" } + conditions.map { "\($0)" }
    if priority != 0 { parts.append("priority \(priority)") }
    if let nag { parts.append("\(nag)") }
    if let tone { parts.append(tone) }
    if let persistence { parts.append("\(persistence)") }
    return parts.joined(separator: " ; ").replacingOccurrences(of: "NearMeEngine.", with: "")
      .replacingOccurrences(of: "Reminder.Target.", with: "")
  }
}
