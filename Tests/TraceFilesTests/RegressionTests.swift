import Foundation
import Geodesy
import Testing
import TraceFiles
import Traces

/// The inputs that fuzzing begins with and those that it once found, read as any other file.
@Suite struct RegressionTests {
  @Test func `every trace gives sound fixes or an error with a sentence`() throws {
    var fuzz = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { fuzz.deleteLastPathComponent() }
    fuzz.appendPathComponent("Fuzz")
    var (files, fixes) = (0, 0)
    let manager = FileManager.default
    for kind in ["seeds", "regressions"] {
      let folders = try manager.contentsOfDirectory(atPath: fuzz.appendingPathComponent(kind).path)
        .filter { $0 == "gpx" || $0.hasPrefix("trace-") }
        .sorted()
        .map { fuzz.appendingPathComponent("\(kind)/\($0)") }
      for (folder, name) in try folders.flatMap({ folder in
        try manager.contentsOfDirectory(atPath: folder.path).sorted().map { (folder, $0) }
      }) {
        let reading = Reading(path: folder.appendingPathComponent(name).path)
        files += 1
        fixes += reading.fixes.count
        #expect(reading.error.map { !$0.description.isEmpty } ?? true, "\(name)")
        for fix in reading.fixes {
          #expect((-90.0...90.0).contains(fix.coordinate.latitude), "\(name)")
          #expect((-180.0...180.0).contains(fix.coordinate.longitude), "\(name)")
          #expect(fix.horizontalAccuracyMeters.isFinite, "\(name)")
        }
      }
    }
    #expect(files > 30 && fixes > 60)
  }
}
