import Traces

/// Garmin's Training Center XML: the trackpoints of activities, and those of courses as a route with the
/// course's name; points of courses are waypoints.
///
/// Each activity is a track of its own, with its sport as type. Notes of activities and courses stand behind
/// their points and are left out.
///
/// A trackpoint without a position, as an indoor training has, is refused as one. A new segment
/// begins with each activity, and with each further track of a lap: the timer had been stopped.
///
/// - Source: garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd and ActivityExtensionv2.xsd.
final class TCXDocument: XMLTraceDocument {
  var sink: RecordSink
  let refusal: String? = nil

  private var point: PointBuilder?
  private var captured = CapturedText()
  private var isCapturing = false
  private var kind = PointKind.track
  private var tracksOfLap = 0
  /// What is said of the activity or course, and whether none of its points has come yet.
  private var about: [PointDetails.Field] = []
  private var isGroupNew = false

  init(_ options: TraceOptions) {
    sink = RecordSink(options)
    if options.keepsDetails { captured = CapturedText(limit: DetailCapture.longestText) }
  }

  func start(_ name: String, _ parents: [String], _ attributes: Attributes, line: Int) {
    isCapturing = false
    switch name {
    case "Activity":
      about = []
      attributes.forEach { attribute, value in
        guard attribute.isEqual(to: "Sport") else { return }
        about.add("type", String(decoding: value, as: UTF8.self))
      }
      begin(.track)
    case "Course":
      about = []
      begin(.route)
    case "Lap": tracksOfLap = 0
    case "Track":
      tracksOfLap += 1
      if isGroupNew { sink.beginGroup(kind, about) }
      isGroupNew = false
      if tracksOfLap > 1 { sink.beginSegment(kind) }
    case "Trackpoint":
      point = PointBuilder()
      point?.kind = kind
      point?.line = line
    case "CoursePoint":
      point = PointBuilder()
      point?.kind = .waypoint
      point?.line = line
    case "Name" where parents.last == "Course":
      isCapturing = sink.details != nil
      captured.clear()
    case "Time", "LatitudeDegrees", "LongitudeDegrees", "Speed":
      isCapturing = point != nil
      captured.clear()
    default:
      isCapturing = point != nil && sink.details != nil
      captured.clear()
    }
  }

  private func begin(_ kind: PointKind) {
    self.kind = kind
    tracksOfLap = 0
    isGroupNew = true
    sink.beginSegment(kind)
  }

  func text(_ text: UnsafeBufferPointer<UInt8>, line: Int) {
    if isCapturing { captured.append(text) }
  }

  func end(_ name: String, _ parents: [String]) {
    defer { isCapturing = false }
    switch name {
    case "Time" where isCapturing: point?.time = captured.time
    case "LatitudeDegrees" where isCapturing: point?.latitude = captured.number
    case "LongitudeDegrees" where isCapturing: point?.longitude = captured.number
    case "Speed" where isCapturing: point?.speed = captured.number
    case "Trackpoint", "CoursePoint":
      if let point { sink.add(point) }
      point = nil
    case "Name" where parents.last == "Course":
      if isCapturing { about.add("name", captured.string) }
    case "PointType" where isCapturing: point?.details.add("type", captured.string)
    case "Notes" where isCapturing: point?.details.add("desc", captured.string)
    case "Value" where isCapturing:
      point?.details.add(PointDetails.canonical(parents.last ?? name), captured.string)
    default:
      if isCapturing { point?.details.add(PointDetails.canonical(name), captured.string) }
    }
  }
}
