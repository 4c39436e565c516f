import Timeline
import Traces

@testable import TraceFiles

/// Any bytes as a live feed: what is read does not depend on the pieces in which it comes, fixes are on the
/// earth, and every line is accounted for.
///
/// The first byte says how long the pieces are.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: bytes, count: count)
  guard let first = input.first else { return 0 }
  let text = UnsafeRawBufferPointer(rebasing: input.dropFirst())
  let whole = read(text, pieces: max(1, text.count))
  let parts = read(text, pieces: Int(first) + 1)
  precondition(whole.items == parts.items, "other pieces, other items")
  precondition(whole.reader.garbage == parts.reader.garbage, "other pieces, other garbage")
  precondition(whole.reader.messages == parts.reader.messages, "other pieces, other messages")
  let passedOver = whole.reader.garbage.values.reduce(0, +)
  precondition(
    passedOver <= whole.reader.lines + 1 + whole.reader.signals + whole.items.count + text.count,
    "more passed over than there was"
  )
  return 0
}

private func read(
  _ text: UnsafeRawBufferPointer,
  pieces: Int
) -> (items: [FeedItem], reader: FixLineReader) {
  var reader = FixLineReader()
  var items: [FeedItem] = []
  for start in stride(from: 0, to: text.count, by: pieces) {
    let end = min(text.count, start + pieces)
    items += reader.read(UnsafeRawBufferPointer(rebasing: text[start..<end]))
  }
  items += reader.finish()
  for fix in items.compactMap({ $0.point?.fix }) {
    precondition((-90.0...90.0).contains(fix.coordinate.latitude), "\(fix)")
    precondition((-180.0...180.0).contains(fix.coordinate.longitude), "\(fix)")
    precondition(fix.horizontalAccuracyMeters.isFinite, "\(fix)")
    precondition((fix.speedMetersPerSecond ?? 0).isFinite, "\(fix)")
    precondition((fix.courseDegrees ?? 0).isFinite, "\(fix)")
  }
  return (items, reader)
}
