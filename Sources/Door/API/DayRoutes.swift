import Basics
import Foundation
import Geodesy
import HTTPTypes
import NearMeEngine
import Places
import Timeline
import UserStore

/// A day of a person: the way as far as it is known, stays, and what was said or kept quiet.
struct DayRoutes: Sendable {
  let side: PersonSide

  /// So many decisions of a day are told at most, the newest.
  private static let mostDecisions = 500
  /// A stay so far from a place of one's own is at it: as far as fixes wander.
  private static let nearPlaceMeters = 150.0
  /// A stay so far from a point of interest is told by it: next door is as good for a diary.
  private static let nearPointMeters = 80.0

  var routes: [APIRoute] {
    [APIRoute(method: .get, path: "/day", scope: .read, handler: day)]
  }

  private func day(_ call: APICall) async throws -> APIReply {
    let zone = side.zone(try side.settings(of: call.person))
    let today = zone.local(at: call.now).date
    let date = try call.text("date", most: 10).map(Self.date) ?? today
    let start = zone.instant(of: date, minuteOfDay: 0)
    let end = zone.instant(
      of: CivilDate(daysSinceEpoch: date.daysSinceEpoch + 1),
      minuteOfDay: 0
    )
    let desk = side.household.desk(call.person)
    let (rows, places, titles) = try await desk.look { store, _, _ in
      let rows = try Self.decisions(store, from: start, before: end)
      let known = try store.reminders(withIDs: Set(rows.map(\.decision.reminder)).sorted())
      return (rows, try store.places(), known.map { ($0.id, $0.title) })
    }
    let way = await desk.way
    var json = JSONText()
    json.add("date", Self.text(date))
    json.add("zone", zone.identifier)
    json.add("start", RFC3339.format(start))
    json.add("end", RFC3339.format(end))
    json.add("track", json: Self.track(way.points(from: start, before: end), from: start))
    json.add("stays", objects: way.stays(from: start, before: end)) { stay, object in
      let own = Self.place(of: stay, places)
      object.add("from", RFC3339.format(stay.from))
      object.add("until", RFC3339.format(stay.until))
      object.add("lat", stay.coordinate.latitude, digits: 6)
      object.add("lon", stay.coordinate.longitude, digits: 6)
      object.add("place", own?.name)
      object.add("near", own == nil ? pointName(near: stay.coordinate) : nil)
    }
    let names = Dictionary(titles, uniquingKeysWith: { one, _ in one })
    json.add(
      "decisions",
      json: JSONText.array(
        rows.map { HappeningRoutes.json($0.serial, $0.decision, names) }
      )
    )
    return APIReply(json: json.closed)
  }

  /// The columns of the day view's `track` that a door knows.
  private static func track(_ points: [DayWay.Point], from start: Timestamp) -> String {
    var (at, latitude, longitude) = ([Int64](), [Int32](), [Int32]())
    var last: (at: Int64, latitude: Int32, longitude: Int32) = (0, 0, 0)
    for point in points {
      let millis = (point.at - start).value
      at.append(millis - last.at)
      latitude.append(point.latitude - last.latitude)
      longitude.append(point.longitude - last.longitude)
      last = (millis, point.latitude, point.longitude)
    }
    var json = JSONText()
    json.add("unitMilliseconds", 1)
    json.add("at", json: JSONText.array(at.map { "\($0)" }))
    json.add("latitude", json: JSONText.array(latitude.map { "\($0)" }))
    json.add("longitude", json: JSONText.array(longitude.map { "\($0)" }))
    return json.closed
  }

  /// Those of a day, the newest first.
  ///
  /// The store has them in the order in which they were made, and positions that came late are decided late.
  private static func decisions(
    _ store: UserStore,
    from start: Timestamp,
    before end: Timestamp
  ) throws -> [(serial: Int64, decision: StoredDecision)] {
    var found: [(serial: Int64, decision: StoredDecision)] = []
    var last: Int64?
    while found.count < mostDecisions {
      let page = try store.decisions(before: last, of: nil, limit: mostDecisions)
      found += page.filter { $0.decision.at >= start && $0.decision.at < end }
      guard page.count == mostDecisions, page.contains(where: { $0.decision.at >= start }) else {
        break
      }
      last = page.last?.serial
    }
    found.sort { ($0.decision.at, $0.serial) > ($1.decision.at, $1.serial) }
    return Array(found.prefix(mostDecisions))
  }

  /// The nearest point that has a name.
  private func pointName(near coordinate: Coordinate) -> String? {
    let found = side.points.find(
      near: coordinate,
      radiusMeters: Self.nearPointMeters,
      category: nil,
      limit: 5
    )
    return found.lazy.compactMap(\.point.name).first
  }

  private static func place(of stay: DayWay.Stay, _ places: [Place]) -> Place? {
    let near = places.map { ($0, $0.coordinate.distanceMeters(to: stay.coordinate)) }
      .filter { $0.1 <= max(nearPlaceMeters, $0.0.arrivalRadiusMeters ?? 0) }
    return near.min { ($0.1, $0.0.id) < ($1.1, $1.0.id) }?.0
  }

  // MARK: Dates

  /// A date such as 2026-11-23.
  private static func date(_ text: String) throws(APIRefusal) -> CivilDate {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      (1970...2200).contains(year), let date = CivilDate(year: year, month: month, day: day)
    else { throw .badQuery("date", "must be a date such as 2026-11-23") }
    return date
  }

  private static func text(_ date: CivilDate) -> String {
    let digits = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
    return "\(date.year)-\(digits(date.month))-\(digits(date.day))"
  }
}
