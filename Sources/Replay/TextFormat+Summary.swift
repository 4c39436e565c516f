import Basics
import NearMeEngine
import OutputLines
import Timeline
import Traces

extension TextFormat {
  /// One screen of numbers.
  ///
  /// - Parameter awaited: what the reminders waited for, to say why nothing was told.
  public func text(_ summary: ReplaySummary, awaited: Awaited = .places) -> String {
    var rows: [(String, String)] = []
    rows.append(
      ("fixes", "\(summary.fixes) used in \(fixed(summary.hours, 1)) h" + refused(summary))
    )
    rows.append(("", "times are those of \(zone.identifier)"))
    if summary.locationWakes > 0 {
      rows.append(("wakes", wakes(summary)))
      if summary.followed > Milliseconds(0), summary.hours > 0 {
        let seconds = fixed(summary.followed.seconds / summary.hours, 0)
        rows.append(("", "awake for \(seconds) s an hour while something had to hold"))
      }
      rows.append(
        (
          "regions",
          "\(summary.regionsHeldMost) held at most, \(summary.registrations) registered"
            + (summary.plansAtRisk == 0
              ? ", nothing ever at risk" : ", \(summary.plansAtRisk) plans left something at risk")
        )
      )
    }
    rows.append(("notified", notified(summary, awaited)))
    for tier in summary.toldByTier.keys.sorted(by: tierOrder) {
      rows.append(("", "\(padded(tier, 18)) \(summary.toldByTier[tier] ?? 0)"))
    }
    rows.append(contentsOf: silences("put off", summary.deferred))
    rows.append(contentsOf: silences("not said", summary.suppressed))
    if summary.actionsLeft > 0 {
      let count = summary.actionsLeft
      rows.append(
        (
          "note",
          (count == 1 ? "1 action lies" : "\(count) actions lie") + " after the end of the trace"
        )
      )
    }
    return rows.map { "  \(padded($0.0, 9)) \($0.1)" }.joined(separator: "\n")
  }

  private func refused(_ summary: ReplaySummary) -> String {
    guard summary.refusedCount > 0 else { return ", none refused" }
    let reasons = FixRefusal.allCases.compactMap { reason in
      summary.refused[reason].map { "\($0) \(reason.rawValue)" }
    }
    return ", \(summary.refusedCount) refused (\(reasons.joined(separator: ", ")))"
  }

  private func wakes(_ summary: ReplaySummary) -> String {
    let causes = WakeCause.allCases.compactMap { cause in
      summary.wakes[cause].map { "\($0) \(cause.rawValue)" }
    }
    var text = "\(summary.wakeCount) (\(causes.joined(separator: ", ")))"
    let changes = summary.rises + summary.falls
    if changes > 0 {
      let each = Double(summary.locationWakes) / Double(changes)
      text += ", \(fixed(each, 2)) by location per change of level"
    }
    return text
  }

  private func notified(_ summary: ReplaySummary, _ awaited: Awaited) -> String {
    let kinds = NotificationKind.allCases.compactMap { kind in
      summary.notificationsByKind[kind].map { "\($0) \(kind.rawValue)" }
    }
    guard !kinds.isEmpty else { return "nothing: " + awaited.whyNothing(summary) }
    func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
    let updates = summary.updates == 0 ? "" : ", updated \(times(summary.updates)) (+)"
    return "\(times(summary.notificationCount)) (\(kinds.joined(separator: ", ")))" + updates
  }

  private func silences(_ label: String, _ counts: [Silence: Int]) -> [(String, String)] {
    var rows: [(String, String)] = []
    for silence in Silence.allCases {
      guard let count = counts[silence] else { continue }
      rows.append((rows.isEmpty ? label : "", "\(padded(silence.rawValue, 18)) \(count)"))
    }
    return rows
  }

  /// Approaches from the outermost in, then arrival, then what comes after it.
  private func tierOrder(_ a: String, _ b: String) -> Bool {
    func key(_ name: String) -> (Int, Double, String) {
      switch Tier(name) {
      case .approach(let meters): (0, -meters, name)
      case .arrival: (1, 0, name)
      case .postArrival(let delay): (2, delay.seconds, name)
      case nil: (3, 0, name)
      }
    }
    return key(a) < key(b)
  }
}
