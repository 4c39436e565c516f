import Foundation
import Geodesy
import TestSupport
import Testing
import Timeline
import Traces

import TraceFiles

/// Other people's files that are not GPX, against what GPSBabel 1.8 and the files themselves say.
@Suite(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
struct OddFilesTests {
  @Test(arguments: OddFile.all)
  func `every file that is not GPX has the points that another reader finds`(file: OddFile) throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("gpx-odd")
    let reading = Reading(path: folder.appendingPathComponent(file.name).path)
    #expect(reading.fixes.count == file.fixes, "\(file.name): \(String(describing: reading.error))")
    #expect(reading.refusals == file.refusals, "\(file.name)")
    #expect(reading.error?.code == file.error, "\(file.name): \(String(describing: reading.error))")
    if reading.error == nil { #expect(reading.report?.format == file.format, "\(file.name)") }
  }

  @Test func `no file of the collection is left out`() throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("gpx-odd")
    let names = try #require(FileManager.default.enumerator(atPath: folder.path))
      .compactMap { $0 as? String }
      .filter {
        $0.contains("/") && $0.contains(".") && !$0.hasSuffix(".gpx") && !$0.hasSuffix(".tsv")
      }
    #expect(Set(names) == Set(OddFile.all.map(\.name)))
  }

  @Test func `what a receiver, a watch and a glider recorded is where GPSBabel puts it`() throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("gpx-odd")
    // The first or the last fix, to the last digit that GPSBabel prints.
    let known: [(name: String, time: String, latitude: Double, longitude: Double)] = [
      ("gpsbabel/backfilldate2.nmea", "2019-03-08T23:56:00Z", 50.224600, 17.174617),
      ("gpsbabel/backfilldate2.nmea", "2019-03-08T23:59:59Z", 50.224967, 17.165767),
      ("gpsbabel/addmultipledaysbkw.nmea", "2019-03-08T22:00:00Z", 50.224600, 17.174617),
      ("gpsbabel/addmultipledaysbkw.nmea", "2019-03-10T01:00:00Z", 50.224600, 17.174617),
      ("gpsbabel/igc2.igc", "2001-07-16T16:02:40Z", 54.118683, -2.822367),
      ("gpsbabel/igc2.igc", "2001-07-16T16:02:52Z", 51.122167, -1.818783),
      ("gpsbabel/fit-sample.fit", "2011-05-02T08:30:54Z", 53.744833, -1.449245),
      ("gpsbabel/fit-sample.fit", "2011-05-02T09:17:44Z", 53.744836, -1.449051),
      ("gpsbabel/garmin-forerunner-10.fit", "2013-06-13T04:24:51Z", 52.427265, 13.313979),
      ("fittrackee/apple_watch.fit", "2022-10-14T22:16:21Z", 47.622963, -122.355022),
      ("togeojson/tour_hr.tcx", "2020-12-27T15:07:19Z", 47.389103, 8.468469),
      ("gpsbabel/google_ext.kml", "2014-05-25T20:13:09Z", 30.227217, -97.897160),
      ("togeojson/gxmultitrack.kml", "2014-04-12T14:27:24.638Z", -40.139577, -71.324879),
    ]
    for (name, time, latitude, longitude) in known {
      let fixes = Reading(path: folder.appendingPathComponent(name).path).fixes
      let found = [fixes.first, fixes.last].compactMap { $0 }
        .contains { fix in
          let north = abs(fix.coordinate.latitude - latitude)
          let east = abs(fix.coordinate.longitude - longitude)
          return fix.at == RFC3339.parse(time) && max(north, east) < 6e-7
        }
      #expect(found, "\(name): \(time)")
    }
  }

  @Test func `each file of an archive can be named`() throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("gpx-odd/fittrackee")
    func read(_ name: String) -> Reading { Reading(path: folder.appendingPathComponent(name).path) }
    #expect(read("gpx_test.zip/test_1.gpx").fixes.count > 0)
    #expect(read("gpx_test.zip/absent.gpx").error?.code == .missing)
    #expect(read("apple_watch.fit/absent.gpx").error?.code == .missing)
    let several = try #require(read("gpx_test.zip").error)
    #expect(several.description.contains("test_1.gpx, test_2.gpx, test_3.gpx"))
    #expect(several.description.contains("gpx_test.zip/test_1.gpx"))
  }
}

/// What is known of a file of `gpx-odd` that is no GPX.
///
/// GPSBabel 1.8 finds as many points with a time in each of its own formats, NMEA, IGC, TCX, KML and
/// FIT, except where a comment says why not. Those of OwnTracks were counted apart. The other JSON and CSV
/// files are read a second time by `scripts/peers/odd_points.py`, with Python's own readers; it finds the
/// same instants and coordinates in all 29.
struct OddFile: CustomTestStringConvertible, Sendable {
  let name: String
  let format: TraceFormat?
  let fixes: Int
  var refusals: [String] = []
  var error: TraceError.Code?

  var testDescription: String { name }

  init(
    _ name: String,
    _ format: TraceFormat?,
    _ fixes: Int,
    _ refusals: [String] = [],
    _ error: TraceError.Code? = nil
  ) {
    self.name = name
    self.format = format
    self.fixes = fixes
    self.refusals = refusals
    self.error = error
  }

  static let all: [OddFile] = [
    OddFile("dawarich/csv/e7_integers.csv", .csv, 3),
    OddFile("dawarich/csv/gpslogger.csv", .csv, 3),
    OddFile("dawarich/csv/nsew_suffixes.csv", .csv, 3),
    OddFile("dawarich/csv/quoted_headers.csv", .csv, 2),
    OddFile("dawarich/csv/semicolon_eu.csv", .csv, 3),
    OddFile("dawarich/csv/unix_timestamps.csv", .csv, 3),
    OddFile("dawarich/geojson/export.json", .geojson, 10),
    OddFile("dawarich/geojson/export_same_points.json", .geojson, 10),
    OddFile("dawarich/geojson/google_takeout_example.json", .geojson, 1),
    OddFile("dawarich/geojson/gpslogger_example.json", .geojson, 1),
    OddFile("dawarich/geojson/various_fields.geojson", .geojson, 3),
    OddFile("dawarich/points/geojson_example.json", .overland, 6),
    // It describes telephones and has no position.
    OddFile("dawarich/google/edge_cases/device_settings.json", nil, 0, [], .notATrace),
    OddFile("dawarich/google/edge_cases/phone_takeout_array_timeline_path.json", .google, 3),
    OddFile("dawarich/google/edge_cases/semantic_history_with_bom.json", .google, 2),
    // A raw signal of an edit, and nothing that it would summarize.
    OddFile("dawarich/google/edge_cases/timeline_edits.json", .google, 1),
    // A visit has a fix at its start and one at its end.
    OddFile("dawarich/google/location-history.json", .google, 12),
    OddFile("\(history)activitySegment_with_startLocation_timestampMs.json", .google, 1),
    OddFile(
      "\(history)activitySegment_with_startLocation_timestamp_in_seconds_format.json",
      .google,
      1
    ),
    OddFile(
      "\(history)placeVisit_with_location_with_coordinates_with_iso_timestamp.json",
      .google,
      1
    ),
    OddFile(
      "\(history)placeVisit_without_location_with_coordinates_with_otherCandidateLocations.json",
      .google,
      1
    ),
    // Two points of a path, and a visit; the raw signals repeat them.
    OddFile("dawarich/google/phone-takeout_w_3_duplicates.json", .google, 4),
    OddFile("dawarich/google/records.json", .google, 3),
    OddFile("dawarich/google/semantic_history.json", .google, 6),
    OddFile("dawarich/google/timeline_new_format.json", .google, 6),
    OddFile("dawarich/kml/extended_data.kml", .kml, 1),
    OddFile("dawarich/kml/gx_track.kml", .kml, 4),
    OddFile("dawarich/kml/invalid_coordinates.kml", .kml, 0, ["bad_coordinate:2"]),
    // One time for a line of ten: only its first point was surely there then.
    OddFile("dawarich/kml/large_track.kml", .kml, 2, ["no_time:18"]),
    OddFile("dawarich/kml/linestring_track.kml", .kml, 1, ["no_time:4"]),
    OddFile("dawarich/kml/multigeometry.kml", .kml, 1, ["no_time:5"]),
    OddFile("dawarich/kml/nested_folders.kml", .kml, 4),
    OddFile("dawarich/kml/points_with_timestamps.kml", .kml, 3),
    OddFile("dawarich/kml/points_with_timestamps.kmz", .kml, 3),
    // GPSBabel has one point; a stay has a begin and an end.
    OddFile("dawarich/kml/timespan.kml", .kml, 2),
    // The second is an event without a position.
    OddFile("dawarich/overland/geodata.json", .overland, 1, ["bad_coordinate:1"]),
    OddFile("dawarich/owntracks/2023-02_old.rec", .ownTracks, 10),
    OddFile("dawarich/owntracks/2024-03.rec", .ownTracks, 9),
    OddFile("dawarich/polarsteps/locations.json", .json, 3),
    OddFile("dawarich/polarsteps/segments.json", .json, 2),
    OddFile("dawarich/tcx/no_gps.tcx", .tcx, 0, ["bad_coordinate:2"]),
    OddFile("dawarich/tcx/running.tcx", .tcx, 1),
    // GPSBabel leaves out records without a position and does not say so.
    OddFile("fittrackee/apple_watch.fit", .fit, 336, ["bad_coordinate:2"]),
    OddFile("fittrackee/example.kmz", .kml, 25, ["bad_coordinate:1"]),
    OddFile("fittrackee/gpx_multiple_extensions.zip", nil, 0, [], .notATrace),
    OddFile("fittrackee/gpx_test.zip", nil, 0, [], .notATrace),
    OddFile("fittrackee/gpx_test_all_incorrect.zip", nil, 0, [], .notATrace),
    OddFile("fittrackee/gpx_test_incorrect.zip", nil, 0, [], .notATrace),
    OddFile("fittrackee/gpx_test_no_gpx.zip", nil, 0, [], .notATrace),
    OddFile("gpsbabel/2013_MAY.json", .google, 388),
    OddFile("gpsbabel/Placemark-Track-1.kml", .kml, 7),
    // No sentence of these has a date.
    OddFile("gpsbabel/adddate.nmea", nil, 0, ["no_time:500"], .withoutTimes),
    OddFile("gpsbabel/addmultipledaysbkw.nmea", .nmea, 28),
    OddFile("gpsbabel/addmultipledaysfwd.nmea", nil, 0, ["no_time:28"], .withoutTimes),
    OddFile("gpsbabel/backfilldate2.nmea", .nmea, 240),
    OddFile("gpsbabel/fit-sample.fit", .fit, 533, ["bad_coordinate:7"]),
    OddFile("gpsbabel/fitlocations-sample.fit", .fit, 2),
    OddFile("gpsbabel/garmin-edge-200-output.fit", .fit, 22),
    OddFile("gpsbabel/garmin-forerunner-10.fit", .fit, 514),
    OddFile("gpsbabel/google_ext.kml", .kml, 451),
    OddFile("gpsbabel/gtrnctr-readcp.tcx", .tcx, 18),
    // GPSBabel makes two tracks, by the barometer and by the receiver, and dates the second a day late.
    OddFile("gpsbabel/igc2.igc", .igc, 9),
    // The last one has no time in GPSBabel's output either.
    OddFile("gpsbabel/realtime.kml", .kml, 16, ["no_time:1"]),
    OddFile("gpsbabel/testsupplementalplane.nmea", nil, 0, ["no_time:9"], .withoutTimes),
    OddFile("owntracks/demo-iphone.rec", .ownTracks, 23),
    // Tracks with nine positions whose times were taken out; GPSBabel refuses the file.
    OddFile("togeojson/addresses.kml", nil, 0, ["no_time:9"], .withoutTimes),
    // The one placemark is at "no,no"; GPSBabel takes such text for zero.
    OddFile("togeojson/bad.kml", nil, 0, ["bad_number:1"], .withoutTimes),
    // Four points, two of them with text for a number; GPSBabel reads none.
    OddFile("togeojson/bad.tcx", .tcx, 2, ["bad_number:2"]),
    OddFile("togeojson/extended_data.kml", nil, 0, ["no_time:1"], .withoutTimes),
    OddFile("togeojson/garmin_connect.tcx", .tcx, 316, ["bad_coordinate:1"]),
    OddFile("togeojson/gxmultitrack.kml", .kml, 26),
    OddFile("togeojson/gxtrack.kml", .kml, 7),
    OddFile("togeojson/linestring.kml", nil, 0, ["no_time:4"], .withoutTimes),
    OddFile("togeojson/multitrack.kml", .kml, 16),
    OddFile("togeojson/point_extra_coordinates.kml", nil, 0, ["no_time:1"], .withoutTimes),
    OddFile("togeojson/sample.tcx", .tcx, 17, ["bad_coordinate:2"]),
    OddFile("togeojson/tcx-courses.tcx", .tcx, 30),
    // An area, which is no way; GPSBabel takes its outline for a track.
    OddFile("togeojson/timespan.kml", .kml, 0),
    OddFile("togeojson/tour_hr.tcx", .tcx, 465),
  ]

  private static let history = "dawarich/google/location-history/with_"
}
