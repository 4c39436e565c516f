import Basics
import Geodesy
import Simulation
import Timeline

/// What the person of the day wants to be reminded of, and how they answer.
enum ReminderText {
  static let zone = "Atlantic/Azores"

  static var node: JSONValue {
    .object([
      ("time_zone", .string(zone)),
      (
        "places",
        .array([
          place("home", name: "Home", kind: "home", at: Island.home),
          place("work", name: "Work", kind: "work", at: Island.work),
          place("library", name: "Fort Hill Library", kind: "other", at: Island.fortHillLibrary),
        ])
      ),
      (
        "reminders",
        .array([
          reminder("gas", "fill up the tank", category: "gas_station"),
          reminder("meds", "pick up the prescription", category: "pharmacy"),
          reminder("food", "buy milk and eggs", category: "grocery"),
          reminder("check", "deposit the check", category: "bank"),
          reminder("parcel", "mail the parcel", category: "post_office"),
          reminder("bins", "take out the bins", place: "home"),
          reminder("report", "hand in the expense report", place: "work"),
          reminder("books", "return the books", place: "library"),
        ])
      ),
      (
        "actions",
        .array([
          action(hour: 9, minute: 10, reminder: "report", "complete"),
          action(hour: 12, minute: 17, reminder: "books", "snooze", span: "15m"),
          action(hour: 12, minute: 40, reminder: "books", "complete"),
          action(hour: 12, minute: 51, reminder: "parcel", "mute"),
          action(hour: 13, minute: 40, reminder: "meds", "complete"),
          action(hour: 14, minute: 12, reminder: "food", "complete"),
          action(hour: 14, minute: 36, reminder: "check", "complete"),
          action(hour: 18, minute: 50, reminder: "gas", "complete"),
        ])
      ),
    ])
  }

  private static func place(
    _ id: String,
    name: String,
    kind: String,
    at spot: Spot
  ) -> JSONValue {
    .object([
      ("id", .string(id)), ("name", .string(name)), ("kind", .string(kind)),
      ("lat", .number(spot.coordinate.latitude, digits: 7)),
      ("lon", .number(spot.coordinate.longitude, digits: 7)),
    ])
  }

  private static func reminder(
    _ id: String,
    _ title: String,
    category: String? = nil,
    place: String? = nil
  ) -> JSONValue {
    let target =
      category.map { ("category", JSONValue.string($0)) } ?? ("place", .string(place ?? ""))
    return .object([("id", .string(id)), ("title", .string(title)), ("target", .object([target]))])
  }

  private static func action(
    hour: Int,
    minute: Int,
    reminder: String,
    _ action: String,
    span: String? = nil
  ) -> JSONValue {
    let at = Timestamp(seconds: Int64(ErrandDay.at(hour, minute)))
    return .object(
      [
        ("at", .string(RFC3339.format(at))), ("reminder", .string(reminder)),
        ("action", .string(action)),
      ] + (span.map { [("for", .string($0))] } ?? [])
    )
  }
}
