import Traces

/// The shapes of points that a document has shown so far.
///
/// Where they match, they read; where they do not, the parser reads the next point, and its shape is
/// learned if it is new.
final class PointTemplates {
  private var templates: [PointTemplate] = []
  /// The one that matched last.
  private var usual = 0
  /// The one to be replaced next, once there are as many as are kept.
  private var oldest = 0
  private var values: PlainValues
  private let powers: UnsafeMutablePointer<UInt64>

  /// How many shapes are kept: a device writes one, or a few with and without some value.
  private static let most = 8
  /// Points in one go: the rows that are reserved for them.
  private static let pointsAtOnce = 1_024

  init() {
    powers = .allocate(capacity: PlainValues.powerCount)
    values = PlainValues(powers: powers)
  }

  deinit { powers.deallocate() }

  /// Reads points as long as any template matches.
  ///
  /// - Parameter text: begins behind a track point; 32 zero bytes must follow it.
  /// - Parameter line: the line at which it begins.
  /// - Returns: how many bytes were read, and lines ended.
  func read(
    _ text: UnsafeRawBufferPointer,
    line: Int,
    _ rule: PointTemplate.AccuracyRule,
    into columns: FixColumns
  ) -> (bytes: Int, lines: Int) {
    guard let start = text.baseAddress, !templates.isEmpty else { return (0, 0) }
    var position = start
    var lines = 0
    var tried = 0
    while tried < templates.count {
      let index = (usual + tried) % templates.count
      columns.reserve(Self.pointsAtOnce)
      let run = templates[index]
        .read(
          from: position,
          into: columns.rows,
          row: columns.count,
          limit: Self.pointsAtOnce,
          line: line + lines,
          rule,
          &values
        )
      guard run.points > 0 else {
        tried += 1
        continue
      }
      columns.commit(run.points)
      position = run.position
      lines += run.lines
      usual = index
      tried = 0
    }
    return (position - start, lines)
  }

  /// Learns the shape of the point that the parser has just read into the last of the columns.
  ///
  /// - Parameter bytes: white space before the point, and its element; 32 bytes must follow them.
  /// - Parameter start: where the element begins in them.
  func learn(
    _ bytes: UnsafeRawBufferPointer,
    start: Int,
    captured: [PointTemplate.Slot],
    _ rule: PointTemplate.AccuracyRule,
    from columns: FixColumns
  ) {
    guard let template = PointTemplate(bytes, start: start, captured: captured),
      isFaithful(template, to: bytes, rule: rule, columns)
    else { return }
    if templates.count < Self.most {
      templates.append(template)
    } else {
      templates[oldest] = template
      oldest = (oldest + 1) % Self.most
    }
  }

  /// Whether a template reads its own point as the parser did, and no present one does.
  private func isFaithful(
    _ template: PointTemplate,
    to bytes: UnsafeRawBufferPointer,
    rule: PointTemplate.AccuracyRule,
    _ columns: FixColumns
  ) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    columns.reserve(1)
    let (rows, last, scratch) = (columns.rows, columns.count - 1, columns.count)
    func reads(_ template: PointTemplate) -> Bool {
      let run = template.read(
        from: start,
        into: rows,
        row: scratch,
        limit: 1,
        line: 0,
        rule,
        &values
      )
      return run.points == 1 && run.position == start + bytes.count
    }
    guard !templates.contains(where: reads), reads(template) else { return false }
    return rows.at[scratch] == rows.at[last]
      && rows.latitude[scratch].bitPattern == rows.latitude[last].bitPattern
      && rows.longitude[scratch].bitPattern == rows.longitude[last].bitPattern
      && rows.accuracyMeters[scratch].bitPattern == rows.accuracyMeters[last].bitPattern
      && rows.speedMetersPerSecond[scratch].bitPattern
        == rows.speedMetersPerSecond[last].bitPattern
      && rows.courseDegrees[scratch].bitPattern == rows.courseDegrees[last].bitPattern
      && rows.accuracySource(scratch) == rows.accuracySource(last)
  }
}
