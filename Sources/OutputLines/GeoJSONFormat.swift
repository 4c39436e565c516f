import Basics
import Fencing
import Geodesy
import NearMeEngine
import Timeline
import Traces

/// A replay as a map: the way as lines, notifications and transitions as points (RFC 7946).
///
/// Written as it goes: the way is cut into lines of bounded length, so memory does not grow.
public struct GeoJSONFormat: Sendable {
  /// Long enough to draw smoothly, short enough to hold.
  private static let longestLine = 1_000

  private var line: [Coordinate] = []
  private var lineStart: Timestamp?
  private var lineEnd: Timestamp?
  private var isFirst = true

  /// Makes the format.
  public init() {}

  /// What comes before everything else.
  public let head = "{\"type\":\"FeatureCollection\",\"features\":[\n"

  /// Adds a position of the way; returns text when a line is full.
  public mutating func add(_ fix: Fix, startsSegment: Bool) -> String {
    var text = startsSegment ? endLine(keepingLast: false) : ""
    if line.isEmpty { lineStart = fix.at }
    line.append(fix.coordinate)
    lineEnd = fix.at
    if line.count == Self.longestLine { text += endLine(keepingLast: true) }
    return text
  }

  /// Adds what happened at a position.
  public mutating func add(_ replayLine: ReplayLine, at position: Coordinate) -> String {
    var json = JSONText()
    switch replayLine {
    case .notification(let notification, _):
      json.add("type", "notification")
      json.add("at", RFC3339.format(notification.at))
      json.add("id", notification.id)
      json.add("kind", notification.kind.rawValue)
      json.add("tier", notification.head.step.name)
      json.add("text", notification.text)
      json.add("poi", notification.head.poi)
    case .transition(let transition):
      json.add("type", "transition")
      json.add("at", RFC3339.format(transition.at))
      json.add("reminder", transition.reminder)
      json.add("tier", transition.step.name)
      json.add("kind", transition.kind.rawValue)
      json.add("poi", transition.poi)
    case .wake(let at, let cause):
      json.add("type", "wake")
      json.add("at", RFC3339.format(at))
      json.add("cause", cause.rawValue)
    default: return ""
    }
    return feature("Point", pair(position), json.closed)
  }

  /// What comes after everything else.
  public mutating func end() -> String { endLine(keepingLast: false) + "\n]}\n" }

  private mutating func endLine(keepingLast: Bool) -> String {
    defer {
      line = keepingLast ? Array(line.suffix(1)) : []
      lineStart = keepingLast ? lineEnd : nil
    }
    guard line.count > 1, let lineStart, let lineEnd else { return "" }
    var json = JSONText()
    json.add("type", "way")
    json.add("from", RFC3339.format(lineStart))
    json.add("to", RFC3339.format(lineEnd))
    return feature("LineString", JSONText.array(line.map(pair)), json.closed)
  }

  private mutating func feature(
    _ type: String,
    _ coordinates: String,
    _ properties: String
  ) -> String {
    defer { isFirst = false }
    return (isFirst ? "" : ",\n")
      + "{\"type\":\"Feature\",\"geometry\":{\"type\":\"\(type)\",\"coordinates\":\(coordinates)},"
      + "\"properties\":\(properties)}"
  }

  private func pair(_ coordinate: Coordinate) -> String {
    "[\(fixed(coordinate.longitude, 7)),\(fixed(coordinate.latitude, 7))]"
  }
}
