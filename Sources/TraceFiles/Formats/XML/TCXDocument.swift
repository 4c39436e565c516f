import Traces

/// Garmin's Training Center XML: the trackpoints of activities, and those of courses as a route.
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

  init(_ options: TraceOptions) { sink = RecordSink(options) }

  func start(_ name: String, _ parents: [String], _ attributes: Attributes, line: Int) {
    isCapturing = false
    switch name {
    case "Activity": begin(.track)
    case "Course": begin(.route)
    case "Lap": tracksOfLap = 0
    case "Track":
      tracksOfLap += 1
      if tracksOfLap > 1 { sink.beginSegment(kind) }
    case "Trackpoint":
      point = PointBuilder()
      point?.kind = kind
      point?.line = line
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
    case "Trackpoint":
      if let point { sink.add(point) }
      point = nil
    case "Value" where isCapturing:
      point?.details.add(PointDetails.canonical(parents.last ?? name), captured.string)
    default:
      if isCapturing { point?.details.add(PointDetails.canonical(name), captured.string) }
    }
  }
}
