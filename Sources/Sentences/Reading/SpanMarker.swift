import NearMeEngine
import Recurrence

/// Says of each part of a sentence which words it comes from, and what was made of it.
struct SpanMarker {
  let resolver: Resolver
  let schedule: Schedule?
  /// Whether a place or the phone makes the reminder speak, so that times are conditions.
  var hasEdges = false

  init(resolver: Resolver, schedule: Schedule?) {
    self.resolver = resolver
    self.schedule = schedule
  }

  func spans(of items: [Item]) -> [Understanding.Span] {
    var spans = items.compactMap(span)
    // "every Tuesday at 3pm" is one repetition, with a time of day inside.
    for i in spans.indices where spans[i].kind == .repeat && spans[i].value != nil {
      var (from, to) = (spans[i].from, spans[i].to)
      for j in spans.indices where spans[j].kind == .time {
        if spans[j].from > to, spans[j].from - to <= 2, isNext(items, to, spans[j].from) {
          to = spans[j].to
        }
        if spans[j].to < from, from - spans[j].to <= 2, isNext(items, spans[j].to, from) {
          from = spans[j].from
        }
      }
      spans[i] = Understanding.Span(
        from: from,
        to: to,
        kind: .repeat,
        value: spans[i].value,
        grain: spans[i].grain,
        until: spans[i].until,
        reason: nil
      )
    }
    return spans.sorted { ($0.from, -$0.to) < ($1.from, -$1.to) }
  }

  private func isNext(_ items: [Item], _ end: Int, _ start: Int) -> Bool {
    guard let first = items.first(where: { $0.to == end }),
      let next = items.first(where: { $0.from == start })
    else { return false }
    return next.start - first.end <= 1
  }

  private func span(_ item: Item) -> Understanding.Span? {
    func make(
      _ kind: Understanding.Span.Kind,
      _ value: String? = nil,
      grain: Grain? = nil,
      until: String? = nil,
      reason: String? = nil
    ) -> Understanding.Span {
      Understanding.Span(
        from: item.from,
        to: item.to,
        kind: kind,
        value: value,
        grain: grain,
        until: until,
        reason: reason
      )
    }
    let time: Understanding.Span.Kind = hasEdges ? .condition : .time
    switch item.part {
    case .carrier, .also, .either, .source, .alternative, .corrected, .text, .several: return nil
    case .time(let moment), .nextOn(let moment), .expires(let moment):
      guard let point = point(moment) else { return make(.unsupported, reason: "no_such_day") }
      let until = point.grain == .day && point.lastDay > point.day ? lastDay(point) : nil
      return make(time, point.text, grain: point.grain, until: until)
    case .fallback(let clock):
      let point = point(Moment(clock: clock))
      return make(time, point?.text, grain: point?.grain)
    case .clocks(let clocks):
      let point = clocks.isEmpty ? nil : self.point(Moment(clock: clocks[0]))
      return make(time, point?.text, grain: point?.grain)
    case .interval(let interval):
      guard let stretch = resolver.stretch(interval) else {
        return make(.unsupported, reason: "no_such_day")
      }
      let grain = [stretch.from?.grain, stretch.to?.grain].compactMap { $0 }.min()
      return make(time, stretch.from?.text, grain: grain, until: stretch.to?.text)
    case .repetition where schedule == nil && !hasEdges:
      return make(.unsupported, reason: "no_such_day")
    case .repetition(let said) where hasEdges && schedule == nil && !said.limitsPlaces:
      return make(.unsupported, reason: "how_often_elsewhere")
    case .repetition:
      return make(hasEdges ? .condition : .repeat, start?.text, grain: start?.grain)
    case .completion, .count, .lasting, .exceptDays, .exceptDates, .exceptMonths, .persistence,
      .eve, .added, .anchor:
      return make(hasEdges ? .condition : .repeat)
    case .place(let target, _, _), .leave(let target), .inside(let target), .outside(let target):
      return aim(target, item.part, make: { make($0, $1, reason: $2) })
    case .signal(let name, _, _), .level(let name, _, _): return make(.signal, name)
    case .onlyTime, .onlyInterval, .onlyDays, .onlyPart: return make(.condition)
    case .priority(let number): return make(.priority, "\(number)")
    case .tone(let name): return make(.tone, name)
    case .nag: return make(.tone, "nag")
    case .leads: return make(.condition)
    case .formal, .exactly, .zone, .gap, .notes: return make(.condition)
    case .unsupported(let reason): return make(.unsupported, reason: reason)
    }
  }

  private func aim(
    _ target: SpokenTarget,
    _ part: Part,
    make: (Understanding.Span.Kind, String?, String?) -> Understanding.Span
  ) -> Understanding.Span {
    switch (target, part) {
    case (.unknown(let name), _): make(.unsupported, nil, "no_category \(name)")
    case (_, .inside), (_, .outside): make(.condition, nil, nil)
    case (.category(let name), _): make(.category, name, nil)
    case (.place(let id), _): make(.place, id, nil)
    }
  }

  /// The first time of the schedule.
  private var start: Point? {
    schedule.map { schedule in
      let second = Int(schedule.start.local.wallSeconds)
      return Point(
        second: second,
        grain: schedule.start.isDate ? .day : .minute,
        lastDay: Resolver.day(second),
        hasClock: !schedule.start.isDate
      )
    }
  }

  /// A time of day stands for that of the day that was said elsewhere.
  private func point(_ moment: Moment) -> Point? {
    if moment.isClock, let start, start.hasClock {
      var point = start
      point.grain = moment.clock?.grain ?? .minute
      return point
    }
    return resolver.point(moment)
  }

  private func lastDay(_ point: Point) -> String {
    Point(second: point.lastDay * 86_400, grain: .day, lastDay: point.lastDay, hasClock: false).text
  }
}

extension Repetition {
  /// Whether it can say when a place or the phone may speak, on which weekdays and at what time.
  ///
  /// How often cannot be kept there.
  fileprivate var limitsPlaces: Bool {
    interval == 1 && nths.isEmpty && monthDays.isEmpty && months.isEmpty && positions.isEmpty
      && rule == nil && (unit == .day || weekdays != 0)
  }
}
