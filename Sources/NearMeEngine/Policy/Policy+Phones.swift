import Timeline

extension Policy.Monitor {
  /// What to ask of a phone with iOS.
  ///
  /// It notices a crossing some 100 m beyond the boundary and 20 s after it, so regions act 200 m
  /// before, and the safe circle 100 m; it takes a smaller region for one of 100 m. While the app is awake near a place its receiver may rest, as the adapter for Core Location has it do: a
  /// day then takes 3.0 instead of 5.5 % of a battery, for a point of visits. A host of your own that leaves
  /// ``Effect/ease(from:every:)`` out should set ``easing`` to `.never`, so that an app with a low battery stays awake
  /// for less instead. Beside a place well under 100 m it is then asked for every position all the time, for no timer
  /// wakes an app that iOS has put to sleep (``sleepingTimers``).
  ///
  /// - Source: `nearme compare` on the person-days of two cities, 0 to 300 m (docs/regions.md); for the rest, and for
  ///   11 minutes instead of 12, the mean of sixteen draws of `nearme score --monitor ios` (docs/arrival.md).
  public static let ios: Policy.Monitor = {
    var monitor = Policy.Monitor()
    monitor.limitRegions()
    monitor.easing = .always
    monitor.sleepingTimers = .wait
    monitor.longestWeighing = .minutes(11)
    return monitor
  }()

  /// What to ask of a phone with Google's Play services.
  ///
  /// It has 100 regions; 20 leave the others to the app's other parts, and more gain nothing.
  ///
  /// - Source: as for ``ios``.
  public static let android: Policy.Monitor = {
    var monitor = Policy.Monitor()
    monitor.limitRegions()
    return monitor
  }()

  private mutating func limitRegions() {
    anticipationMeters = 200
    cushionMeters = Self.cushionOfPhonesMeters
    smallestRegionMeters = Self.smallestRegionOfPhonesMeters
    smallestSafeRadiusMeters = Self.smallestRegionOfPhonesMeters
    largestRegionMeters = Self.largestRegionMeters
  }

  /// How far beyond a boundary a phone notices it.
  ///
  /// - Source: as for ``ios``, 0, 50 and 100 m: who stops just beyond a safe circle without it is not noticed. Of an
  ///   Android phone it is more with positions worse than some 140 m only.
  private static let cushionOfPhonesMeters = 100.0

  /// How small a region of a phone is at least.
  ///
  /// - Source: shared specification of the planner: "Minimum radius 100 m: a smaller fence is monitored by a 100 m
  ///   circle and refined by a fix after the wake".
  private static let smallestRegionOfPhonesMeters = 100.0

  /// How large a region of a phone is at most.
  ///
  /// - Source: neither Apple nor Google says; so far one seldom goes in less than an hour, and what a phone does with
  ///   regions as large as a continent nobody has tried.
  private static let largestRegionMeters = 100_000.0
}
