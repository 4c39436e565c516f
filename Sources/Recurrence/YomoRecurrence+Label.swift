extension YomoRecurrence {
  /// What is said below the switch for repeating from the completion (YOMO-4.4.2g); nil while it is off.
  public var completionLabel: String? {
    guard isBasedOnCompletion else { return nil }
    let span = "\(interval) \(unit.rawValue)\(interval == 1 ? "" : "s")"
    return "Next reminder will be scheduled \(span) after you complete this one."
  }
}
