import NearMeEngine

extension Action {
  /// Whether its first text is the language's word for one of the user's own places.
  var namesOwnPlace: Bool { self == .place || self == .leaveid }

  /// Places and what the phone says.
  func surroundings(_ a: Arguments) -> Value? {
    switch self {
    case .category: return a[0].text.map { .target(.category($0)) }
    case .place, .known, .named: return a.compactMap(\.text).first.map { .target(.place($0)) }
    case .unknowncategory: return a.compactMap(\.text).first.map { .target(.unknown($0)) }
    case .near, .arrive: return place(a, isSoft: false)
    case .soft: return place(a, isSoft: true)
    case .source: return a.compactMap(\.target).first.map { .part(.source($0)) }
    case .alternative: return a.compactMap(\.target).first.map { .part(.alternative($0)) }
    case .within:
      guard let meters = a.compactMap(\.meters).first, let target = a.compactMap(\.target).first
      else { return nil }
      return .part(.place(target, tiers: [.approach(meters: meters)], isSoft: false))
    case .tiers:
      guard let target = a.compactMap(\.target).first, let list = a.compactMap(\.list).first
      else { return nil }
      return .part(.place(target, tiers: list.compactMap(\.tier), isSoft: false))
    case .tierat: return a[0].meters.map { .tier(.approach(meters: $0)) }
    case .tierarrival: return .tier(.arrival)
    case .tierafter:
      return a[0].span.flatMap { $0.months == 0 ? .tier(.postArrival(delay: $0.elapsed)) : nil }
    case .stayed:
      guard let target = a.compactMap(\.target).first, let span = a.compactMap(\.span).first,
        span.months == 0
      else { return nil }
      let tier = Tier.postArrival(delay: span.elapsed)
      return .part(.place(target, tiers: [tier], isSoft: false))
    case .arrivewith, .leavewith, .insidewith, .outsidewith:
      guard let target = a.compactMap(\.target).first else { return nil }
      let times = a.compactMap { value in if case .part(let part) = value { part } else { nil } }
      let there: Part =
        switch self {
        case .leavewith: .leave(target)
        case .insidewith: .inside(target)
        case .outsidewith: .outside(target)
        default: .place(target, tiers: nil, isSoft: false)
        }
      return .part(.several([there] + times.filter { !$0.isEdge }))
    case .arriveor:
      // One as good as the other: "wenn ich beim Supermarkt oder bei der Bank bin".
      let targets = a.compactMap(\.target)
      guard targets.count > 1 else { return nil }
      return .part(.several(targets.map { .place($0, tiers: nil, isSoft: false) }))
    case .leave: return a.compactMap(\.target).first.map { .part(.leave($0)) }
    case .leaveid: return a[0].text.map { .part(.leave(.place($0))) }
    case .signal: return a[0].text.map { .part(.signal($0, from: nil, to: nil)) }
    case .signalto: return a[0].text.map { .part(.signal($0, from: nil, to: a[1].text)) }
    case .signalnamed:
      return a[0].text.map { .part(.signal($0, from: a[1].text, to: a[2].text)) }
    case .charging: return .part(.level("charging", is: "true", isEdge: true))
    case .online: return .part(.level("connectivity", is: "online", isEdge: true))
    case .appopened:
      return a.compactMap(\.text).first.map { .part(.signal("app_opened", from: nil, to: $0)) }
    case .inside: return a.compactMap(\.target).first.map { .part(.inside($0)) }
    case .outside: return a.compactMap(\.target).first.map { .part(.outside($0)) }
    case .is:
      return a[0].text
        .flatMap { name in
          a[1].text.map { .part(.level(name, is: $0, isEdge: false)) }
        }
    case .onlytime: return a[0].moment.map { .part(.onlyTime($0)) }
    case .onlyinterval: return a[0].interval.map { .part(.onlyInterval($0)) }
    case .onlydays: return a.compactMap { Self.mask($0) }.first.map { .part(.onlyDays($0)) }
    case .onlypart:
      return a.compactMap(\.int).first.flatMap(PartOfDay.init).map { .part(.onlyPart($0)) }
    case .exceptpart:
      return a.compactMap(\.int).first.flatMap(PartOfDay.init)
        .map { part in
          let hours = part.hours
          return .part(.onlyInterval(Self.others(from: hours.from * 3_600, to: hours.to * 3_600)))
        }
    case .exceptinterval:
      guard var interval = a[0].interval, interval.kind == .between, interval.isOfClocks else {
        return nil
      }
      interval.isOutside = true
      return .part(.onlyInterval(interval))
    case .onlyrepeat:
      guard let repetition = a[0].repetition, repetition.unit == .week, repetition.interval == 1
      else {
        return nil
      }
      return .part(.onlyDays(repetition.weekdays))
    default: return nil
    }
  }

  /// The hours of a day that are not those.
  private static func others(from start: Int, to end: Int) -> Interval {
    Interval(
      kind: .between,
      from: Moment(clock: Clock(second: end % 86_400)),
      to: Moment(clock: Clock(second: start % 86_400))
    )
  }

  private func place(_ a: Arguments, isSoft: Bool) -> Value? {
    a.compactMap(\.target).first.map { .part(.place($0, tiers: nil, isSoft: isSoft)) }
  }

  /// How it speaks, and the rest.
  func manner(_ a: Arguments) -> Value? {
    switch self {
    case .priority: return a[0].int.flatMap { (0...9).contains($0) ? .part(.priority($0)) : nil }
    case .tone, .tonenamed: return a[0].text.map { .part(.tone($0)) }
    case .nagme: return .part(.nag(nil, atMost: nil, until: nil))
    case .nag: return nag(a.compactMap(\.span).first, a)
    case .nagunit:
      return nag(a.compactMap(\.int).first.flatMap { TimeSpan(milli: 1_000, unit: $0) }, a)
    case .persistence: return a[0].text.map { .part(.persistence($0)) }
    case .lead: return a[0].span.map { .part(.leads([$0])) }
    case .leadof:
      guard let span = a.compactMap(\.span).first else { return nil }
      let times = a.compactMap { value in if case .part(let part) = value { part } else { nil } }
      return .part(.several([.leads([span])] + times))
    case .leads:
      let spans = a.compactMap(\.list).first?.compactMap(\.span) ?? []
      return spans.isEmpty ? nil : .part(.leads(spans))
    case .carrier: return .part(.carrier)
    case .nexton: return a[0].moment.map { .part(.nextOn($0)) }
    case .isostart: return start(a[0])
    case .also: return .part(.also)
    case .either: return .part(.either)
    case .corrected: return a.compactMap(\.moment).first.map { .part(.corrected($0)) }
    case .text: return .part(.text)
    case .added:
      let days = a[0].list?.compactMap(\.day) ?? []
      return days.isEmpty ? nil : .part(.added(days))
    case .zoned: return a[0].text.map { .part(.zone($0)) }
    case .gap: return a[0].text.map { .part(.gap($0)) }
    case .anchor: return a[0].text.map { .part(.anchor($0)) }
    case .expires: return a[0].moment.map { .part(.expires($0)) }
    case .fallback: return a[0].clock.map { .part(.fallback($0)) }
    case .notes: return a[0].text.map { .part(.notes($0)) }
    case .formal: return a[0].text.map { .part(.formal($0)) }
    case .unsupported: return a[0].text.map { .part(.unsupported($0)) }
    default: return nil
    }
  }

  private func start(_ value: Value) -> Value? {
    guard let packed = value.int else { return nil }
    if packed >= 1_000_000_00 {
      return Action.isotime.value(Arguments([value]))?.moment.map { .part(.nextOn($0)) }
    }
    return Action.iso.value(Arguments([value]))?.day.map { .part(.nextOn(Moment(day: $0))) }
  }

  private func nag(_ span: TimeSpan?, _ a: Arguments) -> Value? {
    guard let span, span.months == 0, span.seconds + span.days > 0 else { return nil }
    return .part(
      .nag(
        span,
        atMost: a.dropFirst().compactMap(\.int).first,
        until: a.compactMap(\.clock).first
      )
    )
  }
}
