import Basics
import CorpusFiles
import Foundation
import Replay
import Scoring
import Timeline

/// Which visits were missed and which arrivals were wrong, each with the command that explains it.
struct WrongList {
  let ledger: [LedgerEntry]
  let days: [CorpusFolder.Day]
  /// What was scored, for the command has to replay the same.
  let options: ScoredReplayOptions

  /// The list with its title; nothing if nothing was wrong, or none is wanted.
  ///
  /// - Parameter most: how many entries at most.
  func lines(most: Int) -> [String] {
    // Whatever the cause: a visit that was bundled, or held back for a while, was announced, and so the scores count it.
    let wrong = ledger.filter {
      ($0.subject == .visit || $0.subject == .arrival) && $0.delaySeconds == nil
    }
    guard !wrong.isEmpty, most > 0 else { return [] }
    let rest = wrong.count > most ? ", the first \(most) (--wrong \(wrong.count) lists all)" : ""
    var lines = ["", "visits that were missed and arrivals that were wrong: \(wrong.count)\(rest)"]
    for entry in wrong.prefix(most) {
      let what = entry.subject == .visit ? "visit missed" : "arrival wrong"
      let place = entry.poi.map { " at \($0)" } ?? ""
      lines.append(
        "  \(entry.day), \(RFC3339.format(entry.at)), \(entry.reminder)\(place): \(what), "
          + entry.cause.label
      )
      if let command = command(for: entry) { lines.append("    " + command) }
    }
    return lines
  }

  private func command(for entry: LedgerEntry) -> String? {
    guard let day = days.first(where: { $0.id == entry.day }) else { return nil }
    let service = options.service
    var words = [
      "nearme", "explain", day.trace, "--reminder", entry.reminder, "--at",
      RFC3339.format(entry.at), "--cache", service.cache, "--monitor", service.monitor.rawValue,
    ]
    let files = [
      ("--policy", service.policy), ("--twin", service.twin), ("--reminders", options.reminders),
      ("--slots", service.slots.map(String.init)), ("--handed-over", service.handedOver),
    ]
    for (option, value) in files { if let value { words += [option, value] } }
    if service.planner != .safeRegion { words += ["--planner", service.planner.rawValue] }
    if options.seed != 1 { words += ["--seed", String(options.seed)] }
    return words.map(shellQuoted).joined(separator: " ")
  }
}
