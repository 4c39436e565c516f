import Basics
import NearMeEngine

/// What no words say well: the parts of a reminder as its file has them, in quotes within a sentence.
enum FormalText {
  private static let title = "-"

  /// A reminder without its title, as JSON.
  static func write(_ reminder: Reminder) -> String {
    var bare = reminder
    bare.title = title
    guard let json = try? JSONValue(encoding: bare), let members = json.members else { return "{}" }
    let kept = members.filter { !["id", "title", "status"].contains($0.key) }
    return JSONValue.object(kept).compact
  }

  /// Reads what ``write(_:)`` writes; nil for anything else.
  static func read(_ text: String) -> Understanding? {
    guard let json = try? JSONValue.parse(text), let members = json.members else { return nil }
    let known = [
      "target", "tiers", "triggers", "window", "conditions", "priority", "persistence", "nag",
      "expires", "tone",
      "notes", "fallback",
    ]
    guard members.allSatisfy({ known.contains($0.key) }) else { return nil }
    var all: JSONValue.Members = [
      ("id", .string("-")), ("title", .string(title)), ("status", .string("active")),
    ]
    if !members.contains(where: { $0.key == "triggers" || $0.key == "target" }) {
      all.append(("triggers", .array([])))
    }
    guard let reminder = try? JSONValue.object(all + members).decoded(Reminder.self) else {
      return nil
    }
    var understanding = Understanding(title: "")
    understanding.triggers = reminder.triggers
    understanding.conditions = reminder.conditions
    understanding.priority = reminder.priority
    understanding.persistence = reminder.persistence
    understanding.nag = reminder.nag
    understanding.expires = reminder.expires
    understanding.tone = reminder.tone
    understanding.notes = reminder.notes
    understanding.fallbackMinute = reminder.fallbackMinute
    return understanding
  }
}
