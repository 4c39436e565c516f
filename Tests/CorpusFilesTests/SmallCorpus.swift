import CZlib
import Foundation
import TestSupport

/// A corpus of one short day, written file by file, which a test may spoil.
struct SmallCorpus {
  private let folder: TemporaryFolder

  static let truth = """
    {
      "id": "a", "person": "p1", "tz": "America/New_York", "seed": 3, "unknown_key": [],
      "start_utc": "2026-01-05T12:00:00Z", "end_utc": "2026-01-05T13:00:00Z",
      "noise_preset": "dev", "sampling": {"name": "1hz"},
      "home": {"lat": 39.30, "lon": -76.60}, "work": null,
      "visits": [{"place_id": "node/1", "category": "pharmacy", "lat": 39.31, "lon": -76.60,
        "mode_in": "car", "arrive_utc": "2026-01-05T12:20:00Z",
        "leave_utc": "2026-01-05T12:30:00Z"}],
      "decoy_stops": [{"near_place_id": "node/2", "category": "bank", "lat": 39.31, "lon": -76.6,
        "arrive_utc": "2026-01-05T12:40:00Z", "leave_utc": "2026-01-05T12:45:00Z"}],
      "drive_bys": [{"place_id": "node/3", "category": "bank", "mode": "car",
        "within_100m_from_utc": "2026-01-05T12:15:00Z",
        "within_100m_to_utc": "2026-01-05T12:16:00Z"}],
      "near_stays": [],
      "stays": [{"kind": "home", "lat": 39.30, "lon": -76.60,
        "arrive_utc": "2026-01-05T12:00:00Z", "leave_utc": "2026-01-05T12:10:00Z"}],
      "trips": [{"mode": "car", "depart_utc": "2026-01-05T12:10:00Z",
        "arrive_utc": "2026-01-05T12:20:00Z"}],
      "gaps": [{"start_utc": "2026-01-05T12:50:00Z", "end_utc": "2026-01-05T12:55:00Z",
        "reason": "tunnel"}]
    }
    """

  /// 12:00 at home, 12:20 to 13:00 at the pharmacy.
  static let path = """
    t_unix,lat,lon,speed_mps,state
    1767614400.0,39.3000000,-76.6000000,0.00,home
    1767615000.0,39.3000000,-76.6000000,0.00,home
    1767615600.0,39.3100000,-76.6000000,1.85,car
    1767618000.0,39.3100000,-76.6000000,0.00,poi

    """

  static let trace = """
    <gpx version="1.1"><trk><trkseg>
    <trkpt lat="39.30" lon="-76.60"><time>2026-01-05T12:00:00Z</time></trkpt>
    <trkpt lat="39.31" lon="-76.60"><time>2026-01-05T12:21:00Z</time></trkpt>
    <trkpt lat="39.31" lon="-76.60"><time>2026-01-05T12:29:00Z</time></trkpt>
    </trkseg></trk></gpx>
    """

  var path: String { folder.url.path }

  init() throws {
    folder = try TemporaryFolder()
    try write(Self.truth, "a.truth.json")
    try write(Self.trace, "a.gpx")
    try write(Self.path, "a.true.csv.gz")
  }

  func file(_ name: String) -> String { folder.path(name) }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: folder.path(name))
  }

  /// Writes a file; packs it if its name says so.
  func write(_ text: String, _ name: String) throws {
    if name.hasSuffix(".gz") {
      let file = gzopen(folder.path(name), "wb")
      let bytes = Array(text.utf8)
      _ = gzwrite(file, bytes, UInt32(bytes.count))
      gzclose(file)
    } else {
      try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
    }
  }
}
