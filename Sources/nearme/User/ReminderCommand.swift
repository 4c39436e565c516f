import ArgumentParser
import CacheBuilder
import Foundation
import NearMeEngine
import PlaceStore
import Places
import ReminderForms
import Timeline
import UserStore

/// `nearme reminder`: what is to be done, and where.
struct ReminderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reminder",
    abstract: "Add, list, change, complete, snooze and mute reminders.",
    discussion: """
      Reminders and places live in one sealed file, which the first command makes. A running \
      `nearme run` takes every change at once, and a sleeping one when it starts.

        export NEARME_DB=my.db
        nearme place add Home --kind home --at 39.2904,-76.6122
        nearme reminder add "take out the trash" --place p1
        nearme reminder add "pick up the prescription" --category pharmacy
        nearme reminder list
        nearme reminder snooze r1 1h
        nearme reminder complete r2
      """,
    subcommands: [
      ReminderAddCommand.self, ReminderListCommand.self, ReminderEditCommand.self,
      ReminderShowCommand.self, ReminderCompleteCommand.self, ReminderReopenCommand.self,
      ReminderHistoryCommand.self, ReminderDeleteCommand.self, ReminderMuteCommand.self,
      ReminderUnmuteCommand.self, ReminderSnoozeCommand.self, ReminderDismissCommand.self,
      ReminderWhyCommand.self,
      ReminderExportCommand.self, ReminderImportCommand.self,
    ]
  )
}

/// What a reminder says and where, as options: of `add` and `edit`.
struct ReminderFields: ParsableArguments {
  @Option(help: ArgumentHelp("Near any place of this category, such as pharmacy.", valueName: "C"))
  var category: String?

  @Option(help: ArgumentHelp("At one of your own places, by its id.", valueName: "ID"))
  var place: String?

  @Option(
    help: ArgumentHelp(
      "A cache that has categories of its own; without it, the usual five are known.",
      valueName: "FILE"
    )
  )
  var cache: String?

  @Option(help: "More about it; an empty text takes the notes away.")
  var notes: String?

  @Option(
    help: ArgumentHelp(
      "When it speaks, such as 2mi,arrival,post_arrival:5m; \"default\" for the policy's.",
      valueName: "TIERS"
    )
  )
  var tiers: String?

  @Option(
    help: ArgumentHelp(
      "When it may speak, such as \"mon-fri 17:00-20:00\" or sat,sun; \"always\" for no limit.",
      valueName: "WINDOW"
    )
  )
  var when: String?

  @Option(
    help: ArgumentHelp(
      "low, medium, high, or 0 to 9: of reminders at one distance, the higher one comes first.",
      valueName: "PRIORITY"
    )
  )
  var priority: String?

  /// What it aims at; nil if neither option was given.
  func target() throws -> Reminder.Target? {
    switch (category, place) {
    case (nil, nil): return nil
    case (nil, let place?): return .place(place)
    case (let name?, nil): return .category(try checkedCategory(name))
    default: throw CommandFailure(.usage, "give either --category or --place, not both")
    }
  }

  private static func categories(of cache: String) throws -> [String] {
    let cache = try POICache.open(cache)
    defer { try? cache.close() }
    return cache.knownCategories.map(\.name)
  }

  /// A category that is known, by its name.
  func checkedCategory(_ name: String) throws -> CategoryID {
    let known = try cache.map(Self.categories(of:)) ?? usualCategories
    guard known.contains(name) else {
      let hint = meantCategory(by: name, among: known).map { "; did you mean \($0)?" } ?? "."
      let advice = cache == nil ? " Name a cache with --cache if it is one of its own." : ""
      throw CommandFailure(
        .usage,
        "unknown category \(name)\(hint) Known are \(known.joined(separator: ", ")).\(advice)"
      )
    }
    return CategoryID(name)
  }

  /// The priority to set; nil leaves it.
  func chosenPriority() throws -> Int? {
    guard let priority else { return nil }
    let named = Reminder.priorities.first { $0.name == priority }
    if let named { return named.number }
    if let number = Int(priority), (0...9).contains(number) { return number }
    throw CommandFailure(
      .usage,
      "--priority \(priority): write low, medium, high or a number from 0 to 9"
    )
  }

  /// The window to set: nil leaves it, an inner nil takes it away.
  func chosenWindow() throws -> WeeklyWindow?? {
    guard let when else { return nil }
    if when == "always" { return .some(nil) }
    guard let window = WeeklyWindow(when) else {
      throw CommandFailure(
        .usage,
        "--when \"\(when)\": write days, hours or both, such as \"mon-fri 17:00-20:00\", or always"
      )
    }
    return window
  }

  static let tiersWithoutPlace = CommandFailure(
    .usage,
    "--tiers says how near a place it speaks: add --category or --place"
  )

  /// The tiers to set: nil leaves them, an inner nil takes the policy's.
  func chosenTiers() throws -> [Tier]?? {
    guard let tiers else { return nil }
    if tiers == "default" { return .some(nil) }
    return try tiers.split(separator: ",", omittingEmptySubsequences: false)
      .map { part in
        let text = part.trimmingCharacters(in: .whitespaces)
        if let question = questionOfUnit(text) {
          throw CommandFailure(.usage, "--tiers \(text): \(question)")
        }
        guard let tier = Tier(text) else {
          throw CommandFailure(
            .usage,
            "--tiers: \"\(text)\" is no tier: write a distance such as 2mi, arrival or "
              + "post_arrival:5m"
          )
        }
        return tier
      }
  }
}

extension Reminder {
  /// Priorities that have names, the highest first.
  static let priorities = PlainReminder.Priority.allCases.map {
    (name: $0.rawValue.lowercased(), number: $0.number)
  }
}

/// `nearme reminder add`.
struct ReminderAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a reminder: at a place, near any place of a category, at a time, on a signal.",
    discussion: """
        nearme reminder add "pick up the prescription" --category pharmacy
        nearme reminder add "take out the trash" --place p1 \\
          --notes "paper on Tuesdays"
        nearme reminder add "call Ann" --place p2 --tiers arrival,post_arrival:10m
        nearme reminder add "buy milk" --category grocery \\
          --when "mon-fri 17:00-20:00"
        nearme reminder add "take the pills" --at 08:00 --every day --nag 10m
        nearme reminder add "call the bank" --at 2026-12-01T09:30 --before 1h --once
        nearme reminder add "take the keys" --leave p1
        nearme reminder add "back up the photos" --on charging \\
          --if connectivity=online

      Of several reasons to speak each is one; all conditions must hold. Without any, it is on the list and says \
      nothing. A profile (--profile) may have plans with fewer reasons and room for fewer reminders, and hours (--when) \
      that are a reason.
      """
  )

  @Argument(help: "What is to be done, as it is to be told.")
  var title: String

  @OptionGroup var fields: ReminderFields

  @OptionGroup var reasons: ReminderReasons

  @Option(help: "A short id of your own instead of r1, r2, …; ids are not sealed.")
  var id: String?

  @OptionGroup var database: UserDatabaseOptions

  @OptionGroup var policy: EditPolicyOptions

  @Option(help: "How to print the reminder.")
  var format = ListFormat.text

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        try mappingUserFailures {
          let target = try fields.target()
          let tiers = try fields.chosenTiers() ?? nil
          if target == nil, fields.tiers != nil { throw ReminderFields.tiersWithoutPlace }
          let now = presentInstant()
          let triggers =
            (target.map { [Trigger.place($0, tiers: tiers)] } ?? [])
            + (try reasons.triggers(now: now, zone: localZone(), category: fields.checkedCategory))
          let window = try fields.chosenWindow() ?? nil
          let priority = try fields.chosenPriority() ?? 0
          let conditions =
            (window.map { [Condition.window($0)] } ?? [])
            + (try reasons.conditions(fields.checkedCategory))
          let nag = try reasons.chosenNag()
          let expires = try reasons.chosenEnd(now: now, zone: localZone())
          let fallback = try reasons.chosenFallback()
          try addReminder(id: id, at: now, to: database, by: policy, format) {
            Reminder(
              id: $0,
              title: title,
              notes: fields.notes,
              triggers: triggers,
              conditions: conditions,
              priority: priority,
              persistence: reasons.once ? .once : nil,
              nag: nag,
              expires: expires,
              tone: reasons.tone,
              fallbackMinute: fallback
            )
          }
        }
      }
    }
  }
}

/// `nearme reminder edit`.
struct ReminderEditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a reminder: its title, notes, reasons, conditions, hours or priority.",
    discussion: """
        nearme reminder edit r1 --title "pick up both prescriptions"
        nearme reminder edit r1 --category grocery
        nearme reminder edit r1 --notes "" --tiers default
        nearme reminder edit r1 --at 07:30 --every mon,fri
        nearme reminder edit r1 --no on --no if

      A new time takes the old one's place, and so do signals (--on), places to leave (--leave) and conditions \
      (--if); --no takes away what it names: \(ReminderReasons.Removal.allCases.map(\.rawValue).joined(separator: ", ")).
      """
  )

  @Argument(help: "The reminder's id.")
  var id: String

  @Option(help: "What is to be done.")
  var title: String?

  @OptionGroup var fields: ReminderFields

  @OptionGroup var reasons: ReminderReasons

  @Option(
    help: ArgumentHelp("What to take away, such as if or nag; can be repeated.", valueName: "WHAT")
  )
  var no: [ReminderReasons.Removal] = []

  @OptionGroup var database: UserDatabaseOptions

  @OptionGroup var policy: EditPolicyOptions

  @Option(help: "How to print the reminder.")
  var format = ListFormat.text

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        try mappingUserFailures {
          let target = try fields.target()
          let tiers = try fields.chosenTiers()
          let window = try fields.chosenWindow()
          let priority = try fields.chosenPriority()
          let now = presentInstant()
          let change = try reasons.change(
            removing: no,
            now: now,
            zone: localZone(),
            category: fields.checkedCategory
          )
          guard
            title != nil || fields.notes != nil || target != nil || tiers != nil || window != nil
              || priority != nil || change != nil
          else {
            throw CommandFailure(
              .usage,
              "say what to change, such as --title, --category, --at, --if or --priority, or take "
                + "away with --no"
            )
          }
          let gate = try ProfileGate(database.profile)
          let store = try database.open(.edit, policy: policy.read(database.profile))
          let access = try gate.access(store)
          var refusal: (any Error)?
          let result =
            try store.editReminder(
              id,
              at: now,
              zone: localZone(),
              admit: { gate.refusal(of: $0, access) }
            ) {
              reminder in
              // A change that cannot be made leaves all as it was.
              let old = reminder
              // The window that wakes it may be another one then.
              if old.isWokenByWindow { reminder.triggers = [] }
              do { try change?(&reminder) } catch {
                refusal = error
                reminder = old
                return
              }
              if let title { reminder.title = title }
              if let notes = fields.notes { reminder.notes = notes }
              if let target { reminder.target = target }
              if let tiers {
                if reminder.target == nil {
                  refusal = ReminderFields.tiersWithoutPlace
                  reminder = old
                  return
                }
                reminder.tiers = tiers
              }
              if let window { reminder.window = window }
              if let priority { reminder.priority = priority }
              if !no.contains(.at) {
                // The same where that window is still there: another one may come before it.
                if old.isWokenByWindow, reminder.triggers.isEmpty {
                  reminder.triggers = old.triggers
                  if !reminder.isWokenByWindow { reminder.triggers = [] }
                }
                reminder = gate.filled(reminder, changedFrom: old)
              }
            }
          if let refusal { throw refusal }
          let made = try result.get()
          gate.warn(of: made)
          try answer(made, store, at: now, format)
        }
      }
    }
  }
}

/// Adds a reminder as far as plan and policy allow it, says what it will not do, and prints it.
///
/// - Parameter id: nil: the database chooses one.
func addReminder(
  id: String?,
  at now: Timestamp,
  to database: UserDatabaseOptions,
  by policy: EditPolicyOptions,
  _ format: ListFormat,
  _ make: (_ id: String) -> Reminder
) throws {
  let gate = try ProfileGate(database.profile)
  let policy = try policy.read(database.profile)
  let store = try database.open(.make, policy: policy)
  let access = try gate.access(store)
  let made =
    try store.addReminder(
      id: id,
      at: now,
      zone: localZone(),
      admit: { gate.refusal(of: $0, $1, access) },
      { gate.filled(make($0)) }
    )
    .get()
  gate.warn(of: made, newBy: policy)
  noteUnknownTones(of: [made])
  try answer(made, store, at: now, format)
}

/// Prints a reminder that a command made or changed.
func answer(
  _ reminder: Reminder,
  _ store: UserStore,
  at now: Timestamp,
  _ format: ListFormat
) throws {
  let text = try UserText(store, at: now)
  try printLines([format == .json ? text.json(reminder) : text.line(reminder)])
}

/// Elements of a JSON array, a line each.
func separated(_ elements: [String]) -> [String] {
  elements.enumerated().map { $0.offset < elements.count - 1 ? $0.element + "," : $0.element }
}

/// The categories that a cache has if its rules name no others.
let usualCategories = CategoryRules.standard.categories.map(\.id.name)
