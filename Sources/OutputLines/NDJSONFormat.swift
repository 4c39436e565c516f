import Basics
import Fencing
import Geodesy
import NearMeEngine
import Timeline
import Traces

/// A replay as newline-delimited JSON, one object a line, for programs.
///
/// Coordinates have 7 digits (a centimeter), lengths one.
public struct NDJSONFormat: Sendable {
  /// Makes the format.
  public init() {}

  /// A line of output, without its end.
  public func text(_ line: ReplayLine) -> String {
    var json = JSONText()
    switch line {
    case .wake(let at, let cause):
      json.add("type", "wake")
      json.add("at", RFC3339.format(at))
      json.add("cause", cause.rawValue)
    case .regions(let at, let change): add(change, at, to: &json)
    case .regionsRefused(let at, let ids, let slots):
      json.add("type", "regions_refused")
      json.add("at", RFC3339.format(at))
      json.add("ids", ids)
      json.add("slots", slots)
    case .access(let at, let access):
      json.add("type", "location_access")
      json.add("at", RFC3339.format(at))
      json.add("access", access.rawValue)
    case .fixRefused(let at, let refusal, let count):
      json.add("type", "fix_refused")
      json.add("at", at.map(RFC3339.format))
      json.add("reason", refusal.rawValue)
      json.add("count", count)
    case .transition(let transition):
      json.add("type", "transition")
      json.add("at", RFC3339.format(transition.at))
      json.add("reminder", transition.reminder)
      json.add("tier", transition.step.name)
      json.add("kind", transition.kind.rawValue)
      json.add("poi", transition.poi)
      json.add("distance", transition.distanceMeters, digits: 1)
    case .decision(let decision): add(decision, to: &json)
    case .canceled(let canceled):
      json.add("type", "cancelled")
      json.add("at", RFC3339.format(canceled.at))
      json.add("reminder", canceled.reminder)
      json.add("tier", canceled.tier.name)
      json.add("poi", canceled.poi)
      json.add("reason", canceled.reason.rawValue)
    case .actionRefused(let at, let reminder, let refusal):
      json.add("type", "action_refused")
      json.add("at", RFC3339.format(at))
      json.add("reminder", reminder)
      json.add("reason", refusal.rawValue)
    case .answered(let at, let reminder, let times):
      add("answered", at: at, reminder, times, to: &json)
    case .answerTakenBack(let at, let reminder, let times):
      add("answer_taken_back", at: at, reminder, times, to: &json)
    case .schedulesLeftOut(let at, let count, let heldUntil):
      json.add("type", "schedules_left_out")
      json.add("at", RFC3339.format(at))
      json.add("count", json: "\(count)")
      json.add("held_until", RFC3339.format(heldUntil))
    case .signalRefused(let at, let signal, let refusal):
      json.add("type", "signal_refused")
      json.add("at", RFC3339.format(at))
      json.add("signal", signal.name)
      json.add("id", signal.id)
      json.add("reason", refusal.rawValue)
    case .notification(let notification, _): add(notification, to: &json)
    }
    return json.closed
  }

  /// A line about times of a reminder.
  private func add(
    _ type: String,
    at: Timestamp,
    _ reminder: String,
    _ times: [Timestamp],
    to json: inout JSONText
  ) {
    json.add("type", type)
    json.add("at", RFC3339.format(at))
    json.add("reminder", reminder)
    json.add("times", json: JSONText.array(times.map { JSONText.quoted(RFC3339.format($0)) }))
  }

  private func add(_ change: RegionChange, _ at: Timestamp, to json: inout JSONText) {
    json.add("type", "regions")
    json.add("at", RFC3339.format(at))
    json.add("start", objects: change.start) { region, item in
      item.add("id", region.id)
      item.add("lat", region.center.latitude, digits: 7)
      item.add("lon", region.center.longitude, digits: 7)
      item.add("radius", region.radiusMeters, digits: 1)
      item.add("kind", region.kind.rawValue)
    }
    json.add("stop", change.stop)
    json.add("held", change.held)
    json.add("safe_radius", change.certificate.safeRadiusMeters, digits: 1)
    json.add("at_risk", objects: change.certificate.atRisk) { risk, item in
      item.add("id", risk.id)
      item.add("slack", risk.slackMeters, digits: 1)
      item.add("reason", risk.reason.rawValue)
    }
  }

  private func add(_ decision: DecisionRecord, to json: inout JSONText) {
    json.add("type", "decision")
    json.add("at", RFC3339.format(decision.at))
    json.add("reminder", decision.reminder)
    json.add("tier", decision.step.name)
    let (outcome, reason, until): (String, Silence?, Timestamp?) =
      switch decision.outcome {
      case .delivered: ("delivered", nil, nil)
      case .deferred(let silence, let end): ("deferred", silence, end)
      case .suppressed(let silence): ("suppressed", silence, nil)
      }
    json.add("outcome", outcome)
    json.add("reason", reason?.rawValue)
    json.add("until", until.map(RFC3339.format))
  }

  private func add(_ notification: ReminderNotification, to json: inout JSONText) {
    json.add("type", "notification")
    json.add("at", RFC3339.format(notification.at))
    json.add("id", notification.id)
    json.add("kind", notification.kind.rawValue)
    json.add("reminders", notification.members.map(\.reminder))
    json.add("tier", notification.head.step.name)
    json.add("text", notification.text)
    json.add("poi", notification.head.poi)
    json.add("actions", ReminderNotification.actions)
  }
}
