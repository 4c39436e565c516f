import Timeline

/// What the times of a calendar are read with.
struct CalendarContext {
  /// Knows the zones by their names.
  let zones: any ZoneSource
  /// Where whole days are whose alarms are at instants; nil: that is not known.
  var here: UTCOffsetTable?
  /// When it is read; nil: as late as the file says at least.
  var now: Timestamp?

  init(_ zones: any ZoneSource) { self.zones = zones }
}
