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

  init(_ options: TraceOptions) { zone = options.assumedZone }

  /// Reads an instant; see ``InstantText/parse(_:)``.
  ///
  /// - Parameter isUTC: whether something else says that it is of UTC.
  func instant(_ text: UnsafeBufferPointer<UInt8>, isUTC: Bool = false) -> Timestamp? {
    guard let instant = InstantText.parse(text) else { return nil }
    guard isFirst || zone != nil else { return instant }
    return settle(instant, isLocal: !isUTC && !InstantText.namesZone(text))
  }

  /// The instant of a count since 1970.
  func instant(unix number: Double) -> Timestamp? {
    InstantText.unix(number).map { settle($0, isLocal: false) }
  }

  /// The instant of a count of days, as spreadsheets show them.
  func instant(days: Double, isUTC: Bool) -> Timestamp {
    settle(SpreadsheetDays.instant(days), isLocal: !isUTC)
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
