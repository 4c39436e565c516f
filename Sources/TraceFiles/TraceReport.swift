import Traces

/// What a trace file held.
package struct TraceReport: Hashable, Sendable {
  /// Points, usable or not.
  package var points = 0
  /// Segments of tracks; a route or a set of waypoints is one.
  package var segments = 0
  /// Points that could not become fixes, by reason.
  package var refused: [FixRefusal: Int] = [:]
  /// Fixes by where their accuracy comes from.
  package var accuracySources: [AccuracySource: Int] = [:]

  mutating func note(_ record: TraceRecord) {
    points += 1
    switch record.outcome {
    case .fix: accuracySources[record.accuracySource, default: 0] += 1
    case .refused(let reason, _): refused[reason, default: 0] += 1
    }
  }

  /// A sentence for people if some accuracy is not the device's own; else nil.
  package func accuracyNote(_ model: AccuracyModel) -> String? {
    let modelled = accuracySources[.modelledFromHDOP, default: 0]
    let assumed = accuracySources[.assumed, default: 0]
    var parts: [String] = []
    if modelled > 0 {
      parts.append("modelled from hdop for \(modelled) fixes (\(model.metersPerHDOP) m × hdop)")
    }
    if assumed > 0 { parts.append("assumed for \(assumed) fixes (\(model.defaultMeters) m)") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
