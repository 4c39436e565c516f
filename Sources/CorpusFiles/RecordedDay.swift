import Basics
import ByteStreams
import Foundation
import Geodesy
import Places
import Scoring
import Simulation
import Timeline

/// A person-day of a corpus, seen anew by another phone: what happened is as it was.
package struct RecordedDay: Sendable {
  /// The day's name.
  package let name: String
  /// How many fixes the phone told.
  package let fixCount: Int
  /// Whether places were visited and the catalog has none of them: it may be that of another town.
  package let isElsewhere: Bool
  let trace: [UInt8]
  let errors: [UInt8]
  let truth: [UInt8]
  /// The file of the true path, which is copied.
  let path: [UInt8]

  /// Records a day.
  ///
  /// - Parameter catalog: the places of its town; where they crowd, houses stand close.
  /// - Throws: ``CorpusError``, also for a recording, whose true path nobody knows.
  package init(
    _ day: CorpusFolder.Day,
    by phone: Phone,
    seed: UInt64,
    catalog: POICatalog
  ) throws(CorpusError) {
    let bytes = try PackedFile.read(day.truth)
    let file = try TruthFile(bytes, file: day.truth)
    guard let source = day.path else {
      throw CorpusError(
        .unfit,
        day.truth,
        "nobody knows its true path, so no other phone can see it: take the day out of the folder"
      )
    }
    let table = try PackedFile.read(source)
    let rows = try PathFile.parse(table, source).rows
    let recording = Recording(
      ReceiverPath(rows, of: file.truth, in: catalog),
      name: day.name,
      by: phone,
      seed: seed
    )
    let visited = file.truth.visits.map(\.poi)
    isElsewhere = !visited.isEmpty && !visited.contains { catalog.index(ofSourceID: $0) != nil }
    name = day.name
    fixCount = recording.fixes.count
    trace = Compression.gzip(Array(recording.gpx.utf8))
    errors = Compression.gzip(Array(recording.errors.utf8))
    path = Compression.gzip(table)
    truth = try Self.truth(bytes, path: day.truth, phone, recording)
  }

  /// The same truth, but for what the phone has made of it.
  private static func truth(
    _ bytes: [UInt8],
    path: String,
    _ phone: Phone,
    _ recording: Recording
  ) throws(CorpusError) -> [UInt8] {
    guard
      var document = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    else { throw CorpusError(.malformed, path, "it is no JSON object: make or copy it again") }
    document["sampling"] = ["name": phone.rawValue]
    document["noise_preset"] = phone.rawValue
    document["noise"] = ["speed": phone.rawValue]
    document["fixes"] = ["points": recording.fixes.count]
    document["gaps"] = recording.silences.map { gap in
      [
        "start_utc": RFC3339.format(gap.start), "end_utc": RFC3339.format(gap.end),
        "reason": gap.reason,
      ]
    }
    if let visits = document["visits"] as? [[String: Any]] {
      // They tell of the fixes of the phone before.
      document["visits"] = visits.map { visit in
        visit.filter { !$0.key.hasPrefix("fixes_") }
      }
    }
    do {
      return [UInt8](
        try JSONSerialization.data(
          withJSONObject: document,
          options: [.sortedKeys, .prettyPrinted]
        )
      )
    } catch {
      throw CorpusError(.malformed, path, "it cannot be written again: \(error)")
    }
  }
}

extension ReceiverPath {
  /// The true path of a day, second by second.
  ///
  /// Indoors is where the truth has a stay indoors. Houses stand close where two places lie within
  /// 250 m, as in the simulation.
  ///
  /// - Parameter rows: at least one, in order of time.
  init(_ rows: [TruePath.Row], of truth: DayTruth, in catalog: POICatalog) {
    let plane = LocalPlane(origin: rows[0].coordinate)
    let points = rows.map { row in
      let (east, north) = plane.project(row.coordinate)
      return PlanePoint(east, north)
    }
    let seconds = rows.map { Int(($0.at.milliseconds + 999) / 1_000) }
    var moments: [Moment] = []
    for i in rows.indices.dropLast() where seconds[i + 1] > seconds[i] {
      let (a, b) = (points[i], points[i + 1])
      let span = (rows[i + 1].at - rows[i].at).seconds
      let speeds = (rows[i].speedMetersPerSecond, rows[i + 1].speedMetersPerSecond)
      let isAtRest = a.distanceMeters(to: b) < 0.01 && speeds.0 == 0 && speeds.1 == 0
      let course = courseDegrees(eastMeters: b.east - a.east, northMeters: b.north - a.north)
      let step = isAtRest ? seconds[i + 1] - seconds[i] : 1
      for second in stride(from: seconds[i], to: seconds[i + 1], by: step) {
        let share = min(max((Timestamp(seconds: Int64(second)) - rows[i].at).seconds / span, 0), 1)
        let point = a.toward(b, share: share)
        let at = Timestamp(seconds: Int64(second))
        let stay = truth.stays.last { $0.arrive <= at && at < $0.leave }
        moments.append(
          Moment(
            second: second,
            seconds: step,
            point: point,
            metersPerSecond: speeds.0 + (speeds.1 - speeds.0) * share,
            courseDegrees: course,
            surroundings: stay?.isIndoors ?? false
              ? .indoor
              : catalog.isCrowded(
                plane.coordinate(eastMeters: point.east, northMeters: point.north)
              ) ? .urban : .open,
            isTunnel: truth.gaps.contains {
              $0.reason == "tunnel" && $0.start <= at && at < $0.end
            },
            isAtBase: stay?.kind == "home" || stay?.kind == "work"
          )
        )
      }
    }
    self.init(
      start: seconds[0],
      end: seconds[seconds.count - 1],
      moments: moments,
      plane: plane
    )
  }
}

extension POICatalog {
  /// Whether two places lie within 250 m.
  fileprivate func isCrowded(_ coordinate: Coordinate) -> Bool {
    let point = SurfacePoint(coordinate)
    var count = 0
    for slot in categories.indices {
      forEach(slot: slot, withinMeters: 250, of: point) { _ in count += 1 }
      if count >= 2 { return true }
    }
    return false
  }
}
