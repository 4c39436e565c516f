/// The elements of GPX and of its extensions that mean something here.
enum ElementName {
  case gpx, track, segment, trackPoint, route, routePoint, waypoint
  case time, hdop, accuracy, speed, course
  case other

  /// Recognizes a name without its prefix, in capitals or not: makers write `hAcc` and `hacc`.
  ///
  /// - Source: `hacc` of the person-days' and this project's own extension, `hAcc` of Apple's health
  ///   export, `accuracy` of trackers on Android, `horizontalAccuracy` after Core Location,
  ///   `accuracy_horizontal` of OpenTracks, `horaccur` of map-matching services; `speed` and `course`
  ///   of GPX 1.0 and of Garmin's TrackPointExtension version 2, `bearing` of OsmAnd and, after its
  ///   course, of the same extension, `cog` of watches.
  init(_ name: UnsafeBufferPointer<UInt8>) {
    switch name.count {
    case 3:
      if matches(name, "trk") {
        self = .track
      } else if matches(name, "gpx") {
        self = .gpx
      } else if matches(name, "wpt") {
        self = .waypoint
      } else if matches(name, "rte") {
        self = .route
      } else {
        self = matches(name, "cog") ? .course : .other
      }
    case 4:
      if matches(name, "time") {
        self = .time
      } else if matches(name, "hdop") {
        self = .hdop
      } else {
        self = matches(name, "hacc") ? .accuracy : .other
      }
    case 5:
      if matches(name, "trkpt") {
        self = .trackPoint
      } else if matches(name, "speed") {
        self = .speed
      } else {
        self = matches(name, "rtept") ? .routePoint : .other
      }
    case 6:
      if matches(name, "course") {
        self = .course
      } else {
        self = matches(name, "trkseg") ? .segment : .other
      }
    case 7: self = matches(name, "bearing") ? .course : .other
    case 8:
      self = matches(name, "accuracy") || matches(name, "horaccur") ? .accuracy : .other
    case 18: self = matches(name, "horizontalaccuracy") ? .accuracy : .other
    case 19:
      let isAccuracy =
        matches(name, "horizontal_accuracy") || matches(name, "accuracy_horizontal")
      self = isAccuracy ? .accuracy : .other
    default: self = .other
    }
  }
}

/// Whether a name is the given lower-case one, capitals aside.
@inline(__always)
private func matches(_ name: UnsafeBufferPointer<UInt8>, _ known: StaticString) -> Bool {
  let bytes = known.utf8Start
  // Setting bit 5 makes letters small; no other character of a name becomes a letter by it.
  for index in 0..<name.count where name[index] | 0x20 != bytes[index] | 0x20 { return false }
  return true
}
