import NearMeEngine
import Places
import Recurrence
import Timeline

/// Says the parts of a reminder with the phrases of a language; nil where it has none for one of them.
struct ClauseWriter {
  let language: Language
  let context: SentenceContext
  /// Whether times are said so that they cannot be taken for others, though nobody would say them so.
  var areTimesExact = false
  /// The same of places, signals and conditions.
  var isRestExact = false

  /// All but the title, as one phrase.
  func words(_ reminder: Reminder) -> String? {
    guard let (reasons, tail) = reasons(reminder.triggers) else { return nil }
    var clauses = reasons
    let isTimed = reminder.triggers.contains { $0.isSchedule }
    for condition in reminder.conditions {
      guard let clause = self.condition(condition, isTimed: isTimed) else { return nil }
      clauses.append(clause)
    }
    guard let manner = manner(reminder) else { return nil }
    clauses += manner.map { ", " + $0 }
    let words = clauses.filter { !$0.isEmpty }.joined(separator: " ")
      .replacing(" , ", with: ", ")
    return (words.hasPrefix(", ") ? String(words.dropFirst(2)) : words) + tail
  }

  /// Why it speaks, and what stands at the end of the sentence: when it comes next.
  private func reasons(_ triggers: [Trigger]) -> (clauses: [String], tail: String)? {
    var clauses: [String] = []
    var tail = ""
    for trigger in triggers {
      if case .schedule(let schedule) = trigger {
        guard let (clause, next) = self.schedule(schedule) else { return nil }
        clauses.append(clause)
        tail = next
      } else {
        guard let clause = self.trigger(trigger) else { return nil }
        clauses.append(clause)
      }
    }
    // Of two kinds, one is taken for a condition of the other, and one time for a part of the other, if it is not
    // said to be a reason of its own.
    // Of several times, each comes next at its first one from now.
    let areSeveral = triggers.count(where: \.isSchedule) > 1
    if areSeveral { tail = "" }
    if areSeveral || Set(triggers.map(\.kind)).count > 1 {
      guard let also = phrase("also") else { return nil }
      clauses = [clauses.joined(separator: " \(also) ")]
    }
    return (clauses, tail)
  }

  /// How it speaks, and what else belongs to it.
  private func manner(_ reminder: Reminder) -> [String]? {
    var clauses: [String?] = []
    if reminder.priority != 0 {
      clauses.append(
        phrase("priority.\(reminder.priority)") ?? phrase("priority", ["n": "\(reminder.priority)"])
      )
    }
    if let tone = reminder.tone {
      clauses.append(phrase("tone.\(tone)") ?? phrase("tone", ["name": tone.quoted]))
    }
    if let nag = reminder.nag { clauses.append(self.nag(nag)) }
    if let persistence = reminder.persistence {
      clauses.append(phrase("ends.\(persistence.rawValue)"))
    }
    if let expires = reminder.expires {
      // It ends as the day begins: after the one before it.
      let last =
        expires.isDate
        ? WrittenTime(CivilDate(daysSinceEpoch: expires.local.date.daysSinceEpoch - 1)) : expires
      clauses.append(point(last, of: "expires"))
    }
    if let minute = reminder.fallbackMinute {
      clauses.append(clock(minute).flatMap { phrase("fallback", ["time": $0]) })
    }
    if let notes = reminder.notes { clauses.append(phrase("notes", ["text": notes.quoted])) }
    return Self.whole(clauses)
  }

  private func nag(_ nag: Reminder.Nag) -> String? {
    guard let span = span(nag.every), let clause = phrase("nag", ["span": span]) else { return nil }
    var clauses: [String?] = [clause]
    if nag.atMost != Reminder.Nag(every: nag.every).atMost {
      clauses.append(phrase("nag.most", ["n": "\(nag.atMost)"]))
    }
    if let minute = nag.untilMinute {
      clauses.append(clock(minute).flatMap { phrase("nag.until", ["time": $0]) })
    }
    return Self.whole(clauses)?.joined(separator: " ")
  }

  // MARK: - Phrases

  func phrase(_ key: String, _ values: [String: String] = [:]) -> String? {
    guard var text = language.definition.phrases[key] else { return nil }
    for name in values.keys.sorted() {
      text = text.replacing("{\(name)}", with: values[name] ?? "")
    }
    return text
  }

  /// All of them; nil if one is missing.
  private static func whole(_ clauses: [String?]) -> [String]? {
    let words = clauses.compactMap { $0 }
    return words.count == clauses.count ? words : nil
  }

  /// The n-th word of a list, from 1.
  private func word(_ number: Int, of key: String) -> String? {
    let words = phrase(key)?.split(separator: " ") ?? []
    return words.indices.contains(number - 1) ? String(words[number - 1]) : nil
  }

  private func list(_ items: [String?]) -> String? {
    guard let words = Self.whole(items), let last = words.last, let and = phrase("and") else {
      return nil
    }
    guard words.count > 1 else { return last }
    return words.dropLast().joined(separator: ", ") + " \(and) " + last
  }

  // MARK: - Triggers

  private func trigger(_ trigger: Trigger) -> String? {
    switch trigger {
    case .place(let target, nil):
      return placed(isCategory(target) ? "near" : "arrive", target)
    case .place(let target, .some(let tiers)):
      guard let name = name(target) else { return nil }
      if tiers.count == 1, case .approach(let meters) = tiers[0] {
        return distance(meters).flatMap { phrase("within", ["distance": $0, "place": name]) }
      }
      let isOnTheWay = tiers.contains { if case .approach = $0 { true } else { false } }
      return list(tiers.map(tier))
        .flatMap { phrase(isOnTheWay ? "tiers" : "tiers.there", ["place": name, "tiers": $0]) }
    case .leave(let target): return placed("leave", target)
    default: return signal(trigger)
    }
  }

  private func tier(_ tier: Tier) -> String? {
    switch tier {
    case .approach(let meters): distance(meters).flatMap { phrase("tier.near", ["distance": $0]) }
    case .arrival: phrase("tier.arrival")
    case .postArrival(let delay): span(delay).flatMap { phrase("tier.after", ["span": $0]) }
    }
  }

  private func signal(_ trigger: Trigger) -> String? {
    guard case .signal(let name, let from, let to) = trigger else { return nil }
    if from == nil, !isRestExact, let words = phrase("signal.\(name)" + (to.map { ".\($0)" } ?? ""))
    {
      return words
    }
    var clauses = [phrase("signal", ["name": name.quoted])]
    if let from { clauses.append(phrase("signal.from", ["level": from.quoted])) }
    if let to { clauses.append(phrase("signal.to", ["level": to.quoted])) }
    return Self.whole(clauses)?.joined(separator: " ")
  }

  private func isCategory(_ target: Reminder.Target) -> Bool {
    if case .category = target { true } else { false }
  }

  /// A phrase about a place, which may have one of its own, as "when I get home".
  private func placed(_ key: String, _ target: Reminder.Target) -> String? {
    if case .place(let id) = target, !isRestExact, let words = phrase("\(key).\(id)") {
      return words
    }
    return name(target).flatMap { phrase(key, ["place": $0]) }
  }

  private func name(_ target: Reminder.Target) -> String? {
    switch target {
    case .category(let category):
      phrase("category.\(category.name)") ?? phrase("category", ["name": category.name.quoted])
    case .place(let id):
      isRestExact
        ? phrase("place.quoted", ["id": id.quoted])
        : phrase("place.\(id)") ?? context.places.first { $0.id == id }?.name
          ?? phrase("place", ["id": id])
    }
  }

  private func distance(_ meters: Double) -> String? {
    if meters == meters.rounded(), meters > 0, meters < 1_000_000 {
      return phrase("meters", ["n": "\(Int(meters))"])
    }
    let quarters = (meters / Tier.metersPerMile * 4).rounded()
    guard quarters > 0, quarters < 4_000, quarters / 4 * Tier.metersPerMile == meters else {
      return nil
    }
    if quarters == 4 { return phrase("mile") }
    let (whole, rest) = Int(quarters).quotientAndRemainder(dividingBy: 4)
    return phrase("miles", ["n": "\(whole)" + ["", ".25", ".5", ".75"][rest]])
  }

  // MARK: - Times

  private func schedule(_ schedule: Schedule) -> (String, String)? {
    guard schedule.start.offsetSeconds == nil, let (clause, tail) = times(schedule),
      let beside = besides(schedule)
    else { return nil }
    return (clause + beside.map { ", " + $0 }.joined(), tail)
  }

  /// The times themselves, and what stands at the end of the sentence.
  private func times(_ schedule: Schedule) -> (String, String)? {
    let date = date(schedule.start.local.date)
    guard areTimesExact else {
      if let rule = schedule.rule {
        guard schedule.start.local.second == 0 else { return nil }
        // What has begun does not come next at its first time.
        let key = context.hasBegun(schedule) ? "first" : "next"
        // Of several hours of a day, the first need not be the one that comes next.
        let next =
          rule.byHour.count > 1
          ? point(schedule.start, of: key) : date.flatMap { phrase(key, ["date": $0]) }
        guard let words = self.rule(rule, schedule), let next else { return nil }
        return (words, next)
      }
      guard schedule.anchor == .catchUp, schedule.excluded.isEmpty else { return nil }
      return point(schedule.start, of: "on").map { ($0, "") }
    }
    guard let start = point(schedule.start, of: "set") else { return nil }
    guard let rule = schedule.rule else {
      return schedule.excluded.isEmpty ? ("", start) : nil
    }
    guard var clause = phrase("rule", ["rule": rule.description.quoted]) else { return nil }
    if schedule.anchor == .completion {
      guard let after = phrase("completion") else { return nil }
      clause += " " + after
    }
    if !schedule.excluded.isEmpty {
      guard let except = dates(schedule.excluded, "except") else { return nil }
      clause += " " + except
    }
    return (clause, start)
  }

  /// What is said of a schedule beside its times.
  private func besides(_ schedule: Schedule) -> [String]? {
    var clauses: [String?] = schedule.leads.map { lead in
      span(lead).flatMap { phrase("before", ["span": $0]) }
    }
    if !schedule.added.isEmpty { clauses.append(dates(schedule.added, "added")) }
    if let zone = schedule.zone { clauses.append(phrase("zone", ["name": zone.quoted])) }
    if schedule.gap != .shift { clauses.append(phrase("gap.\(schedule.gap.rawValue)")) }
    if schedule.anchor == .schedule { clauses.append(phrase("anchor.schedule")) }
    return Self.whole(clauses)
  }

  private func dates(_ times: [WrittenTime], _ key: String) -> String? {
    guard times.allSatisfy(\.isDate) else { return nil }
    return list(times.map { date($0.local.date) }).flatMap { phrase(key, ["dates": $0]) }
  }

  /// A date in a phrase, with its time of day where it has one.
  private func point(_ time: WrittenTime, of key: String) -> String? {
    guard time.offsetSeconds == nil,
      var words = date(time.local.date).flatMap({ phrase(key, ["date": $0]) })
    else { return nil }
    if !time.isDate {
      let local = time.local
      // "In 20 minutes" is hardly ever said at a full one.
      let at =
        local.second == 0
        ? at([local.secondOfDay / 60])
        : phrase("clock.\(Self.half(local.hour)).second", Self.digits(local))
          .flatMap { phrase("at", ["times": $0]) }
      guard let at else { return nil }
      words += " " + at
    }
    return words
  }

  private func rule(_ rule: RecurrenceRule, _ schedule: Schedule) -> String? {
    guard rule.bySecond.isEmpty, rule.byWeekNumber.isEmpty, rule.byYearDay.isEmpty,
      rule.skip == .omit, rule.weekStart == .monday, let days = days(rule)
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
      guard let day = date(last, as: "day"), let until = phrase("until", ["day": day]) else {
        return nil
      }
      clause += " " + until
    case nil: break
    default: return nil
    }
    if let count = rule.count {
      guard let times = phrase("times", ["n": "\(count)"]) else { return nil }
      clause += " " + times
    }
    if !schedule.excluded.isEmpty {
      guard let except = dates(schedule.excluded, "except") else { return nil }
      clause += " " + except
    }
    return clause
  }

  /// How often, and on which days.
  private func days(_ rule: RecurrenceRule) -> String? {
    let count = ["n": "\(rule.interval)"]
    let unit = rule.frequency.name
    let every = rule.interval == 1 ? phrase("every.\(unit)") : phrase("every.\(unit).n", count)
    guard let every else { return nil }
    if rule.byDay.isEmpty, rule.byMonthDay.isEmpty, rule.byMonth.isEmpty, rule.bySetPosition.isEmpty
    {
      return every
    }
    let days: String?
    switch rule.frequency {
    case .daily: days = months(of: rule)
    case .weekly: return weekdays(rule)
    case .monthly where rule.byMonth.isEmpty: days = monthDays(rule)
    case .yearly: days = yearDay(rule)
    default: days = nil
    }
    return days.map { every + " " + $0 }
  }

  private func months(of rule: RecurrenceRule) -> String? {
    guard rule.byDay.isEmpty, rule.byMonthDay.isEmpty, rule.bySetPosition.isEmpty else {
      return nil
    }
    return list(rule.byMonth.map { word($0, of: "months") })
      .flatMap { phrase("in.months", ["months": $0]) }
  }

  private func weekdays(_ rule: RecurrenceRule) -> String? {
    guard rule.byMonthDay.isEmpty, rule.byMonth.isEmpty, rule.bySetPosition.isEmpty,
      rule.byDay.allSatisfy({ $0.number == nil }),
      let days = list(rule.byDay.map { weekday($0.weekday) })
    else { return nil }
    guard rule.interval == 1 else {
      return phrase("every.days.n", ["days": days, "n": "\(rule.interval)"])
    }
    return named(rule.byDay.map(\.weekday), "every") ?? phrase("every.days", ["days": days])
  }

  private func monthDays(_ rule: RecurrenceRule) -> String? {
    if rule.byDay.isEmpty {
      guard rule.bySetPosition.isEmpty else { return nil }
      if rule.byMonthDay == [-1] { return phrase("on.last_day") }
      if rule.byMonthDay == [-2] { return phrase("on.second_last_day") }
      guard rule.byMonthDay.allSatisfy({ $0 > 0 }) else { return nil }
      guard let days = list(rule.byMonthDay.map({ word($0, of: "ordinals") })) else { return nil }
      // Not every month has a 31st, and that such a month is left out is said.
      let isOfSome = rule.byMonthDay.contains { $0 > 28 }
      return (isOfSome ? phrase("on.days.some", ["days": days]) : nil)
        ?? phrase("on.days", ["days": days])
    }
    guard rule.byMonthDay.isEmpty else { return nil }
    if rule.bySetPosition.count == 1, rule.byDay.allSatisfy({ $0.number == nil }),
      rule.byDay.map(\.weekday) == Array(Weekday.allCases.prefix(5))
    {
      return nth(rule.bySetPosition[0]).flatMap { phrase("on.working_day", ["nth": $0]) }
    }
    return nthDay(rule).flatMap { phrase("on.nth", $0) }
  }

  private func yearDay(_ rule: RecurrenceRule) -> String? {
    guard rule.byMonth.count == 1, let month = word(rule.byMonth[0], of: "months") else {
      return nil
    }
    if rule.byDay.isEmpty, rule.bySetPosition.isEmpty, rule.byMonthDay.count == 1,
      rule.byMonthDay[0] > 0
    {
      return phrase("on.date", ["day": "\(rule.byMonthDay[0])", "month": month])
    }
    guard rule.byMonthDay.isEmpty else { return nil }
    return nthDay(rule)
      .flatMap { phrase("on.nth.month", $0.merging(["month": month]) { first, _ in first }) }
  }

  /// The one weekday of a rule with its numbers, in the words of a phrase.
  private func nthDay(_ rule: RecurrenceRule) -> [String: String]? {
    guard rule.bySetPosition.isEmpty, let first = rule.byDay.first,
      rule.byDay.allSatisfy({ $0.weekday == first.weekday }),
      let nth = list(rule.byDay.map { $0.number.flatMap(nth) }), let day = weekday(first.weekday)
    else { return nil }
    return ["nth": nth, "day": day]
  }

  private func nth(_ number: Int) -> String? {
    number == -1 ? phrase("last") : number > 0 ? word(number, of: "nths") : nil
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
    let names = Self.digits(LocalDateTime(clamping: Int64(minute) * 60))
    let half = Self.half(minute / 60)
    if minute % 60 == 0, let text = phrase("clock.\(half).hour", names) { return text }
    return phrase("clock.\(half)", names)
  }

  private static func half(_ hour: Int) -> String { hour < 12 ? "am" : "pm" }

  private static func digits(_ time: LocalDateTime) -> [String: String] {
    func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    return [
      "h": "\(time.hour)", "h12": "\(time.hour % 12 == 0 ? 12 : time.hour % 12)",
      "hh": padded(time.hour), "m": padded(time.minute), "s": padded(time.second),
    ]
  }

  /// A date with its weekday or, as `day`, without, and with its year where it is not the next that has the day.
  private func date(_ date: CivilDate, as key: String = "date") -> String? {
    let today = context.now.date
    guard let month = word(date.month, of: "months"), let weekday = weekday(date.weekday) else {
      return nil
    }
    let needsYear = date.year != today.year || date < today
    return phrase(
      needsYear ? key + ".year" : key,
      ["weekday": weekday, "day": "\(date.day)", "month": month, "year": "\(date.year)"]
    )
  }

  func span(_ span: Milliseconds) -> String? {
    let seconds = Int(span.value / 1_000)
    guard span.value % 1_000 == 0, seconds > 0 else { return nil }
    for (unit, length) in [("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)]
    where seconds % length == 0 {
      let count = seconds / length
      return phrase("span.\(unit)" + (count == 1 ? "" : ".n"), ["n": "\(count)"])
    }
    return nil
  }

  // MARK: - Conditions

  private func condition(_ condition: Condition, isTimed: Bool) -> String? {
    if isRestExact { return exact(condition).flatMap { phrase("provided", ["condition": $0]) } }
    switch condition {
    case .window(let window): return self.window(window)
    case .inside(let target): return placed("inside", target)
    case .outside(let target): return placed("outside", target)
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

  /// A condition as one that can stand within others.
  private func exact(_ condition: Condition) -> String? {
    switch condition {
    case .window(let window): return exact(window)
    case .inside(let target): return name(target).flatMap { phrase("if.inside", ["place": $0]) }
    case .outside(let target): return name(target).flatMap { phrase("if.outside", ["place": $0]) }
    case .signal(let name, let level):
      return phrase("if.signal", ["name": name.quoted, "level": level.quoted])
    case .dates(let from, let until):
      let names = [("from", from), ("until", until)]
        .compactMap { name, day in day.flatMap { date($0) }.map { (name, $0) } }
      let key = (["if.dates"] + names.map(\.0)).joined(separator: ".")
      guard names.count == [from, until].compactMap({ $0 }).count else { return nil }
      return phrase(key, Dictionary(uniqueKeysWithValues: names))
    case .lasting(let part, let span):
      guard let words = exact(part), let span = self.span(span) else { return nil }
      return phrase("if.lasting", ["span": span, "condition": words])
    case .not(let part): return exact(part).flatMap { phrase("if.not", ["condition": $0]) }
    case .all(let parts): return exact(parts, "if.all")
    case .any(let parts): return exact(parts, "if.any")
    }
  }

  private func exact(_ parts: [Condition], _ key: String) -> String? {
    guard let words = Self.whole(parts.map(exact)), !words.isEmpty else { return nil }
    return phrase(key, ["conditions": words.joined(separator: "; ")])
  }

  private func exact(_ window: WeeklyWindow) -> String? {
    let days =
      window.days == Weekday.allCases ? phrase("if.any_day") : list(window.days.map(weekday))
    guard let days else { return nil }
    if window.startMinute == 0, window.endMinute == WeeklyWindow.minutesOfDay {
      return phrase("if.days", ["days": days])
    }
    let end =
      window.endMinute == WeeklyWindow.minutesOfDay ? phrase("midnight") : clock(window.endMinute)
    guard let start = clock(window.startMinute), let end else { return nil }
    return phrase("if.hours", ["days": days, "from": start, "to": end])
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
    return parts.isEmpty ? nil : Self.whole(parts)?.joined(separator: " ")
  }
}

extension Trigger {
  fileprivate enum Kind: Hashable { case place, time, edge }

  /// Which of them a sentence can hold several of.
  fileprivate var kind: Kind {
    switch self {
    case .place: .place
    case .schedule: .time
    case .leave, .signal: .edge
    }
  }
}
