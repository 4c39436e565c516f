import ArgumentParser
import NearMeEngine
import Timeline
import UserStore

/// `nearme reminder complete`.
struct ReminderCompleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete",
    abstract: "Mark a reminder as done; one that recurs is done this time.",
    discussion: """
        nearme reminder complete r1

      Of one that recurs, the times that have come are done, or else the next one, ahead of its time.
      """
  )

  @OptionGroup var answered: AnsweredReminder

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let store = try answered.database.open(.edit)
        let now = presentInstant()
        let zone = localZone()
        let id = answered.id
        let known = try store.answers(at: now, zone: zone)[id] ?? []
        let made = try store.act(.complete, on: id, at: now, zone: zone).get()
        let done = try store.answers(at: now, zone: zone)[id, default: []]
          .filter { !known.contains($0) }.map(\.due)
        guard answered.format == .text, made.status == .active, !done.isEmpty else {
          return try answer(made, store, at: now, answered.format)
        }
        let next = try store.presentEngine(at: now, zone: zone).nextTimes(ofReminder: id).first
        let text = try UserText(store, at: now)
        try printLines([text.line(made, doneFor: done, next: next)])
        if done.contains(where: { $0 > now }) {
          printError(
            "nearme: note: ahead of its time; `nearme reminder reopen \(id)` takes it back"
          )
        }
      }
    }
  }
}

/// `nearme reminder reopen`.
struct ReminderReopenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reopen",
    abstract: "Take the last answer back: what was done is to be done again.",
    discussion: """
      A reminder that has ended begins anew; a snooze ends; of one that recurs, the last answer is taken back, once: its \
      time is open again.

        nearme reminder reopen r1
        nearme reminder reopen r1 --expires 2098-12-24
      """
  )

  @OptionGroup var answered: AnsweredReminder

  @Option(help: ArgumentHelp("A new end, of one whose days are over.", valueName: "TIME"))
  var expires: String?

  func run() throws {
    guard let expires else { return try answered.take(.reopen) }
    try reportingFailures {
      let end = try ReminderReasons.end(expires, now: presentInstant(), zone: localZone())
      try answered.store { store, now in
        try store.reopenReminder(answered.id, at: now, zone: localZone()) { $0.expires = end }
      }
    }
  }
}

/// `nearme reminder dismiss`.
struct ReminderDismissCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss",
    abstract: "Take a reminder's line off the screen; one that was told once is over then.",
    discussion: """
        nearme reminder dismiss r1

      Any other reminder stays as it is, and speaks again when it has a reason to.
      """
  )

  @OptionGroup var answered: AnsweredReminder

  func run() throws {
    try reportingFailures {
      try answered.store { store, now in try store.dismiss(answered.id, at: now) }
    }
  }
}

/// `nearme reminder mute`.
struct ReminderMuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute",
    abstract: "Keep a reminder silent until it is unmuted.",
    discussion: "  nearme reminder mute r1"
  )

  @OptionGroup var answered: AnsweredReminder

  func run() throws { try answered.take(.mute) }
}

/// `nearme reminder unmute`.
struct ReminderUnmuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute",
    abstract: "Let a muted reminder speak again.",
    discussion: "  nearme reminder unmute r1"
  )

  @OptionGroup var answered: AnsweredReminder

  func run() throws { try answered.take(.unmute) }
}

/// `nearme reminder snooze`.
struct ReminderSnoozeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Keep a reminder silent for a while, counted from now.",
    discussion: """
        nearme reminder snooze r1 15m
        nearme reminder snooze r1 today
        nearme reminder snooze r1 next-arrival
        nearme reminder snooze r1 90m --policy longer.yaml

      At its end the reminder speaks again, if it is still true. "today" ends at midnight, and what it \
      held back is told in the morning. A policy's "snooze" has other limits than 1m to 60m.
      """,
    // "-1h" would ask for help.
    helpNames: .long
  )

  @OptionGroup var answered: AnsweredReminder

  @Argument(help: "1m to 60m, 1h, today or next-arrival.")
  var span: String

  @OptionGroup var policy: EditPolicyOptions

  func run() throws {
    try reportingFailures {
      let policy = try policy.read(answered.database.profile)
      guard let action = Self.action(span, within: policy.snooze) else {
        let limits = "\(Self.text(policy.snooze.least)) to \(Self.text(policy.snooze.most))"
        throw CommandFailure(
          .usage,
          "cannot snooze for \"\(span)\": write \(limits), 1h, today or next-arrival"
        )
      }
      try answered.store(action, policy)
    }
  }

  private static func action(_ text: String, within limits: Policy.Snooze) -> ReminderAction? {
    switch text {
    case "today": return .snoozeToday
    case "next-arrival": return .snoozeUntilNextArrival
    default:
      guard let unit = text.last, unit == "m" || unit == "h",
        let number = Int64(text.dropLast()), (1...100_000).contains(number),
        text.first != "+"
      else { return nil }
      let span = Milliseconds.minutes(unit == "h" ? number * 60 : number)
      return (limits.least...max(limits.least, limits.most)).contains(span)
        ? .snoozeFor(span) : nil
    }
  }

  /// A span in minutes, where it is so many.
  private static func text(_ span: Milliseconds) -> String {
    span.value % 60_000 == 0 ? "\(span.value / 60_000)m" : span.name
  }
}

/// The reminder that an answer is about: arguments of several commands.
struct AnsweredReminder: ParsableArguments {
  @Argument(help: "The reminder's id.")
  var id: String

  @OptionGroup var database: UserDatabaseOptions

  @Option(help: "How to print the reminder.")
  var format = ListFormat.text

  func take(_ action: ReminderAction) throws {
    try reportingFailures { try store(action) }
  }

  func store(_ action: ReminderAction, _ policy: Policy? = nil) throws {
    try store(policy) { store, now in try store.act(action, on: id, at: now, zone: localZone()) }
  }

  func store(
    _ policy: Policy? = nil,
    _ change: (UserStore, Timestamp) throws -> Result<Reminder, EditRefusal>
  ) throws {
    try mappingUserFailures {
      let store = try database.open(.edit, policy: policy)
      let now = presentInstant()
      try answer(try change(store, now).get(), store, at: now, format)
    }
  }
}

/// `nearme reminder delete`.
struct ReminderDeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a reminder, with what is shown and planned for it.",
    discussion: "  nearme reminder delete r1"
  )

  @Argument(help: "The reminder's id.")
  var id: String

  @OptionGroup var database: UserDatabaseOptions

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let gone = try database.open(.edit).deleteReminder(id, at: presentInstant()).get()
        try printLines(["\(gone.id): \(shown(gone.title)): deleted"])
      }
    }
  }
}
