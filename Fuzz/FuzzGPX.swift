import Geodesy
import Traces

@testable import TraceFiles

private let file = InputFile()

/// Any bytes as a GPX file: fixes are on the earth, and the report counts what was read.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  file.fill(UnsafeRawBufferPointer(start: bytes, count: count))
  do throws(TraceError) {
    let reader = try TraceReader(path: file.path)
    var points = 0
    while let record = try reader.nextRecord() {
      points += 1
      guard let fix = record.fix else { continue }
      precondition((-90.0...90.0).contains(fix.coordinate.latitude), "\(fix)")
      precondition((-180.0...180.0).contains(fix.coordinate.longitude), "\(fix)")
      precondition((fix.speedMetersPerSecond ?? 0).isFinite, "\(fix)")
      precondition((fix.courseDegrees ?? 0).isFinite, "\(fix)")
      precondition(fix.horizontalAccuracyMeters.isFinite, "\(fix)")
    }
    precondition(reader.report.points == points, "\(reader.report.points) of \(points) points")
  } catch {
    precondition(!error.description.isEmpty, "an error without a sentence")
  }
  return 0
}
