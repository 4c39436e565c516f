import Timeline
import Traces

/// What a live feed brings.
package enum FeedItem: Hashable, Sendable {
  /// A point of the way.
  case point(TraceRecord)
  /// What the phone says.
  case signal(FeedSignal)

  /// The point; nil for a signal.
  package var point: TraceRecord? { if case .point(let record) = self { record } else { nil } }
}

/// A line such as `{"signal":"charging","to":"charging","at":"2026-03-03T08:00:00Z","id":"7"}`, as the
/// actions of reminders files have them.
package struct FeedSignal: Hashable, Sendable {
  /// Its name.
  package let name: String
  /// The level that begins; nil if it has none.
  package let level: String?
  /// Which happening it is; nil if the line does not say.
  package let id: String?
  /// When; nil if the line does not say.
  package let at: Timestamp?

  /// No word of it is longer, in bytes.
  package static let longestWord = 200

  /// Makes one of words that are known to be a signal's.
  package init(name: String, level: String?, id: String?, at: Timestamp?) {
    (self.name, self.level, self.id, self.at) = (name, level, id, at)
  }

  /// Makes one; nil for words that are no signal's.
  init?(_ node: JSONNode, _ times: LocalTimes) {
    guard let name = node["signal"]?.text else { return nil }
    self.name = name
    level = node["to"]?.scalar
    id = node["id"]?.scalar
    guard
      [name, level ?? "-", id ?? "-"]
        .allSatisfy({ (1...Self.longestWord).contains($0.utf8.count) })
    else { return nil }
    switch (node["at"] ?? node[JSONPoints.timeKeys])?.time(times) {
    case .value(let instant)?: at = instant
    case .absent?, nil: at = nil
    default: return nil
    }
  }
}
