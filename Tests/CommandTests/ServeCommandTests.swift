import Foundation
import TestSupport
import Testing

/// `nearme serve` as people run it.
@Suite struct ServeCommandTests {
  private let folder: TemporaryFolder
  private let cache: String
  private let home: String

  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    home = folder.path("home")
    let places = LiveDay.root.appendingPathComponent("data/port-ardent.osm.pbf").path
    _ = try done("cache", "build", places, "-o", cache)
    _ = try done("person", "add", "anna", "--home", home)
  }

  private var database: String { home + "/people/anna.db" }

  /// Runs a command that must succeed.
  private func done(_ arguments: String...) throws -> String {
    let run = try Command(arguments)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
    return run.output
  }

  /// What a door tells anna until it has told her something.
  private func told() throws -> String {
    let process = Process()
    process.executableURL = Command.binary
    process.arguments = [
      "serve", "--home", home, "--cache", cache, "--listen", "127.0.0.1:0",
      "--sink", "ndjson:" + folder.path("told"),
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    var text = ""
    for _ in 0..<600 where process.isRunning && !text.contains(#""type":"notification""#) {
      Thread.sleep(forTimeInterval: 0.05)
      let path = folder.path("told") + "/anna.ndjson"
      text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text
  }

  @Test func `a reminder speaks in its tone`() throws {
    _ = try done(
      "reminder",
      "add",
      "call mum",
      "--on",
      "unlock",
      "--tone",
      "sassy",
      "--db",
      database
    )
    _ = try done("signal", "unlock", "--db", database)
    let text = try told()
    #expect(text.lowercased().contains("call mum"))
    #expect(!text.contains("Don't forget: call mum."))
  }

  @Test func `a misspelled folder is no door, and nothing is made of it`() throws {
    let misspelled = folder.path("hom")
    for arguments in [
      ["person", "list"], ["person", "remove", "anna"], ["phone", "list", "anna"],
    ] {
      let run = try Command(arguments + ["--home", misspelled])
      #expect(run.status == 66, "\(arguments): \(run.errors)")
      #expect(run.errors.contains("no door is there"))
    }
    #expect(!FileManager.default.fileExists(atPath: misspelled))
    #expect(try done("person", "list", "--home", home) == "anna: no phone\n")
  }
}
