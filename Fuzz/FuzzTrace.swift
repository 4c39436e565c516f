import Geodesy
import Timeline
import Traces

@testable import TraceFiles

private let file = InputFile()

/// Clocks are set forward and back in it.
private let zone = UTCOffsetTable(
  identifier: "Test/Zone",
  initialOffsetSeconds: 3_600,
  eras: [
    .init(start: Timestamp(seconds: 1_711_846_800), offsetSeconds: 7_200),
    .init(start: Timestamp(seconds: 1_729_990_800), offsetSeconds: 3_600),
  ]
)

/// Any bytes as a trace of whatever format: fixes are on the earth, the report counts what was read,
/// and assuming a date, a zone and a speed loses no point.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  file.fill(UnsafeRawBufferPointer(start: bytes, count: count))
  let plain = read(TraceOptions())
  let start = Timestamp(seconds: 1_718_447_400)
  let assuming = read(
    TraceOptions(
      assumedDate: CivilDate(year: 2024, month: 6, day: 15),
      assumedZone: zone,
      assumedMotion: .init(speedMetersPerSecond: 10, start: start)
    )
  )
  precondition(plain.points == assuming.points, "\(plain.points), \(assuming.points) points")
  precondition(plain.fixes <= assuming.fixes, "\(plain.fixes), \(assuming.fixes) fixes")
  return 0
}

private func read(_ options: TraceOptions) -> (points: Int, fixes: Int) {
  var points = 0
  var fixes = 0
  do throws(TraceError) {
    let reader = try TraceReader(path: file.path, options: options)
    defer {
      precondition(reader.report.points == points, "\(reader.report.points) of \(points) points")
    }
    while let record = try reader.nextRecord() {
      points += 1
      guard let fix = record.fix else { continue }
      fixes += 1
      precondition((-90.0...90.0).contains(fix.coordinate.latitude), "\(fix)")
      precondition((-180.0...180.0).contains(fix.coordinate.longitude), "\(fix)")
      precondition((fix.speedMetersPerSecond ?? 0).isFinite, "\(fix)")
      precondition((fix.courseDegrees ?? 0).isFinite, "\(fix)")
      precondition(fix.horizontalAccuracyMeters.isFinite, "\(fix)")
    }
  } catch {
    precondition(!error.description.isEmpty, "an error without a sentence")
  }
  return (points, fixes)
}
