import NearMeEngine
import Profiles
import Recurrence
import ReminderForms
import SettingsFiles
import TimeZones
import Timeline
import UserStore

/// What a product's plan says to a reminder that is made or changed.
struct ProfileGate {
  private let profile: ProductProfile

  init(_ options: ProfileOptions) throws {
    var profile = ProductProfile()
    try mappingSettingsFailures { profile = try options.read().profile }
    self.profile = profile
  }

  /// What the user of a database may use.
  func access(_ store: UserStore) throws -> Access {
    try store.entitlement() == .premium ? .paid : .free
  }

  /// A reminder as the product has it where the user says nothing else.
  ///
  /// - Parameter old: what it was before an edit; what already had a reason to speak ends as it did.
  func filled(_ reminder: Reminder, changedFrom old: Reminder? = nil) -> Reminder {
    var filled = reminder
    // An import's window opens with its hours in any product.
    if profile.hasWindowTrigger || old?.isWokenByWindow ?? false { filled.wakeByWindow() }
    let isNew = !filled.triggers.isEmpty && old?.triggers.isEmpty ?? true
    if isNew, profile.persistence == .once, filled.persistence == nil, filled.nag == nil,
      reminder.endsBy != .perOccurrence
    {
      filled.persistence = .once
    }
    return filled
  }

  /// Why one more reminder is not taken; nil if it is.
  ///
  /// What a soft quota says goes to standard error.
  func refusal(
    of reminder: Reminder,
    _ counts: ReminderCounts,
    _ access: Access
  ) -> EditRefusal? {
    if let refusal = refusal(of: reminder, access) { return refusal }
    let counts = Counts(
      active: counts.active,
      open: counts.open,
      createdThisMonth: counts.createdThisMonth,
      created: counts.created
    )
    switch profile.verdict(onCreatingWith: counts, access: access) {
    case .allowed: return nil
    case .allowedBeyond(let quota):
      printError("nearme: note: " + sentence(quota))
      return nil
    case .refused(let quota): return .planRefuses(sentence(quota))
    }
  }

  /// Why a reminder is not taken as it is; nil if it is.
  func refusal(of reminder: Reminder, _ access: Access) -> EditRefusal? {
    switch profile.refusal(of: ReminderShape(reminder), access: access) {
    case nil: nil
    case .needsEntitlement(let feature):
      .planRefuses(
        "\(feature.rawValue) is not on the free plan of \(profile.name): `nearme plan premium` has it"
      )
    case .absent(let feature):
      .planRefuses("\(profile.name) has no \(feature.rawValue); another --profile may")
    case .logic:
      .planRefuses(
        "\(profile.name) takes one list of conditions that must all hold, and no any, all or not"
      )
    }
  }

  /// Says what a reminder that was taken will not do.
  ///
  /// - Parameter newBy: where it was just made, so that a time that has passed was not told before: by which policy.
  func warn(of reminder: Reminder, newBy policy: Policy? = nil) {
    if reminder.canNeverSpeak(from: presentInstant(), in: localZone()) {
      printError("nearme: note: " + Self.neverSpeaks)
    }
    if reminder.triggers.isEmpty, reminder.nag != nil || !reminder.conditions.isEmpty {
      printError(
        "nearme: note: it has no reason to speak, such as a place, --at or --on unlock, so its conditions, hours and "
          + "repeats do nothing"
      )
    }
    for case .schedule(let schedule) in reminder.triggers {
      guard let policy, reminder.conditions.isEmpty, !schedule.recurs else { continue }
      let minute = policy.schedules.minuteOfDay
      guard
        schedule.hasPassed(at: presentInstant(), in: zone(of: schedule), timeOfDay: minute * 60)
      else { continue }
      // A date comes at the policy's hour.
      let hour =
        schedule.start.isDate ? " at " + WeeklyWindow.text(ofMinute: minute) : ""
      printError(
        "nearme: note: \(schedule)\(hour) has passed, so it is told as soon as `nearme run` begins"
      )
    }
    for warning in profile.warnings(for: ReminderShape(reminder)) {
      switch warning {
      case .noWakeSource:
        printError(
          "nearme: note: \(profile.name) sets no timers: it speaks when something else happens, such as an unlock"
        )
      }
    }
  }

  /// What is said of a reminder that can never speak.
  static let neverSpeaks =
    "its conditions never hold together, or not when its reasons come, so it never speaks"

  private func zone(of schedule: Schedule) -> UTCOffsetTable {
    schedule.zone.flatMap { SystemZones().zone(named: $0) } ?? localZone()
  }

  private func sentence(_ quota: Quota) -> String {
    let plan = "the \(quota.access.rawValue) plan of \(profile.name)"
    return switch quota.scope {
    case .active:
      "\(counted(quota.limit, "reminder")) may be live on \(plan): complete, mute or delete one"
    case .open: "\(counted(quota.limit, "reminder")) may be open on \(plan): complete or delete one"
    case .createdPerCalendarMonth:
      "\(counted(quota.limit, "reminder")) can be made in a month on \(plan)"
    }
  }
}

extension ReminderShape {
  /// What a reminder is made of.
  init(_ reminder: Reminder) {
    let parts = reminder.asDocument
    var triggers: [Feature] = parts.wakingWindows > 0 ? [.windowTrigger] : []
    var extras: [Feature] = []
    for trigger in parts.triggers {
      switch trigger {
      case .place: triggers.append(.placeTrigger)
      case .leave: triggers.append(.leaveTrigger)
      case .schedule(let schedule):
        triggers.append(.scheduleTrigger)
        if let rule = schedule.rule {
          extras.append(.recurrence(rule, anchor: schedule.anchor))
        }
      default:
        if case .signal(let name, _, _) = trigger { triggers.append(.signal(name)) }
      }
    }
    if reminder.tone != nil { extras.append(.tones) }
    if reminder.priority != 0 { extras.append(.priority) }
    let conditions = parts.conditions.map(Logic.init)
    self.init(
      triggers: triggers,
      conditions: conditions.count > 1 ? .all(conditions) : conditions.first,
      extras: extras
    )
  }
}

extension ReminderShape.Logic {
  fileprivate init(_ condition: Condition) {
    switch condition {
    case .window: self = .one(.windowCondition)
    case .dates: self = .one(.datesCondition)
    case .inside, .outside: self = .one(.placeCondition)
    case .lasting(let part, _): self.init(part)
    case .all(let parts): self = .all(parts.map(Self.init))
    case .any(let parts): self = .any(parts.map(Self.init))
    case .not(let part): self = .not(Self(part))
    default: self = .one(.signalCondition)
    }
  }
}
