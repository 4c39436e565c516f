import Basics
import ByteStreams
import Simulation
import Timeline
import Traces

/// The sample island and day as files: the same bytes every time.
package struct SampleFiles: Sendable {
  /// A file by its path in the repository.
  package struct File: Sendable {
    /// The path, with `/` between its parts.
    package let path: String
    /// The contents.
    package let bytes: [UInt8]
  }

  /// The map.
  package static let mapPath = "data/port-ardent.osm.pbf"
  /// What the phone saw.
  package static let tracePath = "traces/errands.gpx.gz"
  /// What really happened.
  package static let truthPath = "traces/errands.truth.json"
  /// Where the person really was.
  package static let truePathPath = "traces/errands.true.csv.gz"
  /// What the person wants to be reminded of.
  package static let remindersPath = "traces/reminders.json"
  /// The policy of the day.
  package static let policyPath = "traces/policy.yaml"

  /// Everything that is written.
  package let files: [File]
  /// The fixes of the trace as its readers get them.
  package let fixes: [Fix]

  /// Invents the island and lives the day.
  package init() {
    let map = SampleMap()
    let day = ErrandDay()
    fixes = Receiver.fixes(of: day)
    // The map is older than the day, as maps are.
    let mapSeconds = Int64(ErrandDay.start - 86_400 * 2)
    files = [
      File(path: Self.mapPath, bytes: PBFWriter(dataSeconds: mapSeconds).bytes(map.map)),
      File(
        path: Self.tracePath,
        bytes: Compression.gzip(Array(gpxText(fixes, name: "errands").utf8))
      ),
      File(path: Self.truePathPath, bytes: Compression.gzip(Array(truePathText(day).utf8))),
      Self.text(Self.truthPath, DayTruth(day, fixes, map).node.document),
      Self.text(Self.remindersPath, ReminderText.node.document),
      Self.text(
        Self.policyPath,
        """
        # Keys that are not here have their defaults: see `nearme policy show`.
        quiet_hours: {start: "22:00", end: "07:00"}

        """
      ),
    ]
  }

  private static func text(_ path: String, _ text: String) -> File {
    File(path: path, bytes: Array(text.utf8))
  }
}
