import Basics
import Timeline

/// Reads the times of tables and JSON: those that name no zone are of the one that is assumed, else of UTC.
///
/// A time that clocks show twice, as they are set back, is the one nearer to the time before it in the file, or the first
/// where there is none. One that they jump over is as much later as they jump.
final class LocalTimes {
  private let zone: UTCOffsetTable?
  /// The instant before; kept where a zone is assumed.
  private var last: Timestamp?
  private var isFirst = true
  /// Whether a time has named no zone; without an assumed one only the first is asked, which costs nothing.
  private(set) var haveNoZone = false
  /// What dates such as `12/05/2026` are; nil where that is not known, and they are no times.
  var order: DateOrder?
  /// How many dates are left out for that, or for not being of that order, and the first of them.
  private var refused: (count: Int, first: String) = (0, "")

  init(_ options: TraceOptions) {
    zone = options.assumedZone
    order = options.dateOrder
  }

  /// What dates were left out for, as a sentence; nil if none were.
  var refusedDates: String? {
    guard refused.count > 0 else { return nil }
    let times = refused.count == 1 ? "1 time" : "\(refused.count) times"
    guard let order else {
      return
        "\(times) such as \(refused.first) left out: --dates mdy or --dates dmy says which number "
        + "is the month"
    }
    return "\(times) such as \(refused.first) left out, being no \(order.words)"
  }

  /// Reads an instant; see ``InstantText/parse(_:)``.
  ///
  /// - Parameter isUTC: whether something else says that it is of UTC.
  func instant(_ text: UnsafeBufferPointer<UInt8>, isUTC: Bool = false) -> Timestamp? {
    if let instant = InstantText.parse(text) { return settle(instant, text, isUTC: isUTC) }
    guard let date = SlashedDate(text) else { return nil }
    guard let order, date.onlyOrder ?? order == order else {
      if refused.count == 0 { refused.first = PlainText.decode(Array(text.prefix(40))) }
      refused.count += 1
      return nil
    }
    return date.written(order)
      .withUnsafeBufferPointer { text in
        InstantText.parse(text).map { settle($0, text, isUTC: isUTC) }
      }
  }

  /// The instant of a count since 1970.
  func instant(unix number: Double) -> Timestamp? {
    InstantText.unix(number).map { settle($0, isLocal: false) }
  }

  /// The instant of a count of days, as spreadsheets show them.
  func instant(days: Double, isUTC: Bool) -> Timestamp {
    settle(SpreadsheetDays.instant(days), isLocal: !isUTC)
  }

  private func settle(
    _ written: Timestamp,
    _ text: UnsafeBufferPointer<UInt8>,
    isUTC: Bool
  ) -> Timestamp {
    guard isFirst || zone != nil else { return written }
    return settle(written, isLocal: !isUTC && !InstantText.namesZone(text))
  }

  private func settle(_ written: Timestamp, isLocal: Bool) -> Timestamp {
    if isLocal, isFirst || zone != nil { haveNoZone = true }
    isFirst = false
    guard let zone else { return written }
    let instant = isLocal ? zone.instant(ofWall: written, near: last) : written
    last = instant
    return instant
  }
}
