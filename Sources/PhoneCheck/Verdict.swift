import Foundation

/// What the door told beside what it had to tell.
struct Verdict {
  /// Notifications and their updates that were told.
  let notifications: Int
  /// Lines that should have been told and were not.
  let lost: Int
  /// Lines that were told more often than they should have been, or with a key that had been used.
  let twice: Int
  /// Whether the lines are the same in the same order.
  let isEqual: Bool
  /// Where they first differ: told, and to be told.
  let difference: String?

  init(told path: String, reference: [String]) {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    var keys: Set<Substring> = []
    var told: [String] = []
    var sameKeys = 0
    for line in text.split(separator: "\n") {
      guard let mark = line.range(of: ",\"key\":\"", options: .backwards) else { continue }
      if !keys.insert(line[mark.upperBound...]).inserted { sameKeys += 1 }
      // Two types that a replay does not print.
      guard !line.hasPrefix("{\"type\":\"changed\""), !line.hasPrefix("{\"type\":\"withdrawn\"")
      else { continue }
      told.append(line[..<mark.lowerBound] + "}")
    }
    var balance: [String: Int] = [:]
    for line in told { balance[line, default: 0] += 1 }
    for line in reference { balance[line, default: 0] -= 1 }
    notifications = told.count { $0.hasPrefix("{\"type\":\"notification\"") }
    lost = balance.values.reduce(0) { $0 + max(0, -$1) }
    twice = balance.values.reduce(sameKeys) { $0 + max(0, $1) }
    isEqual = told == reference && sameKeys == 0
    let first = (0..<max(told.count, reference.count))
      .first { $0 >= told.count || $0 >= reference.count || told[$0] != reference[$0] }
    difference = first.map {
      "line \($0 + 1): told \($0 < told.count ? told[$0] : "nothing"), not "
        + "\($0 < reference.count ? reference[$0] : "nothing")"
    }
  }
}
