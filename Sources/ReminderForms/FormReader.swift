import Basics
import Recurrence
import Timeline

/// An object of JSON that is read strictly: every key is known, and none comes twice.
struct FormReader {
  private let value: JSONValue
  private let path: String
  /// The zone of times that name none.
  private let here: UTCOffsetTable

  /// Reads a text that must be one object.
  init(text: String, here: UTCOffsetTable, keys: [String]) throws(FormError) {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue.parse(text) } catch {
      throw FormError("", "byte \(error.offset + 1): no JSON: \(error.reason)")
    }
    try self.init(value, path: "", here: here, keys: keys)
  }

  init(
    _ value: JSONValue,
    path: String,
    here: UTCOffsetTable,
    keys: [String]
  ) throws(FormError) {
    self.value = value
    self.path = path
    self.here = here
    guard let members = value.members else { throw FormError(path, "must be an object") }
    var seen: Set<String> = []
    for (key, _) in members {
      guard keys.contains(key) else {
        throw FormError(name(key), "there is no such key: write \(keys.joined(separator: ", "))")
      }
      guard seen.insert(key).inserted else { throw FormError(name(key), "comes twice") }
    }
  }

  private func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func failure(_ key: String, _ reason: String) -> FormError { FormError(name(key), reason) }

  /// A value; nil where it is not there or null.
  func optional(_ key: String) -> JSONValue? {
    if case .null? = value[key] { return nil }
    return value[key]
  }

  func optionalText(_ key: String) throws(FormError) -> String? {
    guard let value = optional(key) else { return nil }
    guard let text = value.text else { throw failure(key, "must be a text") }
    return text
  }

  /// A text with something in it.
  func text(_ key: String) throws(FormError) -> String {
    guard let text = try optionalText(key), text.contains(where: { !$0.isWhitespace }) else {
      throw failure(key, "must be a text with something in it")
    }
    return text
  }

  func integer(_ key: String) throws(FormError) -> Int? {
    guard let value = optional(key) else { return nil }
    guard case .number(let digits) = value, let number = Int(digits) else {
      throw failure(key, "must be a whole number")
    }
    return number
  }

  func bool(_ key: String) throws(FormError) -> Bool? {
    guard let value = optional(key) else { return nil }
    guard case .bool(let isSo) = value else { throw failure(key, "must be true or false") }
    return isSo
  }

  /// An instant; a time without a zone is one of the wall clock.
  ///
  /// - Parameter zone: whose clock; nil: the reader's.
  func instant(_ key: String, in zone: UTCOffsetTable? = nil) throws(FormError) -> Timestamp? {
    guard let text = try optionalText(key) else { return nil }
    var bare = Substring(text)
    while bare.last?.isWhitespace ?? false { bare.removeLast() }
    // What can be given a zone has none.
    if let wall = RFC3339.parse(bare + "Z") {
      return try onCalendar((zone ?? here).instant(ofWall: wall, near: nil), key)
    }
    guard let instant = RFC3339.parse(text) else {
      throw failure(key, "must be a time such as 2026-02-06T15:00:00Z")
    }
    return try onCalendar(instant, key)
  }

  /// An instant that can be written again: one of the years 1 to 9999, by the clock of UTC.
  func onCalendar(_ instant: Timestamp, _ key: String) throws(FormError) -> Timestamp {
    let seconds = instant.wholeSeconds
    guard LocalDateTime(clamping: seconds).wallSeconds == seconds else {
      throw failure(key, "is out of all calendars: write a time of the years 1 to 9999")
    }
    return instant
  }

  func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String,
    _: Choice.Type
  ) throws(FormError) -> Choice? where Choice.RawValue == String {
    guard let text = try optionalText(key) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw failure(key, "\"\(text)\" is none of \(names)")
    }
    return choice
  }

  func minute(_ key: String) throws(FormError) -> Int? {
    guard let text = try optionalText(key) else { return nil }
    guard let minute = WeeklyWindow.minuteOfDay(text), minute <= WeeklyWindow.minutesOfDay else {
      throw failure(key, "must be a time of day such as 09:00")
    }
    return minute
  }

  func weekdays(_ key: String) throws(FormError) -> [Weekday]? {
    guard let value = optional(key) else { return nil }
    guard let elements = value.elements else {
      throw failure(key, "must be a list such as [\"mon\"]")
    }
    var days: [Weekday] = []
    for element in elements {
      guard let day = element.text.flatMap(Weekday.init) else {
        throw failure(key, "write mon, tue, wed, thu, fri, sat or sun")
      }
      days.append(day)
    }
    return Weekday.allCases.filter(days.contains)
  }

  /// The elements of a list, each an object with these keys.
  func objects(_ key: String, keys: [String]) throws(FormError) -> [FormReader] {
    guard let value = optional(key) else { return [] }
    guard let elements = value.elements else { throw failure(key, "must be a list") }
    var readers: [FormReader] = []
    for (i, element) in elements.enumerated() {
      readers.append(try FormReader(element, path: "\(name(key))[\(i)]", here: here, keys: keys))
    }
    return readers
  }

  func object(_ key: String, keys: [String]) throws(FormError) -> FormReader? {
    guard let value = optional(key) else { return nil }
    return try FormReader(value, path: name(key), here: here, keys: keys)
  }
}

/// Refuses to write what a form has no place for.
func refuse(_ isThere: Bool, _ key: String) throws(FormError) {
  guard !isThere else { throw FormError(key, "this form has no place for it") }
}
