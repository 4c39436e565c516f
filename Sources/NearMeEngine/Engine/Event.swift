import Places
import Timeline
import Traces

/// Something that happened, with its instant: the engine's only source of time.
///
/// ```swift
/// let launch = Event(at: now, .launched)
/// let arrival = Event(at: fix.at, .woken(by: fix, previous: nil))
/// ```
public struct Event: Hashable, Sendable {
  /// When.
  public let at: Timestamp
  /// What.
  public let kind: Kind

  /// Makes an event.
  public init(at: Timestamp, _ kind: Kind) {
    self.at = at
    self.kind = kind
  }

  /// What happened.
  public enum Kind: Hashable, Sendable {
    /// The process has started, with an empty or a restored state.
    case launched
    /// A position, from a service that passes on every fix; the engine decides what to believe.
    case fix(Fix)
    /// The location service woke the app with a position it believes, and the one before it if it
    /// still has it; or handed over a position while ``Effect/follow(until:)`` lasts.
    case woken(by: Fix, previous: Fix?)
    /// The instant of the last ``Effect/wakeAt(_:)`` has come.
    case timer
    /// The user acted on a reminder.
    case action(reminder: String, ReminderAction)
    /// Do Not Disturb or a Focus was switched on or off.
    case focus(Bool)
    /// A reminder was made, or its words, target, tiers, window or priority were edited.
    ///
    /// An edit leaves status, mute and snooze as they are, for it may be older than an answer; a change
    /// of target, tiers or window ends a snooze.
    case reminderSaved(Reminder)
    /// A reminder that had ended is to be done after all; the host hands it back as it was archived.
    case reminderReopened(Reminder)
    /// A reminder was deleted.
    case reminderDeleted(String)
    /// A place was made or changed.
    case placeSaved(Place)
    /// A place was deleted.
    case placeDeleted(String)
    /// What the app may know of the position has changed.
    case locationAccess(LocationAccess)
    /// The phone said something, such as that it was unlocked.
    case signal(Signal)
    /// How many reminders may be live has changed.
    case entitlement(Entitlement)
    /// The user agreed to analytics, or no longer does.
    case analytics(Bool)
    /// The zone of the phone's clock has changed.
    case zoneChanged(UTCOffsetTable)
    /// The clock was set, by so much; the event carries the new time.
    ///
    /// What counts a span goes on as if nothing had happened. A host that cannot tell leaves it out:
    /// then nothing moves back in time, and what became due with a jump ahead happens. Fixes that are older than
    /// ``Engine/newestInstant`` are refused as late, so that a host that finds its clock far behind that says so.
    case clockChanged(by: Milliseconds)
    /// The location service did not take regions of the last ``Effect/monitor(_:)``, by id.
    case regionsRefused([String])
  }
}
