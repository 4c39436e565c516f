extension Signal {
  /// The signals that tell of the battery.
  package static let namesOfPower = ["battery", "battery_use", "charging", "low_power"]
}

/// What is known of the phone's battery, and what follows from it: levels with hysteresis.
struct PowerState: Hashable, Sendable, Codable {
  /// What the charge asks for.
  private var byCharge = PowerLevel.normal
  /// Whether the app takes more than its budget.
  private var isOverBudget = false
  /// What is done without.
  private(set) var level = PowerLevel.normal

  /// Takes in the levels that signals have told.
  ///
  /// - Parameter told: the newest level of a signal; nil if it never told one.
  /// - Returns: whether the level has changed.
  mutating func follow(_ policy: Policy.Power, told: (_ signal: String) -> String?) -> Bool {
    let before = level
    if let charge = Self.percent(told("battery")) {
      byCharge = Self.next(after: byCharge, charge, policy)
    }
    if let use = Self.percent(told("battery_use")) {
      isOverBudget =
        use > policy.budgetPercentPerDay
        || (isOverBudget && use >= policy.budgetUntilPercentPerDay)
    }
    if !Signal.saysNo(told("charging")) {
      // Begun anew when the plug is pulled: by the charge that it has then.
      byCharge = .normal
      level = .normal
    } else if byCharge == .normal, isOverBudget || !Signal.saysNo(told("low_power")) {
      level = .saving
    } else {
      level = byCharge
    }
    return level != before
  }

  private static func next(
    after before: PowerLevel,
    _ charge: Double,
    _ policy: Policy.Power
  ) -> PowerLevel {
    if charge <= policy.sparingBelowPercent { return .sparing }
    if before == .sparing, charge < policy.sparingUntilPercent { return .sparing }
    if charge <= policy.savingBelowPercent { return .saving }
    return before != .normal && charge < policy.savingUntilPercent ? .saving : .normal
  }

  /// A number of percent; nil for what is none.
  private static func percent(_ text: String?) -> Double? {
    text.flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? min($0, 100) : nil }
  }
}
