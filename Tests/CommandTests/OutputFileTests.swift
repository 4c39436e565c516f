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
    let (profile, map) = (
      try copy("data/profiles/unified.yaml"), try copy("data/port-ardent.osm.pbf")
    )
    let database = folder.path("u.db")
    let made = try Command(["reminder", "add", "call Ann", "--db", database])
    #expect(made.status == 0, "\(made.errors)")
    let replay = ["replay", trace, "--cache", cache, "--reminders", reminders, "--policy", policy]
    let export = ["reminder", "export", "--db", database, "-o"]
    let tune = ["tune", folder.path("."), "--cache", cache, "--space", policy]
    let commands = [
      replay + ["-o", trace], replay + ["-o", reminders], replay + ["-o", policy],
      replay + ["-o", cache], replay + ["--profile", profile, "-o", profile],
      replay + ["-o", folder.path("errands.truth.json")], replay + ["-o", database + ".key"],
      replay + ["--format", "html", "--basemap", map, "-o", map],
      export + [database], export + [database + ".key"], export + [folder.path("./u.db")],
      tune + ["-o", trace], tune + ["--report", folder.path("errands.truth.json")],
      tune + ["-o", folder.path("b.yaml"), "--report", folder.path("./b.yaml")],
      tune + ["-o", folder.path("b.yaml"), "--report", folder.path("b.yaml.log")],
      ["compare", folder.path("."), "--cache", cache, "--report", trace],
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

  @Test func `what is private stays so, and a name that ends with a slash is no file`() throws {
    let folder = try TemporaryFolder()
    let database = folder.path("u.db")
    #expect(try Command(["reminder", "add", "call Ann", "--db", database]).status == 0)
    let (old, new) = (folder.path("old.json"), folder.path("new.json"))
    try Data("old".utf8).write(to: URL(fileURLWithPath: old))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: old)
    for (file, mode) in [(old, 0o640), (new, 0o600)] {
      let run = try Command(["reminder", "export", "--db", database, "-o", file])
      #expect(run.status == 0, "\(run.errors)")
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
    let slash = try Command([
      "reminder", "export", "--db", database, "-o", folder.path("new") + "/",
    ])
    #expect(slash.status == 64, "\(slash.errors)")
    let dash = try Command(["reminder", "export", "--db", database, "-o", "-"])
    #expect(dash.status == 0 && dash.output.contains("call Ann"))
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
