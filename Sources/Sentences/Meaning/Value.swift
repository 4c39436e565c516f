import NearMeEngine
import Timeline

/// What a part of a sentence says, before it is known when it was said.
///
/// What is large is kept elsewhere, so that what is small is copied without asking for memory.
enum Value: Sendable {
  case none
  case int(Int)
  case text(String)
  case meters(Double)
  indirect case span(TimeSpan)
  indirect case clock(Clock)
  case day(Day)
  indirect case moment(Moment)
  indirect case interval(Interval)
  case list([Value])
  indirect case repetition(Repetition)
  indirect case target(SpokenTarget)
  case tier(Tier)
  case condition(SpokenCondition)
  indirect case part(Part)

  var int: Int? { if case .int(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
  var meters: Double? { if case .meters(let value) = self { value } else { nil } }
  var span: TimeSpan? { if case .span(let value) = self { value } else { nil } }
  var clock: Clock? { if case .clock(let value) = self { value } else { nil } }
  var day: Day? { if case .day(let value) = self { value } else { nil } }
  var moment: Moment? { if case .moment(let value) = self { value } else { nil } }
  var interval: Interval? { if case .interval(let value) = self { value } else { nil } }
  var list: [Value]? { if case .list(let values) = self { values } else { nil } }
  var repetition: Repetition? { if case .repetition(let value) = self { value } else { nil } }
  var tier: Tier? { if case .tier(let value) = self { value } else { nil } }
  var condition: SpokenCondition? { if case .condition(let value) = self { value } else { nil } }
  var target: SpokenTarget? { if case .target(let value) = self { value } else { nil } }
  var isNone: Bool { if case .none = self { true } else { false } }
  /// Whole numbers: one, or those of a list.
  var ints: [Int]? {
    switch self {
    case .int(let value): return [value]
    case .list(let values):
      let ints = values.compactMap(\.int)
      return ints.count == values.count ? ints : nil
    default: return nil
    }
  }
}

/// The values that a rule hands to its meaning; one that a rule does not have is none, whatever its file says.
struct Arguments: RandomAccessCollection {
  private let values: [Value]

  init(_ values: [Value]) { self.values = values }

  var startIndex: Int { 0 }
  var endIndex: Int { values.count }

  subscript(index: Int) -> Value { values.indices.contains(index) ? values[index] : .none }
}

/// How exact a time is said to be.
public enum Grain: Int, Hashable, Sendable, Comparable, CaseIterable {
  case second, minute, hour, day, week, month, quarter, year

  /// The name in output.
  public var name: String { "\(self)" }

  /// Orders from the finest.
  public static func < (a: Grain, b: Grain) -> Bool { a.rawValue < b.rawValue }
}

/// A length of time: months, days and seconds, of which each has its own arithmetic.
struct TimeSpan: Hashable, Sendable {
  var months = 0
  var days = 0
  var seconds = 0
  /// The unit that was said last.
  var grain = Grain.minute

  /// So many thousandths of a unit; nil where that is none, such as half a second month.
  init?(milli: Int, unit: Int) {
    guard milli > 0, milli <= 10_000_000 else { return nil }
    let isWhole = milli % 1_000 == 0
    let count = milli / 1_000
    switch unit {
    case 0...2:
      let length = [1, 60, 3_600][unit]
      guard milli * length % 1_000 == 0 else { return nil }
      seconds = milli * length / 1_000
      grain = [.second, .minute, .hour][unit]
    case 3, 9:
      grain = .day
      if isWhole { days = count } else { seconds = milli * 864 / 10 }
    case 4, 8:
      let days = (unit == 4 ? 7 : 14) * milli
      grain = .week
      guard days % 1_000 == 0 else {
        seconds = days * 864 / 10
        return
      }
      self.days = days / 1_000
    case 5...7:
      let months = [1, 3, 12][unit - 5] * milli
      guard months % 1_000 == 0 else { return nil }
      self.months = months / 1_000
      grain = [.month, .quarter, .year][unit - 5]
    default: return nil
    }
  }

  static func + (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    var sum = a
    sum.months += b.months
    sum.days += b.days
    sum.seconds += b.seconds
    sum.grain = min(a.grain, b.grain)
    return sum
  }

  /// Whether it is made of whole days.
  var isOfDays: Bool { seconds == 0 }

  /// Its days and seconds as elapsed time; months have no length of their own.
  var elapsedSeconds: Int { seconds + days * 86_400 }

  /// The same as a span of the engine; of months, thirty days each.
  var elapsed: Milliseconds { .seconds(Int64(elapsedSeconds + months * 30 * 86_400)) }

  /// The same as a span of the engine before a day, counted in days since 1970.
  func elapsed(before day: Int) -> Milliseconds {
    guard months > 0, let first = Resolver.day(day, plusMonths: -months) else { return elapsed }
    return .seconds(Int64(elapsedSeconds + (day - first) * 86_400))
  }
}

/// A part of the day, with the hours that it stands for (spec of sentences: morning 9, afternoon 15, evening 18,
/// night 21) and those that it reaches over.
enum PartOfDay: Int, Hashable, Sendable {
  case morning = 1, afternoon = 3, evening, night, lunch

  var hour: Int {
    switch self {
    case .morning: 9
    case .afternoon: 15
    case .evening: 18
    case .night: 21
    case .lunch: 12
    }
  }

  /// From which hour to which; the night's lie on two days.
  var hours: (from: Int, to: Int) {
    switch self {
    case .morning: (6, 12)
    case .afternoon: (12, 18)
    case .evening: (18, 21)
    case .night: (21, 6)
    case .lunch: (12, 14)
    }
  }
}

/// A time of day as it was said.
struct Clock: Hashable, Sendable {
  /// Seconds after midnight; for what could be morning or evening, that of the morning.
  var second: Int
  /// Whether twelve hours later may be meant as well.
  var isOpen = false
  /// The part of the day that was said, alone or with an hour.
  var part: PartOfDay?
  /// Whether it was written with its minutes, as 8:30.
  var isWritten = false
  /// Whether it was said by a clock of 24 hours, as 17 is.
  var isOf24 = false
  /// Whether only a part of the day was said.
  var isPart = false
  /// Midnight: of the next day.
  var isNextDay = false
  var grain = Grain.minute
  var zone: SpokenZone?

  init(second: Int, isOpen: Bool = false) {
    self.second = second
    self.isOpen = isOpen
  }

  /// An hour that is taken where none is said.
  init(usual hour: Int) {
    second = hour * 3_600
    isPart = true
  }

  init(_ part: PartOfDay) {
    second = part.hour * 3_600
    self.part = part
    isPart = true
    grain = .hour
  }
}

/// A zone that was said beside a time.
enum SpokenZone: Hashable, Sendable {
  case minutes(Int)
  case named(String)

  /// The name by which a zone of that clock is found, which for numbers counts westward; nil for parts of an hour.
  ///
  /// - Source: the file `etcetera` of the time zone database.
  var name: String? {
    switch self {
    case .named(let name): name
    case .minutes(let minutes):
      minutes % 60 == 0 && (-12...14).contains(minutes / 60)
        ? "Etc/GMT" + (minutes > 0 ? "-" : "+") + "\((minutes / 60).magnitude)" : nil
    }
  }
}

/// Which of several days with one name.
enum Which: Int, Hashable, Sendable {
  case plain, this, next, last
}

/// A day, or some days, as they were said.
indirect enum Day: Hashable, Sendable {
  case offset(Int)
  case weekday(Int, Which)
  case dayOfMonth(Int, month: Int?)
  case date(year: Int?, month: Int, day: Int)
  case dateIn(year: Int, month: Int, day: Int)
  /// A date with its weekday, which is none where the next one falls on another: "Dienstag 8.12".
  case weekdayDate(Int, month: Int, day: Int)
  case month(Int, year: Int?, which: Which)
  case monthIn(year: Int, month: Int)
  case year(Int)
  case unit(Grain, Int)
  case quarter(Int, year: Int?)
  case weekend(Int)
  case weekendOf(Day)
  case weekOf(Day)
  /// The first, last or middle day of some days.
  case edge(Edge, of: Day)
  case nth(Int, weekday: Int, of: Day?)
  case workday(Int, of: Day)
  case weekdayIn(Int, Day)
  case shifted(Day, by: TimeSpan, sign: Int)
  case season(month: Int, Which, year: Int?)
  /// The n-th weekday of a month, each year.
  case annual(Int, weekday: Int, month: Int, year: Int?)

  enum Edge: Int, Hashable, Sendable {
    case start, end, middle
  }
}

/// A point in time as it was said.
struct Moment: Hashable, Sendable {
  var day: Day?
  var clock: Clock?
  /// From now, in elapsed time.
  var later: TimeSpan?
  /// Added to the point.
  var shift: Int = 0

  init(day: Day? = nil, clock: Clock? = nil, later: TimeSpan? = nil) {
    self.day = day
    self.clock = clock
    self.later = later
  }

  /// Whether it is nothing but a time of day.
  var isClock: Bool { day == nil && later == nil && clock != nil }
}

/// Some time as it was said.
struct Interval: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case between, by, before, after, until, from
    /// The next so long.
    case next
    /// A point, and how long from there.
    case lasting
  }

  var kind: Kind
  /// Whether it ends or begins with its day, as "tomorrow after 5" does.
  var isWithinDay = false
  /// Whether all other hours of the day are meant.
  var isOutside = false
  var from: Moment?
  var to: Moment?
  var span: TimeSpan?
  /// Whether a time of day beside it is meant on each of its days.
  var isOfEachDay = false
  /// Whether days are said in short, as on a plan of the week: "Mon-Thu".
  var isShort = false
}

/// Something that comes again, as it was said.
struct Repetition: Hashable, Sendable {
  var unit = Grain.day
  var interval = 1
  /// Bit n: weekday n, Monday being 0.
  var weekdays = 0
  var nths: [Nth] = []
  var monthDays: [Int] = []
  var months: [Int] = []
  var positions: [Int] = []
  var clocks: [Clock] = []
  /// Counted from the completion.
  var isFromDone = false
  /// Without `every`: the first time comes after a whole interval.
  var beginsLater = false
  /// Whether it comes in each quarter, so that its days are those of the quarter's first month, or of its last.
  var isOfQuarters = false
  /// A rule of iCalendar as text.
  var rule: String?

  struct Nth: Hashable, Sendable {
    let number: Int
    let weekday: Int
  }

  /// Whether it says which days.
  var choosesDays: Bool {
    weekdays != 0 || !nths.isEmpty || !monthDays.isEmpty || !months.isEmpty
  }
}

/// A place, or any of a category, as it was said.
enum SpokenTarget: Hashable, Sendable {
  case category(String)
  /// A place by its id.
  case place(String)
  /// A category that nothing is known of.
  case unknown(String)
}

/// A part of a sentence that means something by itself.
enum Part: Hashable, Sendable {
  case carrier
  case time(Moment)
  case interval(Interval)
  case clocks([Clock])
  case repetition(Repetition)
  case completion
  case count(Int)
  case lasting(TimeSpan)
  case exceptDays(Int)
  case exceptDates([Day])
  case exceptMonths([Int])
  /// `isSoft` is only at, not when one gets there.
  case place(SpokenTarget, tiers: [Tier]?, isSoft: Bool)
  /// Parts that are said within one another, as in "wenn ich nach 18 Uhr nach Hause komme".
  case several([Part])
  /// In that part of the day before what the times say.
  case eve(PartOfDay)
  case leave(SpokenTarget)
  case signal(String, from: String?, to: String?)
  /// A signal that may be asked for as a level instead.
  case level(String, is: String, isEdge: Bool)
  case inside(SpokenTarget)
  case outside(SpokenTarget)
  case onlyTime(Moment)
  case onlyInterval(Interval)
  case onlyDays(Int)
  case onlyPart(PartOfDay)
  case priority(Int)
  case tone(String)
  case nag(TimeSpan?, atMost: Int?, until: Clock?)
  case persistence(String)
  case leads([TimeSpan])
  case nextOn(Moment)
  /// Times are a reason of their own, beside the others.
  case also
  /// A word such as "or" between two parts.
  case either
  /// One more place, to be taken as the one before it.
  case alternative(SpokenTarget)
  /// What takes the place of the time right before it: "at 5, no wait, 6".
  case corrected(Moment)
  /// Words that look like a part and are what is to be done.
  case text
  /// Where something comes from, or is done: a place to speak at only if nothing else says when.
  case source(SpokenTarget)
  /// As it was said, not put together with others.
  case exactly(SpokenCondition)
  case added([Day])
  case zone(String)
  case gap(String)
  case anchor(String)
  case expires(Moment)
  case fallback(Clock)
  case notes(String)
  case formal(String)
  case unsupported(String)
}
