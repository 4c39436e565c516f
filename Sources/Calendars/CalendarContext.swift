import Recurrence
import Timeline

/// What the times of a calendar are read with.
struct CalendarContext {
  /// Knows the zones by their names.
  let zones: any ZoneSource
  /// The zones that the file defines, by their TZID.
  private var definitions: [String: DefinedZone] = [:]
  /// Where whole days are whose alarms are at instants; nil: that is not known.
  var here: UTCOffsetTable?
  /// When it is read; nil: as late as the file says at least.
  var now: Timestamp?

  init(_ zones: any ZoneSource) { self.zones = zones }

  /// What the times of a calendar of a file are read with.
  ///
  /// - Parameter here: as of ``here``, unless the calendar says it.
  init(_ calendar: CalendarComponent, _ zones: any ZoneSource, here: UTCOffsetTable?) {
    self.init(zones)
    var only: [String] = []
    for part in calendar.components where part.name == "VTIMEZONE" {
      guard let name = part["TZID"]?.text else { continue }
      only.append(name)
      if definitions[name] == nil { definitions[name] = DefinedZone(part) }
    }
    let name = calendar["X-WR-TIMEZONE"]?.text ?? (only.count == 1 ? only.first : nil)
    self.here = name.flatMap { sureName($0) }.flatMap { zones.zone(named: $0) } ?? here
  }

  // MARK: - Zones

  /// What is known of a zone.
  enum Zone {
    /// The name of one of the tz database.
    case named(String)
    /// One that is none of those, in the years around a time.
    case defined(UTCOffsetTable)
  }

  /// The zone of a TZID, for a time.
  ///
  /// A name of the tz database's areas, or of Windows, is that zone whatever the file defines, for definitions grow old.
  /// Any other name means what the file says, or what it can mean only.
  func zone(_ name: String, at time: LocalDateTime) -> Zone? {
    if let sure = sureName(name) { return .named(sure) }
    let word = ZoneNames.word(name)
    if let definition = definitions[name] {
      let years = definition.years(from: time, named: name)
      let candidates = [word].compactMap(\.self) + ZoneNames.candidates(of: years.zone)
      for candidate in candidates {
        if let zone = zones.zone(named: candidate), years.isAlike(zone) {
          return .named(candidate)
        }
      }
      return .defined(years.zone)
    }
    let guesses = [word, ZoneNames.offset(name)].compactMap(\.self) + ZoneNames.written(name)
    if let known = guesses.first(where: { zones.zone(named: $0) != nil }) { return .named(known) }
    return ZoneNames.ofCities(name, year: time.date.year, zones).map { .named($0) }
  }

  /// The zone whose name leaves no doubt: of an area, also behind a path such as `/example.org/20260101/`, or of Windows.
  private func sureName(_ name: String) -> String? {
    let parts = name.split(separator: "/")
    for begin in parts.indices where ZoneNames.areas.contains(String(parts[begin])) {
      let tail = parts[begin...].joined(separator: "/")
      if tail.contains("/"), zones.zone(named: tail) != nil { return tail }
    }
    guard name != "UTC", let known = WindowsZones.name(of: name), zones.zone(named: known) != nil
    else { return nil }
    return known
  }
}
