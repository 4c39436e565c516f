import Traces

/// Reads traces in JSON, of whatever shape: the file is cut into objects, and each is read by itself.
///
/// - Shapes: the elements of a list, of the lists in ``lists`` of an object, or objects one after
///   the other, as NDJSON and GeoJSON sequences have them.
/// - Complexity: O(bytes) in time; memory for one such object, see ``JSONNodeBuilder``.
final class JSONParser: TraceParser {
  /// The members of an object whose elements are read one by one.
  static let lists: Set<String> = [
    "features", "locations", "timelineObjects", "semanticSegments", "rawSignals", "timelineEdits",
    "data", "points", "positions",
  ]

  private var scanner = JSONScanner()
  private var builder: JSONNodeBuilder
  private var points: JSONPoints
  private var byteOffset = 0
  private(set) var failure: ParseFailure?

  /// What has been entered and not yet left.
  private enum Level { case top, object, list }
  private var level = Level.top
  private var isListOfObject = false
  private var list: String?
  private var key: [UInt8] = []
  /// Brackets of a member of the object that is read past or kept, besides the object itself.
  private var depth = 0
  private var hasList = false

  init(_ options: TraceOptions) {
    points = JSONPoints(options)
    builder = JSONNodeBuilder(points.times)
  }

  var pointCounts: [Int] { points.sink.pointCounts }
  var timedCounts: [Int] { points.sink.timedCounts }
  var format: TraceFormat? { points.format }
  var haveTimesNoZone: Bool { points.times.haveNoZone }
  var doubts: [String] { points.times.refusedDates.map { [$0] } ?? [] }
  var details: DetailColumns? { points.sink.details }
  func takePoints(into columns: [FixColumns]) { points.sink.takePoints(into: columns) }

  func skip(bytes: Int, lines: Int) {
    byteOffset += bytes
    scanner.skip(lines: lines)
  }

  func parse(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    byteOffset += bytes.count
    var scanner = scanner
    scanner.scan(bytes) { take($0, $1, $2) }
    self.scanner = scanner
    check()
  }

  func finish() {
    guard failure == nil else { return }
    var scanner = scanner
    scanner.finish { take($0, $1, $2) }
    self.scanner = scanner
    points.finish()
    check()
    if failure == nil, !points.hasRecognized {
      stop(
        .notATrace,
        "this JSON has no positions that are recognized",
        "known are GeoJSON, Google's location history, OwnTracks, Overland and lists of objects "
          + "with lat, lon and time"
      )
    }
  }

  func abandon() { points.finish() }

  private func check() {
    if let (code, problem) = scanner.failure {
      stop(code, problem, "export the file again")
    } else if let refusal = builder.refusal {
      stop(.excessive, refusal, "export it in parts")
    }
  }

  private func stop(_ code: TraceError.Code, _ problem: String, _ advice: String) {
    guard failure == nil else { return }
    failure = ParseFailure(
      code: code,
      problem: problem,
      advice: advice,
      line: scanner.line,
      byteOffset: byteOffset
    )
  }

  // MARK: - Cutting

  private func take(
    _ token: JSONScanner.Token,
    _ text: UnsafeBufferPointer<UInt8>,
    _ line: Int
  ) {
    guard builder.refusal == nil else { return }
    switch level {
    case .top:
      if token == .beginObject {
        level = .object
        hasList = false
        depth = 0
        builder.begin(line: line)
      } else if token == .beginArray {
        enterList(nil, ofObject: false)
      }
    case .object: takeMember(token, text, line)
    case .list: takeElement(token, text, line)
    }
  }

  /// A token in an object that may be a point itself, or have lists of them.
  private func takeMember(
    _ token: JSONScanner.Token,
    _ text: UnsafeBufferPointer<UInt8>,
    _ line: Int
  ) {
    if depth == 0 {
      if token == .key { key = Array(text.prefix(32)) }
      let name = String(decoding: key, as: UTF8.self)
      if token == .beginArray, JSONParser.lists.contains(name) {
        hasList = true
        builder = JSONNodeBuilder(points.times)
        enterList(name, ofObject: true)
        return
      }
    }
    if token == .beginObject || token == .beginArray { depth += 1 }
    if token == .endObject || token == .endArray { depth -= 1 }
    if !hasList, let node = builder.take(token, text, line: line) {
      points.add(node, line: builder.firstLine, list: nil)
    }
    if depth < 0 { level = .top }
  }

  private func enterList(_ name: String?, ofObject: Bool) {
    level = .list
    isListOfObject = ofObject
    list = name
    depth = 0
    points.beginList(name)
  }

  private func takeElement(
    _ token: JSONScanner.Token,
    _ text: UnsafeBufferPointer<UInt8>,
    _ line: Int
  ) {
    if builder.isOpen {
      if let node = builder.take(token, text, line: line) {
        points.add(node, line: builder.firstLine, list: list)
      }
      return
    }
    switch token {
    case .beginObject where depth == 0: builder.begin(line: line)
    case .beginArray, .beginObject: depth += 1
    case .endArray where depth == 0:
      points.endList()
      level = isListOfObject ? .object : .top
      depth = 0
    case .endArray, .endObject: depth -= 1
    default: break
    }
  }
}
