import ArgumentParser
import TimeZones
import Timeline
import TraceFiles

/// What a person knows about a trace that the file does not say.
struct TraceInputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Which columns of a CSV file mean what, as time=Zeit,lat=3,lon=4.",
      discussion: """
        Columns are named as in the header or counted from 1. Meanings: time (or date and clock), lat \
        and lon (or position), ns and ew for hemispheres, accuracy, hdop, speed, speed_kmh, \
        speed_mph, speed_kn, course, segment.
        """,
      valueName: "MEANING=COLUMN,…"
    )
  )
  var columns: String?

  @Option(
    help: ArgumentHelp(
      "The day of the first fix of NMEA or IGC files without a date.",
      valueName: "YYYY-MM-DD"
    )
  )
  var assumeDate: String?

  @Option(
    help: ArgumentHelp(
      "The zone of times that name none, in tables and JSON, such as Europe/Berlin.",
      valueName: "ZONE"
    )
  )
  var assumeZone: String?

  @Option(
    help: ArgumentHelp(
      "What dates such as 12/05/2026 are, in tables and JSON: mdy or dmy.",
      valueName: "ORDER"
    )
  )
  var dates: DateOrder?

  @Option(
    help: ArgumentHelp("Meters per second, for tracks without times.", valueName: "M/S")
  )
  var assumeSpeed: Double?

  @Option(
    help: ArgumentHelp("When a track without times began.", valueName: "TIME")
  )
  var assumeStart: String?

  func validate() throws { _ = try options() }

  /// The same for the readers.
  ///
  /// - Throws: `ValidationError` for a value that cannot be understood.
  func options() throws -> TraceOptions {
    var options = TraceOptions()
    if let columns {
      do {
        options.columns = try CSVColumns(parsing: columns)
      } catch {
        throw ValidationError("--columns: \(error)")
      }
    }
    if let assumeDate {
      guard let midnight = RFC3339.parse(assumeDate + "T00:00:00Z"), assumeDate.utf8.count == 10
      else {
        throw ValidationError("--assume-date \(assumeDate): a day such as 2024-06-15 is needed")
      }
      options.assumedDate = CivilDate(
        daysSinceEpoch: Int((midnight.milliseconds / 86_400_000))
      )
    }
    if let assumeZone {
      guard let zone = UTCOffsetTable(systemZone: assumeZone) else {
        throw ValidationError(
          "--assume-zone \(assumeZone): this system knows no such zone; one is America/New_York"
        )
      }
      options.assumedZone = zone
    }
    options.dateOrder = dates
    switch (assumeSpeed, assumeStart) {
    case (nil, nil): break
    case (let speed?, let start?):
      guard speed > 0, speed.isFinite else {
        throw ValidationError("--assume-speed \(speed): a positive number is needed")
      }
      guard speed >= 0.001 else {
        throw ValidationError(
          "--assume-speed \(speed): at least 0.001 is needed, a meter in a quarter of an hour"
        )
      }
      guard let instant = RFC3339.parse(start) else {
        throw ValidationError(
          "--assume-start \(start): a time such as 2024-06-15T08:00:00Z is needed"
        )
      }
      options.assumedMotion = .init(speedMetersPerSecond: speed, start: instant)
    default:
      throw ValidationError("--assume-speed and --assume-start go together")
    }
    return options
  }
}

extension DateOrder: ExpressibleByArgument {}
