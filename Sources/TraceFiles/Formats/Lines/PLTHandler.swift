import Timeline
import Traces

/// Reads PLT files of OziExplorer and of the GeoLife collection: after six lines, a point a line.
///
/// - Shape: latitude, longitude, 1 where a segment begins, altitude in feet, days since 1899-12-30,
///   date and time as text. Where the texts are an ISO date and time they win, as they are exact.
/// - Source: the user guide of GeoLife GPS Trajectories 1.3; OziExplorer's help, "Track File".
struct PLTHandler: LineHandler {
  mutating func take(
    _ line: UnsafeBufferPointer<UInt8>,
    number: Int,
    into sink: inout RecordSink
  ) -> ParseFailure? {
    guard number > 6 else { return nil }
    let fields = line.split()
    var point = PointBuilder()
    point.line = number
    guard fields.count >= 5 else {
      point.latitude = .unreadable
      sink.add(point)
      return nil
    }
    point.latitude = fields[0].field
    point.longitude = fields[1].field
    if case .value(1) = fields[2].field { sink.beginSegment(.track) }
    point.time = time(fields)
    // −777 feet are what the makers write for unknown.
    if sink.details != nil, case .value(let feet) = fields[3].field, feet != -777 {
      point.details.add("ele", plain(feet * 0.3048))
    }
    sink.add(point)
    return nil
  }

  private func time(_ fields: [UnsafeBufferPointer<UInt8>]) -> PointBuilder.TimeField {
    if fields.count >= 7 {
      let text = Array(fields[5]) + [0x20] + Array(fields[6])
      if let instant = text.withUnsafeBufferPointer(RFC3339.parse) { return .value(instant) }
    }
    guard case .value(let days) = fields[4].field, days > 0, days < 3_000_000 else {
      return fields[4].allSatisfy { $0 <= 0x20 } ? .absent : .unreadable
    }
    return .value(SpreadsheetDays.instant(days))
  }
}
