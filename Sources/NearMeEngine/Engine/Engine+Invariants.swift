import Fencing
import Places
import Timeline

/// What must hold of every part after every event; for tests.
extension Engine {
  /// What does not hold, as sentences that begin with the part's name.
  ///
  /// - Complexity: O(reminders · what is waiting or shown).
  package func violations() -> [String] {
    let gates = Gates(world: gateWorld)
    let parts: [(String, [String])] = [
      ("roster", roster.violations()), ("places", places.violations(roster)),
      ("clock", clock.violations(roster, isBlind: surroundings.isBlind)),
      ("signals", signals.violations()),
      ("waiting", waiting.violations(gates, at: now)), ("screen", screen.violations(roster)),
      ("regions", regions.violations(monitoring, places.ladderView)),
    ]
    return parts.flatMap { name, wrong in wrong.map { "\(name): \($0)" } }
  }
}

/// Gathers what does not hold.
private struct Expectations {
  private(set) var wrong: [String] = []

  mutating func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { wrong.append(what()) }
  }
}

extension Roster {
  fileprivate func violations() -> [String] {
    var check = Expectations()
    let ids = reminders.map(\.id)
    check.expect(Set(ids).count == ids.count, "reminders have ids of their own")
    check.expect(places.map(\.id) == places.map(\.id).sorted(), "places are in order")
    check.expect(Set(places.map(\.id)).count == places.count, "places have ids of their own")
    for reminder in reminders where reminder.status.isOver {
      check.expect(false, "\(reminder.id) has ended and is still held")
    }
    return check.wrong
  }
}

extension PlaceWatch {
  fileprivate func violations(_ roster: Roster) -> [String] {
    var check = Expectations()
    check.expect(places == roster.places, "places as in the roster")
    check.expect(targets.count == state.ladders.count, "a target for each ladder")
    check.expect(
      ladderCalms.isEmpty || ladderCalms.count == targets.count,
      "a calm circle for each ladder"
    )
    var end = 0
    var wanted: [String] = []
    for reminder in roster.reminders {
      wanted += PlaceAim.wanted(by: reminder).map { "\(reminder.id) \($0.number)" }
    }
    let aims = state.aims.map { "\($0.reminder) \($0.trigger)" }
    check.expect(aims == wanted, "an aim for each trigger of a place: \(aims), not \(wanted)")
    for aim in state.aims {
      check.expect(aim.range.lowerBound == end, "ladders in the order of the aims")
      end = aim.range.upperBound
      check.expect(
        aim.isLive == roster[aim.reminder]?.isLive,
        "\(aim.reminder) is live as in the roster"
      )
      for i in aim.range {
        let ladder = state.ladders[i]
        check.expect(ladder.said.count == aim.plan.shape.rings.count, "\(aim.reminder): said")
        for wrong in ladder.ladder.violations(aim.plan.shape) {
          check.expect(false, "\(aim.reminder): \(wrong)")
        }
        let hasArrived = ladder.ladder.arrivedAt != nil
        check.expect(hasArrived || !ladder.isPostArrivalDone, "\(aim.reminder): a dwell of nothing")
      }
    }
    check.expect(end == state.ladders.count, "every ladder belongs to an aim")
    return check.wrong
  }
}

extension ClockWatch {
  fileprivate func violations(_ roster: Roster, isBlind: Bool) -> [String] {
    var check = Expectations()
    let wanted = Self.alarms(of: roster, isBlind: isBlind).map { "\($0.reminder) \($0.trigger)" }
    let alarms = state.alarms.map { "\($0.reminder) \($0.trigger)" }
    check.expect(alarms == wanted, "an alarm for each time: \(alarms), not \(wanted)")
    return check.wrong
  }
}

extension SignalWatch {
  fileprivate func violations() -> [String] {
    var check = Expectations()
    check.expect(state.heard.count <= Self.mostHeard, "a bounded memory")
    check.expect(state.asked == state.asked.sorted(), "names in order")
    return check.wrong
  }
}

extension Waiting {
  fileprivate func violations(_ gates: Gates, at now: Timestamp?) -> [String] {
    var check = Expectations()
    let roster = gates.world.roster
    for occasion in occasions {
      let id = occasion.reminder
      check.expect(roster[id]?.isLive ?? false, "\(id) waits and may not speak at all")
      let gate = Gates.gate(of: occasion)
      check.expect(gate != nil, "\(id) waits for no gate: \(String(describing: occasion.silence))")
      let isHeld = now.map { gates.isHeld(occasion, at: $0) } ?? true
      check.expect(occasion.until != nil || isHeld, "\(id) waits for ever")
    }
    let spent = cooldowns.ofReminders.map(\.reminder)
    check.expect(spent == spent.sorted(), "cooldowns in order")
    check.expect(spent.allSatisfy { roster.index(of: $0) != nil }, "cooldowns of reminders")
    return check.wrong
  }
}

extension Screen {
  fileprivate func violations(_ roster: Roster) -> [String] {
    var check = Expectations()
    let ids = posted.map(\.id) + scheduled.map(\.id)
    check.expect(Set(ids).count == ids.count, "every notification has an id of its own")
    check.expect(scheduled.map(\.at) == scheduled.map(\.at).sorted(), "what is scheduled in order")
    for notification in posted + scheduled {
      for member in notification.members {
        let reminder = roster[member.reminder]
        check.expect(
          reminder.map { $0.isLive || $0.status == .fired && !$0.isMuted } ?? false,
          "\(notification.id) shows \(member.reminder), which may not speak"
        )
      }
    }
    return check.wrong
  }
}

extension RegionWatch {
  fileprivate func violations(_ monitoring: Monitoring, _ ladders: PlaceLadders) -> [String] {
    guard case .regions(let limits) = monitoring else { return [] }
    var check = Expectations()
    for wrong in RegionPlan.Entry.violations(state.regions, slots: limits.slots) {
      check.expect(false, wrong)
    }
    check.expect(state.regions.isEmpty || state.certificate != nil, "regions with a certificate")
    let live = ladders.liveOwners
    for entry in state.regions where entry.region.kind != .safe {
      check.expect(
        entry.owners.allSatisfy { live.contains($0) },
        "\(entry.region.id) is held for \(entry.owners)"
      )
    }
    return check.wrong
  }
}
