import Foundation
import TestSupport
import Testing

/// `nearme replay --check-certificate`.
@Suite struct CertificateFlagTests {
  @Test func `every certificate of the sample day holds`() throws {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let folder = try TemporaryFolder()
    let cache = folder.path("pois.sqlite")
    let built = try Command([
      "cache", "build", root.appendingPathComponent("data/port-ardent.osm.pbf").path, "-o", cache,
    ])
    #expect(built.status == 0, "\(built.errors)")
    let replayed = try Command([
      "replay", root.appendingPathComponent("traces/errands.gpx.gz").path, "--cache", cache,
      "--reminders", root.appendingPathComponent("traces/reminders.json").path, "--slots", "5",
      "--check-certificate",
    ])
    #expect(replayed.status == 0, "\(replayed.errors)")
    let line = try #require(replayed.errors.split(separator: "\n").last)
    #expect(line.hasSuffix("certificates checked, all hold"), "\(line)")
    let count = line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    #expect(count > 100)
  }
}
