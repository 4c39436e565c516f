import Basics

/// A part of a calendar, such as a task with its alarms: what stands between BEGIN and END.
struct CalendarComponent {
  /// In capital letters, such as `VTODO`.
  var name: String
  /// The line of its BEGIN, 0 for one that is to be written.
  var number = 0
  /// Its properties, in order.
  var lines: [CalendarLine] = []
  /// The parts within it, in order.
  var components: [CalendarComponent] = []
  /// Lines that are no properties.
  var faults: [CalendarError] = []

  init(_ name: String, number: Int = 0) {
    self.name = name
    self.number = number
  }

  /// The first property of a name.
  subscript(name: String) -> CalendarLine? { lines.first { $0.name == name } }

  /// All properties of a name, in order.
  func all(_ name: String) -> [CalendarLine] { lines.filter { $0.name == name } }

  /// All faults in it and in what it holds.
  var allFaults: [CalendarError] { faults + components.flatMap(\.allFaults) }

  /// The same but what is wrong with single lines of its alarms.
  var faultsButOfAlarms: [CalendarError] {
    faults
      + components.flatMap { $0.name == "VALARM" ? $0.cuts : $0.allFaults }
  }

  /// That it, or what it holds, has no END.
  private var cuts: [CalendarError] {
    faults.filter { $0.line == number } + components.flatMap(\.cuts)
  }

  /// Appends it to a text.
  func write(to output: inout String) {
    output += "BEGIN:\(name)\r\n"
    for line in lines { line.write(to: &output) }
    for component in components { component.write(to: &output) }
    output += "END:\(name)\r\n"
  }
}

extension CalendarComponent {
  /// Nothing is nested deeper; a task with an alarm with a place is four deep.
  static let deepest = 8

  /// Reads the calendars of a file: lines may end in CRLF or LF, and be folded anywhere.
  ///
  /// What a file that was cut off still holds whole is returned; the part that was cut has a fault.
  ///
  /// - Throws: ``CalendarError`` if the file is no calendar.
  /// - Complexity: O(bytes).
  static func calendars(_ bytes: [UInt8]) throws(CalendarError) -> [CalendarComponent] {
    var lines = LogicalLines(bytes: bytes)
    // A component whose END has not come yet, within the one before it.
    var open: [CalendarComponent] = []
    var calendars: [CalendarComponent] = []
    func close(_ component: CalendarComponent) {
      if open.isEmpty {
        calendars.append(component)
      } else {
        open[open.count - 1].components.append(component)
      }
    }
    while let (number, content) = lines.next() {
      let line: CalendarLine
      do throws(CalendarError) { line = try CalendarLine(content, number: number) } catch {
        guard !open.isEmpty else { throw Self.noCalendar(number) }
        open[open.count - 1].faults.append(error)
        continue
      }
      switch line.name {
      case "BEGIN":
        let name = line.value.uppercased()
        guard !open.isEmpty || name == "VCALENDAR" else { throw noCalendar(number) }
        guard open.count < deepest else {
          throw CalendarError(number, "\(name) is nested deeper than \(deepest)")
        }
        open.append(CalendarComponent(name, number: number))
      case "END":
        guard !open.isEmpty else { throw noCalendar(number) }
        guard let i = open.lastIndex(where: { $0.name == line.value.uppercased() }) else {
          let fault = CalendarError(number, "END:\(line.value) ends nothing that began")
          open[open.count - 1].faults.append(fault)
          continue
        }
        while open.count > i + 1, var cut = open.popLast() {
          cut.faults.append(
            CalendarError(cut.number, "\(cut.name) has no END before line \(number)")
          )
          close(cut)
        }
        if let last = open.popLast() { close(last) }
      default:
        guard !open.isEmpty else { throw noCalendar(number) }
        open[open.count - 1].lines.append(line)
      }
    }
    while var cut = open.popLast() {
      cut.faults.append(CalendarError(cut.number, "\(cut.name) has no END: the file was cut off"))
      close(cut)
    }
    guard !calendars.isEmpty else { throw noCalendar(1) }
    return calendars
  }

  private static func noCalendar(_ line: Int) -> CalendarError {
    CalendarError(
      line,
      "is not of a calendar: one stands between BEGIN:VCALENDAR and END:VCALENDAR"
    )
  }
}

/// The lines of a file, unfolded.
private struct LogicalLines {
  let bytes: [UInt8]
  private var position: Int
  private var number = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.withoutByteOrderMark.startIndex
  }

  /// The next line that is not empty, and the number of its first part.
  mutating func next() -> (number: Int, content: ArraySlice<UInt8>)? {
    while position < bytes.count {
      let first = takePart()
      let begin = number
      guard isFolded else {
        if first.isEmpty { continue }
        return (begin, first)
      }
      var whole = Array(first)
      while isFolded {
        position += 1
        whole += takePart()
      }
      if whole.isEmpty { continue }
      return (begin, whole[...])
    }
    return nil
  }

  /// Whether the next line goes on where the last one ended.
  private var isFolded: Bool {
    position < bytes.count && (bytes[position] == 0x20 || bytes[position] == 0x09)
  }

  /// A line of the file without its end.
  private mutating func takePart() -> ArraySlice<UInt8> {
    number += 1
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
    var end = position
    if position < bytes.count { position += 1 }
    if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return bytes[start..<end]
  }
}
