import Recurrence

/// Something that a plan may have or not, by its name in profiles.
///
/// Making, editing, answering and deleting reminders, notifications on the device, export and erasure are not on
/// the list: no plan is without them.
public enum Feature: String, Hashable, Sendable, CaseIterable {
  /// A place or a category comes near.
  case placeTrigger = "trigger.place"
  /// A place is left.
  case leaveTrigger = "trigger.leave"
  /// A time comes.
  case scheduleTrigger = "trigger.schedule"
  /// A window of time opens; without timers, the first wake inside of it.
  case windowTrigger = "trigger.window"
  /// The phone is unlocked.
  case unlockTrigger = "trigger.unlock"
  /// The phone begins to charge.
  case chargingTrigger = "trigger.charging"
  /// An app that the user chose is opened.
  case appOpenedTrigger = "trigger.app_opened"
  /// Any other signal of the phone.
  case signalTrigger = "trigger.signal"
  /// A part of the week.
  case windowCondition = "condition.window"
  /// A span of dates.
  case datesCondition = "condition.dates"
  /// Inside or outside of a place.
  case placeCondition = "condition.place"
  /// The level of a signal.
  case signalCondition = "condition.signal"
  /// Two conditions or more on one reminder.
  case compoundConditions = "condition.compound"
  /// Every day.
  case dailyRecurrence = "recurrence.daily"
  /// Every week, on any of its days.
  case weeklyRecurrence = "recurrence.weekly"
  /// Any other rule, and those that count from the completion.
  case customRecurrence = "recurrence.custom"
  /// Putting off by one of the profile's choices.
  case fixedSnooze = "snooze.fixed"
  /// Putting off by any number of minutes.
  case minuteSnooze = "snooze.minutes"
  /// A reminder made from a sentence.
  case sentenceCapture = "capture.sentence"
  /// The same reminders on several devices.
  case deviceSync = "sync.devices"
  /// Other looks than the standard one.
  case themes = "appearance.themes"
  /// A sound of one's own.
  case customSound = "sound.custom"
  /// Settings beyond the common ones.
  case advancedSettings = "settings.advanced"
  /// Notifications that the system lets through a focus.
  case timeSensitive = "delivery.time_sensitive"
  /// A tone for each reminder.
  case tones = "wording.tones"
  /// A priority shown and set.
  case priority = "list.priority"
  /// Search and filters.
  case search = "list.search"
  /// Taking back the last answer.
  case undo = "list.undo"

  /// The feature that a recurring reminder uses.
  ///
  /// Every day at the start's time and every week on any days are the plain ones; an interval, an end, a part of
  /// the day, months and years, and counting from the completion are not.
  public static func recurrence(_ rule: RecurrenceRule, anchor: Anchor = .schedule) -> Feature {
    let isBare =
      rule.interval == 1 && rule.count == nil && rule.until == nil && rule.skip == .omit
      && [
        rule.bySecond, rule.byMinute, rule.byHour, rule.byMonth, rule.byMonthDay, rule.byYearDay,
        rule.byWeekNumber, rule.bySetPosition,
      ]
      .allSatisfy(\.isEmpty)
    guard isBare, anchor != .completion else { return .customRecurrence }
    switch rule.frequency {
    case .daily where rule.byDay.isEmpty: return .dailyRecurrence
    case .weekly where rule.byDay.allSatisfy({ $0.number == nil }): return .weeklyRecurrence
    default: return .customRecurrence
    }
  }

  /// The feature of a signal as a trigger, by the signal's name.
  public static func signal(_ name: String) -> Feature {
    switch name {
    case "unlock": .unlockTrigger
    case "charging": .chargingTrigger
    case "app_opened": .appOpenedTrigger
    default: .signalTrigger
    }
  }
}

/// Who has a feature.
public enum Availability: String, Hashable, Sendable, CaseIterable {
  /// Every plan.
  case free
  /// Trials, those who paid, and those who never have to.
  case paid
  /// Nobody: the product does not have it.
  case absent
}

/// What an account may use at an instant.
public enum Access: String, Hashable, Sendable, CaseIterable {
  /// What is free.
  case free
  /// Everything, for a while.
  case trial
  /// Everything, as it was paid for.
  case paid
  /// Everything, for ever, without ever being asked.
  case grandfathered

  /// Whether it has what is paid for.
  public var isFull: Bool { self != .free }
}
