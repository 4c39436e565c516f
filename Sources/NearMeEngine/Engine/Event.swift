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
  /// When the user did it or the phone said it, where the engine hears of it later; nil: at once.
  ///
  /// So it is of what was written while no host ran: a series begins then, and what it has missed since is caught up
  /// with. What the phone said more than 15 minutes ago is no news.
  public let madeAt: Timestamp?

  /// Makes an event.
  public init(at: Timestamp, _ kind: Kind, madeAt: Timestamp? = nil) {
    self.at = at
    self.kind = kind
    self.madeAt = madeAt
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
    /// A time of a reminder was answered where the reminder comes from: it goes on from there, and nothing is recorded.
    case reminderAnswered(String, ReminderAnswer)
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
    ///
    /// Where it takes others, a position is asked for, from which fewer are planned. Where it takes none at all, nothing is
    /// asked for: the next position plans anew, and it is for the host to say when that is.
    case regionsRefused([String])
    /// What the user wrote while no host ran, each with its own instant, in order: reminders, places and answers.
    ///
    /// It is taken in at once, so that what became due meanwhile is told together, and a thousand imported
    /// reminders cost no more than a restart.
    case written([Event])

    /// Whether it is something that the user did, as ``written(_:)`` holds it.
    public var isOfUser: Bool {
      switch self {
      case .action, .reminderSaved, .reminderReopened, .reminderDeleted,
        .reminderAnswered, .placeSaved, .placeDeleted, .entitlement, .analytics:
        true
      default: false
      }
    }
  }
}

extension Event {
  /// Events that wait for a host, as it takes them in: what the user did in a row is one.
  ///
  /// - Parameters:
  ///   - events: in order, each with the instant at which it was made.
  ///   - now: when an event is taken in, which is not before its own instant nor before the last one's.
  package static func together(_ events: [Event], at now: (Event) -> Timestamp) -> [Event] {
    var result: [Event] = []
    var row: [Event] = []
    var newest: Timestamp?
    func instant(_ event: Event) -> Timestamp {
      let at = now(event)
      newest = max(at, newest ?? at)
      return newest ?? at
    }
    func end() {
      guard let last = row.last else { return }
      let at = instant(last)
      if row.count > 1 {
        result.append(Event(at: at, .written(row)))
      } else {
        result.append(Event(at: at, last.kind, madeAt: last.at < at ? last.at : nil))
      }
      row = []
    }
    for event in events {
      if event.kind.isOfUser {
        row.append(event)
      } else {
        end()
        let at = instant(event)
        result.append(Event(at: at, event.kind, madeAt: event.at < at ? event.at : nil))
      }
    }
    end()
    return result
  }
}
