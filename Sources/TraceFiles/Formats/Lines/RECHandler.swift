import Traces

/// Reads the logs of OwnTracks' recorder: on each line an instant, a kind, and a message in JSON.
///
/// The messages of type `location` are the track; others that have a position are waypoints.
///
/// - Source: owntracks/recorder, README, "Storage"; owntracks.org/booklet/tech/json.
struct RECHandler: LineHandler {
  private var points: JSONPoints

  init(_ options: TraceOptions) { points = JSONPoints(options) }

  var haveTimesNoZone: Bool { points.times.haveNoZone }

  mutating func take(
    _ line: UnsafeBufferPointer<UInt8>,
    number: Int,
    into sink: inout RecordSink
  ) -> ParseFailure? {
    guard let start = line.firstIndex(of: UInt8(ascii: "{")) else { return nil }
    var scanner = JSONScanner()
    var builder = JSONNodeBuilder(points.times)
    var message: JSONNode?
    let text = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(line)[start...])
    let body = { (token: JSONScanner.Token, text: UnsafeBufferPointer<UInt8>, _: Int) in
      if !builder.isOpen, message == nil {
        builder.begin(line: number)
      } else if let node = builder.take(token, text, line: number) {
        message = node
      }
    }
    scanner.scan(text, body)
    scanner.finish(body)
    guard scanner.failure == nil, let message else {
      // The recorder appends: where it was stopped a line is half, and the next ones are whole.
      var point = PointBuilder()
      point.line = number
      point.latitude = .unreadable
      sink.add(point)
      return nil
    }
    guard message["_type"] != nil, message["lat"] != nil || message["_type"]?.text == "location"
    else { return nil }
    points.read(message, line: number, into: &sink)
    return nil
  }
}
