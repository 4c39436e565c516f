import NearMeEngine
import Recurrence
import Timeline

/// Windows of time that wake a reminder, as documents have them: here each is its opening, and a condition.
extension Reminder {
  /// What it has as documents say it: how many windows wake it, what else does, and what else must hold.
  package var asDocument: (wakingWindows: Int, triggers: [Trigger], conditions: [Condition]) {
    let alone = PlainReminder.windowsAlone(self)
    guard alone.isEmpty else { return (alone.count, [], conditions.dropLast()) }
    var (windows, others, rest) = (0, [Trigger](), conditions)
    for trigger in triggers {
      guard case .schedule(let schedule) = trigger else {
        others.append(trigger)
        continue
      }
      if WeeklyWindow(openedBy: schedule) != nil {
        windows += 1
      } else if let i = rest.lastIndex(where: { $0.opens(at: schedule) }) {
        rest.remove(at: i)
        windows += 1
      } else {
        others.append(trigger)
      }
    }
    return (windows, others, rest)
  }

  /// Whether nothing wakes it but the opening of the hours in which it may speak.
  package var isWokenByWindow: Bool {
    guard triggers.count == 1, case .schedule(let schedule) = triggers[0] else { return false }
    return conditions.contains { $0.opens(at: schedule) }
  }

  /// Has the opening of the hours in which it may speak wake it where nothing else does.
  package mutating func wakeByWindow() {
    guard triggers.isEmpty, let window, let opening = try? Schedule(opening: window) else { return }
    triggers = [.schedule(opening)]
  }
}

extension Condition {
  /// Whether it is a window that opens at the times of a schedule.
  fileprivate func opens(at schedule: Schedule) -> Bool {
    guard case .window(let window) = self else { return false }
    return (try? Schedule(opening: window)) == schedule
  }
}
