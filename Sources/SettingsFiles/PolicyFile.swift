import Basics
import Fencing
import Geodesy
import NearMeEngine
import Timeline
import Traces

/// A policy as a file: every number by name, with its meaning.
///
/// One table drives reading and printing, so that what is printed can always be read.
package enum PolicyFile: SettingsFileKind {
  package typealias Settings = Policy

  /// Reads a policy file, YAML or JSON; keys that are not there keep the defaults.
  package static func read(path: String) throws(SettingsError) -> Policy {
    try read(path: path, over: Policy())
  }

  /// Reads a policy file, YAML or JSON; keys that are not there keep their values in `base`.
  package static func read(path: String, over base: Policy) throws(SettingsError) -> Policy {
    try read(StrictDocument(path: path).root, over: base)
  }

  /// Reads a policy file's text; keys that are not there keep their values in `base`.
  ///
  /// - Parameter isStored: whether it was written by a program, from values that were in use.
  package static func read(
    text: String,
    file: String,
    over base: Policy = Policy(),
    isStored: Bool = false
  ) throws(SettingsError) -> Policy {
    try read(StrictDocument(text: text, file: file).root, over: base, isStored: isStored)
  }

  /// The complete policy as YAML, with a comment for every key.
  package static func show(_ policy: Policy) -> String { table.show(policy) }

  /// Reads a policy that is part of another file.
  static func read(
    _ root: StrictNode,
    over base: Policy,
    isStored: Bool = false
  ) throws(SettingsError) -> Policy {
    var policy = base
    try table.read(root, into: &policy)
    if let quiet = try root.mapping(keys: groups.map(\.name))["quiet_hours"] {
      policy.quietHours = try quietHours(quiet)
    }
    if !isStored {
      try fit(&policy.power, root)
      try check(policy, root)
    }
    return policy
  }

  /// Has a limit whose other end was given alone follow it.
  private static func fit(_ power: inout Policy.Power, _ root: StrictNode) throws(SettingsError) {
    guard let part = try root.mapping(keys: groups.map(\.name))["power"],
      let given = try groups.first(where: { $0.name == "power" })?.values(in: part)
    else { return }
    if given["saving_until"] == nil {
      power.savingUntilPercent = max(power.savingUntilPercent, power.savingBelowPercent)
    }
    if given["sparing_until"] == nil {
      power.sparingUntilPercent = max(power.sparingUntilPercent, power.sparingBelowPercent)
    }
    if given["budget_until"] == nil {
      power.budgetUntilPercentPerDay = min(
        power.budgetUntilPercentPerDay,
        power.budgetPercentPerDay
      )
    }
  }

  /// Refuses values that contradict each other, at the key that was given.
  private static func check(_ policy: Policy, _ root: StrictNode) throws(SettingsError) {
    let parts = try root.mapping(keys: groups.map(\.name))
    func node(_ group: String, _ key: String) throws(SettingsError) -> StrictNode {
      guard let part = parts[group] else { return root }
      return try groups.first { $0.name == group }?.values(in: part)[key] ?? part
    }
    for (name, tiers) in [
      ("category", policy.tiers.category), ("home", policy.tiers.home),
      ("work", policy.tiers.work), ("other", policy.tiers.other),
    ] {
      guard let fault = Tier.fault(of: tiers, policy.tiers) else { continue }
      throw try node("tiers", name).failure("\(fault)")
    }
    if policy.snooze.least > policy.snooze.most {
      throw try node("snooze", "least")
        .failure("the shortest span is longer than the longest, most")
    }
    let power = policy.power
    if power.savingUntilPercent < power.savingBelowPercent {
      throw try node("power", "saving_until").failure("is below saving_below")
    }
    if power.sparingUntilPercent < power.sparingBelowPercent {
      throw try node("power", "sparing_until").failure("is below sparing_below")
    }
    if power.budgetUntilPercentPerDay > power.budgetPercentPerDay {
      throw try node("power", "budget_until").failure("is above budget")
    }
  }

  private static func quietHours(_ node: StrictNode) throws(SettingsError) -> DailyWindow? {
    let keys = try node.mapping(keys: ["start", "end"])
    guard let start = keys["start"], let end = keys["end"] else {
      throw node.failure("needs both start and end, such as \"22:00\" and \"07:00\"")
    }
    return window(try start.minuteOfDay(), try end.minuteOfDay())
  }

  /// The time of the day between two minutes; nil, for never, where they are the same.
  private static func window(_ from: Int, _ to: Int) -> DailyWindow? {
    from == to ? nil : DailyWindow(startMinute: from, endMinute: to)
  }

  // MARK: The table

  /// Every key, with its meaning.
  package static let table = SettingsTable<Policy>(
    title: "Near Me policy: every number that decides what is said and when.",
    groups: groups
  )

  private static func tiers(_ name: String, _ field: Field<[Tier]>, _ comment: String) -> Key {
    Key(name: name, comment: comment) { policy in
      "[" + policy[keyPath: field].map { "\"\($0.name)\"" }.joined(separator: ", ") + "]"
    } read: { (policy, node) throws(SettingsError) in
      policy[keyPath: field] = try node.tiers()
    }
  }

  private static let groups: [Group] = [
    Group(
      name: "tiers",
      comment: "When a reminder speaks, if it names no tiers of its own.",
      keys: [
        tiers("category", \.tiers.category, "For the nearest of a category (NM-4.1)."),
        tiers("home", \.tiers.home, "For home (NM-4.2)."),
        tiers("work", \.tiers.work, "For work (NM-4.2)."),
        tiers("other", \.tiers.other, "For any other place (NM-4.3)."),
        length(
          "arrival_radius",
          \.tiers.arrivalRadiusMeters,
          "Within this distance one has arrived, unless the place has a radius of its own."
        ),
        length(
          "arrival_beyond_footprint",
          \.fencing.arrivalBeyondFootprintMeters,
          "Or this far outside the outline of a place that is mapped as an area."
        ),
        Key(
          name: "initial",
          comment: "What a reminder says that begins inside its tiers: none or innermost."
        ) { policy in
          policy.fencing.announcesInitial ? "innermost" : "none"
        } read: { (policy, node) throws(SettingsError) in
          policy.fencing.announcesInitial = try node.choice(Initial.self) == .innermost
        },
        choice(
          "fence_semantics",
          \.tiers.fenceSemantics,
          "Whether a category is one target or one for each of its places"
        ),
      ]
    ),
    arrival,
    Group(
      name: "accuracy",
      comment: "Which positions are believed, and what for.",
      keys: [
        number(
          "jump_speed",
          \.gate.jumpSpeedMetersPerSecond,
          in: 1...1e6,
          "A faster move, in m/s, is a jump until a second fix confirms it."
        ),
        number(
          "entry_share",
          \.fencing.entryAccuracyShare,
          in: 0...100,
          "Coming into a ring needs an accuracy of at most this share of its radius …"
        ),
        length("entry", \.fencing.entryAccuracyMeters, "… or this, whichever is more."),
        duration(
          "crossing_gap",
          \.fencing.crossingGap,
          "A ring may be crossed between two fixes at most this far apart."
        ),
      ]
    ),
    Group(
      name: "hysteresis",
      comment: "How far out one must be to have left.",
      keys: [
        number(
          "exit_share",
          \.fencing.exitBandShare,
          in: 0...10,
          "This share of the radius beyond the ring …"
        ),
        length(
          "exit",
          \.fencing.exitBandMeters,
          "… or this, or the fix's accuracy, whichever is most."
        ),
      ]
    ),
    Group(
      name: "persistence",
      comment:
        "How long things must hold: noise is correlated over a minute, so time is what counts.",
      keys: [
        duration(
          "arrival",
          \.fencing.arrivalHold,
          "An arrival, when slow; else twice as long. Where a radius decides: a detector that weighs asks for \"hold\"."
        ),
        duration("exit", \.fencing.exitHold, "Leaving where one had arrived …"),
        duration(
          "doubted_exit",
          \.fencing.doubtedExitHold,
          "… and one's own place, where a sleeping app has seen one fix outside of it, and no other yet."
        ),
        number(
          "slow_speed",
          \.fencing.slowSpeedMetersPerSecond,
          in: 0...1e3,
          "Below this speed, in m/s, one is slow."
        ),
      ]
    ),
    Group(
      name: "bundle",
      comment: "What becomes one notification.",
      keys: [
        duration("window", \.bundle.window, "News within this span of a notification joins it.")
      ]
    ),
    Group(
      name: "cooldown",
      comment: "How often the way somewhere may be mentioned; arrivals are exempt.",
      keys: [
        duration("per_reminder", \.cooldown.perReminder, "Between approaches of one reminder."),
        duration("overall", \.cooldown.overall, "Between any two approaches."),
        duration("dense", \.cooldown.dense, "The same where places crowd."),
        integer("dense_pois", \.cooldown.densePOIs, in: 1...1_000_000, "So many places …"),
        length("dense_radius", \.cooldown.denseRadiusMeters, "… within this distance are a crowd."),
      ]
    ),
    Group(
      name: "snooze",
      comment: "How long a reminder may be put off, but for today and the next arrival.",
      keys: [
        duration("least", \.snooze.least, "The shortest span."),
        duration("most", \.snooze.most, "The longest span."),
      ]
    ),
    Group(
      name: "schedules",
      comment: "How times are kept.",
      keys: [
        Key(
          name: "date_time",
          comment: "When a date without a time is due, and a snooze for today speaks."
        ) { policy in
          "\"\(timeOfDay(minute: policy.schedules.minuteOfDay))\""
        } read: { (policy, node) throws(SettingsError) in
          policy.schedules.minuteOfDay = try node.minuteOfDay()
        },
        integer(
          "most_pending",
          \.schedules.mostPending,
          in: 0...500,
          "The system shows so many notifications by itself at most."
        ),
        choice("timers", \.schedules.timers, "Whether the app may ask to be woken at times"),
      ]
    ),
    Group(
      name: "plans",
      comment: "What can be had without a purchase.",
      keys: [
        Key(
          name: "free_live_reminders",
          comment: "So many reminders speak at once on the free plan; none: any number."
        ) { policy in
          policy.plans.freeLiveReminders.map { "\($0)" } ?? "none"
        } read: { (policy, node) throws(SettingsError) in
          let isNone = (try? node.text()) == "none"
          policy.plans.freeLiveReminders = isNone ? nil : try node.integer(0...1_000_000)
        }
      ]
    ),
    Group(
      name: "quiet_hours",
      comment: "When nothing is said; equal times mean never. A summary follows at the end.",
      keys: [
        Key(name: "start", comment: "Local time of day.") { policy in
          "\"\(timeOfDay(minute: policy.quietHours?.startMinute ?? 0))\""
        } read: { (policy, node) throws(SettingsError) in
          // Both together make the window; alone, one tells a value from another.
          policy.quietHours = window(try node.minuteOfDay(), policy.quietHours?.endMinute ?? 0)
        },
        Key(name: "end", comment: "Local time of day; before the start, it is the next morning.") {
          policy in
          "\"\(timeOfDay(minute: policy.quietHours?.endMinute ?? 0))\""
        } read: { (policy, node) throws(SettingsError) in
          policy.quietHours = window(policy.quietHours?.startMinute ?? 0, try node.minuteOfDay())
        },
      ]
    ),
    Group(
      name: "text",
      comment: "How things are worded.",
      keys: [
        choice("distance_unit", \.text.distanceUnit, "The unit of distances"),
        number(
          "late_share",
          \.text.lateShare,
          in: 0...1,
          "If the real distance is shorter than the tier's by more than this share, it is told."
        ),
        integer(
          "longest_name",
          \.text.longestName,
          in: 8...1_000,
          "Longer names and titles are cut."
        ),
      ]
    ),
    Group(
      name: "monitor",
      comment: "What the planner may ask of the phone.",
      keys: [
        integer(
          "slots",
          \.monitor.slots,
          in: 1...10_000,
          "Regions at once; iOS has 20 for an app."
        ),
        length(
          "smallest_region",
          \.monitor.smallestRegionMeters,
          "The smallest region; phones serve none well below about 100m. 0m: any."
        ),
        length(
          "largest_region",
          \.monitor.largestRegionMeters,
          "The largest region; beyond it the safe circle is cut. 0m: any."
        ),
        length(
          "smallest_safe_radius",
          \.monitor.smallestSafeRadiusMeters,
          "The smallest safe circle that the location service serves well."
        ),
        length(
          "safe_margin",
          \.monitor.safeMarginMeters,
          "Kept from the safe circle for a service that is late."
        ),
        length(
          "cushion",
          \.monitor.cushionMeters,
          "And how far beyond a boundary the service notices it; iOS: 100m to 200m …"
        ),
        duration(
          "latency",
          \.monitor.latency,
          "… and the way of this time: how late the service is; iOS: 20s to minutes …"
        ),
        number(
          "least_speed",
          \.monitor.leastSpeedMetersPerSecond,
          in: 0...1e3,
          "… at the fix's speed, in m/s, or this if it is higher …"
        ),
        number(
          "accuracy_share",
          \.monitor.accuracyShare,
          in: 0...10,
          "… and this share of the fix's accuracy."
        ),
        length(
          "anticipation",
          \.monitor.anticipationMeters,
          "Regions are asked to act so much before their boundary: what iOS notices late by its"
            + " cushion of about 100m is then noticed in time."
        ),
        length(
          "poor_accuracy",
          \.monitor.poorAccuracyMeters,
          "A fix that is worse changes no regions: a better one is awaited."
        ),
        duration(
          "follow",
          \.monitor.longestFollow,
          "The app stays awake for at most this long while an arrival or exit must hold."
        ),
        duration(
          "weigh",
          \.monitor.longestWeighing,
          "And inside an arrival disc, after the last motion, to weigh; with 0 it measures."
        ),
        choice(
          "ease",
          \.monitor.easing,
          "When the receiver may rest while the app is awake: only if the phone can feel motion"
        ),
        duration(
          "ease_after",
          \.monitor.easesAfter,
          "So long after the last motion a position now and then is then enough …"
        ),
        duration(
          "ease_in_silence",
          \.monitor.easesInSilenceAfter,
          "… and when none has come for so long …"
        ),
        duration(
          "ease_every",
          \.monitor.easedInterval,
          "… one each so often; with 0 it never rests."
        ),
        choice(
          "timers_asleep",
          \.monitor.sleepingTimers,
          "What a timer does that is due while the app sleeps; on iOS it waits"
        ),
        duration(
          "patience",
          \.monitor.patience,
          "And for this long when the next position must tell what this one could not."
        ),
      ]
    ),
    Group(
      name: "power",
      comment:
        "What a sleeping app does without while the battery is low, as the phone's signals tell it.",
      keys: [
        number(
          "saving_below",
          \.power.savingBelowPercent,
          in: -1...100,
          "From this charge down, in percent (signal battery), it saves; -1: never …"
        ),
        number(
          "saving_until",
          \.power.savingUntilPercent,
          in: -1...101,
          "… until the charge is this, or the phone is charged (signal charging)."
        ),
        duration(
          "saving_weigh",
          \.power.savingWeighing,
          "It then stays awake inside an arrival disc for at most this long (monitor: weigh)."
        ),
        number(
          "sparing_below",
          \.power.sparingBelowPercent,
          in: -1...100,
          "From this charge down it saves all it can …"
        ),
        number("sparing_until", \.power.sparingUntilPercent, in: -1...101, "… until it is this."),
        duration("sparing_weigh", \.power.sparingWeighing, "It then stays awake for this long."),
        number(
          "budget",
          \.power.budgetPercentPerDay,
          in: 0...100,
          "It saves, too, if it takes more percent of a battery a day (signal battery_use) …"
        ),
        number(
          "budget_until",
          \.power.budgetUntilPercentPerDay,
          in: 0...100,
          "… until it takes less than this."
        ),
      ]
    ),
  ]

  private enum Initial: String, CaseIterable {
    case none, innermost
  }
}
