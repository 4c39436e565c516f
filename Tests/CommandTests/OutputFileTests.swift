import Foundation
import TestSupport
import Testing

/// Where `-o` writes.
@Suite struct OutputFileTests {
  @Test func `a link stays a link, and a device a device`() throws {
    let folder = try TemporaryFolder()
    let (file, link) = (folder.path("policy.yaml"), folder.path("link.yaml"))
    try Data("old".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    let trace = folder.path("trace.csv")
    try Data("time,lat,lon\n2026-01-05T10:00:00Z,39.3,-76.6\n".utf8)
      .write(to: URL(fileURLWithPath: trace))
    let run = try Command(["trace", "convert", trace, "--to", "gpx", "-o", link])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("<gpx"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
    #expect(try Command(["trace", "convert", trace, "--to", "gpx", "-o", "/dev/null"]).status == 0)
    let kind = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type]
    #expect(kind as? FileAttributeType == .typeCharacterSpecial)
    #expect(
      try Command(["trace", "convert", trace, "--to", "gpx", "-o", "/dev/full"]).status == 74
    )
  }

  @Test func `a conversion keeps its input, and what was there when it has nothing to write`()
    throws
  {
    let folder = try TemporaryFolder()
    let (trace, kept) = (folder.path("trace.csv"), folder.path("kept.csv"))
    let text = "time,lat,lon\nsome day,39.3,-76.6\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: trace))
    try Data("mine".utf8).write(to: URL(fileURLWithPath: kept))
    let onto = try Command(["trace", "convert", trace, "-o", trace])
    #expect(onto.status == 64)
    #expect(onto.errors.contains("is the trace itself"))
    let empty = try Command(["trace", "convert", trace, "-o", kept])
    #expect(empty.status == 65)
    #expect(empty.errors.contains("nothing was written"))
    #expect(try String(contentsOfFile: trace, encoding: .utf8) == text)
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "mine")
  }
}
