import NearMeEngine
import Recurrence
import Timeline

/// Says a reminder in a sentence that is read as the same reminder.
///
/// What a sentence says is the title, the triggers, the conditions, the priority, what ends it, how it nags, when it
/// expires, its tone, its notes and its fallback; id, status, mute and snooze are no part of it.
public struct SentenceWriter: Sendable {
  private let reader: SentenceReader

  /// Makes a writer.
  public init(_ language: Language) { reader = SentenceReader(language) }

  /// The sentence.
  ///
  /// Each is read again before it is given out. Where no words of the language say a reminder exactly, its parts stand
  /// in quotes, as its file has them.
  ///
  /// - Parameter context: when and where it is to be read.
  /// - Complexity: linear in the words; up to four readings.
  public func sentence(_ reminder: Reminder, in context: SentenceContext) -> String {
    let bare = Self.sayable(reminder)
    let quoted = Self.quoted(bare.title)
    var candidates: [String] = []
    var clauses = ClauseWriter(reader.language, context: context)
    if let words = clauses.words(bare) {
      for title in [bare.title, quoted] {
        candidates.append(Self.joined(title, words))
      }
    }
    for candidate in candidates
    where reader.understand(candidate, in: context).reminder(id: "") == bare {
      return candidate
    }
    let with = reader.language.definition.phrases["formal"] ?? "with {parts}"
    return quoted + ", "
      + with.replacing("{parts}", with: Self.quoted(FormalText.write(bare)))
  }

  private static func joined(_ title: String, _ words: String) -> String {
    words.isEmpty ? title : words.hasPrefix(";") ? title + words : title + ", " + words
  }

  /// What a sentence can say of a reminder.
  public static func sayable(_ reminder: Reminder) -> Reminder {
    Reminder(
      id: "",
      title: reminder.title,
      notes: reminder.notes,
      triggers: reminder.triggers,
      conditions: reminder.conditions,
      priority: reminder.priority,
      persistence: reminder.persistence,
      nag: reminder.nag,
      expires: reminder.expires,
      tone: reminder.tone,
      fallbackMinute: reminder.fallbackMinute
    )
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}

extension String {
  /// The text with one for each time that another stands in it.
  func replacing(_ old: String, with new: String) -> String {
    guard let first = old.unicodeScalars.first else { return self }
    let oldScalars = Array(old.unicodeScalars)
    let scalars = Array(unicodeScalars)
    var result = ""
    var index = 0
    while index < scalars.count {
      if scalars[index] == first, index + oldScalars.count <= scalars.count,
        scalars[index..<index + oldScalars.count].elementsEqual(oldScalars)
      {
        result += new
        index += oldScalars.count
      } else {
        result.unicodeScalars.append(scalars[index])
        index += 1
      }
    }
    return result
  }
}
