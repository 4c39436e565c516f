import Geodesy
import Timeline
import Traces

@testable import Phones

/// Any bytes as what a phone sends: fixes are on the earth, all is in order of time, and what is not used has a name.
///
/// The first byte says on which road they come, and whether the header names a form in parts.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: bytes, count: count)
  guard let first = input.first else { return 0 }
  let sources = IntakeSource.allCases
  let body = IntakeBody(
    source: sources[Int(first & 0x1F) % sources.count],
    bytes: Array(input.dropFirst()),
    query: first & 0x80 == 0 ? [] : [("id", "anna"), ("lat", "39")],
    contentType: first & 0x20 == 0 ? "multipart/form-data; boundary=B" : nil,
    receivedAt: Timestamp(seconds: 1_772_539_200)
  )
  let reading = read(body)
  precondition(read(body) == reading, "the same bytes are read differently")
  precondition(!reading.items.isEmpty || !reading.passedOver.isEmpty, "nothing, and no reason")
  precondition(reading.items.count <= 2 * IntakeReader.mostThings + 1, "more than is taken")
  var last = Timestamp(milliseconds: .min)
  for item in reading.items {
    let at = item.at ?? body.receivedAt
    precondition(at >= last, "not in order")
    precondition(PayloadTime.first <= at && at <= PayloadTime.last, "a time of no phone")
    last = at
    if case .fix(let fix, _) = item { check(fix) }
  }
  return 0
}

private func check(_ fix: Fix) {
  precondition((-90.0...90.0).contains(fix.coordinate.latitude), "\(fix)")
  precondition((-180.0...180.0).contains(fix.coordinate.longitude), "\(fix)")
  precondition(fix.horizontalAccuracyMeters > 0 && fix.horizontalAccuracyMeters <= 2e7, "\(fix)")
  precondition((0...1_000).contains(fix.speedMetersPerSecond ?? 0), "\(fix)")
  precondition((0..<360).contains(fix.courseDegrees ?? 0), "\(fix)")
}
