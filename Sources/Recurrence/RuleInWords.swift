import Timeline

/// Says a rule in a sentence, such as "every month on the last Friday at 18:00, 12 times".
struct RuleInWords {
  private let rule: RecurrenceRule
  private let start: LocalDateTime

  init(_ rule: RecurrenceRule, start: LocalDateTime) {
    self.rule = rule
    self.start = start
  }

  var text: String {
    var words = [period]
    words += monthWords
    words += dayWords
    words += timeWords
    if !rule.positions.isEmpty {
      let picks = rule.bySetPosition.map(Self.ordinal)
      words.append("of which the \(Self.list(picks)) in each \(Self.unit(rule.frequency))")
    }
    var sentence = words.joined(separator: " ")
    if let count = rule.count { sentence += ", \(count == 1 ? "once" : "\(count) times")" }
    switch rule.until {
    case .wall(let time): sentence += ", until \(Self.moment(time))"
    case .utc(let time): sentence += ", until \(Self.moment(time)) UTC"
    case .day(let date):
      sentence += ", until the end of \(LocalDateTime(date: date).map { Self.date($0) } ?? "")"
    case nil: break
    }
    switch rule.skip {
    case .omit: break
    case .backward: sentence += "; where there is no such day, on the last before it"
    case .forward: sentence += "; where there is no such day, on the first after it"
    }
    return sentence
  }

  private var period: String {
    let unit = Self.unit(rule.frequency)
    let every = rule.interval == 1 ? "every \(unit)" : "every \(rule.interval) \(unit)s"
    guard rule.frequency == .weekly, rule.interval > 1, rule.weekStart != .monday else {
      return every
    }
    return every + " (weeks from \(Self.name(rule.weekStart)))"
  }

  private var monthWords: [String] {
    let isFromStart = rule.frequency == .yearly && !rule.choosesDays && rule.months == 0
    let months = isFromStart ? [start.date.month] : rule.byMonth
    guard !months.isEmpty else { return [] }
    return ["in " + Self.list(months.map { Self.months[$0 - 1] })]
  }

  private var dayWords: [String] {
    var words: [String] = []
    if !rule.weekNumbers.isEmpty {
      words.append("in week " + Self.list(rule.byWeekNumber.map(Self.counted)))
    }
    if !rule.yearDays.isEmpty {
      words.append("on day " + Self.list(rule.byYearDay.map(Self.counted)) + " of the year")
    }
    var monthDays = rule.byMonthDay
    var weekdays = rule.byDay
    if !rule.choosesDays {
      switch rule.frequency {
      case .yearly, .monthly: monthDays = [start.date.day]
      case .weekly: weekdays = [(nil, start.date.weekday)]
      default: break
      }
    } else if !rule.weekNumbers.isEmpty, weekdays.isEmpty, monthDays.isEmpty, rule.yearDays.isEmpty
    {
      weekdays = [(nil, start.date.weekday)]
    }
    if !monthDays.isEmpty {
      let days = monthDays.map { $0 > 0 ? Self.ordinal($0) : Self.fromEnd(-$0, "day") }
      words.append("on the " + Self.list(days))
    }
    if !weekdays.isEmpty {
      let isLimit = !monthDays.isEmpty || !rule.yearDays.isEmpty
      words.append((isLimit ? "if it is " : "on ") + Self.list(weekdays.map { self.day($0) }))
    }
    return words
  }

  private func day(_ day: (number: Int?, weekday: Weekday)) -> String {
    guard let number = day.number else { return Self.name(day.weekday) }
    let isOfYear = rule.frequency == .yearly && rule.months == 0
    let name = number > 0 ? Self.ordinal(number) : Self.fromEnd(-number, nil)
    return "the \(name) \(Self.name(day.weekday))" + (isOfYear ? " of the year" : "")
  }

  private var timeWords: [String] {
    let times = TimesOfDay(rule: rule, start: start)
    if rule.frequency >= .daily, times.count <= 24 {
      let clocks = (0..<times.count).map { Self.clock(times.time(at: $0)) }
      return ["at " + Self.list(clocks)]
    }
    var words: [String] = []
    if rule.hours != 0 { words.append("in hour " + Self.list(rule.byHour.map(String.init))) }
    if rule.minutes != 0 { words.append("at minute " + Self.list(rule.byMinute.map(String.init))) }
    if rule.seconds != 0 { words.append("at second " + Self.list(rule.bySecond.map(String.init))) }
    return words
  }

  // MARK: - Words

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  private static func name(_ day: Weekday) -> String {
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][day.index]
  }

  private static func unit(_ frequency: Frequency) -> String {
    switch frequency {
    case .secondly: "second"
    case .minutely: "minute"
    case .hourly: "hour"
    case .daily: "day"
    case .weekly: "week"
    case .monthly: "month"
    case .yearly: "year"
    }
  }

  private static func ordinal(_ number: Int) -> String {
    guard number > 0 else { return fromEnd(-number, nil) }
    let ending =
      switch (number % 10, number % 100) {
      case (_, 11...13): "th"
      case (1, _): "st"
      case (2, _): "nd"
      case (3, _): "rd"
      default: "th"
      }
    return "\(number)\(ending)"
  }

  private static func fromEnd(_ number: Int, _ noun: String?) -> String {
    let name = noun.map { " \($0)" } ?? ""
    return number == 1 ? "last\(name)" : "\(ordinal(number))-to-last\(name)"
  }

  private static func counted(_ number: Int) -> String {
    number > 0 ? "\(number)" : "\(-number) from the end"
  }

  private static func list(_ items: [String]) -> String {
    guard items.count > 1 else { return items.first ?? "" }
    return items.dropLast().joined(separator: ", ") + " and " + items[items.count - 1]
  }

  private static func clock(_ second: Int) -> String {
    let text = paddedNumber(second / 3_600, 2) + ":" + paddedNumber(second / 60 % 60, 2)
    return second % 60 == 0 ? text : text + ":" + paddedNumber(second % 60, 2)
  }

  private static func date(_ time: LocalDateTime) -> String { String(time.description.prefix(10)) }

  private static func moment(_ time: LocalDateTime) -> String {
    date(time) + " " + clock(time.secondOfDay)
  }
}

extension RecurrenceSet {
  /// The rule in words, such as "every month on the last Friday at 18:00"; empty without a rule.
  public var ruleInWords: String { rule.map { RuleInWords($0, start: start).text } ?? "" }
}
