import Traces

/// What turns the bytes of one format into records, a piece at a time.
///
/// - Complexity: O(bytes) in time; memory does not grow with the file, except where the format
///   itself keeps positions and times apart, and there up to a stated limit.
protocol TraceParser: AnyObject {
  /// Takes the next bytes; at least ``TraceReader/padding`` zero bytes follow them.
  func parse(_ bytes: UnsafeRawBufferPointer)
  /// Notes the end of the bytes.
  func finish()
  /// Adds what waits for bytes that will not come: those that follow cannot be unpacked, or not be read.
  func abandon()
  /// Notes white space that was left out before the text.
  func skip(bytes: Int, lines: Int)
  /// Moves the points since the last time to the columns of their kinds.
  func takePoints(into columns: [FixColumns])
  /// The reason why parsing stopped for good, if it did.
  var failure: ParseFailure? { get }
  /// Points begun, by kind.
  var pointCounts: [Int] { get }
  /// Points with a time that is not empty, by kind.
  var timedCounts: [Int] { get }
  /// The details of the points, where they are kept.
  var details: DetailColumns? { get }
  /// How the file was understood, where that is a guess; for a report.
  var understanding: String? { get }
  /// Whether a time has named no zone; for a report.
  var haveTimesNoZone: Bool { get }
  /// What the file could mean as well, and how it was taken, as sentences for a report.
  var doubts: [String] { get }
  /// The format, where only reading it shows which it is.
  var format: TraceFormat? { get }
}

extension TraceParser {
  func abandon() {}
  var understanding: String? { nil }
  var haveTimesNoZone: Bool { false }
  var doubts: [String] { [] }
  var format: TraceFormat? { nil }
}

/// What stopped a parser.
struct ParseFailure: Hashable {
  let code: TraceError.Code
  let problem: String
  let advice: String
  /// The line of the text; nil where lines have no meaning.
  let line: Int?
  let byteOffset: Int?
}

/// Expat could not get the memory that it starts with.
struct OutOfMemory: Error {}

/// The points that a parser makes, counted.
struct RecordSink {
  private(set) var pointCounts = [0, 0, 0]
  private(set) var timedCounts = [0, 0, 0]

  private let columns = [FixColumns(), FixColumns(), FixColumns()]
  private let model: AccuracyModel
  private let keepsUntimed: Bool
  /// Nil where they are not kept.
  let details: DetailColumns?
  /// What is said of the track or route that begins, by kind.
  private var groups: [[PointDetails.Field]?] = [nil, nil, nil]
  private var awaitsFirstFix = [true, true, true]

  init(_ options: TraceOptions) {
    model = options.accuracyModel
    keepsUntimed = options.assumedMotion != nil || options.keepsDetails
    details = options.keepsDetails ? DetailColumns() : nil
  }

  /// The next point of a kind begins a track or route, of which this is said.
  mutating func beginGroup(_ kind: PointKind, _ fields: [PointDetails.Field]) {
    guard details != nil, kind != .waypoint else { return }
    groups[kind.rawValue] = fields
  }

  /// The next point of a kind begins a segment.
  mutating func beginSegment(_ kind: PointKind) { awaitsFirstFix[kind.rawValue] = true }

  /// Takes a point that is complete.
  mutating func add(_ point: PointBuilder) {
    let kind = point.kind.rawValue
    pointCounts[kind] += 1
    if case .absent = point.time {} else { timedCounts[kind] += 1 }
    let (outcome, source) = point.outcome(model: model, keepsUntimed: keepsUntimed)
    var record = TraceRecord(outcome: outcome, accuracySource: source, line: point.line)
    if awaitsFirstFix[kind], case .fix = outcome {
      record.startsSegment = true
      awaitsFirstFix[kind] = false
    }
    columns[kind].append(record)
    guard let details else { return }
    var own = point.details
    let group = own.group ?? groups[kind]
    // A point that is refused is not written, and what is said of its track must be.
    if case .fix = outcome {
      (own.group, groups[kind]) = (group, nil)
    } else {
      groups[kind] = group
    }
    details.append(own, point.kind)
  }

  /// Moves the points since the last time to the columns of their kinds.
  func takePoints(into target: [FixColumns]) {
    for (from, to) in zip(columns, target) { to.take(from: from) }
  }
}
