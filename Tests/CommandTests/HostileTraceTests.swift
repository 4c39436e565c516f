import CZlib
import Foundation
import TestSupport
import Testing

/// Traces made to eat memory, in every format that is kept in pieces: small on the disk, and large,
/// deep or many once they are read.
@Suite struct HostileTraceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Converts a file, and checks how much memory that takes.
  private func convert(_ name: String, _ bytes: [UInt8]) throws -> Command {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
    let result = try Command(
      ["trace", "convert", folder.path(name), "-o", folder.path("o.csv")],
      measuresMemory: true
    )
    #expect(result.peakMebibytes ?? 0 < 256, "\(name)")
    return result
  }

  @Test(arguments: [
    HostileFile("GPX: 1 GB in a tag", Gzip.file("<gpx x=\"", "x", 1 << 30), "longer than 1048576"),
    HostileFile("KML: 1 GB in a tag", Gzip.file("<kml x=\"", "x", 1 << 30), "longer than 1048576"),
    HostileFile("KML: 32 million levels", Gzip.file("<kml>", "<a>", 32 << 20), "more than 8192"),
    HostileFile(
      "KML: entities",
      Gzip.file("<!DOCTYPE kml [<!ENTITY a SYSTEM \"/etc/passwd\">]><kml>&a;", "", 0),
      "declares entities"
    ),
    HostileFile(
      "KML: 100 million times",
      Gzip.file("<kml><Placemark><Track>", "<when>2024</when>", 100_000_000),
      "more than 2097152 points"
    ),
    HostileFile(
      "TCX: entities that grow",
      Gzip.file(
        "<!DOCTYPE t [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><TrainingCenterDatabase>",
        "",
        0
      ),
      "declares entities"
    ),
    HostileFile("JSON: 32 million levels", Gzip.file("", "[", 32 << 20), "more than 512 brackets"),
    HostileFile("JSON: 1 GB of text", Gzip.file("{\"a\":\"", "x", 1 << 30), "ends in the middle"),
    HostileFile(
      "JSON: 100 million numbers",
      Gzip.file("{\"a\":[", "1,", 100_000_000),
      "one object of more than 4194304 bytes"
    ),
    HostileFile(
      "JSON: 100 million positions",
      Gzip.file("{\"coordinates\":[", "[1,2],", 100_000_000),
      "more than 2097152 positions"
    ),
    HostileFile(
      "CSV: a field of 1 GB",
      Gzip.file("time,lat,lon\n\"", "x", 1 << 30),
      "more than 1048576 bytes"
    ),
    HostileFile(
      "CSV: 64 million columns",
      Gzip.file("time,lat,lon\n", ",", 1 << 26),
      "1024 columns"
    ),
    HostileFile(
      "NMEA: a line of 1 GB",
      Gzip.file("$GPGGA,\n", "x", 1 << 30),
      "longer than 1048576 bytes"
    ),
    HostileFile("zeros", Gzip.file("", "\0", 1 << 30), "binary data"),
    HostileFile(
      "gzip in gzip",
      deflated(deflated(Array("<gpx/>".utf8), windowBits: 31), windowBits: 31),
      "packed twice"
    ),
  ])
  func `a trace that would fill the memory is refused`(file: HostileFile) throws {
    let result = try convert("big.gz", file.bytes())
    #expect(result.status == 65, "\(result.errors)")
    #expect(result.errors.contains("big.gz"), "\(result.errors)")
    #expect(result.errors.contains(file.hint), "\(result.errors)")
    #expect(!folder.names.contains("o.csv"))
  }

  @Test func `a bomb in a zip archive is read in little memory`() throws {
    let point = "<trkpt lat='1' lon='2'><time>2024-06-15T10:30:00Z</time></trkpt>"
    let name = String(repeating: "x", count: 64 << 20)
    let text = "<gpx><trk><name>\(name)</name><trkseg>\(point)</trkseg></trk></gpx>"
    let result = try convert("bomb.zip", zip("a.gpx", deflated(Array(text.utf8), windowBits: -15)))
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("1 of 1 point;"))
  }

  @Test func `an archive cut at any byte, or lying about its sizes, is refused`() throws {
    let point = "<trkpt lat='1' lon='2'><time>2024-06-15T10:30:00Z</time></trkpt>"
    let text = "<gpx><trk><trkseg>\(point)</trkseg></trk></gpx>"
    let whole = zip("a.gpx", deflated(Array(text.utf8), windowBits: -15))
    #expect(try convert("a.zip", whole).status == 0)
    for count in stride(from: 30, to: whole.count, by: 17) {
      let result = try convert("a.zip", Array(whole[..<count]))
      #expect(result.status == 65, "\(count): \(result.errors)")
    }
    for offset in whole.count - 22..<whole.count - 2 {
      var lying = whole
      lying[offset] = 0xFF
      let result = try convert("a.zip", lying)
      #expect([0, 65, 66].contains(result.status), "\(offset): \(result.errors)")
    }
  }

  @Test func `a pipe that stalls can be stopped, and nothing is written`() throws {
    let result = try Command(
      ["trace", "convert", "-", "-o", folder.path("o.csv")],
      input: "time,lat,lon\n2024-06-15T10:30:00Z,1,2\n",
      interruptedAfter: 0.3,
      keepsInputOpen: true
    )
    #expect(result.status == 130)
    #expect(folder.names.isEmpty, "\(folder.names)")
  }

  @Test func `what a file does not say is asked for, and said`() throws {
    let gga = "$GPGGA,103000,0130.0000,N,00230.0000,W,1,08,1.2,12.0,M,,M,,\n"
    let missing = try Command(["trace", "convert", "-", "--to", "csv"], input: gga)
    #expect(missing.status == 65)
    #expect(missing.errors.contains("--assume-date"))
    let dated = try Command(
      ["trace", "convert", "-", "--to", "csv", "--assume-date", "2024-06-15"],
      input: gga
    )
    #expect(dated.status == 0)
    #expect(
      dated.output.contains("2024-06-15T10:30:00Z,1.5,-2.5,,1.2,,,1,track,12.0,"),
      "\(dated.output)"
    )
    for wrong in [
      ["--assume-date", "yesterday"], ["--assume-zone", "Europe/Berln"], ["--assume-speed", "3"],
      ["--columns", "lat=1"],
      ["--assume-speed", "-1", "--assume-start", "2024-06-15T10:30:00Z"],
    ] {
      let result = try Command(["trace", "convert", "-", "--to", "csv"] + wrong, input: gga)
      #expect(result.status == 64, "\(wrong): \(result.errors)")
    }
  }

  /// An archive with one packed file.
  private func zip(_ name: String, _ packed: [UInt8]) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }
    func joined(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined()) }
    let file = Array(name.utf8)
    // Version, flags, method, time and date, check sum, sizes, the lengths of name and extra.
    let common: [[UInt8]] = [
      number(20, 2), number(0, 2), number(8, 2), number(0, 4), number(0, 4),
      number(packed.count, 4), number(1 << 30, 4), number(file.count, 2), number(0, 2),
    ]
    let local = joined([number(0x0403_4B50, 4)] + common + [file, packed])
    let entry = joined([number(0x0201_4B50, 4), number(20, 2)] + common + [number(0, 14), file])
    let end = joined([
      number(0x0605_4B50, 4), number(0, 4), number(1, 2), number(1, 2), number(entry.count, 4),
      number(local.count, 4), number(0, 2),
    ])
    return local + entry + end
  }
}
