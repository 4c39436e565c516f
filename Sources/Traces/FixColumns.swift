import Geodesy
import Timeline

/// Fixes of a trace as columns, in their order, with the points between them that became none.
///
/// A replay of a dense trace compares positions and times by the million, and nothing else of most
/// fixes: side by side in memory, these cost a few bytes each.
///
/// - Complexity: 57 bytes a fix.
package final class FixColumns {
  /// Where the columns lie in memory; valid until more is appended.
  package struct Rows {
    /// Milliseconds since the Unix epoch.
    package let at: UnsafeMutablePointer<Int64>
    /// Degrees north.
    package let latitude: UnsafeMutablePointer<Double>
    /// Degrees east.
    package let longitude: UnsafeMutablePointer<Double>
    /// Meters.
    package let accuracyMeters: UnsafeMutablePointer<Double>
    /// Meters a second; not a number where the device did not say.
    package let speedMetersPerSecond: UnsafeMutablePointer<Double>
    /// Degrees clockwise from north; not a number where the device did not say.
    package let courseDegrees: UnsafeMutablePointer<Double>
    /// The line of the file on which the point begins.
    package let line: UnsafeMutablePointer<Int>
    /// The ``AccuracySource``, and ``segmentStart`` at the first fix of a segment.
    package let marks: UnsafeMutablePointer<UInt8>

    /// Set in ``marks`` at the first fix of a segment.
    package static let segmentStart: UInt8 = 0x80

    /// Bytes of one row.
    fileprivate static let bytes = 57

    fileprivate init(_ memory: UnsafeMutableRawPointer, capacity: Int) {
      func column<Value>(_ index: Int, _ type: Value.Type) -> UnsafeMutablePointer<Value> {
        (memory + index * 8 * capacity).bindMemory(to: type, capacity: capacity)
      }
      at = column(0, Int64.self)
      latitude = column(1, Double.self)
      longitude = column(2, Double.self)
      accuracyMeters = column(3, Double.self)
      speedMetersPerSecond = column(4, Double.self)
      courseDegrees = column(5, Double.self)
      line = column(6, Int.self)
      marks = column(7, UInt8.self)
    }

    /// The fix of a row.
    @inlinable
    package func fix(_ row: Int) -> Fix {
      let speed = speedMetersPerSecond[row]
      let course = courseDegrees[row]
      return Fix(
        at: Timestamp(milliseconds: at[row]),
        coordinate: Coordinate(uncheckedLatitude: latitude[row], longitude: longitude[row]),
        horizontalAccuracyMeters: accuracyMeters[row],
        speedMetersPerSecond: speed.isNaN ? nil : speed,
        courseDegrees: course.isNaN ? nil : course
      )
    }

    /// Fills a row.
    fileprivate func write(_ fix: Fix, at row: Int, line: Int, marks: UInt8) {
      at[row] = fix.at.milliseconds
      latitude[row] = fix.coordinate.latitude
      longitude[row] = fix.coordinate.longitude
      accuracyMeters[row] = fix.horizontalAccuracyMeters
      speedMetersPerSecond[row] = fix.speedMetersPerSecond ?? .nan
      courseDegrees[row] = fix.courseDegrees ?? .nan
      self.line[row] = line
      self.marks[row] = marks
    }

    /// Whether a row is the first fix of a segment.
    package func startsSegment(_ row: Int) -> Bool { marks[row] & Self.segmentStart != 0 }

    /// How a row's fix came by its accuracy.
    package func accuracySource(_ row: Int) -> AccuracySource {
      AccuracySource(rawValue: marks[row] & ~Self.segmentStart) ?? .assumed
    }
  }

  /// A point that became no fix.
  package struct Refused: Hashable, Sendable {
    /// The row before which it stood.
    package let row: Int
    /// Why.
    package let refusal: FixRefusal
    /// The line of the file on which it begins.
    package let line: Int
  }

  /// What a fix costs in memory.
  package static let bytesPerFix = Rows.bytes

  /// How many fixes there are.
  package private(set) var count = 0
  /// The columns.
  package private(set) var rows: Rows
  /// The points that became none, in their order.
  package private(set) var refused: [Refused] = []

  private var memory: UnsafeMutableRawPointer
  private var capacity: Int

  /// No fixes yet.
  package init() {
    capacity = 16
    memory = .allocate(byteCount: capacity * Rows.bytes, alignment: 64)
    rows = Rows(memory, capacity: capacity)
  }

  /// The given fixes, as if a device had reported their accuracy.
  package convenience init(_ fixes: [Fix]) {
    self.init()
    reserve(fixes.count)
    let rows = rows
    for (row, fix) in fixes.enumerated() {
      rows.write(fix, at: row, line: 0, marks: AccuracySource.reported.rawValue)
    }
    count = fixes.count
  }

  deinit { memory.deallocate() }

  /// Fixes and points that became none.
  package var pointCount: Int { count + refused.count }

  /// Makes room for so many more rows.
  package func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    let larger = max(count + more, capacity * 2)
    let newMemory = UnsafeMutableRawPointer.allocate(
      byteCount: larger * Rows.bytes,
      alignment: 64
    )
    let new = Rows(newMemory, capacity: larger)
    new.at.update(from: rows.at, count: count)
    new.latitude.update(from: rows.latitude, count: count)
    new.longitude.update(from: rows.longitude, count: count)
    new.accuracyMeters.update(from: rows.accuracyMeters, count: count)
    new.speedMetersPerSecond.update(from: rows.speedMetersPerSecond, count: count)
    new.courseDegrees.update(from: rows.courseDegrees, count: count)
    new.line.update(from: rows.line, count: count)
    new.marks.update(from: rows.marks, count: count)
    memory.deallocate()
    memory = newMemory
    rows = new
    capacity = larger
  }

  /// Counts rows that were written behind the last one, in the room that ``reserve(_:)`` made.
  package func commit(_ more: Int) {
    precondition(count + more <= capacity, "rows must be reserved before they are committed")
    count += more
  }

  /// Appends what became of a point.
  package func append(_ record: TraceRecord) {
    switch record.outcome {
    case .refused(let refusal):
      refused.append(Refused(row: count, refusal: refusal, line: record.line))
    case .fix(let fix):
      reserve(1)
      rows.write(
        fix,
        at: count,
        line: record.line,
        marks: record.accuracySource.rawValue | (record.startsSegment ? Rows.segmentStart : 0)
      )
      count += 1
    }
  }

  /// Appends all that other columns hold.
  package func append(contentsOf other: FixColumns) {
    reserve(other.count)
    for refused in other.refused {
      self.refused.append(
        Refused(row: count + refused.row, refusal: refused.refusal, line: refused.line)
      )
    }
    (rows.at + count).update(from: other.rows.at, count: other.count)
    (rows.latitude + count).update(from: other.rows.latitude, count: other.count)
    (rows.longitude + count).update(from: other.rows.longitude, count: other.count)
    (rows.accuracyMeters + count).update(from: other.rows.accuracyMeters, count: other.count)
    (rows.speedMetersPerSecond + count)
      .update(from: other.rows.speedMetersPerSecond, count: other.count)
    (rows.courseDegrees + count).update(from: other.rows.courseDegrees, count: other.count)
    (rows.line + count).update(from: other.rows.line, count: other.count)
    (rows.marks + count).update(from: other.rows.marks, count: other.count)
    count += other.count
  }

  /// Takes all that other columns hold, and leaves them empty.
  package func take(from other: FixColumns) {
    guard pointCount == 0 else {
      append(contentsOf: other)
      other.removeAll()
      return
    }
    (count, other.count) = (other.count, 0)
    (rows, other.rows) = (other.rows, rows)
    (memory, other.memory) = (other.memory, memory)
    (capacity, other.capacity) = (other.capacity, capacity)
    (refused, other.refused) = (other.refused, refused)
  }

  /// Forgets all points, and keeps the memory.
  package func removeAll() {
    count = 0
    refused.removeAll(keepingCapacity: true)
  }

  /// The points as records, in their order.
  package func appendRecords(to records: inout [TraceRecord]) {
    records.reserveCapacity(records.count + pointCount)
    var next = 0
    func appendFixes(before row: Int) {
      while next < row {
        records.append(
          TraceRecord(
            outcome: .fix(rows.fix(next)),
            accuracySource: rows.accuracySource(next),
            startsSegment: rows.startsSegment(next),
            line: rows.line[next]
          )
        )
        next += 1
      }
    }
    for refused in refused {
      appendFixes(before: refused.row)
      records.append(
        TraceRecord(
          outcome: .refused(refused.refusal),
          accuracySource: .assumed,
          line: refused.line
        )
      )
    }
    appendFixes(before: count)
  }
}
