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
    for (areTimesExact, isRestExact) in [
      (false, false), (false, true), (true, false), (true, true),
    ] {
      let clauses = ClauseWriter(
        language: reader.language,
        context: context,
        areTimesExact: areTimesExact,
        isRestExact: isRestExact
      )
      guard let words = clauses.words(bare) else { continue }
      for title in [bare.title, bare.title.quoted] {
        let sentence = Self.joined(title, words)
        if reader.understand(sentence, in: context).reminder(id: "") == bare { return sentence }
      }
    }
    let with = reader.language.definition.phrases["formal"] ?? "with {parts}"
    return bare.title.quoted + ", "
      + with.replacing("{parts}", with: FormalText.write(bare).quoted)
  }

  /// A reason in words, for lists of them; nil if the language has none for it.
  ///
  /// - Parameter context: as for ``sentence(_:in:)``.
  public func words(_ trigger: Trigger, in context: SentenceContext) -> String? {
    words(in: context) { $0.words(Reminder(id: "", title: "", triggers: [trigger])) }
  }

  /// A condition in words; nil if the language has none for it.
  ///
  /// - Parameter context: as for ``sentence(_:in:)``.
  public func words(_ condition: Condition, in context: SentenceContext) -> String? {
    words(in: context) {
      $0.words(Reminder(id: "", title: "", triggers: [], conditions: [condition]))
    }
  }

  private func words(in context: SentenceContext, _ say: (ClauseWriter) -> String?) -> String? {
    for isExact in [false, true] {
      let words = say(
        ClauseWriter(
          language: reader.language,
          context: context,
          areTimesExact: isExact,
          isRestExact: isExact
        )
      )
      if let words { return words.hasPrefix("; ") ? String(words.dropFirst(2)) : words }
    }
    return nil
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
}

extension String {
  /// The text in quotes, as ``Chart/unquoted(_:_:)`` reads it.
  var quoted: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

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
