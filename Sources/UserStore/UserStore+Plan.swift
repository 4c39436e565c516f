import Foundation
import GRDB
import NearMeEngine
import Timeline

/// How many reminders may be live, and which.
extension UserStore {
  /// Sets whether reminders are limited in number.
  ///
  /// Nothing is muted or deleted by a change to `free`: ``waiting(_:_:)`` says which reminders keep
  /// silent until there is room.
  public func setEntitlement(
    _ entitlement: Entitlement,
    at now: Timestamp
  ) throws(UserStoreError) {
    try connection.write { database in
      try setSetting("entitlement", entitlement.rawValue, database)
      try insertEvent(Event(at: now, .entitlement(entitlement)), reminder: nil, vault, database)
    }
  }

  /// The live reminders that the entitlement has no room for: all but the first so many, in the order
  /// in which they were made.
  public static func waiting(
    _ reminders: [Reminder],
    _ entitlement: Entitlement,
    _ plans: Policy.Plans = Policy.Plans()
  ) -> [Reminder] {
    guard let limit = plans.liveReminders(of: entitlement) else { return [] }
    return Array(reminders.filter(\.isLive).dropFirst(limit))
  }
}
