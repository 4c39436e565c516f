import Foundation
import Testing
import Timeline
import TraceFiles

/// Archives that come through a pipe, and files of which a refusal says what they are.
@Suite struct PipedArchiveTests {
  @Test func `an archive through a pipe is read as it is from a file`() throws {
    let expected = Reading(path: seed("stored.zip"))
    #expect(expected.fixes.count == 1)
    let piped = try piped(Data(contentsOf: URL(fileURLWithPath: seed("stored.zip"))))
    #expect(piped.error == nil)
    #expect(piped.records == expected.records)
  }

  @Test func `of several files in a piped archive one has to be named`() throws {
    let piped = try piped(Data(contentsOf: URL(fileURLWithPath: seed("several.zip"))))
    #expect(piped.error?.code == .notATrace)
    #expect(piped.error?.description.contains("a.gpx, b.gpx") == true)
  }

  @Test func `logs and texts of an archive are traces where nothing else is`() {
    #expect(TraceReader.traces(among: ["a/nmea.log", "b.md"]) == ["a/nmea.log"])
    #expect(TraceReader.traces(among: ["log.TXT", "b.txt.gz"]) == ["log.TXT", "b.txt.gz"])
    #expect(TraceReader.traces(among: ["README.txt", "b.gpx", "c.log"]) == ["b.gpx"])
    #expect(TraceReader.traces(among: ["b.md", ".x.log", "__MACOSX/a.log"]) == [])
  }

  @Test func `an archive that is cut short is an error, through a pipe, too`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: seed("stored.zip")))
    for count in [5, 40, whole.count / 2, whole.count - 1] {
      let piped = try piped(whole.prefix(count))
      #expect(piped.error != nil, "\(count) bytes")
      #expect(piped.fixes.isEmpty, "\(count) bytes")
    }
  }

  @Test func `a digit that changed in an archive is damage, and no other place`() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: seed("stored.zip")))
    let latitude = try #require(bytes.range(of: Data("lat=\"".utf8)))
    bytes[latitude.upperBound] ^= 1
    let piped = try piped(bytes)
    #expect(piped.error?.code == .malformed)
    #expect(piped.error?.description.contains("its checksum is another one") == true)
  }

  @Test func `a track in each row is refused with advice`() throws {
    let porto = """
      "TRIP_ID","TIMESTAMP","POLYLINE"
      "1372636858620000589","1372636858","[[-8.618643,41.141412],[-8.618499,41.141376]]"
      """
    let lines = """
      id,time,geom
      1,2026-03-03T09:00:00Z,"LINESTRING (8.5 47.3, 8.6 47.4)"
      """
    for text in [porto, lines] {
      let error = try #require(try Reading(text).error)
      #expect(error.code == .notATrace)
      #expect(error.description.contains("write a row for each position"))
    }
  }

  @Test func `UTF-16 without a mark is named`() throws {
    let text = "time,lat,lon\n2026-03-03T09:00:00Z,38.1,-34.2\n"
    let bytes = text.utf8.flatMap { byte -> [UInt8] in [byte, 0] }
    let error = try #require(try Reading(bytes: bytes).error)
    #expect(error.description.contains("UTF-16 text without a mark"))
  }

  private func seed(_ name: String) -> String {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder.appendingPathComponent("Fuzz/seeds/trace-zip/\(name)").path
  }

  /// What a reader makes of bytes that somebody writes into a pipe.
  private func piped(_ bytes: Data) throws -> Reading {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("near-me-\(UUID().uuidString).pipe").path
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let writer = Thread {
      guard let pipe = FileHandle(forWritingAtPath: path) else { return }
      try? pipe.write(contentsOf: bytes)
      try? pipe.close()
    }
    writer.start()
    return Reading(path: path)
  }
}
