import Basics
import NearMeEngine

/// What a stored form passes over where it is read is a mistake where a client sends it: these are the checks.
extension ReminderForm {
  /// Refuses what would be passed over in triggers, conditions and the rest.
  static func checkParts(_ body: APIBody) throws(APIRefusal) {
    if let target = body["target"] { try checkTarget(target, "target") }
    for (i, trigger) in (body["triggers"]?.elements ?? []).enumerated() {
      try check(trigger: trigger, "triggers[\(i)]")
    }
    if let window = body["window"] { try checkWindow(window, "window") }
    for (i, condition) in (body["conditions"]?.elements ?? []).enumerated() {
      try check(condition: condition, "conditions[\(i)]")
    }
    if let nag = try body.object("nag", keys: Reminder.Nag.keys) {
      _ = try nag.integer("at_most", in: 1...1_000)
      _ = try nag.needed("every", most: 20)
    }
    _ = try body.object("fallback", keys: ["at"])
  }

  private static func check(trigger: JSONValue, _ path: String) throws(APIRefusal) {
    let keys = try APIBody(trigger, path: path, keys: Trigger.keys)
    let kinds = Trigger.keys.filter { !["tiers", "from", "to"].contains($0) }
    guard let kind = try one(of: kinds, keys, path) else { return }
    switch kind {
    case "category", "place": break
    case "leave": if let leave = keys["leave"] { try checkTarget(leave, "\(path).leave") }
    case "schedule": _ = try keys.object("schedule", keys: Schedule.keys)
    default: break
    }
    if keys["tiers"] != nil, kind != "category", kind != "place" {
      throw .badMember("\(path).tiers", "belong to a place or a category")
    }
    if keys["from"] ?? keys["to"] != nil, kind != "signal" {
      throw .badMember("\(path).from", "belongs to a signal")
    }
  }

  private static func check(condition: JSONValue, _ path: String) throws(APIRefusal) {
    let keys = try APIBody(condition, path: path, keys: Condition.keys)
    guard let kind = try one(of: Condition.keys.filter { $0 != "for" }, keys, path),
      let part = keys[kind]
    else { return }
    let inner = "\(path).\(kind)"
    switch kind {
    case "inside", "outside": try checkTarget(part, inner)
    case "dates": _ = try APIBody(part, path: inner, keys: ["from", "until"])
    case "window": try checkWindow(part, inner)
    case "not": try check(condition: part, inner)
    case "all", "any":
      for (i, condition) in (part.elements ?? []).enumerated() {
        try check(condition: condition, "\(inner)[\(i)]")
      }
    default: break
    }
  }

  private static func checkTarget(_ target: JSONValue, _ path: String) throws(APIRefusal) {
    let keys = try APIBody(target, path: path, keys: ["place", "category"])
    _ = try one(of: ["place", "category"], keys, path)
    _ = try keys.text("place", most: 255)
    _ = try keys.text("category", most: 100)
  }

  private static func checkWindow(_ window: JSONValue, _ path: String) throws(APIRefusal) {
    _ = try APIBody(window, path: path, keys: ["days", "start", "end"])
  }

  /// The one of some keys that is there.
  private static func one(
    of kinds: [String],
    _ body: APIBody,
    _ path: String
  ) throws(APIRefusal) -> String? {
    let there = kinds.filter { body[$0] != nil }
    guard there.count == 1 else {
      throw .badMember(path, "needs exactly one of \(kinds.joined(separator: ", "))")
    }
    return there.first
  }
}
