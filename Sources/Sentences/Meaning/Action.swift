/// What a rule makes of the values that it found; the names are those of the languages' files.
enum Action: String, Sendable, CaseIterable {
  // Numbers and lengths of time.
  case same, none, add, milli, millihalf, span, spanhalf, spanadd, spanof, letterspan, letterspanadd
  case milliletter, distance, distanceint
  // Times of day.
  case hour, hourword, hour12, hour24, hourof, hourminute, hmm, hhmm, clock, dotclock, clock12
  case clock24, digits12, clockzone, past, past12
  case to, to12, fixed, zone, part, inpart, meal, mealafter, mealat, mealatday, uhr, halfto, dayat,
    dayatclock, weekdaynext
  // Days.
  case dayoffset, weekday, weekdayplus, weekdayafter, weekdayin, weekdayspan, dayofmonth,
    dayofmonthin
  case monthday, monthdayin, monthyear, monthinyear, monthref, monthnext, monthlast, year, unitref
  case quarter, weekend, weekendof, weekof, edge, edgeof, monthedge, nth, nthin, nthinmonth, nthday
  case weekdaysfrom, workday, fixedday, holiday, season, seasonyear, slash, iso, dot, dotday,
    dotdaydigit,
    fromnow, ago,
    plus,
    plusweekday
  case minus, dayshift
  // Points in time and intervals.
  case at, atpart, partat, daypart, daypartat, isotime, later, sametime, earlier, now, shifted
  case shiftedback
  case between, clocks, hours12, daywith, dayhours, monthdays, dayspan, monthspan, lasting
  case nextspan, nextdays, dayafter, daybefore, nextunit, lastspan, by, bydays, before, after
  case until, since, from, nowuntil
  // Again and again.
  case weekdaybit, mask, masks, weekdayrange, every, every2, everydone, everyspan, everyspans
  case everypart, everyotherpart, everyclock, onweekdays, onweekdayeves, onweekdaysn, maskpart,
    weekdayspan2, shortdays
  case weekdaypair, nthmonthly, nthmonthlyn, nthmonthly1, nthmonthlies, nthyearly, nthofyear
  case monthly, monthlyn, quarterly, workmonthly, yearly, yearlymonth, yearlymonthday
  case yearlyholiday, yearlynth, weekdaysinmonth, daysinmonth, often, timesper, workmonthlyn
  case yearlyslash, weekdaythe, nthweekdays, nthday2, nthdays, weekdaysat, onlast, clocklist
  case ruletext, count, forspan, eachdayfor, nextweekdays
  case exceptdays, exceptdates, exceptmonths, completion
  case completionflag, eve
  // Places, the phone, conditions, manner.
  case category, place, known, named, unknowncategory, near, arrive, soft, within, leave, leaveid
  case stayed, arrivewith, leavewith, insidewith, outsidewith, arriveor
  case signal, signalto, charging, online, appopened, inside, outside, `is`, onlytime, onlyinterval
  case onlydays, onlypart, onlyrepeat, priority, tone, tonenamed, nag, nagunit, nagme, persistence,
    lead
  case leads, leadof, carrier, nexton, isostart, formal, unsupported, time, interval, `repeat`
  case source, exceptpart, exceptinterval, exceptseason, either, alternative, text,
    corrected
  case tiers, tierat, tierarrival, tierafter, signalnamed
  // What sentences said back have.
  case also, added, zoned, gap, anchor, expires, fallback, notes
  case exactly, ifinside, ifoutside, ifwindow, ifdates, ifsignal, iflasting, ifall, ifany, ifnot

  /// The meaning; nil where the values do not go together, such as 30 February.
  func value(_ a: Arguments) -> Value? {
    switch self {
    case .none: return Value.none
    case .same: return a.first { !$0.isNone } ?? Value.none
    case .time: return a[0].moment.map { .part(.time($0)) }
    case .interval: return a[0].interval.map { .part(.interval($0)) }
    case .repeat: return a[0].repetition.map { .part(.repetition($0)) }
    default: break
    }
    return number(a) ?? timeOfDay(a) ?? day(a) ?? point(a) ?? stretch(a) ?? again(a) ?? bounds(a)
      ?? surroundings(a) ?? manner(a) ?? condition(a)
  }

  private func number(_ a: Arguments) -> Value? {
    switch self {
    case .add: return both(a).map { .int($0 + $1) }
    case .milli: return a[0].int.flatMap { $0 <= 10_000 ? .int($0 * 1_000) : nil }
    case .millihalf: return a[0].int.flatMap { $0 <= 10_000 ? .int($0 * 1_000 + 500) : nil }
    case .span, .spanof: return both(a).flatMap { Self.span($0, $1) }
    case .spanhalf: return both(a).flatMap { Self.span($0 + 500, $1) }
    case .spanadd:
      guard a.count == 4, let first = both(Arguments([a[0], a[1]])),
        let second = both(Arguments([a[2], a[3]])),
        let one = TimeSpan(milli: first.0, unit: first.1),
        let two = TimeSpan(milli: second.0, unit: second.1), two.grain < one.grain
      else { return nil }
      return .span(one + two)
    case .letterspan: return both(a).flatMap { Self.letterSpan($0, $1) }
    case .letterspanadd:
      guard a.count == 4, let first = both(Arguments([a[0], a[1]])),
        let second = both(Arguments([a[2], a[3]])),
        first.0 < 10_000, second.0 < 10_000,
        let one = TimeSpan(milli: first.0 * 1_000, unit: first.1),
        let two = TimeSpan(milli: second.0 * 1_000, unit: second.1), two.grain < one.grain
      else { return nil }
      return .span(one + two)
    case .milliletter: return both(a).flatMap { Self.span($0, $1) }
    case .distance: return both(a).flatMap { Self.length(milli: $0, $1) }
    case .distanceint:
      return both(a).flatMap { $0 < 1_000_000 ? Self.length(milli: $0 * 1_000, $1) : nil }
    default: return nil
    }
  }

  private func both(_ a: Arguments) -> (Int, Int)? {
    guard a.count >= 2, let first = a[0].int, let second = a[1].int else { return nil }
    return (first, second)
  }

  private static func span(_ milli: Int, _ unit: Int) -> Value? {
    TimeSpan(milli: milli, unit: unit).map { .span($0) }
  }

  private static func letterSpan(_ count: Int, _ unit: Int) -> Value? {
    count < 10_000 ? span(count * 1_000, unit) : nil
  }

  /// A length; its unit is so many ten-millionths of a meter, which is exact for miles and feet.
  private static func length(milli: Int, _ unit: Int) -> Value? {
    guard milli > 0, milli < 1_000_000_000 else { return nil }
    let meters = Double(milli) * Double(unit) / 10_000_000_000
    return meters > 0 && meters <= 1_000_000 ? .meters(meters) : nil
  }
}
