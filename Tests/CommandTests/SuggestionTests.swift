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
