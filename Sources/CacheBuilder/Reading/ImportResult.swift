import Places

/// Something of an input that names a place and yet gives none, or not all that it says.
package struct SkippedRow: Hashable, Sendable {
  /// The file.
  package let path: String
  /// Which of its rows: `line 12`, `way/123`.
  package let row: String
  /// Why.
  package let reason: String
  /// Whether it gave a place all the same.
  package let isTaken: Bool
  /// Whether it has no category, or one that is not known.
  let lacksCategory: Bool

  init(path: String, row: String, _ reason: SkipReason) {
    (self.path, self.row) = (path, row)
    (self.reason, isTaken) = (reason.rawValue, reason.isTaken)
    lacksCategory = reason.isOfCategories
  }

  /// What became of it, in a word.
  package var fate: String { isTaken ? "taken" : "skipped" }
}

/// The skipped rows of one or several inputs: all counted, the first ones listed.
package struct SkippedRows: Sendable {
  /// How many are listed; the others are only counted, so that a bad file cannot fill the memory.
  package static let listed = 1_000

  /// The first rows, in the order of the file.
  package private(set) var rows: [SkippedRow] = []
  /// All of them.
  package private(set) var count = 0
  /// Whether any of them has no category, or one that is not known.
  package private(set) var lackCategories = false
  private var countByReason: [String: Int] = [:]

  /// Makes an empty list.
  package init() {}

  /// How many for each fate and reason, such as `skipped, no category`, in order.
  package var reasons: [(reason: String, count: Int)] {
    countByReason.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  mutating func add(_ row: SkippedRow) {
    count += 1
    lackCategories = lackCategories || row.lacksCategory
    countByReason["\(row.fate), \(row.reason)", default: 0] += 1
    if rows.count < Self.listed { rows.append(row) }
  }

  mutating func add(_ other: SkippedRows) {
    count += other.count
    lackCategories = lackCategories || other.lackCategories
    countByReason.merge(other.countByReason) { $0 + $1 }
    rows += other.rows.prefix(max(0, Self.listed - rows.count))
  }
}

/// What one input gave.
package struct ImportResult: Sendable {
  /// What the input was.
  package let format: InputFormat
  /// The places of its categories, in the order of the file; no two with the same source id.
  package var places: [PointOfInterest] = []
  /// By source id, what else is known of a place, as JSON; most places of a map have nothing.
  package var details: [String: String] = [:]
  /// By source id, what older versions have called a place, where they have called it something else.
  var olderIDs: [String: String] = [:]
  /// The source ids of places of whose outline the file has a part only, as extracts have at their edge.
  var cutIDs: Set<String> = []
  /// What was left out, and why.
  package var skipped = SkippedRows()
  /// When the map was as the file shows it, RFC 3339; nil where the file does not say.
  package var dataTimestamp: String?

  init(format: InputFormat) { self.format = format }
}

/// What every reader needs to know.
struct ImportJob: Sendable {
  let path: String
  let rules: CategoryRules
  /// On how many threads a file is read whose format allows it.
  let threadCount: Int
  /// Whether to note what older versions have called a place.
  var notesOlderIDs = false
  let isInterrupted: @Sendable () -> Bool
  /// Told of every row that is skipped, the listed and the others.
  var onSkip: @Sendable (SkippedRow) -> Void = { _ in }
  /// Told of what has been read; nil if it is not wanted.
  var progress: ReadingProgress?

  /// The same, with nobody told of rows that are skipped.
  var withoutTelling: ImportJob {
    var job = self
    job.onSkip = { _ in }
    return job
  }

  func checkInterruption() throws(ImportError) {
    if isInterrupted() { throw ImportError(.interrupted, path: path, "interrupted") }
  }
  /// Hands over the bytes of a file, unpacked, until the body returns false.
  func forEachChunk(
    of source: ByteSource,
    _ body: (UnsafeRawBufferPointer) throws(ImportError) -> Bool
  ) throws(ImportError) {
    progress?.begin(source.byteCount)
    var before: Int64 = 0
    try source.forEachChunk { chunk throws(ImportError) in
      try checkInterruption()
      progress?.add(source.fileOffset - before)
      before = source.fileOffset
      return try body(chunk)
    }
  }
}
