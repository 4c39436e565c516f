import Foundation
import TestSupport
import Testing

private let hasPseudoTerminals: Bool = {
  #if os(Linux)
  access("/dev/ptmx", R_OK | W_OK) == 0
  #else
  false
  #endif
}()

/// The line that shows how far a build is: on a terminal only, and gone in the end.
@Suite(.serialized, .enabled(if: hasPseudoTerminals, "needs /dev/ptmx as Linux has it"))
struct ProgressTests {
  private let folder: TemporaryFolder
  private let table: String

  init() throws {
    folder = try TemporaryFolder()
    table = folder.path("places.csv")
    var text = "id,lat,lon,category,name\n"
    for row in 0..<300_000 {
      text += "\(row),\(Double(row % 1_700) / 10 - 80),\(Double(row % 3_500) / 10 - 175.05),"
      text += row % 100_000 == 0 ? "zoo,\n" : "pharmacy,Pharmacy \(row)\n"
    }
    try text.write(toFile: table, atomically: true, encoding: .utf8)
  }

  /// What a build writes to a terminal and to standard output, and its exit status.
  private struct Outcome {
    let terminal: String
    let output: String
    let status: Int32

    /// What stands on the terminal in the end, line by line: `\r` goes back and overwrites.
    var screen: [String] {
      terminal.replacingOccurrences(of: "\r\n", with: "\n").split(separator: "\n")
        .map { line in
          var cells: [Character] = []
          for piece in String(line).components(separatedBy: "\r") {
            let shown = Array(piece)
            cells.replaceSubrange(0..<min(cells.count, shown.count), with: shown)
          }
          return String(cells).trimmingCharacters(in: .whitespaces)
        }
        .filter { !$0.isEmpty }
    }
  }

  /// Runs the command with a terminal as its standard error.
  ///
  /// - Parameter isStopped: whether Ctrl-C is pressed as soon as something is drawn.
  private func run(
    _ arguments: [String],
    environment: [String: String] = [:],
    isStopped: Bool = false
  ) throws -> Outcome {
    // What posix_openpt, unlockpt and ptsname do; Swift does not see them on Linux.
    let (getNumber, setLock): (UInt, UInt) = (0x8004_5430, 0x4004_5431)
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    defer { close(master) }
    var (number, lock): (Int32, Int32) = (0, 0)
    try #require(
      master >= 0 && ioctl(master, setLock, &lock) == 0 && ioctl(master, getNumber, &number) == 0
    )
    let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    try #require(slave >= 0)
    let output = folder.path("out")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = Command.binary
    process.arguments = arguments
    var variables = ProcessInfo.processInfo.environment
    for name in ["NO_COLOR", "TERM"] { variables[name] = nil }
    process.environment = variables.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    try process.run()
    close(slave)
    var terminal: [UInt8] = []
    var isInterrupted = false
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      // The read fails once nobody has the other end any more.
      let count = read(master, &buffer, buffer.count)
      guard count > 0 else { break }
      terminal += buffer[..<count]
      if isStopped, !isInterrupted {
        isInterrupted = true
        process.interrupt()
      }
    }
    process.waitUntilExit()
    return Outcome(
      terminal: String(decoding: terminal, as: UTF8.self),
      output: try String(contentsOfFile: output, encoding: .utf8),
      status: process.terminationStatus
    )
  }

  @Test func `a terminal sees how far, how fast and how long, and nothing of it stays`() throws {
    let cache = folder.path("pois.sqlite")
    let result = try run(["cache", "build", table, "-o", cache])
    #expect(result.status == 0)
    #expect(result.terminal.contains("writing"), "\(result.terminal)")
    #expect(result.terminal.contains("k rows/s"), "\(result.terminal)")
    #expect(result.terminal.contains(" % "), "\(result.terminal)")
    #expect(result.terminal.contains(" left"), "\(result.terminal)")
    #expect(result.terminal.contains("\u{1B}[32m[#"), "\(result.terminal)")
    #expect(
      result.screen
        == [2, 100_002, 200_002]
        .map {
          "skipped \(table): line \($0): an unknown category"
        } + [
          "nearme: note: the categories are bank, gas_station, grocery, pharmacy, post_office: name them in a column `category`, several with ; between, or make others with --categories"
        ]
    )
    #expect(result.output.contains("299997 places"))
    #expect(!result.output.contains("writing"))

    let update = ["cache", "update", cache, table, "--dry-run"]
    let again = try run(update, environment: ["NO_COLOR": "1"])
    // How much of it is drawn depends on how soon it is done.
    #expect(!again.terminal.contains("\u{1B}[32m"), "\(again.terminal)")
    #expect(again.output.contains("299997 as before"))
  }

  @Test func `without color, on a terminal that can do nothing, and in a file`() throws {
    let build = ["cache", "build", table, "-o", folder.path("pois.sqlite")]
    let plain = try run(build, environment: ["NO_COLOR": "1"])
    #expect(plain.terminal.contains("[#"))
    #expect(!plain.terminal.contains("\u{1B}"))
    #expect(!(try run(build, environment: ["TERM": "dumb"]).terminal.contains("[#")))
    let file = try Command(build)
    #expect(file.errors.split(separator: "\n").count == 4, "\(file.errors)")
  }

  @Test func `Ctrl-C leaves a clean line and a sentence`() throws {
    let result = try run(
      ["cache", "build", table, "-o", folder.path("pois.sqlite")],
      isStopped: true
    )
    #expect(result.status == 130)
    #expect(result.screen.count == 1, "\(result.screen)")
    #expect(result.screen.first?.hasPrefix("nearme: ") == true, "\(result.screen)")
    #expect(folder.names.sorted() == ["out", "places.csv"])
  }

  @Test func `every merged pair and every skipped row, when asked for`() throws {
    let map = folder.path("town.geojson")
    let square = "[[[1,1],[1.0005,1],[1.0005,1.0005],[1,1.0005],[1,1]]]"
    func feature(_ id: String, _ geometry: String) -> String {
      "{\"type\":\"Feature\",\"id\":\"\(id)\",\"geometry\":\(geometry),"
        + "\"properties\":{\"shop\":\"supermarket\",\"name\":\"Corner\"}}\n"
    }
    var text = feature("way/1", "{\"type\":\"Polygon\",\"coordinates\":\(square)}")
    text += feature("node/2", "{\"type\":\"Point\",\"coordinates\":[1.0002,1.0002]}")
    for id in 3..<33 { text += feature("node/\(id)", "{\"type\":\"Point\",\"coordinates\":[0,0]}") }
    try text.write(toFile: map, atomically: true, encoding: .utf8)
    let build = ["cache", "build", map, "-o", folder.path("pois.sqlite")]
    let short = try Command(build)
    #expect(short.errors.split(separator: "\n").count == 21, "\(short.errors)")
    #expect(short.errors.contains("skipped 10 more; --verbose lists them all"))
    #expect(short.output.contains("skipped, the coordinates are 0,0: 30"))
    let long = try Command(build + ["--verbose"])
    #expect(long.errors.contains("line 32: the coordinates are 0,0"))
    #expect(long.errors.contains("merged node/2 into way/1 (grocery)"))
    #expect(long.errors.split(separator: "\n").count == 31, "\(long.errors)")
    #expect(long.output == short.output)
  }
}
