import Fencing
import NearMeEngine
import Replay
import Timeline

extension DayReminder {
  /// What became of a reminder, as far as its transitions tell.
  ///
  /// - Parameter transitions: its own, in order.
  /// - Parameter isPerPoint: whether each point of a category has rings of its own; the deepest counts then.
  /// - Parameter endings: when it was done, ascending.
  static func levels(
    of transitions: [TransitionRecord],
    _ rings: [DayRing],
    isPerPoint: Bool,
    endings: [Timestamp]
  ) -> [Step] {
    var steps: [Step] = []
    var levels: [(poi: String?, level: Int)] = []
    var endings = endings[...]
    func end(before instant: Timestamp?) {
      while let ending = endings.first, instant.map({ ending < $0 }) ?? true {
        endings.removeFirst()
        levels = []
        if steps.last?.value ?? 0 > 0 { steps.append(Step(at: ending, value: 0)) }
      }
    }
    for transition in transitions {
      guard let ring = rings.firstIndex(where: { $0.name == transition.step.name }),
        transition.kind == .enter || transition.kind == .exit
      else { continue }
      end(before: transition.at)
      let level = transition.kind == .enter ? ring + 1 : ring
      let poi = isPerPoint ? transition.poi : nil
      if let i = levels.firstIndex(where: { $0.poi == poi }) {
        levels[i].level = level
      } else {
        levels.append((poi, level))
      }
      let deepest = levels.map(\.level).max() ?? 0
      if steps.last?.at == transition.at { steps.removeLast() }
      if steps.last?.value ?? 0 != deepest { steps.append(Step(at: transition.at, value: deepest)) }
    }
    end(before: nil)
    return steps
  }

  /// The rings around a reminder's first target.
  static func rings(
    of reminder: Reminder,
    _ person: Person,
    _ setup: ReplaySetup
  ) -> [DayRing] {
    (setup.rings(of: reminder, for: person)?.rings ?? [])
      .map { ring in
        let tier = ring.kind == .arrival ? Tier.arrival : .approach(meters: ring.radiusMeters)
        return DayRing(name: tier.name, radiusMeters: ring.radiusMeters)
      }
  }
}
