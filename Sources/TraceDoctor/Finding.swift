import Timeline

/// A place in a trace.
package struct Spot: Hashable, Sendable {
  /// The number of the point among all points delivered, the first being 1.
  package var number: Int
  /// The line of the file on which the point begins, the first being 1.
  package var line: Int
  /// When, if the point has a time.
  package var at: Timestamp?

  /// Makes a place.
  package init(number: Int, line: Int, at: Timestamp?) {
    self.number = number
    self.line = line
    self.at = at
  }
}

/// Something found, and where.
package struct Finding: Hashable, Sendable {
  /// What.
  package var kind: FindingKind
  /// The first point concerned.
  package var first: Spot
  /// The last point concerned; the same as ``first`` where it is one point.
  package var last: Spot
  /// How many points it concerns.
  package var fixes: Int
  /// How long or, for what goes back, how far back, in seconds; nil where it has no meaning.
  package var seconds: Double?
  /// How far, in meters; nil where it has no meaning.
  package var meters: Double?

  init(
    _ kind: FindingKind,
    from first: Spot,
    to last: Spot? = nil,
    fixes: Int = 1,
    seconds: Double? = nil,
    meters: Double? = nil
  ) {
    self.kind = kind
    self.first = first
    self.last = last ?? first
    self.fixes = fixes
    self.seconds = seconds
    self.meters = meters
  }
}

/// All findings of one kind: their number, and the first of them.
package struct FindingTally: Hashable, Sendable {
  /// The kind.
  package let kind: FindingKind
  /// How many there are.
  package internal(set) var count = 0
  /// How many points they concern together.
  package internal(set) var fixes = 0
  /// The first of them, in the order in which they end.
  package internal(set) var places: [Finding] = []

  init(kind: FindingKind) { self.kind = kind }

  mutating func add(_ finding: Finding, keeping limit: Int) {
    count += 1
    fixes += finding.fixes
    if places.count < limit { places.append(finding) }
  }
}
