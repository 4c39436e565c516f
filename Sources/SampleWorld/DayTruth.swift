import Basics
import Geodesy
import Simulation
import Timeline
import Traces

/// The truth of a day in the format of a `truth.json`: what a perfect observer would note.
struct DayTruth {
  private let day: ErrandDay
  private let fixes: [Fix]
  private let shops: [SampleMap.Listed]
  private let points: [SurfacePoint]

  init(_ day: ErrandDay, _ fixes: [Fix], _ map: SampleMap) {
    self.day = day
    self.fixes = fixes
    shops = map.listed
    points = day.moments.map { SurfacePoint($0.spot.coordinate) }
  }

  var node: JSONValue {
    let passes = shops.flatMap(passes)
    return .object([
      ("id", .string("errands")),
      ("person_kind", .string("commuter")),
      ("city", .string("port-ardent")),
      ("seed", .integer(Int(Receiver.seed))),
      ("noise_preset", .string("sample")),
      ("tz", .string(ReminderText.zone)),
      ("local_date", .string("2026-03-03")),
      ("start_utc", time(ErrandDay.start)),
      ("end_utc", time(ErrandDay.end)),
      ("sampling", sampling),
      ("quirks", .bool(false)),
      ("noise", noise),
      ("home", .object(position(Island.home))),
      ("work", .object(position(Island.work))),
      ("fixes", .object([("points", .integer(fixes.count))])),
      ("visits", .array(day.stays.compactMap(visit))),
      ("decoy_stops", .array(day.stays.compactMap(decoyStop))),
      ("drive_bys", .array(passes.filter { !$0.isNearStay }.map(\.node))),
      ("near_stays", .array(passes.filter(\.isNearStay).map(\.node))),
      ("stays", .array(day.stays.map(stay))),
      ("trips", .array(day.trips.map(trip))),
      ("gaps", .array(Receiver.gaps.map(gap))),
    ])
  }

  // MARK: Receiver

  private var sampling: JSONValue {
    .object([
      ("name", .string("\(Receiver.movingSeconds)s")),
      ("moving_s", .integer(Receiver.movingSeconds)),
      ("still_s", .integer(120)),
      ("constant", .bool(false)),
    ])
  }

  private var noise: JSONValue {
    let all = Receiver.Surroundings.allCases
    return .object([
      (
        "sigma_per_axis_m",
        .object(all.map { ($0.name, .number($0.sigmaMeters, digits: 1)) })
      ),
      ("tau_s", .object(all.map { ($0.name, .number($0.correlationSeconds, digits: 1)) })),
      ("white_m", .number(Receiver.whiteMeters, digits: 1)),
      ("settle_s", .integer(Receiver.settleSeconds)),
      ("speed", .string("zero at rest")),
    ])
  }

  private func gap(_ gap: Receiver.Gap) -> JSONValue {
    .object([
      ("start_utc", time(gap.start)), ("end_utc", time(gap.end)), ("reason", .string(gap.reason)),
    ])
  }

  // MARK: Stays

  private func stay(_ stay: ErrandDay.Stay) -> JSONValue {
    .object(
      [("kind", .string(stay.kind)), ("place_id", stay.shop.map(id) ?? .null)]
        + position(stay.spot)
        + [
          ("indoor", .bool(stay.isIndoors)),
          ("arrive_utc", time(stay.arrival)),
          ("leave_utc", time(stay.departure)),
        ]
    )
  }

  private func id(_ spot: Spot) -> JSONValue {
    listed(at: spot).map { .string($0.sourceID) } ?? .null
  }

  private func listed(at spot: Spot) -> SampleMap.Listed? {
    shops.first { $0.shop.spot == spot }
  }

  private func visit(_ stay: ErrandDay.Stay) -> JSONValue? {
    guard let spot = stay.shop, let place = listed(at: spot) else { return nil }
    let during = fixes.filter { fix in
      let second = Int(fix.at.milliseconds / 1_000)
      return (stay.arrival...stay.departure).contains(second)
    }
    let near = during.filter {
      SurfacePoint($0.coordinate).distanceMeters(to: place.point) <= 100
    }
    let seconds = stay.departure - stay.arrival
    let approaches = [("5mi", 5.0), ("3mi", 3.0), ("1mi", 1.0)]
      .map { (name, miles) in
        ("entered_\(name)_utc", entered(place, miles * 1_609.344, before: stay.arrival))
      }
    return .object(
      identity(place) + position(spot)
        + [
          ("stop_lat", .number(stay.spot.coordinate.latitude, digits: 7)),
          ("stop_lon", .number(stay.spot.coordinate.longitude, digits: 7)),
          ("stop_distance_m", .number(spot.distanceMeters(to: stay.spot), digits: 1)),
          ("arrive_utc", time(stay.arrival)),
          ("leave_utc", time(stay.departure)),
          ("dwell_s", .integer(seconds)),
          ("mode_in", .string("car")),
          ("indoor", .bool(stay.isIndoors)),
          ("under_5min", .bool(seconds < 300)),
        ] + approaches
        + [
          ("entered_100m_utc", entered(place, 100, before: stay.arrival)),
          ("left_100m_utc", left(place, 100, after: stay.arrival)),
          ("fixes_during", .integer(during.count)),
          ("fixes_within_100m_during", .integer(near.count)),
        ]
    )
  }

  private func decoyStop(_ stay: ErrandDay.Stay) -> JSONValue? {
    guard stay.kind == "kerb_wait" else { return nil }
    let point = SurfacePoint(stay.spot.coordinate)
    let nearest = shops.min {
      $0.point.distanceMeters(to: point) < $1.point.distanceMeters(to: point)
    }
    guard let nearest else { return nil }
    return .object(
      [
        ("near_place_id", .string(nearest.sourceID)),
        ("category", .string(nearest.shop.category ?? "")),
      ] + position(stay.spot)
        + [
          ("distance_m", .number(nearest.point.distanceMeters(to: point), digits: 1)),
          ("arrive_utc", time(stay.arrival)),
          ("leave_utc", time(stay.departure)),
        ]
    )
  }

  /// When the true path last came within a radius before an instant; null if it always was.
  private func entered(
    _ place: SampleMap.Listed,
    _ radiusMeters: Double,
    before second: Int
  ) -> JSONValue {
    let outside = day.moments.indices.last { index in
      day.moments[index].second < second
        && points[index].distanceMeters(to: place.point) > radiusMeters
    }
    guard let outside else { return .null }
    return time(day.moments[outside].second + day.moments[outside].seconds)
  }

  private func left(
    _ place: SampleMap.Listed,
    _ radiusMeters: Double,
    after second: Int
  ) -> JSONValue {
    let outside = day.moments.indices.first { index in
      day.moments[index].second > second
        && points[index].distanceMeters(to: place.point) > radiusMeters
    }
    return outside.map { time(day.moments[$0].second) } ?? .null
  }

  // MARK: Passes

  private struct Pass {
    let node: JSONValue
    let isNearStay: Bool
  }

  /// Every time that the true path came within 100 m of a shop outside a visit to it.
  private func passes(_ place: SampleMap.Listed) -> [Pass] {
    var passes: [Pass] = []
    var run: [Int] = []
    for index in points.indices {
      if points[index].distanceMeters(to: place.point) <= 100 {
        run.append(index)
      } else if !run.isEmpty {
        passes += pass(place, run)
        run = []
      }
    }
    return passes + (run.isEmpty ? [] : pass(place, run))
  }

  private func pass(_ place: SampleMap.Listed, _ run: [Int]) -> [Pass] {
    let from = day.moments[run[0]].second
    let last = day.moments[run[run.count - 1]]
    let to = last.second + last.seconds
    let stays = day.stays.filter { $0.arrival < to && $0.departure > from }
    guard !stays.contains(where: { $0.shop == place.shop.spot }) else { return [] }
    let closest = run.min {
      points[$0].distanceMeters(to: place.point) < points[$1].distanceMeters(to: place.point)
    }
    guard let closest else { return [] }
    let stopped = run.map { day.moments[$0] }.filter { $0.metersPerSecond < 0.5 }
    let moment = day.moments[closest]
    let end: (String, JSONValue) =
      stays.first.map { ("stay_kind", .string($0.kind)) }
      ?? ("mode", .string(moment.mode == .foot ? "foot" : "car"))
    let node = JSONValue.object(
      identity(place) + position(place.shop.spot)
        + [
          (
            "min_distance_m",
            .number(points[closest].distanceMeters(to: place.point), digits: 1)
          ),
          ("closest_utc", time(moment.second)),
          ("within_100m_from_utc", time(from)),
          ("within_100m_to_utc", time(to)),
          ("seconds_within_100m", .integer(to - from)),
          ("seconds_stopped_within_100m", .integer(stopped.reduce(0) { $0 + $1.seconds })),
          ("speed_at_closest_mps", .number(moment.metersPerSecond, digits: 1)),
          end,
        ]
    )
    return [Pass(node: node, isNearStay: !stays.isEmpty)]
  }

  // MARK: Parts

  private func trip(_ trip: ErrandDay.Trip) -> JSONValue {
    let stops = trip.stops.map { stop in
      JSONValue.object(
        [
          ("kind", .string(stop.stop.kind)), ("utc", time(stop.second)),
          ("wait_s", .integer(stop.stop.seconds)),
        ] + position(stop.spot)
      )
    }
    return .object([
      ("mode", .string("car")),
      ("depart_utc", time(trip.departure)),
      ("arrive_utc", time(trip.arrival)),
      ("distance_m", .number(trip.meters, digits: 0)),
      ("stops", .array(stops)),
    ])
  }

  private func identity(_ place: SampleMap.Listed) -> JSONValue.Members {
    [
      ("place_id", .string(place.sourceID)),
      ("osm_type", .string(place.type)),
      ("osm_id", .integer(Int(place.id))),
      ("category", .string(place.shop.category ?? "")),
      ("name", place.shop.name.map { .string($0) } ?? .null),
    ]
  }

  private func position(_ spot: Spot) -> JSONValue.Members {
    [
      ("lat", .number(spot.coordinate.latitude, digits: 7)),
      ("lon", .number(spot.coordinate.longitude, digits: 7)),
    ]
  }

  private func time(_ second: Int) -> JSONValue {
    .string(RFC3339.format(Timestamp(seconds: Int64(second))))
  }
}
