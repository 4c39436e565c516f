import ByteStreams
import Foundation
import Geodesy
import TestSupport
import Testing
import Timeline
import TraceDoctor
import TraceFiles
import Traces

/// The doctor on the larger data beside the checkout; `docs/trace-doctor.md` tells what it found.
@Suite(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
struct SharedDataTests {
  // MARK: - The person-days

  @Test func `the ways without noise are clean`() throws {
    let days = try files("corpus-dev", ".true.csv.gz") + files("corpus-dev-wide", ".true.csv.gz")
    #expect(days.count == 80)
    for day in days {
      let diagnosis = diagnose(Scene.numbered(try truth(day).map(\.record)))
      #expect(!diagnosis.isDistorted(), "\(day.lastPathComponent): \(diagnosis.summaryLine)")
      #expect(
        found(diagnosis, without: [.heldPosition, .silence, .cadenceChange]).isEmpty,
        "\(day.lastPathComponent): \(diagnosis.summaryLine)"
      )
    }
  }

  @Test func `what distorts a day are bursts of multipath, and nothing else`() throws {
    var distorted: [String] = []
    var teleports = 0
    for day in try days() {
      let records = try read(day)
      let diagnosis = diagnose(records)
      guard diagnosis.isDistorted() else { continue }
      distorted.append(name(day))
      #expect(!diagnosis.isDistorted(allowing: [.teleport]), "\(name(day))")
      let errors = try trueErrors(day)
      for place in diagnosis.tally(.teleport).places {
        teleports += 1
        for number in place.first.number...place.last.number {
          let fix = try #require(records[number - 1].fix)
          let error = try #require(errors[fix.at.milliseconds], "\(name(day)) \(number)")
          #expect(error > fix.horizontalAccuracyMeters, "\(name(day)) \(number)")
        }
      }
      let repaired = repaired(records)
      #expect(!diagnose(repaired.records).isDistorted(), "\(name(day))")
    }
    #expect(
      distorted == [
        "p06-d2", "p13-d1", "p17-d4", "p23-d3", "p24-d1", "p25-d2", "p27-d1", "p27-d2", "p28-d1",
        "p31-d2", "vi-p01-d1", "vi-p08-d1", "vi-p10-d1",
      ]
    )
    #expect(teleports == 25)
  }

  @Test func `the pairs that the simulator swapped and doubled are found`() throws {
    var counts: [FindingKind: Int] = [:]
    for day in try days() {
      for tally in diagnose(try read(day)).findings {
        counts[tally.kind, default: 0] += tally.count
      }
    }
    #expect(counts[.swappedPoints] == 27)
    #expect(counts[.duplicateFix] == 38)
    #expect(counts[.duplicateStamp] == nil)
    #expect(counts[.timeReversal] == nil)
    #expect(counts[.gap] == nil)
  }

  @Test func `claims of accuracy are told from claims that are too small`() throws {
    var judged: [String] = []
    for divisor in [1.0, 2, 3, 4] {
      var ratios: [Double] = []
      var tooSmall = 0
      for day in try days() {
        let records = try read(day)
          .map { record in
            var record = record
            record.change { $0.horizontalAccuracyMeters /= divisor }
            return record
          }
        let judgment = diagnose(records).accuracy[0]
        guard judgment.verdict != .tooFewRests, let ratio = judgment.scatterByClaim else {
          continue
        }
        ratios.append(ratio)
        if judgment.verdict == .tooSmall { tooSmall += 1 }
      }
      ratios.sort()
      let quantiles = [0, 0.5, 1].map { ratios[Int($0 * Double(ratios.count - 1))] }
      judged.append(
        "÷\(Int(divisor)): \(tooSmall) of \(ratios.count), "
          + quantiles.map { "\(($0 * 100).rounded() / 100)" }.joined(separator: " ")
      )
    }
    #expect(
      judged == [
        "÷1: 0 of 55, 0.23 0.71 1.14", "÷2: 8 of 55, 0.46 1.42 2.28",
        "÷3: 46 of 55, 0.68 2.09 3.41", "÷4: 51 of 55, 0.91 2.84 4.56",
      ]
    )
  }

  @Test func `after a silence, 200 m tell whether the phone was elsewhere meanwhile`() throws {
    // How many silences there are, and in how many the true way left both ends by more than 100 m.
    var near = (all: 0, away: 0)
    var far = (all: 0, away: 0)
    for day in try days() {
      let way = try truth(
        URL(fileURLWithPath: day.path.replacingOccurrences(of: ".gpx.gz", with: ".true.csv.gz"))
      )
      let fixes = try read(day).compactMap(\.fix).sorted { $0.at < $1.at }
      for (before, after) in zip(fixes, fixes.dropFirst())
      where after.at - before.at > DoctorSettings().silence {
        let (start, end) = (SurfacePoint(before.coordinate), SurfacePoint(after.coordinate))
        let wasAway = way.contains { fix in
          guard fix.at >= before.at, fix.at <= after.at else { return false }
          let here = SurfacePoint(fix.coordinate)
          return min(here.distanceMeters(to: start), here.distanceMeters(to: end)) > 100
        }
        if start.distanceMeters(to: end) > DoctorSettings().movedMeters {
          far.all += 1
          far.away += wasAway ? 1 : 0
        } else {
          near.all += 1
          near.away += wasAway ? 1 : 0
        }
      }
    }
    #expect(near == (1_043, 7))
    #expect(far == (28, 24))
  }

  // MARK: - Other people's traces

  @Test(arguments: ["traces-real", "gpx-odd"])
  func `real traces have the faults that are known`(_ folder: String) throws {
    var seen: [String: String] = [:]
    for file in try files(folder, ".gpx") {
      let records = try read(file)
      let diagnosis = diagnose(records)
      if diagnosis.fixes > 0, diagnosis.isDistorted() {
        seen[file.lastPathComponent] =
          diagnosis.findings.filter { $0.kind.severity == .distorts }
          .map { "\($0.count) \($0.kind.rawValue)" }
          .joined(separator: ", ")
      }
      let once = repaired(records)
      #expect(Set(once.records.compactMap(\.fix)).isSubset(of: records.compactMap(\.fix)))
      let twice = repaired(once.records)
      #expect(twice.records == once.records, "\(file.lastPathComponent)")
      #expect(twice.steps.isEmpty, "\(file.lastPathComponent)")
      if let left = Self.incurable[file.lastPathComponent] {
        #expect(diagnose(once.records).isDistorted(), "\(file.lastPathComponent): \(left)")
      } else {
        #expect(!diagnose(once.records).isDistorted(), "\(file.lastPathComponent)")
      }
    }
    #expect(seen == Self.faults[folder])
  }

  private static let incurable = [
    "GPXTest-TrackPointOnly.gpx": "a train's jumps, with good fixes on both sides",
    "kalman_seen_track.gpx": "a jump of 292 m in a second, with good fixes on both sides",
    "mtk_logger_m241_multiple_tracks.gpx": "565 m in 5 s, with good fixes on both sides",
    "Mojstrovka.gpx": "all of it is dated 1901", "bigtime.gpx": "dated 1901 and 4763",
    "test1.gpx": "all of it is dated 1970", "test2.gpx": "all of it is dated 1970",
  ]

  private static let faults = [
    "traces-real": [
      "x0001-001.gpx": "1 stuck",
      "1372662421620000304.gpx": "1 teleport",
      "1372663871620000085.gpx": "1 teleport",
      "GPXTest-TrackPointOnly.gpx": "24 two_places_at_once, 6 teleport, 1 impossible_speed",
      "garmin_xt_strk.gpx": "1 time_reversal",
      "kalman_seen_track.gpx": "1 impossible_speed",
      "mtk_logger_m241_multiple_tracks.gpx": "1 impossible_speed, 2 gap",
      "skytraq-realdata.gpx": "1 gap",
    ],
    "gpx-odd": [
      "wptError.gpx": "1 bad_coordinate",
      "gpx_track_multiple_tracks.gpx": "1 gap",
      "bigtime.gpx": "1 implausible_date, 1 gap",
      "bngtest.gpx": "1 two_places_at_once",
      "dg-388.gpx": "1 gap",
      "dusky.gpx": "2 gap",
      "expertgps.gpx": "1 gap",
      "kalman_complex_zinger_in.gpx": "1 teleport",
      "kalman_hyper_realistic_in.gpx": "1 time_reversal, 4 two_places_at_once",
      "osm-data.gpx": "3 time_reversal, 2 two_places_at_once, 1 gap",
      "Mojstrovka.gpx": "1 implausible_date, 155 two_places_at_once",
      "cerknicko-jezero-without-elevations.gpx": "1 missing_time",
      "cerknicko-without-times.gpx": "291 missing_time",
      "first_and_last_elevation.gpx": "1 time_reversal, 1 gap",
      "korita-zbevnica.gpx": "358 missing_time",
      "issue-13.gpx": "12 two_places_at_once",
      "test1.gpx": "1 implausible_date",
      "test2.gpx": "1 implausible_date",
      "dst-fold-new-york.gpx": "1 time_reversal, 1 two_places_at_once, 1 gap",
      "lat-bad-number.gpx": "5 unreadable_number",
      "lat-out-of-range.gpx": "4 bad_coordinate",
      "null-island.gpx": "2 null_island",
      "time-order.gpx": "1 time_reversal",
      "times-bad.gpx": "1 missing_time, 7 unreadable_time, 1 implausible_date, 1 time_reversal",
      "blue_hills.gpx": "1 time_reversal",
      "opencpn.gpx": "1 teleport",
      "osm.gpx": "245 missing_time",
      "strava.gpx": "2 gap",
    ],
  ]

  // MARK: - Reading

  private func files(_ folder: String, _ ending: String) throws -> [URL] {
    let root = try #require(SharedData.folder).appendingPathComponent(folder)
    let names = FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String] ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted().map { root.appendingPathComponent($0) }
  }

  private func days() throws -> [URL] {
    try files("corpus-dev", ".gpx.gz") + files("corpus-dev-wide", ".gpx.gz")
  }

  private func name(_ day: URL) -> String {
    String(day.lastPathComponent.prefix { $0 != "." })
  }

  /// The points up to the end of the file, or up to where it breaks off.
  private func read(_ url: URL) throws -> [TraceRecord] {
    var records: [TraceRecord] = []
    do throws(TraceError) {
      let reader = try TraceReader(path: url.path)
      while true {
        let batch = try reader.nextBatch()
        if batch.isEmpty { break }
        records += batch
      }
    } catch {
      #expect(error.code != .missing)
    }
    return records
  }

  /// The way without noise; a line of the file as a fix that claims 5 m.
  private func truth(_ url: URL) throws -> [Fix] {
    try rows(url)
      .map { fields in
        let second = try #require(Double(fields[0]))
        return Fix(
          at: Timestamp(milliseconds: Int64((second * 1_000).rounded())),
          coordinate: try Coordinate(
            latitude: #require(Double(fields[1])),
            longitude: #require(Double(fields[2]))
          ),
          horizontalAccuracyMeters: 5,
          speedMetersPerSecond: Double(fields[3])
        )
      }
  }

  /// How far off each fix of a day was, by its instant.
  private func trueErrors(_ day: URL) throws -> [Int64: Double] {
    let path = day.path.replacingOccurrences(of: ".gpx.gz", with: ".fixes.csv.gz")
    var errors: [Int64: Double] = [:]
    for fields in try rows(URL(fileURLWithPath: path)) {
      let second = try #require(Double(fields[0]))
      let meters = try #require(Double(fields[4]))
      errors[Int64((second * 1_000).rounded())] = meters
    }
    return errors
  }

  /// The rows of a packed CSV file without quotes, after its header.
  private func rows(_ url: URL) throws -> [[Substring]] {
    let stream = try ByteStream(path: url.path)
    var bytes: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { piece.deallocate() }
    while true {
      let count = try stream.fill(piece)
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
  }
}

extension Fix {
  fileprivate var record: TraceRecord { TraceRecord(outcome: .fix(self), line: 0) }
}
