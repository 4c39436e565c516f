import Dispatch
import Geodesy
import Places

/// Rows of places, gathered from where they lie in memory into one piece, in the order of the file.
///
/// Places next to each other on the map are far apart in memory. A second thread waits for them while
/// the first one inserts.
final class RowStage {
  /// The rows that are here, counted from 0.
  private(set) var rows = 0..<0
  private var texts = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  private var used = 0
  private let blobs: UnsafeMutableRawBufferPointer
  private let spans: UnsafeMutableBufferPointer<Span>
  private let radii: UnsafeMutableBufferPointer<Double>
  private let points: UnsafeMutableBufferPointer<Coordinate>

  /// Where a text lies; a start below 0 for none.
  private struct Span {
    var start = -1
    var count = 0
  }

  /// The texts of a row.
  enum Text: Int, CaseIterable {
    case sourceID, name, brand, attributes
  }

  init(capacity: Int) {
    blobs = .allocate(byteCount: capacity * PointBlob.byteCount, alignment: 16)
    spans = .allocate(capacity: capacity * Text.allCases.count)
    radii = .allocate(capacity: capacity)
    points = .allocate(capacity: capacity)
  }

  deinit {
    texts.deallocate()
    blobs.deallocate()
    spans.deallocate()
    radii.deallocate()
    points.deallocate()
  }

  /// Takes some rows in place of those before.
  func fill(
    _ rows: Range<Int>,
    _ order: [Int],
    of places: [PointOfInterest],
    _ details: [String: String]
  ) {
    self.rows = rows
    used = 0
    for (slot, row) in rows.enumerated() {
      // Field by field: a copy of the place would touch its categories' memory, far away.
      let index = order[row]
      keep(places[index].sourceID, slot, .sourceID)
      keep(places[index].name, slot, .name)
      keep(places[index].brand, slot, .brand)
      keep(details.isEmpty ? nil : details[places[index].sourceID], slot, .attributes)
      radii[slot] = places[index].footprintRadiusMeters
      let coordinate = places[index].coordinate
      // What the file keeps: whole ten-millionths of a degree.
      points[slot] = Coordinate(
        latitudeE7: coordinate.latitudeE7,
        longitudeE7: coordinate.longitudeE7
      )
      let start = slot * PointBlob.byteCount
      PointBlob.write(
        points[slot],
        to: UnsafeMutableRawBufferPointer(rebasing: blobs[start..<start + PointBlob.byteCount])
      )
    }
  }

  private func keep(_ text: String?, _ slot: Int, _ column: Text) {
    let index = slot * Text.allCases.count + column.rawValue
    guard var text else {
      spans[index] = Span()
      return
    }
    text.withUTF8 { bytes in
      if bytes.count > texts.count - used { grow(by: bytes.count) }
      UnsafeMutableRawBufferPointer(rebasing: texts[used...])
        .copyMemory(from: UnsafeRawBufferPointer(bytes))
      spans[index] = Span(start: used, count: bytes.count)
      used += bytes.count
    }
  }

  private func grow(by count: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: (texts.count + count) * 2,
      alignment: 16
    )
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: texts[..<used]))
    texts.deallocate()
    texts = larger
  }

  /// Where the rows are, as the file has it.
  var coordinates: UnsafeBufferPointer<Coordinate> {
    UnsafeBufferPointer(rebasing: points[..<rows.count])
  }

  // MARK: A row, by its place in the stage

  /// A text; valid until the stage is filled again.
  func text(_ slot: Int, _ column: Text) -> UnsafeRawBufferPointer? {
    let span = spans[slot * Text.allCases.count + column.rawValue]
    guard span.start >= 0 else { return nil }
    return UnsafeRawBufferPointer(rebasing: texts[span.start..<span.start + span.count])
  }

  func radiusMeters(_ slot: Int) -> Double { radii[slot] }

  func point(_ slot: Int) -> UnsafeRawBufferPointer {
    let start = slot * PointBlob.byteCount
    return UnsafeRawBufferPointer(rebasing: blobs[start..<start + PointBlob.byteCount])
  }
}

/// Hands over stages one after the other, each filled while the one before is worked on.
///
/// - Parameters:
///   - fill: fills a stage with the rows of a range; on another thread.
///   - body: works on a full stage.
func forEachStage(
  rowCount: Int,
  fill: @escaping @Sendable (RowStage, Range<Int>) -> Void,
  _ body: (RowStage) throws -> Void
) throws {
  let size = 4_096
  // Unsafe, for two threads have them: each stage belongs to one at a time, as `filling` says.
  nonisolated(unsafe) let stages = [RowStage(capacity: size), RowStage(capacity: size)]
  let filling = DispatchGroup()
  func begin(_ number: Int) {
    let start = number * size
    guard start < rowCount else { return }
    DispatchQueue.global()
      .async(group: filling) {
        fill(stages[number % 2], start..<min(rowCount, start + size))
      }
  }
  begin(0)
  defer { filling.wait() }
  for number in 0..<(rowCount + size - 1) / size {
    filling.wait()
    begin(number + 1)
    try body(stages[number % 2])
  }
}
