/// What a fix's accuracy is taken to be where the file does not say it.
package struct AccuracyModel: Hashable, Sendable {
  /// Meters of 68 % radius for one unit of horizontal dilution of precision.
  ///
  /// - Source: the user equivalent range error of a consumer receiver, about 5 m; the same factor
  ///   that the corpus of person-days was written with.
  package var metersPerHDOP: Double
  /// Meters where there is neither an accuracy nor a dilution.
  ///
  /// - Source: a 68 % radius is 1.51 σ per axis: 12 m in a suburb (σ 8 m), 23 m between houses
  ///   (σ 15 m); 20 m errs to the careful side of most of a day.
  package var defaultMeters: Double

  /// Makes a model; the defaults are those that a replay reports.
  package init(metersPerHDOP: Double = 5, defaultMeters: Double = 20) {
    self.metersPerHDOP = metersPerHDOP
    self.defaultMeters = defaultMeters
  }
}

/// How a fix came by its accuracy.
package enum AccuracySource: UInt8, Hashable, Sendable, CaseIterable {
  /// The device reported it.
  case reported
  /// Modeled from the dilution of precision.
  case modeledFromHDOP
  /// The stated default, since the file says nothing.
  case assumed
}
