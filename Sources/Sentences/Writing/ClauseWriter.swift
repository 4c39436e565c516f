import NearMeEngine
import Places
import Recurrence
import Timeline

/// Says the parts of a reminder with the phrases of a language; nil where it has none for one of them.
struct ClauseWriter {
  let language: Language
  let context: SentenceContext

  init(_ language: Language, context: SentenceContext) {
    self.language = language
    self.context = context
  }

  /// All but the title, as one phrase.
  mutating func words(_ reminder: Reminder) -> String? {
    guard reminder.notes == nil, reminder.expires == nil, reminder.fallbackMinute == nil else {
      return nil
    }
    var clauses: [String] = []
    var tail = ""
    var schedules: [Schedule] = []
    for trigger in reminder.triggers {
      if case .schedule(let schedule) = trigger {
        schedules.append(schedule)
      } else {
        guard let clause = self.trigger(trigger) else { return nil }
        clauses.append(clause)
      }
    }
    guard schedules.isEmpty || (schedules.count == 1 && clauses.isEmpty) else { return nil }
    if let schedule = schedules.first {
      guard let (clause, next) = self.schedule(schedule) else { return nil }
      clauses.append(clause)
      tail = next
    }
    for condition in reminder.conditions {
      guard let clause = self.condition(condition, isTimed: !schedules.isEmpty) else { return nil }
      clauses.append(clause)
    }
    if reminder.priority != 0 {
      guard let clause = phrase("priority.\(reminder.priority)") else { return nil }
      clauses.append(", " + clause)
    }
    if let tone = reminder.tone {
      guard let clause = phrase("tone.\(tone)") else { return nil }
      clauses.append(", " + clause)
    }
    if let nag = reminder.nag {
      guard nag.atMost == 10, nag.untilMinute == nil, let span = span(nag.every),
        let clause = phrase("nag", ["span": span])
      else { return nil }
      clauses.append(", " + clause)
    }
    if let persistence = reminder.persistence {
      guard let clause = phrase("ends.\(persistence.rawValue)") else { return nil }
      clauses.append(", " + clause)
    }
    return clauses.joined(separator: " ").replacing(" , ", with: ", ") + tail
  }

  // MARK: - Phrases

  func phrase(_ key: String, _ values: [String: String] = [:]) -> String? {
    guard var text = language.definition.phrases[key] else { return nil }
    for name in values.keys.sorted() {
      text = text.replacing("{\(name)}", with: values[name] ?? "")
    }
    return text
  }

  /// The n-th word of a list, from 1.
  private func word(_ number: Int, of key: String) -> String? {
    let words = phrase(key)?.split(separator: " ") ?? []
    return words.indices.contains(number - 1) ? String(words[number - 1]) : nil
  }

  private func list(_ items: [String?]) -> String? {
    let words = items.compactMap { $0 }
    guard words.count == items.count, let last = words.last, let and = phrase("and") else {
      return nil
    }
    guard words.count > 1 else { return last }
    return words.dropLast().joined(separator: ", ") + " \(and) " + last
  }

  // MARK: - Triggers

  private func trigger(_ trigger: Trigger) -> String? {
    switch trigger {
    case .place(let target, nil):
      guard let name = name(target) else { return nil }
      return phrase(isCategory(target) ? "near" : "arrive", ["place": name])
    case .place(let target, .some(let tiers)):
      guard tiers.count == 1, case .approach(let meters) = tiers[0], let name = name(target),
        let distance = distance(meters)
      else { return nil }
      return phrase("within", ["distance": distance, "place": name])
    case .leave(let target): return name(target).flatMap { phrase("leave", ["place": $0]) }
    default: return signal(trigger)
    }
  }

  private func signal(_ trigger: Trigger) -> String? {
    guard case .signal(let name, nil, let level) = trigger else { return nil }
    return phrase("signal.\(name)" + (level.map { ".\($0)" } ?? ""))
  }

  private func isCategory(_ target: Reminder.Target) -> Bool {
    if case .category = target { true } else { false }
  }

  private func name(_ target: Reminder.Target) -> String? {
    switch target {
    case .category(let category): phrase("category.\(category.name)")
    case .place(let id):
      phrase("place.\(id)") ?? context.places.first { $0.id == id }?.name
        ?? phrase("place", ["id": id])
    }
  }

  private func distance(_ meters: Double) -> String? {
    meters == meters.rounded() && meters < 1_000_000
      ? phrase("meters", ["n": "\(Int(meters))"]) : nil
  }

  // MARK: - Times

  private func schedule(_ schedule: Schedule) -> (String, String)? {
    guard schedule.zone == nil, schedule.added.isEmpty, schedule.gap == .shift,
      schedule.start.offsetSeconds == nil, schedule.start.local.second == 0
    else { return nil }
    var clause: String
    var tail = ""
    if let rule = schedule.rule {
      guard schedule.anchor != .schedule, let words = self.rule(rule, schedule) else { return nil }
      clause = words
      guard let date = date(schedule.start.local.date), let next = phrase("next", ["date": date])
      else {
        return nil
      }
      tail = next
    } else {
      guard schedule.anchor == .catchUp, schedule.excluded.isEmpty,
        let date = date(schedule.start.local.date), let on = phrase("on", ["date": date])
      else { return nil }
      clause = on
      if !schedule.start.isDate {
        guard let at = at([schedule.start.local.secondOfDay / 60]) else { return nil }
        clause += " " + at
      }
    }
    for lead in schedule.leads {
      guard let span = span(lead), let before = phrase("before", ["span": span]) else { return nil }
      clause += ", " + before
    }
    return (clause, tail)
  }

  private func rule(_ rule: RecurrenceRule, _ schedule: Schedule) -> String? {
    guard rule.bySecond.isEmpty, rule.byWeekNumber.isEmpty, rule.byYearDay.isEmpty,
      rule.bySetPosition.isEmpty, rule.skip == .omit, rule.weekStart == .monday,
      let days = days(rule)
    else { return nil }
    var clause = days
    if rule.frequency.isElapsed {
      guard rule.byHour.isEmpty, rule.byMinute.isEmpty else { return nil }
      guard !schedule.start.isDate, let at = at([schedule.start.local.secondOfDay / 60]) else {
        return nil
      }
      clause += " " + at
    } else if schedule.start.isDate {
      guard rule.byHour.isEmpty, rule.byMinute.isEmpty else { return nil }
    } else {
      let minute = schedule.start.local.minute
      let hours = rule.byHour.isEmpty ? [schedule.start.local.hour] : rule.byHour
      guard rule.byMinute.isEmpty || rule.byMinute == [minute],
        let at = at(hours.map { $0 * 60 + minute })
      else { return nil }
      clause += " " + at
    }
    if schedule.anchor == .completion {
      guard let after = phrase("completion") else { return nil }
      clause += " " + after
    }
    switch rule.until {
    case .day(let last)?:
      guard let date = date(last), let until = phrase("until", ["date": date]) else { return nil }
      clause += " " + until
    case nil: break
    default: return nil
    }
    if let count = rule.count {
      guard let times = phrase("times", ["n": "\(count)"]) else { return nil }
      clause += " " + times
    }
    if !schedule.excluded.isEmpty {
      guard schedule.excluded.allSatisfy(\.isDate),
        let dates = list(schedule.excluded.map { date($0.local.date) }),
        let except = phrase("except", ["dates": dates])
      else { return nil }
      clause += " " + except
    }
    return clause
  }

  private func days(_ rule: RecurrenceRule) -> String? {
    let count = ["n": "\(rule.interval)"]
    let unit = rule.frequency.name
    let every = rule.interval == 1 ? phrase("every.\(unit)") : phrase("every.\(unit).n", count)
    let weekdays = rule.byDay
    guard let every else { return nil }
    if weekdays.isEmpty, rule.byMonthDay.isEmpty, rule.byMonth.isEmpty { return every }
    if rule.byMonthDay.isEmpty, rule.byMonth.isEmpty, weekdays.allSatisfy({ $0.number == nil }) {
      guard rule.frequency == .weekly, let days = list(weekdays.map { weekday($0.weekday) }) else {
        return nil
      }
      if rule.interval == 1, let text = named(weekdays.map(\.weekday), "every") { return text }
      return rule.interval == 1
        ? phrase("every.days", ["days": days])
        : phrase("every.days.n", ["days": days].merging(count) { a, _ in a })
    }
    if rule.frequency == .monthly, rule.byMonth.isEmpty {
      if weekdays.isEmpty {
        if rule.byMonthDay == [-1] { return phrase("on.last_day").map { every + " " + $0 } }
        guard rule.byMonthDay.allSatisfy({ $0 > 0 }),
          let days = list(rule.byMonthDay.map { word($0, of: "ordinals") })
        else { return nil }
        return phrase("on.days", ["days": days]).map { every + " " + $0 }
      }
      guard rule.byMonthDay.isEmpty, weekdays.count == 1, let number = weekdays[0].number,
        let nth = number == -1 ? phrase("last") : number > 0 ? word(number, of: "nths") : nil,
        let day = weekday(weekdays[0].weekday)
      else { return nil }
      return phrase("on.nth", ["nth": nth, "day": day]).map { every + " " + $0 }
    }
    guard rule.frequency == .yearly, weekdays.isEmpty, rule.byMonth.count == 1,
      rule.byMonthDay.count == 1, rule.byMonthDay[0] > 0,
      let month = word(rule.byMonth[0], of: "months")
    else { return nil }
    return phrase("on.date", ["day": "\(rule.byMonthDay[0])", "month": month])
      .map { every + " " + $0 }
  }

  /// The days from Monday to Friday, or the two others, where there is a phrase for them.
  private func named(_ days: [Weekday], _ key: String) -> String? {
    if days == Array(Weekday.allCases.prefix(5)) { return phrase("\(key).weekdays") }
    return days == Array(Weekday.allCases.suffix(2)) ? phrase("\(key).weekends") : nil
  }

  private func weekday(_ weekday: Weekday) -> String? {
    Weekday.allCases.firstIndex(of: weekday).flatMap { word($0 + 1, of: "weekdays") }
  }

  private func at(_ minutes: [Int]) -> String? {
    list(minutes.map(clock)).flatMap { phrase("at", ["times": $0]) }
  }

  private func clock(_ minute: Int) -> String? {
    let (hour, rest) = (minute / 60, minute % 60)
    let padded = (rest < 10 ? "0" : "") + "\(rest)"
    let half = hour < 12 ? "am" : "pm"
    let names = [
      "h": "\(hour)", "h12": "\(hour % 12 == 0 ? 12 : hour % 12)", "m": padded,
      "hh": (hour < 10 ? "0" : "") + "\(hour)",
    ]
    if rest == 0, let text = phrase("clock.\(half).hour", names) { return text }
    return phrase("clock.\(half)", names)
  }

  /// A date with its weekday, and with its year where it is not the next that has the day.
  private func date(_ date: CivilDate) -> String? {
    let today = context.now.date
    guard let month = word(date.month, of: "months"), let weekday = weekday(date.weekday) else {
      return nil
    }
    let needsYear = date.year != today.year || date < today
    return phrase(
      needsYear ? "date.year" : "date",
      ["weekday": weekday, "day": "\(date.day)", "month": month, "year": "\(date.year)"]
    )
  }

  func span(_ span: Milliseconds) -> String? {
    let seconds = Int(span.value / 1_000)
    guard span.value % 1_000 == 0, seconds > 0 else { return nil }
    for (unit, length) in [("day", 86_400), ("hour", 3_600), ("minute", 60)]
    where seconds % length == 0 {
      let count = seconds / length
      return phrase("span.\(unit)" + (count == 1 ? "" : ".n"), ["n": "\(count)"])
    }
    return nil
  }

  // MARK: - Conditions

  private func condition(_ condition: Condition, isTimed: Bool) -> String? {
    switch condition {
    case .window(let window): return self.window(window)
    case .inside(let target): return name(target).flatMap { phrase("inside", ["place": $0]) }
    case .outside(let target): return name(target).flatMap { phrase("outside", ["place": $0]) }
    case .signal(let name, let level): return phrase("level.\(name).\(level)")
    case .dates(let from, let until):
      guard !isTimed else { return nil }
      switch (from, until) {
      case (let from?, let until?):
        guard let first = date(from), let last = date(until) else { return nil }
        return phrase("dates", ["from": first, "until": last])
      case (let from?, nil): return date(from).flatMap { phrase("dates.from", ["date": $0]) }
      case (nil, let until?): return date(until).flatMap { phrase("dates.until", ["date": $0]) }
      default: return nil
      }
    default: return nil
    }
  }

  private func window(_ window: WeeklyWindow) -> String? {
    var parts: [String?] = []
    if window.days != Weekday.allCases {
      parts.append(
        named(window.days, "only")
          ?? list(window.days.map(weekday)).flatMap { phrase("only.days", ["days": $0]) }
      )
    }
    if window.startMinute != 0 || window.endMinute != WeeklyWindow.minutesOfDay {
      guard let start = clock(window.startMinute) else { return nil }
      if window.endMinute == WeeklyWindow.minutesOfDay {
        parts.append(phrase("only.after", ["time": start]))
      } else {
        parts.append(
          clock(window.endMinute).flatMap { phrase("only.hours", ["from": start, "to": $0]) }
        )
      }
    }
    let words = parts.compactMap { $0 }
    return words.count == parts.count && !words.isEmpty ? words.joined(separator: " ") : nil
  }
}
