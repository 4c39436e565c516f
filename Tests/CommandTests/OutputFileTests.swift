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

  /// A mistyped -o must not cost a day that was recorded, the truth of one, or a file of settings.
  @Test func `no command writes over what it reads`() throws {
    let folder = try TemporaryFolder()
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    func copy(_ name: String) throws -> String {
      let source = root.appendingPathComponent(name)
      let path = folder.path(source.lastPathComponent)
      try FileManager.default.copyItem(atPath: source.path, toPath: path)
      return path
    }
    let trace = try copy("traces/errands.gpx.gz")
    let reminders = try copy("traces/reminders.json")
    let policy = try copy("traces/policy.yaml")
    for name in ["errands.truth.json", "errands.true.csv.gz"] { _ = try copy("traces/\(name)") }
    let cache = folder.path("pois.sqlite")
    try Data().write(to: URL(fileURLWithPath: cache))
    let table = folder.path("anna.csv")
    try Data("time,lat,lon,uid\n2026-01-05T10:00:00Z,39.3,-76.6,anna\n".utf8)
      .write(to: URL(fileURLWithPath: table))
    let replay = ["replay", trace, "--cache", cache, "--reminders", reminders, "--policy", policy]
    let commands = [
      replay + ["-o", trace], replay + ["-o", reminders], replay + ["-o", policy],
      replay + ["-o", cache],
      replay + ["--output=\(folder.path("./policy.yaml"))"],
      ["score", folder.path("."), "--cache", cache, "-o", folder.path("errands.truth.json")],
      ["tune", folder.path("."), "--cache", cache, "--space", policy, "-o", policy],
      ["tune", folder.path("."), "--cache", cache, "--space", policy, "--report", policy],
      ["compare", trace, "--cache", cache, "--reminders", reminders, "--report", reminders],
      ["trace", "convert", table, "--by", "uid", "--to", "csv", "-o", folder.path("")],
    ]
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted()
      .map { try Data(contentsOf: URL(fileURLWithPath: folder.path($0))) }
    for arguments in commands {
      let run = try Command(arguments)
      #expect(run.status == 64, "\(arguments): \(run.errors)")
      #expect(run.errors.contains("name another"), "\(run.errors)")
    }
    let after = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted()
      .map { try Data(contentsOf: URL(fileURLWithPath: folder.path($0))) }
    #expect(after == before)
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
