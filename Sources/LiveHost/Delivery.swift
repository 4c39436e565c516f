import Basics
import Fencing
import Foundation
import Geodesy
import NearMeEngine
import OutputLines
import Timeline

/// Something that sinks are told, with the key by which a receiver knows it again.
package struct Delivery: Hashable, Sendable, Codable {
  /// What is told.
  package enum News: Hashable, Sendable, Codable {
    /// A notification is shown.
    case posted(ReminderNotification)
    /// A notification takes the place of the one with its id, without a sound; `isNews` where it says
    /// more than before, and not only less.
    case replaced(ReminderNotification, isNews: Bool)
    /// A notification is taken away.
    case withdrawn(id: String)
    /// A fact about a reminder's target.
    case transition(TransitionRecord)
    /// What became of a transition.
    case decision(DecisionRecord)

    /// The notification that it is about; nil for records.
    var notificationID: String? {
      switch self {
      case .posted(let notification), .replaced(let notification, _): notification.id
      case .withdrawn(let id): id
      case .transition, .decision: nil
      }
    }
  }

  /// The same whenever the same thing is told again; no other has it.
  package let key: String
  /// When it happened.
  package let at: Timestamp
  /// What.
  package let news: News

  /// Makes a delivery.
  package init(key: String, at: Timestamp, _ news: News) {
    self.key = key
    self.at = at
    self.news = news
  }

  /// The notification that it is about; nil for records.
  package var notificationID: String? { news.notificationID }

  /// Whether it is a line of the log, and not about a notification.
  package var isRecord: Bool { notificationID == nil }

  /// It as newline-delimited JSON, without the end of the line: the lines of a replay with the place of
  /// what is told and the key behind them, and two more types for what a replay does not print.
  package var line: String {
    let text: String
    var place = ""
    switch news {
    case .posted(let notification):
      text = NDJSONFormat().text(.notification(notification, isUpdate: false))
      place = Self.place(of: notification)
    case .replaced(let notification, true):
      text = NDJSONFormat().text(.notification(notification, isUpdate: true))
      place = Self.place(of: notification)
    case .replaced(let notification, false):
      var json = JSONText()
      json.add("type", "changed")
      json.add("at", RFC3339.format(at))
      json.add("id", notification.id)
      json.add(
        "reminders",
        json: JSONText.array(notification.members.map { JSONText.quoted($0.reminder) })
      )
      json.add("text", notification.text)
      text = json.closed
      place = Self.place(of: notification)
    case .withdrawn(let id):
      var json = JSONText()
      json.add("type", "withdrawn")
      json.add("at", RFC3339.format(at))
      json.add("id", id)
      text = json.closed
    case .transition(let transition): text = NDJSONFormat().text(.transition(transition))
    case .decision(let decision): text = NDJSONFormat().text(.decision(decision))
    }
    return text.dropLast() + place + ",\"key\":\(JSONText.quoted(key))}"
  }

  /// Where it is and how a map opens there, as members of an object; nothing where no place is meant.
  private static func place(of notification: ReminderNotification) -> String {
    guard let coordinate = notification.head.coordinate, let link = notification.mapLink else {
      return ""
    }
    return ",\"lat\":\(fixed(coordinate.latitude, 6)),\"lon\":\(fixed(coordinate.longitude, 6))"
      + ",\"map\":\(JSONText.quoted(link))"
  }
}
