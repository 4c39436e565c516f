import Foundation

/// What the door counts for `/metrics`: names and numbers, nothing of anybody.
final class DoorCounts: Sendable {
  private struct Key: Hashable {
    let route: String
    let status: Int
  }

  private let lock = NSLock()
  private nonisolated(unsafe) var answers: [Key: Int] = [:]
  private nonisolated(unsafe) var events: [String: Int] = [:]

  /// Counts an answer.
  func note(status: Int, _ route: String) {
    lock.withLock { answers[Key(route: route, status: status), default: 0] += 1 }
  }

  /// Counts something by its name.
  func note(_ event: String) { lock.withLock { events[event, default: 0] += 1 } }

  /// All of it in Prometheus' text, in order.
  ///
  /// - Parameter gauges: what is so now, by name, with a sentence for each.
  func text(_ gauges: [(name: String, help: String, value: Int)]) -> String {
    let (answers, events) = lock.withLock { (self.answers, self.events) }
    var lines: [String] = []
    for gauge in gauges {
      lines += [
        "# HELP nearme_\(gauge.name) \(gauge.help)", "# TYPE nearme_\(gauge.name) gauge",
        "nearme_\(gauge.name) \(gauge.value)",
      ]
    }
    lines += [
      "# HELP nearme_api_answers_total Answers of the API, by route and status.",
      "# TYPE nearme_api_answers_total counter",
    ]
    for (key, count) in answers.sorted(by: {
      ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
    }) {
      lines.append(
        "nearme_api_answers_total{route=\"\(key.route)\",status=\"\(key.status)\"} \(count)"
      )
    }
    lines += [
      "# HELP nearme_events_total What happened, by its name.",
      "# TYPE nearme_events_total counter",
    ]
    for (name, count) in events.sorted(by: { $0.key < $1.key }) {
      lines.append("nearme_events_total{name=\"\(name)\"} \(count)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
