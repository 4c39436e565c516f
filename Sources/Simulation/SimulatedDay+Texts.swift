import Basics
import Geodesy
import Places
import Streets
import Timeline
import Traces

/// A day as the files of a corpus.
extension SimulatedDay {
  // MARK: The trace

  /// What the phone saw as GPX 1.1, with accuracy, speed and course in a namespace of our own.
  package var gpx: String { Self.gpx(fixes, name) }

  /// For each fix how it erred.
  package var errors: String { Self.errors(fixes) }

  /// Where the person was: a row a second in motion and a row a minute at rest.
  package var truePath: String {
    var table = TruePathText()
    for moment in life.moments {
      table.add(
        second: moment.second,
        seconds: moment.seconds,
        area.streets.plane.coordinate(moment.point),
        metersPerSecond: moment.metersPerSecond,
        state: moment.state.rawValue + (moment.isTunnel ? "_tunnel" : "")
      )
    }
    return table.text
  }

  // MARK: The truth

  /// What really happened, as a truth file.
  package var truth: String {
    JSONValue.object([
      ("id", .string(name)),
      ("person", .string(life.person.name)),
      ("person_kind", .string(life.person.kind.rawValue)),
      ("day", .integer(day)),
      ("seed", .string(String(settings.seed))),
      ("noise_preset", .string(settings.isWhiteNoise ? "white" : settings.noise.rawValue)),
      ("tz", .string(settings.zone.identifier)),
      ("local_date", .string(localDate)),
      ("start_utc", time(life.start)),
      ("end_utc", time(life.end)),
      (
        "sampling",
        .object([
          ("name", .string(settings.phone?.rawValue ?? receiver.sampling.rawValue)),
          ("moving_s", .integer(receiver.sampling.movingSeconds)),
          ("constant", .bool(settings.hasConstantCadence)),
        ])
      ),
      ("noise", noiseNode),
      ("home", .object(position(life.person.home))),
      ("work", life.person.work.map { .object(position($0)) } ?? .null),
      ("fixes", fixCounts),
      ("visits", .array(visits.map(visit))),
      ("decoy_stops", .array(curbWaits.compactMap(decoyStop))),
      ("drive_bys", .array(driveBys.map(pass))),
      ("near_stays", .array(nearStays.map(pass))),
      ("stays", .array(life.stays.map(stay))),
      ("trips", .array(life.trips.map(trip))),
      (
        "gaps",
        .array(
          silences.map {
            .object([
              ("start_utc", time($0.start)), ("end_utc", time($0.end)),
              ("reason", .string($0.reason)),
            ])
          }
        )
      ),
    ])
    .document
  }

  /// A row for the index of the corpus, and its header.
  package static let indexHeader =
    "id,person,kind,local_date,start_utc,end_utc,sampling,noise,points,trips,km,visits,"
    + "visits_under_5min,decoy_stops,drive_bys,near_stays\n"

  package var indexRow: String {
    let km = life.trips.reduce(0) { $0 + $1.meters } / 1_000
    return [
      name, life.person.name, life.person.kind.rawValue, localDate, RFC3339.format(start),
      RFC3339.format(end), settings.phone?.rawValue ?? receiver.sampling.rawValue,
      settings.noise.rawValue, "\(fixes.count)",
      "\(life.trips.count)", fixed(km, 1), "\(visits.count)",
      "\(visits.count { $0.departure - $0.arrival < 300 })", "\(curbWaits.count)",
      "\(driveBys.count)", "\(nearStays.count)",
    ]
    .joined(separator: ",") + "\n"
  }

  private var localDate: String {
    let date = settings.zone.local(at: start).date
    return "\(date.year)-\(twoDigits(date.month))-\(twoDigits(date.day))"
  }

  private var noiseNode: JSONValue {
    let noise = receiver.noise
    func all(_ value: (NoiseModel.Errors) -> Double) -> JSONValue {
      .object(
        Surroundings.allCases.map { ($0.rawValue, .number(value(noise.errors($0)), digits: 2)) }
      )
    }
    return .object([
      ("sigma_per_axis_m", all(\.sigmaMeters)),
      ("tau_s", all { settings.isWhiteNoise ? 0 : $0.correlationSeconds }),
      ("glitches_per_hour", all(\.glitchesPerHour)),
      ("white_m", .number(noise.whiteMeters, digits: 1)),
      ("indoor_absent_share", .number(noise.indoorAbsentShare, digits: 2)),
      ("accuracy_lie_share", .number(noise.accuracyLieShare, digits: 3)),
      ("settle_s", .integer(receiver.settleSeconds)),
      ("speed", .string(receiver.speed.rawValue)),
    ])
  }

  private var fixCounts: JSONValue {
    func count(_ kind: SeenFix.Kind) -> JSONValue { .integer(fixes.count { $0.kind == kind }) }
    return .object([
      ("points", .integer(fixes.count)), ("outliers_honest", count(.honestOutlier)),
      ("outliers_lying", count(.lyingOutlier)), ("coarse", count(.coarse)),
      ("accuracy_lies", count(.accuracyLie)),
    ])
  }

  private func stay(_ stay: DayLife.Stay) -> JSONValue {
    .object(
      [
        ("kind", .string(stay.kind.rawValue)),
        ("place_id", stay.shop.map { .string(area.shops[$0].id) } ?? .null),
      ] + position(stay.point)
        + [
          ("indoor", .bool(stay.isIndoors)), ("arrive_utc", time(stay.arrival)),
          ("leave_utc", time(stay.departure)),
        ]
    )
  }

  private func visit(_ stay: DayLife.Stay) -> JSONValue {
    let index = stay.shop ?? 0
    let shop = area.shops[index]
    let seconds = stay.departure - stay.arrival
    let during = fixes.filter {
      (stay.arrival...stay.departure).contains(Int($0.fix.at.milliseconds / 1_000))
    }
    let near = during.filter { $0.fix.coordinate.distanceMeters(to: shop.coordinate) <= 100 }
    return .object(
      identity(index) + coordinate(shop.coordinate)
        + [
          ("stop_lat", degrees(plane.coordinate(stay.point).latitude)),
          ("stop_lon", degrees(plane.coordinate(stay.point).longitude)),
          ("stop_distance_m", .number(shop.point.distanceMeters(to: stay.point), digits: 1)),
          ("arrive_utc", time(stay.arrival)),
          ("leave_utc", time(stay.departure)),
          ("dwell_s", .integer(seconds)),
          ("mode_in", .string(stay.mode.rawValue)),
          ("indoor", .bool(stay.isIndoors)),
          ("under_5min", .bool(seconds < 300)),
        ]
        + [("5mi", 5.0), ("3mi", 3), ("1mi", 1)]
        .map { (name, miles) in
          ("entered_\(name)_utc", entered(shop, miles * 1_609.344, before: stay.arrival))
        }
        + [
          ("entered_100m_utc", entered(shop, Self.nearMeters, before: stay.arrival)),
          ("left_100m_utc", left(shop, Self.nearMeters, after: stay.arrival)),
          ("fixes_during", .integer(during.count)),
          ("fixes_within_100m_during", .integer(near.count)),
        ]
    )
  }

  private func decoyStop(_ stay: DayLife.Stay) -> JSONValue? {
    guard let index = area.shops(within: 120, of: stay.point).first else { return nil }
    let shop = area.shops[index]
    return .object(
      [
        ("near_place_id", .string(shop.id)), ("category", .string(shop.category.name)),
      ] + position(stay.point)
        + [
          ("distance_m", .number(shop.point.distanceMeters(to: stay.point), digits: 1)),
          ("arrive_utc", time(stay.arrival)), ("leave_utc", time(stay.departure)),
        ]
    )
  }

  /// When the true path last came within a radius before an instant; null if it always was.
  private func entered(
    _ shop: Neighborhood.Shop,
    _ meters: Double,
    before second: Int
  ) -> JSONValue {
    let outside = life.moments.last {
      $0.second < second && $0.point.distanceMeters(to: shop.point) > meters
    }
    return outside.map { time($0.second + $0.seconds) } ?? .null
  }

  private func left(_ shop: Neighborhood.Shop, _ meters: Double, after second: Int) -> JSONValue {
    let outside = life.moments.first {
      $0.second > second && $0.point.distanceMeters(to: shop.point) > meters
    }
    return outside.map { time($0.second) } ?? .null
  }

  private func pass(_ pass: Pass) -> JSONValue {
    .object(
      identity(pass.shop) + coordinate(area.shops[pass.shop].coordinate)
        + [
          ("min_distance_m", .number(pass.closestMeters, digits: 1)),
          ("closest_utc", time(pass.closest)),
          ("within_100m_from_utc", time(pass.from)),
          ("within_100m_to_utc", time(pass.to)),
          ("seconds_within_100m", .integer(pass.to - pass.from)),
          ("seconds_stopped_within_100m", .integer(pass.secondsStopped)),
          pass.stayKind.map { ("stay_kind", .string($0)) } ?? ("mode", .string(pass.mode)),
          ("speed_at_closest_mps", .number(pass.speedAtClosest, digits: 1)),
        ]
    )
  }

  private func trip(_ trip: DayLife.Trip) -> JSONValue {
    let stops = trip.stops.map { stop in
      JSONValue.object(
        [
          ("kind", .string(stop.kind)), ("utc", time(stop.second)),
          ("wait_s", .integer(stop.seconds)),
        ] + position(stop.point)
      )
    }
    return .object([
      ("mode", .string(trip.mode.rawValue)), ("depart_utc", time(trip.departure)),
      ("arrive_utc", time(trip.arrival)), ("distance_m", .number(trip.meters, digits: 0)),
      ("stops", .array(stops)),
    ])
  }

  private var plane: LocalPlane { area.streets.plane }

  private func identity(_ index: Int) -> JSONValue.Members {
    let shop = area.shops[index]
    return [
      ("place_id", .string(shop.id)), ("category", .string(shop.category.name)),
      ("name", shop.name.map { .string($0) } ?? .null),
    ]
  }

  private func position(_ point: PlanePoint) -> JSONValue.Members {
    coordinate(plane.coordinate(point))
  }

  private func coordinate(_ coordinate: Coordinate) -> JSONValue.Members {
    [("lat", degrees(coordinate.latitude)), ("lon", degrees(coordinate.longitude))]
  }

  private func degrees(_ value: Double) -> JSONValue { .number(value, digits: 7) }

  private func time(_ second: Int) -> JSONValue {
    .string(RFC3339.format(Timestamp(seconds: Int64(second))))
  }
}
