import Fencing
import NearMeEngine
import Timeline

/// Which transitions of one run are those of another.
///
/// Transitions of one reminder, tier and direction are matched in order of time. One that is found
/// belongs to the last expected one before it, if that is at most a tolerance away and no later one
/// has been matched: what is found after two expected ones is the second, and the first was missed.
/// One that is found a little before an expected one is that one, for an arrival may hold for 20 s
/// instead of 40 where the speed is different.
public struct TransitionMatch: Sendable {
  /// How much earlier than expected one may be found: the difference between the holds of a slow and
  /// of a fast arrival, and a fix more.
  public static let earliest = Milliseconds.seconds(30)

  /// Expected, and not found.
  public private(set) var missed: [TransitionRecord] = []
  /// Found, and not expected.
  public private(set) var spurious: [TransitionRecord] = []
  /// Expected and found.
  public private(set) var matched: [(expected: TransitionRecord, found: TransitionRecord)] = []

  /// Matches; dwells, which only follow from arrivals, are left out.
  ///
  /// - Parameter tolerance: how late one may be and still be that one.
  /// - Complexity: O(n log n).
  public init(
    found: [TransitionRecord],
    expected: [TransitionRecord],
    tolerance: Milliseconds
  ) {
    let found = Self.byKey(found)
    let expected = Self.byKey(expected)
    var f = 0
    var e = 0
    while f < found.count || e < expected.count {
      let key = min(
        f < found.count ? found[f].key : expected[e].key,
        e < expected.count ? expected[e].key : found[f].key
      )
      let foundHere = found[f...].prefix { $0.key == key }
      let expectedHere = expected[e...].prefix { $0.key == key }
      match(foundHere.map(\.record), expectedHere.map(\.record), tolerance)
      f = foundHere.endIndex
      e = expectedHere.endIndex
    }
  }

  private mutating func match(
    _ found: [TransitionRecord],
    _ expected: [TransitionRecord],
    _ tolerance: Milliseconds
  ) {
    var next = 0
    for record in found {
      // The last expected one that is not later; failing that, one that comes at once.
      var candidate: Int?
      var i = next
      while i < expected.count, expected[i].at <= record.at {
        if record.at - expected[i].at <= tolerance { candidate = i }
        i += 1
      }
      if candidate == nil, i < expected.count, expected[i].at - record.at <= Self.earliest {
        candidate = i
      }
      guard let candidate else {
        spurious.append(record)
        continue
      }
      missed += expected[next..<candidate]
      matched.append((expected[candidate], record))
      next = candidate + 1
    }
    missed += expected[next...]
  }

  private static func byKey(
    _ records: [TransitionRecord]
  ) -> [(key: String, record: TransitionRecord)] {
    records.enumerated().filter { $0.element.kind != .dwell }
      .map { i, record in
        (key: "\(record.reminder)\u{0}\(record.step.name)\u{0}\(record.kind.rawValue)", i, record)
      }
      .sorted { ($0.0, $0.2.at, $0.1) < ($1.0, $1.2.at, $1.1) }
      .map { (key: $0.0, record: $0.2) }
  }
}
