import Foundation
import TestSupport
import Testing

/// A feed that comes line by line, and whose next line may be long in coming.
@Suite struct SlowFeedTests {
  @Test(arguments: [
    "time,lat,lon\n2026-03-03T09:00:00Z,38.0,-34.1",
    #"{"time":"2026-03-03T09:00:00Z","lat":38.0036457,"lon":-34.1552616}"#,
    #"2026-03-03T09:00:00Z\#t*\#t{"_type":"location","tst":1772528400,"lat":38.0,"lon":-34.1}"#,
    "$GPRMC,090000.00,A,3800.2187,N,03409.3157,W,000.0,000.0,030326,,,A*48\n"
      + "$GPRMC,090001.00,A,3800.2187,N,03409.3157,W,000.0,000.0,030326,,,A*49",
  ])
  func `a line is read before the next one comes`(line: String) throws {
    let folder = try TemporaryFolder()
    let output = folder.path("out")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = Command.binary
    process.arguments = ["trace", "convert", "-", "--to", "ndjson"]
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    try pipe.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    // The input stays open: what is read of it is read without its end.
    var written = ""
    for _ in 0..<3_000 where written.isEmpty {
      written = try String(contentsOfFile: output, encoding: .utf8)
      Thread.sleep(forTimeInterval: 0.01)
    }
    #expect(written.contains("2026-03-03T09:00:00Z"), "nothing was read in half a minute")
    try pipe.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
