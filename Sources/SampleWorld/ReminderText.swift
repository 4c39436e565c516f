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
          place("home", "Home", "home", Island.home),
          place("work", "Work", "work", Island.work),
          place("library", "Fort Hill Library", "other", Island.fortHillLibrary),
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
          action(9, 10, "report", "complete"),
          action(12, 17, "books", "snooze", span: "15m"),
          action(12, 40, "books", "complete"),
          action(12, 51, "parcel", "mute"),
          action(13, 40, "meds", "complete"),
          action(14, 12, "food", "complete"),
          action(14, 36, "check", "complete"),
          action(18, 50, "gas", "complete"),
        ])
      ),
    ])
  }

  private static func place(
    _ id: String,
    _ name: String,
    _ kind: String,
    _ spot: Spot
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
    _ hour: Int,
    _ minute: Int,
    _ reminder: String,
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
