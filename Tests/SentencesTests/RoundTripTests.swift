import Basics
import Foundation
import NearMeEngine
import Places
import Recurrence
import Sentences
import TestSupport
import Testing
import Timeline

/// Every reminder has a sentence, which is read as the same reminder.
@Suite struct RoundTripTests {
  /// How many; `NEARME_SENTENCES=100000` asks for more.
  private static var count: Int {
    ProcessInfo.processInfo.environment["NEARME_SENTENCES"].flatMap(Int.init) ?? 1_000
  }

  @Test(arguments: ["en", "de"])
  func `MOM-2, CTX-12.1: a reminder is what its sentence says`(_ language: String) throws {
    let seed = UInt64(20_260_213)
    var random = RandomReminder(seed: seed)
    let reader = try Languages.read(language)
    let writer = SentenceWriter(reader.language)
    var inWords = 0
    for number in 0..<Self.count {
      let context = random.context()
      let reminder = random.reminder()
      let sentence = writer.sentence(reminder, in: context)
      let read = reader.understand(sentence, in: context).reminder(id: "")
      #expect(
        read == SentenceWriter.sayable(reminder),
        "seed \(seed), reminder \(number): \(sentence)\n is \(read.inShort)\n should \(reminder.inShort)"
      )
      if read != SentenceWriter.sayable(reminder) { break }
      if !sentence.contains(#"{\""#) { inWords += 1 }
    }
    // Nearly all are said in words, though these are odder than what people ask for.
    #expect(inWords * 100 >= Self.count * 99, "\(inWords) of \(Self.count) in words")
    print("\(language): \(inWords) of \(Self.count) reminders are said in words")
  }

  /// A time beside another reason is one of its own only where that is said, and their order stays.
  @Test(arguments: ["en", "de"])
  func `reasons of several kinds are said beside each other`(_ language: String) throws {
    let reader = try Languages.read(language)
    let writer = SentenceWriter(reader.language)
    let context = SentenceContext(now: try #require(WrittenTime("2026-02-13T10:00")).local)
    let time = Trigger.schedule(
      Schedule(start: try #require(WrittenTime("2026-02-17T15:00")), rule: RecurrenceRule(.weekly))
    )
    let others: [Trigger] = [
      .place(.category(CategoryID("grocery"))), .leave(.place("work")), .signal("unlock"),
      .place(.place("gym"), tiers: [.approach(miles: 1.5), .postArrival(delay: .minutes(3))]),
      .place(.place("home"), tiers: [.postArrival(delay: .minutes(10))]),
    ]
    for other in others {
      for triggers in [
        [time, other], [other, time], [other, .signal("x", from: "a", to: "b"), time],
      ] {
        let reminder = Reminder(id: "", title: "buy milk", triggers: triggers)
        let sentence = writer.sentence(reminder, in: context)
        #expect(!sentence.contains("{"), "\(sentence)")
        #expect(
          reader.understand(sentence, in: context).triggers == triggers,
          "\(sentence)"
        )
      }
    }
  }

  @Test func `a sentence names its next time`() throws {
    let reader = try Languages.read("en")
    let context = SentenceContext(now: try #require(WrittenTime("2026-02-13T10:00")).local)
    let found = reader.understand("Water plants every Tuesday at 3pm", in: context)
    #expect(
      SentenceWriter(reader.language).sentence(found.reminder(id: "r"), in: context)
        == "Water plants, every Tuesday at 3 pm; next on Tuesday, 17 February"
    )
  }
}

/// Reminders of every kind, from a seed.
struct RandomReminder {
  private var random: SeededGenerator
  /// The day on which the present one is said, since 1970.
  private var today = 20_000

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func context() -> SentenceContext {
    today = 20_000 + random.integer(0...3_000)
    return SentenceContext(
      now: LocalDateTime(CivilDate(daysSinceEpoch: today), minuteOfDay: random.integer(0...1_439)),
      isDayFirst: random.integer(0...1) == 0
    )
  }

  private mutating func pick<Element>(_ list: [Element]) -> Element {
    list[random.integer(0...list.count - 1)]
  }

  private mutating func chance(_ percent: Int) -> Bool { random.integer(0...99) < percent }

  mutating func reminder() -> Reminder {
    var reminder = Reminder(id: "", title: title(), triggers: [])
    if chance(60) {
      reminder.triggers.append(.schedule(schedule()))
    } else {
      for _ in 0...random.integer(0...1) where chance(80) {
        let next = trigger()
        if !reminder.triggers.contains(next) { reminder.triggers.append(next) }
      }
    }
    if !reminder.triggers.isEmpty {
      for _ in 0..<max(0, random.integer(-2...2)) {
        let next = condition(depth: 0)
        if !reminder.conditions.contains(next) { reminder.conditions.append(next) }
      }
    }
    if chance(20) { reminder.priority = chance(70) ? pick([1, 5, 9]) : random.integer(0...9) }
    if chance(10) { reminder.tone = pick(["sassy", "sweet", "chaotic", "plain", "my own"]) }
    if chance(10) {
      reminder.nag = Reminder.Nag(every: .minutes(Int64(random.integer(1...90))))
      if chance(20) { reminder.nag?.untilMinute = random.integer(0...1_439) }
    }
    if chance(10) { reminder.persistence = pick(Reminder.Persistence.allCases) }
    if chance(5) { reminder.expires = WrittenTime(date()) }
    if chance(5) { reminder.notes = title() }
    if chance(3) { reminder.fallbackMinute = random.integer(0...1_439) }
    return reminder
  }

  private mutating func title() -> String {
    pick([
      "Water plants", "call mum", "buy milk", "take the pills", "read 1984", "march on Washington",
      "Monday",
      "say \"hi\" to Bob", "pay rent every month", "tomorrow", "at 6", "a \\ b", "remind me to",
      "x", "10%", "mow; rake",
      "près de l'église", "ünïcödé 🎉", "two  blanks", "(in brackets)", "to be or not to be",
      "nag me", "#tag first",
      "buy milk.", "- bullet", "Müll rausbringen", "every day", "when I get home", "with \"{}\"",
      ",",
    ])
  }

  /// Mostly one of the next year.
  private mutating func date() -> CivilDate {
    CivilDate(
      daysSinceEpoch: chance(80)
        ? today + random.integer(1...400) : 18_000 + random.integer(0...9_000)
    )
  }

  private mutating func target() -> Reminder.Target {
    chance(50)
      ? .category(
        CategoryID(pick(["grocery", "pharmacy", "gas_station", "bank", "post_office", "zoo"]))
      )
      : .place(pick(["home", "work", "office", "gym", "p1", "mum's", "a b c d e f"]))
  }

  private mutating func trigger() -> Trigger {
    switch random.integer(0...5) {
    case 0, 1: .place(target())
    case 2: .place(target(), tiers: [.approach(meters: Double(random.integer(1...5_000)))])
    case 3: .leave(target())
    case 4: .place(target(), tiers: [.approach(miles: 2), .arrival])
    default:
      pick([
        .signal("unlock"), .signal("charging"), .signal("charging", to: "unplugged"),
        .signal("car", to: "connected"),
        .signal("connectivity", to: "online"), .signal("boot"),
        .signal("app_opened", to: "instagram"),
        .signal("x", from: "a", to: "b"),
      ])
    }
  }

  private mutating func condition(depth: Int) -> Condition {
    switch random.integer(0...(depth < 2 ? 8 : 5)) {
    case 0, 1: window()
    case 2: .dates(from: chance(50) ? date() : nil, until: CivilDate(daysSinceEpoch: 27_000))
    case 3: .inside(target())
    case 4: .outside(target())
    case 5:
      .signal(
        pick(["charging", "connectivity", "focus", "car"]),
        is: pick(["true", "online", "off", "connected"])
      )
    case 6: .lasting(.inside(target()), for: .minutes(10))
    case 7: .any([condition(depth: depth + 1), condition(depth: depth + 1)])
    default: .not(condition(depth: depth + 1))
    }
  }

  private mutating func window() -> Condition {
    let window = WeeklyWindow(
      days: Weekday.allCases.filter { _ in chance(60) } + [.friday],
      startMinute: random.integer(0...95) * 15,
      endMinute: chance(30) ? 1_440 : random.integer(0...95) * 15 + 7
    )
    return window.map { .window($0) } ?? .inside(.place("home"))
  }

  private mutating func schedule() -> Schedule {
    var start = WrittenTime(LocalDateTime(date(), minuteOfDay: 0).date)
    if chance(70) {
      start = WrittenTime(
        local: LocalDateTime(start.local.date, minuteOfDay: random.integer(0...1_439))
      )
    }
    var schedule = Schedule(start: start)
    if chance(65) { schedule.rule = rule() }
    if chance(5) { schedule.zone = "Europe/Malta" }
    if chance(5) { schedule.added = [WrittenTime(date())] }
    if schedule.rule != nil, chance(10) { schedule.excluded = [WrittenTime(date())] }
    if chance(5) { schedule.gap = .skip }
    if schedule.rule != nil, chance(15) { schedule.anchor = pick(Anchor.allCases) }
    if chance(10) { schedule.leads = [.minutes(Int64(random.integer(1...120)))] }
    return schedule
  }

  private mutating func rule() -> RecurrenceRule {
    let text = pick([
      "FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY", "FREQ=WEEKLY;BYDAY=MO,WE,FR",
      "FREQ=HOURLY",
      "FREQ=WEEKLY;BYDAY=TU", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=MONTHLY;BYDAY=2TU",
      "FREQ=MONTHLY;BYMONTHDAY=1,15",
      "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=YEARLY;BYMONTHDAY=4;BYMONTH=7", "FREQ=DAILY;BYHOUR=8,20",
      "FREQ=MINUTELY",
      "FREQ=YEARLY;BYDAY=SU;BYWEEKNO=20", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
      "FREQ=DAILY;BYMONTH=6",
      "RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD",
    ])
    var ends = ""
    if chance(30) { ends += ";INTERVAL=\(random.integer(2...9))" }
    if chance(15) {
      ends += ";COUNT=\(random.integer(1...30))"
    } else if chance(15) {
      ends += ";UNTIL=20450105"
    }
    return (try? RecurrenceRule(text + ends)) ?? RecurrenceRule(.daily)
  }
}
