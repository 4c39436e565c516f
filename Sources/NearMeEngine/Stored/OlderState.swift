import Arrivals
import Fencing
import Places
import Timeline
import Traces

/// A state as formats 1 and 2 have it: one object for everything.
struct OlderState: Decodable {
  let now: Timestamp?
  let gate: FixGate
  let lastFix: Fix?
  let arrivals: Evidence?
  let reminders: [Tracked]
  let places: [Place]
  let entitlement: Entitlement
  let isFocusOn: Bool
  /// Not in states of format 1.
  let isAnalyticsOn: Bool?
  let deferred: [Candidate]
  let posted: [ReminderNotification]
  let openBundle: OpenBundle?
  let scheduled: [ReminderNotification]
  let lastApproachAt: Timestamp?
  let regions: [RegionPlan.Entry]
  let certificate: Certificate?
  let standing: StandingPlan?
  let acceptedRegions: Int?
  let access: LocationAccess?
  let notificationSerial: Int
  let safeCircleSerial: Int
  let wakeAt: Timestamp?
  let followUntil: Timestamp?

  /// Evidence of the last minutes: what another version's detector gathered is gathered anew.
  struct Evidence: Decodable {
    let state: ArrivalDetector.State?

    init(from decoder: any Decoder) throws {
      state = try? ArrivalDetector.State(from: decoder)
    }
  }

  struct Tracked: Decodable {
    let reminder: Reminder
    let plan: TierPlan
    let watches: [PlaceLadder]
    let lastApproachAt: Timestamp?
  }

  struct Candidate: Decodable {
    let reminder: String
    let watchedPOI: String?
    let tier: Tier
    let depth: Int
    let at: Timestamp
    let spot: Spot
    let isDense: Bool
    let isRepeat: Bool
    let wasSnoozed: Bool?
    let silence: Silence?
    let until: Timestamp?
  }

  /// The same as the parts of the engine have it.
  var state: EngineState {
    var state = EngineState()
    state.now = now
    state.wakeAt = wakeAt
    for tracked in reminders { state.roster.append(tracked.reminder) }
    state.roster.setPlaces(places)
    state.roster.entitlement = entitlement
    state.roster.allowsAnalytics = isAnalyticsOn ?? false
    state.surroundings = Surroundings(isFocusOn: isFocusOn, access: access)
    state.places.gate = gate
    state.places.lastFix = lastFix
    state.places.arrivals = ArrivalMemory(arrivals?.state)
    for tracked in reminders {
      guard let target = tracked.reminder.target else { continue }
      let aim = PlaceAim(
        tracked.reminder.id,
        trigger: 0,
        target,
        tracked.plan,
        hasOwnTiers: tracked.reminder.tiers != nil
      )
      state.places.append(aim, tracked.watches)
    }
    _ = state.places.follow(state.roster.reminders)
    state.waiting.occasions = deferred.map(\.occasion)
    state.waiting.cooldowns = Cooldowns(
      lastApproachAt: lastApproachAt,
      ofReminders: reminders.compactMap { tracked in
        tracked.lastApproachAt.map { Cooldowns.Spent(reminder: tracked.reminder.id, at: $0) }
      }
    )
    state.screen = Screen(
      posted: posted,
      openBundle: openBundle,
      scheduled: scheduled,
      serial: notificationSerial
    )
    state.regions = RegionWatch.State(
      regions: regions,
      certificate: certificate,
      standing: standing,
      acceptedRegions: acceptedRegions,
      safeCircleSerial: safeCircleSerial,
      followUntil: followUntil
    )
    return state
  }
}

extension OlderState.Candidate {
  var occasion: Occasion {
    let key = OccasionKey(
      reminder: reminder,
      trigger: 0,
      happening: .rung(tier, depth: depth, poi: watchedPOI)
    )
    var occasion = Occasion(key, at: at, spot: spot, isRepeat: isRepeat)
    occasion.isDense = isDense
    occasion.wasSnoozed = wasSnoozed ?? false
    occasion.silence = silence
    occasion.until = until
    return occasion
  }
}
