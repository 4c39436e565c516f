import Arrivals
import Foundation
import Places
import Timeline
import Traces

/// The posterior over time as a drawing.
struct Plot {
  let day: Day
  let from: Timestamp
  let to: Timestamp
  let title: String
  let settings: ArrivalSettings

  private struct Curve {
    var poi: Int
    var name: String
    var points: [(at: Timestamp, p: Double)] = []
    var top = 0.0
  }

  private static let colors = ["#0b6e4f", "#c8553d", "#3d5a98", "#8a6d3b"]
  private static let width = 860.0
  private static let height = 300.0
  private static let left = 52.0
  private static let top = 40.0
  private static let bottom = 62.0

  /// The drawing, as SVG.
  func svg() -> String {
    let (curves, arrivals) = follow()
    var out = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" \
      font-family="sans-serif" font-size="12">
      <rect width="100%" height="100%" fill="#ffffff"/>
      <text x="\(Int(Self.left))" y="22" font-size="14" font-weight="bold">\(escaped(title))</text>

      """
    for visit in mergedVisits(day.truth) where visit.leave > from && visit.arrive < to {
      let (a, b) = (x(max(visit.arrive, from)), x(min(visit.leave, to)))
      out += """
        <rect x="\(n(a))" y="\(n(Self.top))" width="\(n(b - a))" height="\(n(plotHeight))" \
        fill="#0b6e4f" opacity="0.10"/>
        <text x="\(n(a + 4))" y="\(n(Self.top + 14))" fill="#4a4a4a">truly at \
        \(escaped(name(visit.poi)))</text>

        """
    }
    for p in stride(from: 0.0, through: 1.01, by: 0.25) {
      out += """
        <line x1="\(n(Self.left))" x2="\(n(Self.width - 12))" y1="\(n(y(p)))" y2="\(n(y(p)))" \
        stroke="#d8d8d8"/>
        <text x="\(n(Self.left - 8))" y="\(n(y(p) + 4))" text-anchor="end">\
        \(String(format: "%.2f", p))</text>

        """
    }
    let threshold = settings.decision.threshold
    out += """
      <line x1="\(n(Self.left))" x2="\(n(Self.width - 12))" y1="\(n(y(threshold)))" \
      y2="\(n(y(threshold)))" stroke="#4a4a4a" stroke-dasharray="5 4"/>
      <text x="\(n(Self.width - 14))" y="\(n(y(threshold) - 4))" text-anchor="end" \
      fill="#4a4a4a">threshold \(threshold)</text>

      """
    for fix in day.fixes where fix.at >= from && fix.at <= to {
      out += """
        <line x1="\(n(x(fix.at)))" x2="\(n(x(fix.at)))" y1="\(n(y(0) + 3))" y2="\(n(y(0) + 9))" \
        stroke="#4a4a4a" stroke-width="0.7"/>

        """
    }
    let step = ((to - from).seconds / 8 / 30).rounded(.up) * 30
    for second in stride(from: 0.0, through: (to - from).seconds, by: max(step, 30)) {
      let at = from + Milliseconds(Int64(second * 1_000))
      let anchor = x(at) > Self.width - 40 ? "end" : "middle"
      out += """
        <text x="\(n(x(at)))" y="\(n(y(0) + 24))" text-anchor="\(anchor)">\(Int(second)) s</text>

        """
    }
    for (i, curve) in curves.enumerated() {
      let color = Self.colors[i % Self.colors.count]
      let path = curve.points.map { "\(n(x($0.at))),\(n(y($0.p)))" }.joined(separator: " ")
      out += """
        <polyline points="\(path)" fill="none" stroke="\(color)" stroke-width="2"/>
        <text x="\(n(Self.left + Double(i) * 320))" y="\(n(Self.height - 12))" fill="\(color)">\
        \(escaped(curve.name))</text>

        """
    }
    for (at, poi) in arrivals where at >= from && at <= to {
      let isLate = x(at) > Self.width / 2
      out += """
        <line x1="\(n(x(at)))" x2="\(n(x(at)))" y1="\(n(Self.top))" y2="\(n(y(0)))" \
        stroke="#000000" stroke-width="1.2"/>
        <text x="\(n(x(at) + (isLate ? -4 : 4)))" y="\(n(Self.top + 30))" \
        text-anchor="\(isLate ? "end" : "start")">announced: \(escaped(name(poi)))</text>

        """
    }
    return out + "</svg>\n"
  }

  private var plotHeight: Double { Self.height - Self.top - Self.bottom }

  private func x(_ at: Timestamp) -> Double {
    Self.left + (at - from).seconds / (to - from).seconds * (Self.width - 12 - Self.left)
  }

  private func y(_ p: Double) -> Double { Self.top + (1 - p) * plotHeight }

  private func n(_ value: Double) -> String { String(format: "%.1f", value) }

  private func name(_ id: String) -> String {
    guard let index = day.catalog.index(ofSourceID: id) else { return id }
    let poi = day.catalog.points[index]
    return "\(poi.name ?? id) (\(poi.categories[0].label))"
  }

  private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }

  /// The posterior of every place that comes near at all, those with the highest first.
  private func follow() -> (curves: [Curve], arrivals: [(Timestamp, String)]) {
    var tracker = ArrivalTracker(settings: settings, catalog: day.catalog, places: day.places)
    var detector = ArrivalDetector(settings: settings, catalog: day.catalog, places: day.places)
    var curves: [Curve] = []
    var arrivals: [(Timestamp, String)] = []
    func note(_ findings: [ArrivalFinding]) {
      for case .arrived(let arrival) in findings {
        if case .pointOfInterest(let id) = arrival.place { arrivals.append((arrival.at, id)) }
      }
    }
    func look(_ now: Timestamp) {
      guard now >= from, now <= to else { return }
      let candidates = tracker.isClearlyMoving(at: now) ? [] : tracker.look(at: now)
      for candidate in candidates where !curves.contains(where: { $0.poi == candidate.place.index })
      {
        let id = day.catalog.points[candidate.place.index].sourceID
        curves.append(Curve(poi: candidate.place.index, name: name(id)))
      }
      for i in curves.indices {
        let p =
          candidates.first { $0.place.index == curves[i].poi }
          .map { 1 / (1 + exp(-$0.terms.logOdds(settings.weights))) } ?? 0
        curves[i].points.append((now, p))
        curves[i].top = max(curves[i].top, p)
      }
    }
    for (fix, point) in zip(day.fixes, day.points) {
      if fix.at > to + .minutes(5) { break }
      while let tick = tracker.nextTick, tick < fix.at {
        tracker.tick(at: tick)
        look(tick)
      }
      _ = tracker.observe(fix, at: point)
      look(fix.at)
      note(detector.observe(fix, at: point))
    }
    let order = curves.sorted { ($0.top, $1.poi) > ($1.top, $0.poi) }
    return (Array(order.prefix(2)), arrivals)
  }
}
