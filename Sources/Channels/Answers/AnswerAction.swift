import NearMeEngine
import Timeline

/// What a button on a notification does.
package enum AnswerAction: Hashable, Sendable {
  /// It is done.
  case complete
  /// Not for so many minutes.
  case snooze(minutes: Int)
  /// Not until the next local midnight; what it holds back is told in the morning.
  case snoozeToday
  /// Not until the next arrival.
  case snoozeUntilNextArrival
  /// Never, until unmuted.
  case mute
  /// Take the notification away.
  case dismiss
  /// Nothing: it opens the notification's page.
  case open

  /// What came of it, as a sentence.
  package var outcome: String {
    switch self {
    case .complete: "Done."
    case .snooze, .snoozeToday, .snoozeUntilNextArrival: "It is silent until then."
    case .mute: "It is silent until you turn it on again."
    case .dismiss, .open: "Noted."
    }
  }

  /// Half a year: beyond it, what is meant is to mute.
  private static let mostMinutes = 60 * 24 * 183

  /// The name in stored forms and addresses: `complete`, `snooze:60m`, `snooze:today`,
  /// `snooze:next-arrival`, `mute`, `dismiss`, `open`.
  package var name: String {
    switch self {
    case .complete: "complete"
    case .snooze(let minutes): "snooze:\(minutes)m"
    case .snoozeToday: "snooze:today"
    case .snoozeUntilNextArrival: "snooze:next-arrival"
    case .mute: "mute"
    case .dismiss: "dismiss"
    case .open: "open"
    }
  }

  /// Reads a name; nil for any other, and for a snooze of no minute or of more than half a year.
  package init?(name: String) {
    let plain: [AnswerAction] = [
      .complete, .snoozeToday, .snoozeUntilNextArrival, .mute, .dismiss, .open,
    ]
    if let action = plain.first(where: { $0.name == name }) {
      self = action
      return
    }
    guard name.hasPrefix("snooze:"), name.hasSuffix("m"),
      let minutes = Int(name.dropFirst(7).dropLast()), (1...Self.mostMinutes).contains(minutes),
      name == "snooze:\(minutes)m"
    else { return nil }
    self = .snooze(minutes: minutes)
  }

  /// What the engine is told; nil for what only opens a page.
  package var reminderAction: ReminderAction? {
    switch self {
    case .complete: .complete
    case .snooze(let minutes): .snoozeFor(.minutes(Int64(minutes)))
    case .snoozeToday: .snoozeToday
    case .snoozeUntilNextArrival: .snoozeUntilNextArrival
    case .mute: .mute
    case .dismiss: .dismiss
    case .open: nil
    }
  }

  /// What stands on its button: short, as a watch has room for little.
  package var label: String {
    switch self {
    case .complete: "Done"
    case .snooze(let minutes) where minutes % 60 == 0: "\(minutes / 60) h later"
    case .snooze(let minutes): "\(minutes) min later"
    case .snoozeToday: "Not today"
    case .snoozeUntilNextArrival: "Next time"
    case .mute: "Mute"
    case .dismiss: "Dismiss"
    case .open: "Open"
    }
  }

  /// What a notification offers, the most wanted first, because channels have room for two or three.
  ///
  /// News of one reminder offers all. Of several at once only what is harmless for all of them: nobody
  /// means three things done by one press.
  package static func offered(for notification: ReminderNotification) -> [AnswerAction] {
    guard notification.members.count == 1 else {
      return [.snooze(minutes: 60), .snoozeToday, .snooze(minutes: 15)]
    }
    return notification.head.tier == nil
      ? everOffered.filter { $0 != .snoozeUntilNextArrival } : everOffered
  }

  /// All that any notification offers.
  package static let everOffered: [AnswerAction] = [
    .complete, .snooze(minutes: 60), .snoozeUntilNextArrival, .snoozeToday, .snooze(minutes: 15),
    .mute,
  ]
}

extension AnswerAction: Codable {
  /// Reads a name; any other is refused.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let action = try AnswerAction(name: container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no button does that")
    }
    self = action
  }

  /// Writes its name.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
