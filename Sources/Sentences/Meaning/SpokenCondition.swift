/// A condition as it was said, of any depth; its days are those of whoever says it.
indirect enum SpokenCondition: Hashable, Sendable {
  case inside(SpokenTarget)
  case outside(SpokenTarget)
  /// Days of the week as bits, and the hours of them; nil for whole days.
  case window(days: Int, from: Clock?, to: Clock?)
  case dates(from: Day?, until: Day?)
  case signal(String, is: String)
  case lasting(SpokenCondition, TimeSpan)
  case all([SpokenCondition])
  case any([SpokenCondition])
  case not(SpokenCondition)
}

extension Action {
  /// Conditions that are put together with "all of", "any of" and "not".
  func condition(_ a: Arguments) -> Value? {
    switch self {
    case .exactly: a[0].condition.map { .part(.exactly($0)) }
    case .ifinside: a[0].target.map { .condition(.inside($0)) }
    case .ifoutside: a[0].target.map { .condition(.outside($0)) }
    case .ifwindow:
      .condition(.window(days: Self.mask(a[0]) ?? 127, from: a[1].clock, to: a[2].clock))
    case .ifdates:
      a[0].day == nil && a[1].day == nil
        ? nil : .condition(.dates(from: a[0].day, until: a[1].day))
    case .ifsignal:
      a[0].text.flatMap { name in a[1].text.map { .condition(.signal(name, is: $0)) } }
    case .iflasting:
      a[0].span
        .flatMap { span in
          span.months == 0 ? a[1].condition.map { .condition(.lasting($0, span)) } : nil
        }
    case .ifall: Self.conditions(a[0]).map { .condition(.all($0)) }
    case .ifany: Self.conditions(a[0]).map { .condition(.any($0)) }
    case .ifnot: a[0].condition.map { .condition(.not($0)) }
    default: nil
    }
  }

  private static func conditions(_ value: Value) -> [SpokenCondition]? {
    value.list?.compactMap(\.condition)
  }
}
