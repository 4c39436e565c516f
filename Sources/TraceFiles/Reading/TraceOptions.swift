import Timeline
import Traces

/// What a caller knows about a trace that the file does not say.
package struct TraceOptions: Hashable, Sendable {
  /// A movement at an even speed, for a track without times.
  package struct AssumedMotion: Hashable, Sendable {
    /// How fast.
    package var speedMetersPerSecond: Double
    /// When it began.
    package var start: Timestamp

    /// Makes an assumption.
    ///
    /// - Precondition: the speed is a positive number.
    package init(speedMetersPerSecond: Double, start: Timestamp) {
      precondition(
        speedMetersPerSecond > 0 && speedMetersPerSecond.isFinite,
        "a speed must be a positive number"
      )
      self.speedMetersPerSecond = speedMetersPerSecond
      self.start = start
    }
  }

  /// What an accuracy is taken to be where there is none.
  package var accuracyModel: AccuracyModel
  /// Which columns of a CSV file mean what; nil to see it from the header.
  package var columns: CSVColumns?
  /// The day of the first fix of a file that has only times of the day.
  package var assumedDate: CivilDate?
  /// The zone of times in tables and JSON that name none; nil for UTC.
  package var assumedZone: UTCOffsetTable?
  /// What dates such as `12/05/2026` are, in tables and JSON; nil to see it from those of a table.
  package var dateOrder: DateOrder?
  /// Whether rows of a table are taken as they come: those of a feed wait for no later one that says what their dates are.
  package var takesRowsAsTheyCome = false
  /// How points without a time get one; nil to refuse them.
  package var assumedMotion: AssumedMotion?
  /// Whether points of GPX like those before them are read without the XML parser.
  ///
  /// The result is the same, which tests and a fuzzer hold it to.
  package var usesTemplates: Bool
  /// Whether elevations, names and whatever else a point has are kept, and points without a time:
  /// for ``TraceReader/nextDetailed(_:)``.
  ///
  /// Everything is then read by the XML parser.
  package var keepsDetails = false
  /// Whether details have what a point itself says of the track and the segment that it is of.
  package var keepsMembership = false

  /// Makes options; the defaults assume nothing but an accuracy.
  package init(
    accuracyModel: AccuracyModel = AccuracyModel(),
    columns: CSVColumns? = nil,
    assumedDate: CivilDate? = nil,
    assumedZone: UTCOffsetTable? = nil,
    assumedMotion: AssumedMotion? = nil,
    usesTemplates: Bool = true
  ) {
    self.accuracyModel = accuracyModel
    self.columns = columns
    self.assumedDate = assumedDate
    self.assumedZone = assumedZone
    self.assumedMotion = assumedMotion
    self.usesTemplates = usesTemplates
  }
}
