import Foundation
import TestSupport
import Testing

/// The sample day's whole output, byte for byte.
///
/// `make golden` accepts a change; read the diff.
@Suite struct GoldenTests {
  private static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  private static func path(_ name: String) -> String { root.appendingPathComponent(name).path }

  @Test(arguments: ["text", "ndjson"])
  func `the sample day replays to the same bytes`(_ format: String) throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("pois.sqlite")
    let built = try Command(["cache", "build", Self.path("data/port-ardent.osm.pbf"), "-o", cache])
    #expect(built.status == 0, "\(built.errors)")
    let replayed = try Command([
      "replay", Self.path("traces/errands.gpx.gz"), "--cache", cache, "--reminders",
      Self.path("traces/reminders.json"), "--policy", Self.path("traces/policy.yaml"), "--format",
      format,
    ])
    #expect(replayed.status == 0, "\(replayed.errors)")
    let golden = Self.path("traces/expected/errands.\(format == "text" ? "txt" : "ndjson")")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try FileManager.default.createDirectory(
        atPath: Self.path("traces/expected"),
        withIntermediateDirectories: true
      )
      try replayed.output.write(toFile: golden, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOfFile: golden, encoding: .utf8)
    let isEqual = replayed.output == expected
    let different = zip(replayed.output.split(separator: "\n"), expected.split(separator: "\n"))
      .first { $0 != $1 }
    #expect(isEqual, "first difference: \(String(describing: different))")
  }
}
