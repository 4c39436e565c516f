import Geodesy
import Timeline
import TraceDoctor
import Traces

/// Small drawn traces on a straight road east of 39°N 76°W.
enum Scene {
  static let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 39, longitude: -76))
  /// 2026-01-05T12:00:00Z.
  static let start = Timestamp(seconds: 1_767_614_400)

  static func record(
    second: Double,
    east: Double,
    north: Double = 0,
    accuracy: Double = 10,
    speed: Double? = nil,
    startsSegment: Bool = false
  ) -> TraceRecord {
    TraceRecord(
      outcome: .fix(
        Fix(
          at: start + Milliseconds(Int64((second * 1_000).rounded())),
          coordinate: plane.coordinate(eastMeters: east, northMeters: north),
          horizontalAccuracyMeters: accuracy,
          speedMetersPerSecond: speed
        )
      ),
      startsSegment: startsSegment,
      line: 0
    )
  }

  /// Letters in the order of the file.
  ///
  /// The letter is the second of the stamp and, times 10 m, the place on the road. Other signs are
  /// points that are no fixes.
  static func order(_ text: String) -> [TraceRecord] {
    var records: [TraceRecord] = []
    for sign in text {
      let refusal: FixRefusal? =
        switch sign {
        case "-": .noTime
        case "?": .badTime
        case "!": .badCoordinate
        case "#": .badNumber
        case "~": .invalidAccuracy
        default: nil
        }
      if let refusal {
        records.append(TraceRecord(outcome: .refused(refusal), line: 0))
      } else if let letter = sign.asciiValue {
        let second = Double(letter) - Double(UInt8(ascii: "a"))
        records.append(
          record(second: second, east: 10 * second, startsSegment: records.isEmpty)
        )
      }
    }
    return numbered(records)
  }

  /// A map: each column is an instant, the star's row is how far off the road it was.
  ///
  /// The lowest row is the road. Along the road each column is 10 m a second further, except where
  /// a `=` instead of a star says that the position did not change at all.
  static func map(
    _ drawing: String,
    secondsPerColumn: Double = 1,
    metersPerRow: Double = 500,
    accuracy: Double = 10,
    speed: Double? = nil
  ) -> [TraceRecord] {
    let rows = drawing.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    let width = rows.map(\.count).max() ?? 0
    var records: [TraceRecord] = []
    var east = 0.0
    for column in 0..<width {
      for (row, signs) in rows.enumerated() where column < signs.count && signs[column] != " " {
        if signs[column] != "=" { east = 10 * secondsPerColumn * Double(column) }
        records.append(
          record(
            second: secondsPerColumn * Double(column),
            east: east,
            north: metersPerRow * Double(rows.count - 1 - row),
            accuracy: accuracy,
            speed: speed,
            startsSegment: records.isEmpty
          )
        )
      }
    }
    return numbered(records)
  }

  /// Gives each point its line: ten after the header, one a point.
  static func numbered(_ records: [TraceRecord]) -> [TraceRecord] {
    var records = records
    for index in records.indices { records[index].line = index + 11 }
    return records
  }
}

/// What the doctor says of points.
func diagnose(_ records: [TraceRecord], _ settings: DoctorSettings = DoctorSettings()) -> Diagnosis
{
  var doctor = TraceDoctor(settings: settings, placesKept: 1_000)
  for record in records { doctor.examine(record) }
  return doctor.finish()
}

/// The findings as `kind first-last` with the numbers of their points, in the order of the kinds.
func found(_ diagnosis: Diagnosis, without kinds: Set<FindingKind> = []) -> [String] {
  diagnosis.findings.filter { !kinds.contains($0.kind) }
    .flatMap { tally in
      tally.places.isEmpty
        ? [tally.kind.rawValue]
        : tally.places.map { place in
          let (first, last) = (place.first.number, place.last.number)
          return tally.kind.rawValue + (first == last ? " \(first)" : " \(first)-\(last)")
        }
    }
}

func found(_ records: [TraceRecord]) -> [String] { found(diagnose(records)) }

/// The points of a repair as a reader would give them again.
func records(_ kept: [TraceRepair.Kept]) -> [TraceRecord] {
  Scene.numbered(
    kept.map {
      TraceRecord(
        outcome: .fix($0.fix),
        accuracySource: $0.accuracySource,
        startsSegment: $0.startsSegment,
        line: 0
      )
    }
  )
}

func repaired(
  _ points: [TraceRecord]
) -> (records: [TraceRecord], steps: [String]) {
  var repair = TraceRepair()
  for point in points { repair.add(point) }
  let (kept, steps) = repair.finish()
  return (records(kept), steps.map { "\($0.count) \($0.step.rawValue)" })
}
