import Basics
import NearMeEngine
import OutputLines
import Timeline
import Traces

extension NDJSONFormat {
  /// The last line: the counts.
  ///
  /// - Parameter trace: which trace they are of, where the output holds several.
  public func text(_ summary: ReplaySummary, trace: String? = nil) -> String {
    var json = JSONText()
    json.add("type", "summary")
    if let trace { json.add("trace", trace) }
    json.add("fixes", summary.fixes)
    json.add("fixes_refused", json: counts(FixRefusal.allCases, summary.refused))
    json.add("start", summary.start.map(RFC3339.format))
    json.add("end", summary.end.map(RFC3339.format))
    json.add("wakes", json: counts(WakeCause.allCases, summary.wakes))
    json.add("followed_seconds", json: fixed(summary.followed.seconds, 0))
    json.add("regions_held_most", summary.regionsHeldMost)
    json.add("registrations", summary.registrations)
    json.add("plans_at_risk", summary.plansAtRisk)
    json.add("level_rises", summary.rises)
    json.add("level_falls", summary.falls)
    json.add("notifications", json: counts(NotificationKind.allCases, summary.notificationsByKind))
    json.add("updates", summary.updates)
    json.add(
      "told_by_tier",
      json: object(summary.toldByTier.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    )
    json.add("suppressed", json: counts(Silence.allCases, summary.suppressed))
    json.add("deferred", json: counts(Silence.allCases, summary.deferred))
    json.add("actions_left", summary.actionsLeft)
    if summary.actionsRefused > 0 { json.add("actions_refused", summary.actionsRefused) }
    return json.closed
  }

  private func counts<Name: RawRepresentable & Hashable>(
    _ order: [Name],
    _ values: [Name: Int]
  ) -> String where Name.RawValue == String {
    object(order.compactMap { name in values[name].map { (name.rawValue, $0) } })
  }

  private func object(_ pairs: [(String, Int)]) -> String {
    var json = JSONText()
    for (name, count) in pairs { json.add(name, count) }
    return json.closed
  }
}
