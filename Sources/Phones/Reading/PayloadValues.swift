import Basics
import Timeline

/// Values as apps write them: numbers as text, truths as numbers, times in five forms.
extension JSONValue {
  /// The number, also one that is written as text; nil if it is none or not finite.
  var looseNumber: Double? {
    switch self {
    case .number(let text), .string(let text):
      text.utf8.count <= 64 ? DecimalText.parse(text) : nil
    default: nil
    }
  }

  /// The truth, also one that is written as a number or as text.
  var looseTruth: Bool? {
    switch self {
    case .bool(let isSo): isSo
    case .number, .string:
      switch text?.lowercased() {
      case "true", "yes", "on": true
      case "false", "no", "off": false
      default: looseNumber.map { $0 != 0 }
      }
    default: nil
    }
  }

  /// A text, a number as it is spelled, or a truth, if it is no longer than so many bytes and not empty.
  func word(most: Int) -> String? {
    let text: String
    switch self {
    case .string(let value), .number(let value): text = value
    case .bool(let isSo): text = isSo ? "true" : "false"
    case .null, .array, .object: return nil
    }
    return (1...most).contains(text.utf8.count) ? text : nil
  }

  /// The first of these members that is there and not null.
  func first(_ keys: [String]) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    for key in keys {
      guard let value = members.last(where: { $0.key == key })?.value else { continue }
      if case .null = value { continue }
      return value
    }
    return nil
  }
}

/// The time of something, as far as it is there.
enum PayloadTime: Hashable {
  case absent, unreadable
  case value(Timestamp)

  /// The instant, if there is one.
  var instant: Timestamp? { if case .value(let instant) = self { instant } else { nil } }

  /// Why there is none; nil if there is one.
  var refusal: IntakeRefusal? {
    switch self {
    case .absent: .noTime
    case .unreadable: .badTime
    case .value: nil
    }
  }

  /// Reads a number or a text.
  init(_ value: JSONValue?) {
    switch value {
    case nil, .null?: self = .absent
    case .string("")?: self = .absent
    case .some(let value):
      self = PayloadTime.instant(of: value).map { .value($0) } ?? .unreadable
    }
  }

  /// The first of some members that can be read; unreadable if there are only others.
  init(of node: JSONValue, _ keys: [String]) {
    var time = PayloadTime.absent
    for key in keys {
      switch PayloadTime(node[key]) {
      case .absent: continue
      case .unreadable: time = .unreadable
      case .value(let instant):
        self = .value(instant)
        return
      }
    }
    self = time
  }

  /// No phone's clock is before this or after ``last``: sums with it stay small.
  static let first = Timestamp(seconds: 946_684_800)
  /// The year 2100.
  static let last = Timestamp(seconds: 4_102_444_800)

  private static func instant(of value: JSONValue) -> Timestamp? {
    let instant: Timestamp?
    if let number = value.looseNumber {
      instant = Self.instant(number)
    } else {
      instant = value.text.flatMap { $0.utf8.count <= 64 ? RFC3339.parse($0) : nil }
    }
    return instant.flatMap { (first...last).contains($0) ? $0 : nil }
  }

  /// Seconds have ten digits until the year 2286; each three more are a smaller unit.
  private static func instant(_ number: Double) -> Timestamp? {
    switch number {
    case 1..<1e10: Timestamp(milliseconds: Int64((number * 1e3).rounded()))
    case 1e10..<1e13: Timestamp(milliseconds: Int64(number))
    case 1e13..<1e16: Timestamp(milliseconds: Int64(number / 1e3))
    case 1e16..<1e19: Timestamp(milliseconds: Int64(number / 1e6))
    default: nil
    }
  }
}
