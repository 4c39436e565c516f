import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Replay
import Timeline
import Traces

/// A comparison as one page that needs nothing else: the table, and a drive on which another
/// strategy misses what ours does not.
struct ComparisonPage {
  let html: String

  /// A transition that a rival missed and ours found, with what both watched before it.
  private struct Story {
    let person: ComparedPerson
    let missed: TransitionRecord
    /// The boundary that was crossed.
    let circle: (centre: Coordinate, radiusMeters: Double)
    /// The last fix before it was crossed.
    let before: Fix
    let rival: Watcher
    let ours: Watcher
    let fixes: [Fix]
  }

  /// A service with the regions that it watched at some instant.
  private struct Watcher {
    let service: Comparison.Service
    let regions: [Region]

    func watches(_ circle: (centre: Coordinate, radiusMeters: Double)) -> Bool {
      regions.contains {
        $0.kind == .enter && $0.centre.distanceMeters(to: circle.centre) < 1
          && abs($0.radiusMeters - circle.radiusMeters) < 1
      }
    }
  }

  init(
    _ table: ComparisonTable,
    _ comparison: Comparison,
    _ people: [ComparedPerson],
    _ outcomes: [Comparison.Outcome]
  ) throws {
    var body = "<h1>Regions compared</h1>\n"
    body += "<p>\(Self.escaped(table.summary))</p>\n"
    if let story = try Self.story(comparison, people, outcomes) {
      body += Self.draw(story, comparison)
    } else {
      body += "<p>Nothing was missed that ours found.</p>\n"
    }
    body += "<h2>The table</h2>\n" + table.html
    body += "<p>\(Self.escaped(table.legend))</p>\n"
    html = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Regions compared</title>
      <style>\(Self.style)</style>
      <body>
      \(body)<footer>Map data © OpenStreetMap contributors, ODbL 1.0, where the cache was built from \
      it.</footer>
      </body>
      </html>

      """
  }

  // MARK: The story

  /// At most so many misses are looked at for one to draw.
  private static let mostTried = 40

  /// The clearest miss: with 20 regions if there is one, by the strategy that comes nearest to ours,
  /// an arrival before an approach, where the rival does not watch the boundary that is crossed and
  /// ours does, or is inside a circle that ends before it.
  private static func story(
    _ comparison: Comparison,
    _ people: [ComparedPerson],
    _ outcomes: [Comparison.Outcome]
  ) throws -> Story? {
    let services = comparison.services
    let strategies: [RegionStrategy] = [.nearestEdge, .nearestCentre, .serverBubble]
    let rivals = services.indices.filter { strategies.contains(services[$0].strategy) }
      .sorted { a, b in
        func key(_ i: Int) -> (Int, Int, Int) {
          (
            services[i].slots == 20 ? 0 : 1, strategies.firstIndex(of: services[i].strategy) ?? 0, i
          )
        }
        return key(a) < key(b)
      }
    var tried = 0
    for s in rivals {
      let service = services[s]
      guard
        let o = services.firstIndex(where: {
          $0.strategy == .safeRegion && $0.name == service.name && $0.slots == service.slots
        })
      else { continue }
      for isArrival in [true, false] {
        for (person, outcome) in zip(people, outcomes) {
          for record in outcome.missed[s]
          where record.kind == .enter && (record.tier == .arrival) == isArrival
            && !outcome.missed[o].contains(record)
          {
            guard tried < mostTried else { return nil }
            tried += 1
            if let story = try story(record, comparison, person, service, services[o]) {
              return story
            }
          }
        }
      }
    }
    return nil
  }

  /// A miss, if it can be seen in the regions why it was one.
  private static func story(
    _ missed: TransitionRecord,
    _ comparison: Comparison,
    _ person: ComparedPerson,
    _ rival: Comparison.Service,
    _ ours: Comparison.Service
  ) throws -> Story? {
    guard let circle = boundary(missed, comparison, person) else { return nil }
    let fixes = try person.fixes()
    func isInside(_ fix: Fix) -> Bool {
      fix.coordinate.distanceMeters(to: circle.centre) <= circle.radiusMeters
    }
    // An arrival has held for a while when it is one; the boundary was crossed before that.
    guard let entered = fixes.lastIndex(where: { $0.at <= missed.at && isInside($0) }),
      let before = fixes[..<entered].lastIndex(where: { !isInside($0) }),
      missed.at - fixes[before].at <= .minutes(3)
    else { return nil }
    let instant = fixes[before].at + Milliseconds(1)
    let story = Story(
      person: person,
      missed: missed,
      circle: circle,
      before: fixes[before],
      rival: Watcher(
        service: rival,
        regions: try regions(rival, comparison, person, fixes, before: instant)
      ),
      ours: Watcher(
        service: ours,
        regions: try regions(ours, comparison, person, fixes, before: instant)
      ),
      fixes: fixes
    )
    return !story.rival.watches(circle) && story.ours.watches(circle) ? story : nil
  }

  /// The regions that were watched just before an instant.
  private static func regions(
    _ service: Comparison.Service,
    _ comparison: Comparison,
    _ person: ComparedPerson,
    _ fixes: [Fix],
    before instant: Timestamp
  ) throws -> [Region] {
    var session = try comparison.setup(service).session(for: person.person)
    var watched: [Region] = []
    for fix in fixes where fix.at < instant {
      for case .regions(let at, let change) in try session.consume(fix) where at < instant {
        watched.removeAll { change.stop.contains($0.id) }
        watched += change.start
      }
    }
    return watched
  }

  private static func draw(_ story: Story, _ comparison: Comparison) -> String {
    let at = story.before.at
    let near = story.fixes.filter {
      $0.at >= at - .minutes(12) && $0.at <= story.missed.at + .minutes(4)
        && $0.horizontalAccuracyMeters <= 100
    }
    let here = story.before.coordinate
    // The boundary and both circles, as far as they fit.
    var reach =
      here.distanceMeters(to: story.circle.centre) + min(story.circle.radiusMeters, 2_000)
    for region in (story.rival.regions + story.ours.regions) where region.kind == .safe {
      reach = max(reach, here.distanceMeters(to: region.centre) + min(region.radiusMeters, 3_000))
    }
    reach = min(max(reach * 1.1, 600), 12_000)
    var html = "<h2>One drive</h2>\n<p>" + escaped(tell(story)) + "</p>\n<div class=\"maps\">\n"
    for watcher in [story.rival, story.ours] {
      var map = DriveMap(middle: here, reachMeters: reach)
      map.addWay(near.map(\.coordinate), class: "way")
      // Below the circles: a region around just this boundary is what sees it.
      map.addCircle(story.circle.centre, radiusMeters: story.circle.radiusMeters, class: "missed")
      for region in watcher.regions {
        map.addCircle(region.centre, radiusMeters: region.radiusMeters, class: region.kind.rawValue)
      }
      for point in comparison.catalog.points { map.addPlace(point.coordinate, class: "poi") }
      for place in story.person.person.places { map.addPlace(place.coordinate, class: "place") }
      map.addPhone(here)
      let isRival = watcher.service.strategy == story.rival.service.strategy
      html +=
        "<figure>\(map.svg)<figcaption><b>\(watcher.service.strategy.rawValue)</b>: "
        + "\(watcher.regions.count) regions, " + (isRival ? "missed" : "found")
        + "</figcaption></figure>\n"
    }
    return html + "</div>\n" + key
  }

  private static func tell(_ story: Story) -> String {
    let name = (story.person.path as NSString).lastPathComponent
    let target = story.missed.poi.map { " (\($0))" } ?? ""
    let (rival, ours) = (story.rival.service, story.ours.service)
    return "\(name), \(RFC3339.format(story.missed.at)), \(rival.name.rawValue) with "
      + "\(rival.slots ?? 0) regions: the phone comes into \(story.missed.tier.name) of "
      + "\"\(story.missed.reminder)\"\(target). \(rival.strategy.rawValue) does not watch that "
      + "boundary and is inside its circle: it sleeps on. \(ours.strategy.rawValue) watches it. "
      + "Drawn are the regions that each had just before, around the phone."
  }

  /// The circle that was crossed.
  private static func boundary(
    _ missed: TransitionRecord,
    _ comparison: Comparison,
    _ person: ComparedPerson
  ) -> (centre: Coordinate, radiusMeters: Double)? {
    let centre: Coordinate
    var footprint = 0.0
    var arrival = comparison.policy.tiers.arrivalRadiusMeters
    if let poi = missed.poi, let i = comparison.catalog.index(ofSourceID: poi) {
      centre = comparison.catalog.points[i].coordinate
      footprint = comparison.catalog.points[i].footprintRadiusMeters
    } else {
      let reminder = person.person.reminders.first { $0.id == missed.reminder }
      guard case .place(let id)? = reminder?.target,
        let place = person.person.places.first(where: { $0.id == id })
      else { return nil }
      centre = place.coordinate
      arrival = place.arrivalRadiusMeters ?? arrival
    }
    if case .approach(let meters) = missed.tier { return (centre, meters) }
    let beyond = comparison.policy.fencing.arrivalBeyondFootprintMeters
    return (centre, footprint > 0 ? max(arrival, footprint + beyond) : arrival)
  }

  // MARK: Looks

  private static let key = """
    <p class="key"><span class="k enter"></span> wakes on coming in
    <span class="k exit"></span> wakes on going out
    <span class="k safe"></span> the circle at whose exit regions are chosen anew
    <span class="k missed"></span> the boundary that was crossed
    <span class="k phone"></span> the phone <span class="k poi"></span> places</p>

    """

  private static let style = """
    body{font:16px/1.5 system-ui,sans-serif;max-width:1240px;margin:2em auto;padding:0 1em;\
    color:#1d2530;background:#fff}
    .maps{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:1em}
    figure{margin:0}svg{width:100%;border:1px solid #c9d1da;background:#f6f8fa}
    svg text{font:13px system-ui,sans-serif;fill:#444}
    .way{fill:none;stroke:#57606a;stroke-width:2.5;stroke-linejoin:round}
    circle.poi{fill:#8c959f}circle.place{fill:#1d2530}
    circle.enter{fill:#2da44e12;stroke:#2da44e;stroke-width:1.2}
    circle.exit{fill:none;stroke:#0969da;stroke-width:1.2;stroke-dasharray:6 4}
    circle.safe{fill:#fb8f4412;stroke:#e16f24;stroke-width:2.5}
    circle.missed{fill:#cf222e1f;stroke:#cf222e;stroke-width:2.5}
    circle.phone{fill:#1d2530;stroke:#fff;stroke-width:2}
    .scale{stroke:#444;stroke-width:2}
    .k{display:inline-block;width:.9em;height:.9em;border-radius:50%;margin:0 .2em 0 1em;\
    vertical-align:-.1em;box-sizing:border-box}
    .k.enter{border:2px solid #2da44e}.k.exit{border:2px dashed #0969da}
    .k.safe{border:2px solid #e16f24}.k.missed{border:2px solid #cf222e;background:#cf222e1f}
    .k.phone{background:#1d2530}.k.poi{background:#8c959f}
    table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
    th,td{padding:.25em .7em;text-align:right;border-bottom:1px solid #e3e8ee;white-space:nowrap}
    th:nth-child(2),td:nth-child(2){text-align:left}
    tr.ours{font-weight:600;background:#fff8c5}
    .scroll{overflow-x:auto}footer{color:#57606a;font-size:14px;margin-top:2em}
    """

  private static func escaped(_ text: String) -> String { ComparisonTable.escaped(text) }
}
