import Foundation
import TestSupport
import Testing

/// What is misspelt on the command line is told with what was meant.
@Suite struct SuggestionTests {
  @Test(arguments: [
    (["reply", "day.gpx"], "there is no command `nearme reply`: did you mean replay?"),
    (["cach", "info"], "there is no command `nearme cach`: did you mean cache?"),
    (
      ["cache", "inf", "pois.sqlite"], "there is no command `nearme cache inf`: did you mean info?"
    ),
    (["frobnicate"], "there is no command `nearme frobnicate`: known are cache, trace, replay"),
    (["trace", "to-gpx"], "there is no command `nearme trace to-gpx`: known are c"),
    (["replay", "--cachee", "x", "day.gpx"], "no option --cachee: did you mean --cache?"),
    (["score", "days", "--monitr=ios", "--cache", "x"], "did you mean --monitor?"),
    (["help", "replya"], "there is no command `nearme replya`: did you mean replay?"),
    (["help", "cache", "inf"], "there is no command `nearme cache inf`: did you mean info?"),
  ])
  func `a misspelt command or option is told with the one that was meant`(
    arguments: [String],
    hint: String
  ) throws {
    let result = try Command(arguments)
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains(hint), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test(arguments: [
    ["--help"], ["help"], ["help", "cache"], ["help", "cache", "info"], ["cache", "--help"],
    ["--version"],
    ["cache", "info", "--help"],
  ])
  func `help is no command that is missing`(arguments: [String]) throws {
    let result = try Command(arguments)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
    #expect(!result.output.isEmpty)
  }

  @Test(arguments: [
    (["replay", "--cache", "x"], "nearme: name at least one trace\nUsage: nearme replay"),
    (["plan", "explain", "--active=-1"], "nearme: counts of reminders are not negative\n"),
    (["plan", "explain", "--active", "-1"], "nearme: counts of reminders are not negative\n"),
    (["score", "days", "--cache", "x", "--draws", "-3"], "nearme: --draws"),
    (["score", "days", "--cache"], "nearme: Missing value for '--cache <FILE>'\n"),
  ])
  func `what the parser refuses is said in the words of all failures`(
    arguments: [String],
    beginning: String
  ) throws {
    let result = try Command(arguments)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix(beginning), "\(result.errors)")
    #expect(result.errors.contains("--help' for more information"), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test func `a negative number behind an option is its value, and behind -- it is no option's`()
    throws
  {
    let folder = try TemporaryFolder()
    let database = ["--db", folder.path("me.db")]
    let lima = try Command(["place", "add", "Lima", "--at", "-12.04,-77.04"] + database)
    #expect(lima.status == 0, "\(lima.errors)")
    let half = try Command(["place", "edit", "p1", "--at", "-76.6"] + database)
    #expect(half.status == 64)
    #expect(half.errors.contains("write a latitude and a longitude"), "\(half.errors)")
    let before = try Command(
      ["reminder", "add", "call", "--at", "08:00", "--before", "-10m"] + database
    )
    #expect(before.status == 64)
    #expect(before.errors.contains("--before -10m: write spans"), "\(before.errors)")
    let title = try Command(["reminder", "add"] + database + ["--", "-5 degrees"])
    #expect(title.status == 0, "\(title.errors)")
    #expect(title.output.contains("-5 degrees"))
  }

  @Test func `help that cannot be written is a failure`() throws {
    for arguments in ["--help", "help run", "--version", "cache"] {
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/bin/sh")
      shell.arguments = ["-c", "'\(Command.binary.path)' \(arguments) > /dev/full"]
      let errors = Pipe()
      shell.standardError = errors
      try shell.run()
      let said = String(
        decoding: errors.fileHandleForReading.readDataToEndOfFile(),
        as: UTF8.self
      )
      shell.waitUntilExit()
      #expect(shell.terminationStatus == 74, "\(arguments)")
      #expect(said == "nearme: standard output: cannot be written\n", "\(arguments): \(said)")
    }
  }

  @Test func `a trace without a fix is named`() throws {
    let folder = try TemporaryFolder()
    try "<gpx version=\"1.1\"></gpx>"
      .write(toFile: folder.path("empty.gpx"), atomically: true, encoding: .utf8)
    let result = try Command([
      "trace", "convert", folder.path("empty.gpx"), "-o", folder.path("a.csv"),
    ])
    #expect(result.status == 65)
    #expect(result.errors.contains("empty.gpx: no fix could be read"), "\(result.errors)")
  }
}
