import Timeline

/// Notices when the fixes begin to come much more often or much more seldom.
struct CadenceWatch: Hashable, Sendable {
  /// All intervals, in seconds.
  private(set) var intervals = LogHistogram()
  private var usual: Int64?
  private var run: [Int64] = []
  private var runIsSlower = false
  private var runStart: Spot?

  /// Takes an interval; gives back where another cadence began, once that is certain.
  mutating func note(
    _ interval: Milliseconds,
    from spot: Spot,
    _ settings: DoctorSettings
  ) -> (from: Spot, seconds: Double)? {
    intervals.add(interval.seconds)
    guard let usual else {
      run.append(interval.value)
      if run.count == settings.cadenceIntervals { usual = settle() }
      return nil
    }
    let isSlower = Double(interval.value) > Double(usual) * settings.cadenceFactor
    let isFaster = Double(interval.value) * settings.cadenceFactor < Double(usual)
    guard isSlower || isFaster else {
      run.removeAll(keepingCapacity: true)
      return nil
    }
    if run.isEmpty || runIsSlower != isSlower {
      run.removeAll(keepingCapacity: true)
      runIsSlower = isSlower
      runStart = spot
    }
    run.append(interval.value)
    guard run.count == settings.cadenceIntervals, let runStart else { return nil }
    let settled = settle()
    self.usual = settled
    return (runStart, Double(settled) / 1_000)
  }

  private mutating func settle() -> Int64 {
    run.sort()
    defer { run.removeAll(keepingCapacity: true) }
    return run[run.count / 2]
  }
}
