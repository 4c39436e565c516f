import Basics
import Traces

/// Reads logs of messages in JSON, one on each line: those of OwnTracks' recorder, which have an instant and a kind
/// before the message, and what `mosquitto_sub -v` prints, a topic and the message.
///
/// The messages of type `location` are the track; others that have a position are waypoints. Behind a topic there may be
/// any object with a position, or a batch of them. A trace is one person's: positions of another topic than the
/// first one's are passed over.
///
/// - Source: owntracks/recorder, README, "Storage"; owntracks.org/booklet/tech/json; mosquitto_sub(1).
struct RECHandler: LineHandler {
  private var points: JSONPoints
  /// Whose topic the first position had; nil where none had one.
  private var device: [UInt8]?
  /// Positions of other topics, and messages that nobody can read, each with the line of the first.
  private var others = (count: 0, line: 0)
  private var encrypted = (count: 0, line: 0)

  init(_ options: TraceOptions) { points = JSONPoints(options) }

  var haveTimesNoZone: Bool { points.times.haveNoZone }
  var doubts: [String] { points.times.refusedDates.map { [$0] } ?? [] }
  var format: TraceFormat? { points.format }

  var understanding: String? {
    var parts: [String] = []
    if others.count > 0 {
      parts.append(
        (others.count == 1 ? "1 message is" : "\(others.count) messages are")
          + " of another topic than \(PlainText.decode(device ?? [])), the first on line \(others.line)"
      )
    }
    if encrypted.count > 0 {
      parts.append(
        (encrypted.count == 1 ? "1 message is" : "\(encrypted.count) messages are")
          + " encrypted, the first on line \(encrypted.line)"
      )
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

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
    if message["_type"]?.text == "encrypted" {
      encrypted = (encrypted.count + 1, encrypted.count == 0 ? number : encrypted.line)
      return nil
    }
    if let topic = MessageTopic.device(of: line[..<start]) {
      add(message, of: topic, line: number, into: &sink)
      return nil
    }
    guard message["_type"] != nil, message["lat"] != nil || message["_type"]?.text == "location"
    else { return nil }
    points.read(message, line: number, into: &sink)
    return nil
  }

  private mutating func add(
    _ message: JSONNode,
    of topic: [UInt8],
    line: Int,
    into sink: inout RecordSink
  ) {
    if let device, !MessageTopic.areSame(topic, device) {
      others = (others.count + 1, others.count == 0 ? line : others.line)
      return
    }
    let before = sink.pointCounts[PointKind.track.rawValue]
    points.readMessage(message, line: line, into: &sink)
    if device == nil, sink.pointCounts[PointKind.track.rawValue] > before { device = topic }
  }
}
