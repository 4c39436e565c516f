import Fencing
import Geodesy
import NearMeEngine
import Places
import Testing
import Timeline

/// Gates without an engine: one question, one answer.
@Suite struct GatesTests {
  private static let start = Timestamp(seconds: 1_767_600_000)
  private static let home = Place(
    id: "home",
    name: "Home",
    kind: .home,
    coordinate: Coordinate(uncheckedLatitude: 0, longitude: 10)
  )

  /// What the gates look at, and when.
  private struct Setting {
    var reminder = Reminder(id: "a", title: "rest", target: .place("home"))
    var policy = Policy()
    var isFocusOn = false
    var cooldowns = Cooldowns()
    var entitlement = Entitlement.premium
    var minute: Int64 = 0
    var heardAfterMinutes: Int64 = 0
    var tier = Tier.approach(miles: 2)
    var wasSaid = false
    var joinsApproaches = false
    var isDense = false
    var wasSnoozed = false
    var isRepeat = false
    /// Live reminders that were made before this one.
    var others = 0

    var world: GateWorld {
      var roster = Roster()
      roster.setPlaces([GatesTests.home])
      roster.entitlement = entitlement
      for i in 0..<others {
        roster.append(Reminder(id: "o\(i)", title: "other", target: .place("home")))
      }
      roster.append(reminder)
      return GateWorld(
        policy: policy,
        zone: .utc,
        roster: roster,
        surroundings: Surroundings(isFocusOn: isFocusOn),
        cooldowns: cooldowns
      )
    }

    var occasion: Occasion {
      let key = OccasionKey(
        reminder: "a",
        trigger: 0,
        happening: .rung(tier, depth: 0, poi: nil)
      )
      var occasion = Occasion(key, at: start, spot: nil, isRepeat: isRepeat)
      occasion.isDense = isDense
      occasion.wasSnoozed = wasSnoozed
      return occasion
    }

    var verdict: Verdict {
      let now = start + .minutes(minute)
      return Gates(world: world)
        .judge(
          occasion,
          at: now,
          heardAt: now + .minutes(heardAfterMinutes),
          wasSaid: wasSaid,
          joinsApproaches: joinsApproaches
        )
    }
  }

  private static func minute(_ minute: Int64) -> Timestamp { start + .minutes(minute) }

  private func judge(_ change: (inout Setting) -> Void) -> Verdict {
    var setting = Setting()
    change(&setting)
    return setting.verdict
  }

  @Test func `nothing speaks against a reminder that is to be done`() {
    #expect(judge { _ in } == .deliver)
  }

  @Test func `every final reason has its name`() {
    #expect(judge { $0.reminder.status = .completed } == .silence(.completed))
    #expect(judge { $0.reminder.isMuted = true } == .silence(.muted))
    #expect(judge { $0.wasSaid = true } == .silence(.alreadySaid))
    #expect(
      judge {
        $0.entitlement = .free
        $0.others = 3
      } == .silence(.notEntitled)
    )
    // Which takes no room in the plan, however many others there are.
    #expect(
      judge {
        $0.entitlement = .free
        $0.others = 3
        $0.reminder.isMuted = true
      } == .silence(.muted)
    )
    #expect(
      judge {
        $0.entitlement = .free
        $0.others = 2
      } == .deliver
    )
    let gone = Gates(world: GateWorld(policy: Policy(), zone: .utc, roster: Roster()))
      .judge(
        Setting().occasion,
        at: Self.start,
        heardAt: Self.start,
        wasSaid: false,
        joinsApproaches: false
      )
    #expect(gone == .silence(.deleted))
  }

  @Test func `what a snooze repeats may have been said`() {
    #expect(
      judge {
        $0.wasSaid = true
        $0.isRepeat = true
      } == .deliver
    )
  }

  @Test func `a snooze ends at its instant, and one until the next arrival lets that pass`() {
    let end = Self.minute(15)
    for (minute, verdict) in [(14, Verdict.wait(.snoozed, until: end)), (15, .deliver)] {
      #expect(
        judge {
          $0.reminder.snooze = .until(end)
          $0.minute = Int64(minute)
        } == verdict
      )
    }
    #expect(
      judge { $0.reminder.snooze = .untilNextArrival } == .wait(.snoozed, until: nil)
    )
    #expect(
      judge {
        $0.reminder.snooze = .untilNextArrival
        $0.tier = .arrival
      } == .deliver
    )
  }

  @Test func `a closed window and quiet hours defer, also by when it would be heard`() {
    // The scenes begin at eight in the morning.
    let window = WeeklyWindow(startMinute: 9 * 60, endMinute: 10 * 60)
    #expect(
      judge { $0.reminder.window = window } == .wait(.outsideWindow, until: Self.minute(60))
    )
    #expect(
      judge {
        $0.reminder.window = window
        $0.minute = 60
      } == .deliver
    )
    #expect(
      judge {
        $0.reminder.window = window
        $0.minute = 119
        $0.heardAfterMinutes = 1
      } == .wait(.outsideWindow, until: Self.minute(60 + 24 * 60))
    )
    #expect(
      judge {
        $0.policy.quietHours = DailyWindow(startMinute: 7 * 60, endMinute: 8 * 60 + 30)
      } == .wait(.quietHours, until: Self.minute(30))
    )
  }

  @Test func `a focus has no end of its own`() {
    #expect(judge { $0.isFocusOn = true } == .wait(.focus, until: nil))
  }

  @Test func `of several cooldowns the last to end is named`() {
    var spent = Cooldowns()
    spent.spend("a", at: Self.start)
    let soon: Int64 = 1
    #expect(
      judge {
        $0.cooldowns = spent
        $0.minute = soon
      } == .wait(.reminderCooldown, until: Self.minute(30))
    )
    // The end of a snooze was asked for: only the others can hold it back.
    #expect(
      judge {
        $0.cooldowns = spent
        $0.minute = soon
        $0.wasSnoozed = true
      } == .deliver
    )
    var others = Cooldowns()
    others.spend("b", at: Self.start)
    #expect(
      judge {
        $0.cooldowns = others
        $0.minute = soon
        $0.wasSnoozed = true
      } == .wait(.overallCooldown, until: Self.minute(5))
    )
    #expect(
      judge {
        $0.cooldowns = others
        $0.minute = soon
        $0.isDense = true
      } == .wait(.denseCooldown, until: Self.minute(20))
    )
    #expect(
      judge {
        $0.cooldowns = others
        $0.minute = soon
        $0.joinsApproaches = true
      } == .deliver
    )
    #expect(
      judge {
        $0.cooldowns = spent
        $0.minute = soon
        $0.tier = .arrival
      } == .deliver
    )
  }

  @Test func `the first reason in order is the one that is named`() {
    var setting = Setting()
    setting.isFocusOn = true
    setting.wasSaid = true
    setting.reminder.snooze = .until(Self.minute(5))
    setting.reminder.isMuted = true
    #expect(setting.verdict == .silence(.muted))
    setting.reminder.isMuted = false
    #expect(setting.verdict == .wait(.snoozed, until: Self.minute(5)))
    setting.reminder.snooze = nil
    #expect(setting.verdict == .silence(.alreadySaid))
    setting.wasSaid = false
    #expect(setting.verdict == .wait(.focus, until: nil))
  }

  /// Every name under which something can wait belongs to one gate, so that it is released by it.
  @Test func `what waits is held by the gate that made it wait, and by no other`() {
    var setting = Setting()
    setting.isFocusOn = true
    var waiting = setting.occasion
    waiting.wait(.focus, until: nil)
    #expect(Gates(world: setting.world).isHeld(waiting, at: Self.start))
    setting.isFocusOn = false
    #expect(!Gates(world: setting.world).isHeld(waiting, at: Self.start))
    waiting.wait(.snoozed, until: Self.minute(5))
    #expect(!Gates(world: setting.world).isHeld(waiting, at: Self.start))
    setting.reminder.snooze = .until(Self.minute(5))
    #expect(Gates(world: setting.world).isHeld(waiting, at: Self.start))
    setting.reminder.window = WeeklyWindow(startMinute: 8 * 60 + 5, endMinute: 9 * 60)
    for silence in [
      Silence.quietHours, .outsideWindow, .reminderCooldown, .overallCooldown, .denseCooldown,
    ] {
      waiting.wait(silence, until: Self.minute(5))
      #expect(Gates(world: setting.world).isHeld(waiting, at: Self.start), "\(silence)")
    }
  }
}
