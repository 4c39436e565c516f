import NearMeEngine
import OutputLines
import Replay
import Timeline

/// One piece of news that a person was told: a line that came new into a notification.
public struct Announcement: Hashable, Sendable {
  /// When it was told.
  public var at: Timestamp
  /// Which reminder spoke.
  public var reminder: String
  /// Which of its tiers.
  public var tier: Tier
  /// Which point it named; nil for places.
  public var poi: String?
  /// How far the target was, in meters.
  public var distanceMeters: Double
  /// Whether it joined a notification on the screen, without a sound.
  public var isUpdate: Bool
  /// Why it had been put off; nil if it was told at once.
  public var heldBackBy: Silence?

  /// Makes an announcement.
  public init(
    at: Timestamp,
    reminder: String,
    tier: Tier,
    poi: String? = nil,
    distanceMeters: Double = 0,
    isUpdate: Bool = false,
    heldBackBy: Silence? = nil
  ) {
    self.at = at
    self.reminder = reminder
    self.tier = tier
    self.poi = poi
    self.distanceMeters = distanceMeters
    self.isUpdate = isUpdate
    self.heldBackBy = heldBackBy
  }

  /// The order in which announcements are looked at: what happens at one instant has one order.
  static func precedes(_ a: Announcement, _ b: Announcement) -> Bool {
    let (seen, other) = (a.poi ?? "", b.poi ?? "")
    if (a.at, a.reminder, seen) != (b.at, b.reminder, other) {
      return (a.at, a.reminder, seen) < (b.at, b.reminder, other)
    }
    return (a.distanceMeters, a.tier.name) < (b.distanceMeters, b.tier.name)
  }
}

/// Collects announcements from a replay's lines.
package struct AnnouncementCollector: Sendable {
  package private(set) var announcements: [Announcement] = []
  private var delivered: [(at: Timestamp, reminder: String, tier: Tier)] = []
  private var deferrals: [String: Silence] = [:]
  private var shown: [String: [ReminderNotification.Member]] = [:]

  package init() {}

  package mutating func add(_ line: ReplayLine) {
    switch line {
    case .decision(let decision):
      // A truth names visits of places; what else is told is not judged by it.
      guard let tier = decision.tier else { return }
      let key = decision.reminder + " " + tier.name
      switch decision.outcome {
      case .delivered: delivered.append((decision.at, decision.reminder, tier))
      case .deferred(let silence, _): deferrals[key] = silence
      case .suppressed: deferrals[key] = nil
      }
    case .notification(let notification, let isUpdate): add(notification, isUpdate: isUpdate)
    default: break
    }
  }

  /// The lines of a notification that are news: those that a decision has just delivered, and of
  /// them first those that did not stand there before.
  private mutating func add(_ notification: ReminderNotification, isUpdate: Bool) {
    let before = shown[notification.id] ?? []
    shown[notification.id] = notification.members
    var wanted = delivered
    // What is decided at one instant may be told in several notifications.
    defer { delivered = wanted.filter { $0.at >= notification.at } }
    for isOld in [false, true] {
      for member in notification.members {
        let isStanding = before.contains {
          ($0.reminder, $0.tier, $0.poi) == (member.reminder, member.tier, member.poi)
        }
        guard isStanding == isOld, let tier = member.tier, let meters = member.distanceMeters,
          let i = wanted.firstIndex(where: { ($0.reminder, $0.tier) == (member.reminder, tier) })
        else { continue }
        wanted.remove(at: i)
        let key = member.reminder + " " + tier.name
        announcements.append(
          Announcement(
            at: notification.at,
            reminder: member.reminder,
            tier: tier,
            poi: member.poi,
            distanceMeters: meters,
            isUpdate: isUpdate,
            heldBackBy: deferrals.removeValue(forKey: key)
          )
        )
      }
    }
  }
}
