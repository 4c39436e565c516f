import Foundation
import TestSupport
import Testing

/// `nearme cache update`, and what `build` records for it.
@Suite struct CacheUpdateTests {
  private let folder: TemporaryFolder
  private let cache: String

  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    try write(
      """
      id,lat,lon,category,name,phone
      a,39.30,-76.6,pharmacy,Old Name,1
      b,39.31,-76.6,pharmacy,Mover,
      c,39.32,-76.6,bank,Leaver,
      d,39.33,-76.6,bank,Same,

      """,
      "old.csv"
    )
    try write(
      """
      id,lat,lon,category,name,phone
      d,39.33,-76.6,bank,Same,
      a,39.30,-76.6,pharmacy,New Name,2
      b,39.311,-76.6,pharmacy,Mover,
      e,39.30,-76.6,bank,Comer,
      far,49.30,-76.6,bank,Too far away,
      x,39.30,-76.6,grocery,Not of the categories,

      """,
      "new.csv"
    )
    try write(
      """
      <gpx><trk><trkseg>
      <trkpt lat="39.29" lon="-76.6"><time>2026-01-05T12:00:00Z</time></trkpt>
      <trkpt lat="39.34" lon="-76.6"><time>2026-01-05T12:10:00Z</time></trkpt>
      </trkseg></trk></gpx>
      """,
      "my day's.gpx"
    )
    let built = try Command([
      "cache", "build", folder.path("old.csv"), "-o", cache, "--along", folder.path("my day's.gpx"),
      "--within", "1mi", "--category", "pharmacy", "--category", "bank",
    ])
    #expect(built.status == 0, "\(built.errors)")
  }

  private func write(_ text: String, _ name: String) throws {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: cache)) }

  @Test func `names of a map do not steer the terminal`() throws {
    let mine = folder.path("mine.sqlite")
    try write("id,lat,lon,category,name\na,39.3,-76.6,bank,A\n", "plain.csv")
    #expect(try Command(["cache", "build", folder.path("plain.csv"), "-o", mine]).status == 0)
    try write(
      "id,lat,lon,category,name\na,39.3,-76.6,bank,\"B\u{1B}[31m\nb\"\n\u{1B}c,39.4,-76.6,bank,C\n",
      "steering.csv"
    )
    let update = try Command(["cache", "update", mine, folder.path("steering.csv"), "--dry-run"])
    #expect(update.status == 0, "\(update.errors)")
    #expect(update.output.contains("renamed  a (bank): \"A\" to \"B [31m b\"\n"))
    #expect(update.output.contains("added     c \"C\" (bank)\n"))
  }

  private static let difference = """
    added    e "Comer" (bank)
    moved    b "Mover" (pharmacy): 111.0 m
    renamed  a (pharmacy): "Old Name" to "New Name"
    changed  a "New Name" (pharmacy): phone "1" to "2"
    removed  c "Leaver" (bank)
    1 added, 1 moved, 1 renamed, 1 changed, 1 removed, 1 as before
    outside of the selection: 1

    """

  @Test func `a newer file is applied with the recorded selection, and the difference printed`()
    throws
  {
    let before = try bytes()
    let dry = try Command(["cache", "update", cache, folder.path("new.csv"), "--dry-run"])
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.output.hasPrefix(Self.difference), "\(dry.output)")
    #expect(dry.output.contains("nothing was changed"))
    #expect(try bytes() == before)
    let done = try Command(["cache", "update", cache, folder.path("new.csv")])
    #expect(done.output.hasPrefix(Self.difference))
    #expect(done.output.hasSuffix("\(cache): 4 places\n"))
    #expect(try Command(["cache", "verify", cache]).status == 0)
    let again = try Command(["cache", "update", cache, folder.path("new.csv")])
    #expect(again.output.hasPrefix("0 added, 0 moved, 0 renamed, 0 changed, 0 removed, 4 as"))
  }

  @Test func `a newer file may come on standard input`() throws {
    let newer = try String(contentsOfFile: folder.path("new.csv"), encoding: .utf8)
    let done = try Command(["cache", "update", cache, "-"], input: newer)
    #expect(done.output.hasPrefix(Self.difference), "\(done.errors)")
    let torn = try Command(["cache", "update", cache, "-"], input: "lat,lon\n1,\"2\n")
    #expect(torn.status == 65 && torn.errors.contains("standard input: "), "\(torn.errors)")
  }

  @Test func `a build and an update stop while standard input keeps them waiting`() throws {
    let before = try bytes()
    for arguments in [["build", "-", "-o", cache], ["update", cache, "-"]] {
      let stopped = try Command(
        ["cache"] + arguments,
        input: "lat,lon\n",
        interruptedAfter: 1,
        keepsInputOpen: true,
        killedAfter: 60
      )
      #expect(stopped.status == 130, "\(stopped.errors)")
    }
    #expect(try bytes() == before)
  }

  @Test func `a cache with blanks in its selection, or a trace with odd signs, can be updated`()
    throws
  {
    let trace = folder.path("my \\ day.gpx")
    try FileManager.default.copyItem(atPath: folder.path("my day's.gpx"), toPath: trace)
    for selection in [
      ["--near", "39.3, -76.6", "--within", "50 km"], ["--bbox", "-77, 39, -76, 40"],
      ["--along", trace, "--within", "1mi"],
    ] {
      let built = try Command(
        ["cache", "build", folder.path("old.csv"), "-o", cache] + selection
      )
      #expect(built.status == 0, "\(built.errors)")
      let updated = try Command(["cache", "update", cache, folder.path("old.csv")])
      #expect(updated.output.hasPrefix("0 added, "), "\(updated.errors)")
    }
  }

  @Test func `a map that is older than the one before is named`() throws {
    func map(_ time: String, _ name: String) -> String {
      "<osm version='0.6'><meta osm_base='\(time)'/><node id='1' lat='1' lon='2'><tag k='amenity' v='bank'/>"
        + "<tag k='name' v='\(name)'/></node></osm>"
    }
    let maps = folder.path("map.sqlite")
    try write(map("2026-05-01T00:00:00Z", "Now"), "now.osm")
    try write(map("2025-05-01T00:00:00Z", "Then"), "then.osm")
    #expect(try Command(["cache", "build", folder.path("now.osm"), "-o", maps]).status == 0)
    let older = try Command(["cache", "update", maps, folder.path("then.osm")])
    #expect(older.status == 0)
    #expect(
      older.errors.contains("then.osm has the map of 2025-05-01T00:00:00Z"),
      "\(older.errors)"
    )
    let newer = try Command(["cache", "update", maps, folder.path("now.osm")])
    #expect(newer.status == 0 && !newer.errors.contains("note:"), "\(newer.errors)")
  }

  @Test func `what cannot be applied leaves the cache`() throws {
    let before = try bytes()
    let missing = try Command(["cache", "update", cache, folder.path("nothing.csv")])
    #expect(missing.status == 66)
    try write("lat,lon\n1,\"2\n", "cut.csv")
    #expect(try Command(["cache", "update", cache, folder.path("cut.csv")]).status == 65)
    try FileManager.default.removeItem(atPath: folder.path("my day's.gpx"))
    let noTrace = try Command(["cache", "update", cache, folder.path("new.csv")])
    #expect(noTrace.status == 66)
    #expect(noTrace.errors.contains("my day's.gpx, which is not here; name it with --along TRACE"))
    #expect(try bytes() == before)
  }

  @Test func `the map of another region renews no cache`() throws {
    func table(_ prefix: String, _ latitude: Double) -> String {
      "id,lat,lon,category\n"
        + (0..<12).map { "\(prefix)\($0),\(latitude + Double($0) / 100),-76.6,bank\n" }.joined()
    }
    try write(table("a", 39), "here.csv")
    try write(table("b", 49), "elsewhere.csv")
    try write(table("b", 49) + "a3,39.03,-76.6,bank\n", "some.csv")
    #expect(try Command(["cache", "build", folder.path("here.csv"), "-o", cache]).status == 0)
    let before = try bytes()
    let refused = try Command(["cache", "update", cache, folder.path("elsewhere.csv")])
    #expect(refused.status == 65, "\(refused.errors)")
    #expect(refused.errors.contains("nothing lies where the cache's 12 places are"))
    #expect(try bytes() == before)
    #expect(try Command(["cache", "update", cache, folder.path("some.csv")]).status == 0)
  }

  /// Ids that are made up of the coordinates are others where those lose a digit.
  @Test func `a table without ids whose coordinates are cut renews its cache`() throws {
    func table(_ shift: Double) -> String {
      "lat,lon,category,name\n"
        + (0..<12).map { "\(39 + Double($0) / 100 + shift),-76.6,bank,Bank \($0)\n" }.joined()
    }
    try write(table(0.000_012), "exact.csv")
    try write(table(0), "cut.csv")
    #expect(try Command(["cache", "build", folder.path("exact.csv"), "-o", cache]).status == 0)
    let update = try Command(["cache", "update", cache, folder.path("cut.csv")])
    #expect(update.status == 0, "\(update.errors)")
    #expect(update.output.contains("12 places"))
  }

  @Test func `a trace that was moved is named`() throws {
    let files = FileManager.default
    try files.moveItem(atPath: folder.path("my day's.gpx"), toPath: folder.path("moved.gpx"))
    let update = ["cache", "update", cache, folder.path("new.csv"), "--along"]
    let two = try Command(update + [folder.path("moved.gpx"), "--along", folder.path("moved.gpx")])
    #expect(two.status == 64)
    #expect(two.errors.contains("along 1 trace and 2"), "\(two.errors)")
    let done = try Command(update + [folder.path("moved.gpx")])
    #expect(done.output.hasPrefix(Self.difference), "\(done.errors)")
    // The new name is the one that counts from now on.
    let again = try Command(Array(update.dropLast()))
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("4 as before"))
  }

  @Test func `every file of the cache must be named, and other rules are remembered`() throws {
    try write(
      "{\"categories\":[{\"name\":\"zoo\",\"any\":[{\"tourism\":\"zoo\"}]}]}",
      "zoo.json"
    )
    try write("id,lat,lon,category\nz,1,2,zoo\n", "zoo.csv")
    let built = try Command([
      "cache", "build", folder.path("zoo.csv"), folder.path("zoo.csv"), "-o", cache,
      "--categories", folder.path("zoo.json"),
    ])
    #expect(built.status == 0, "\(built.errors)")
    let one = try Command(["cache", "update", cache, folder.path("zoo.csv")])
    #expect(one.status == 64)
    #expect(one.errors.contains("built from 2 files"))
    let both = try Command([
      "cache", "update", cache, folder.path("zoo.csv"), folder.path("zoo.csv"),
    ])
    #expect(both.status == 0, "\(both.errors)")
    #expect(both.output.contains("1 as before"))
  }

  @Test(arguments: [
    ("osm_id,lat,lon,amenity,name\n5,1,2,bank,A\n", "5"),
    ("@type,@id,@lat,@lon,amenity,name\nnode,5,1,2,bank,A\n", "5"),
    (
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"#
        + #""properties":{"id":"node/5","amenity":"bank","name":"A"}}"#, "id/node/5"
    ),
  ])
  func `an id that an older version has read keeps its place`(text: String, older: String) throws {
    // What that version has made of the same file.
    try write("id,lat,lon,category,name\n\(older),1,2,bank,A\n", "first.csv")
    try write(text, "same")
    let built = try Command(["cache", "build", folder.path("first.csv"), "-o", cache])
    #expect(built.status == 0, "\(built.errors)")
    let update = ["cache", "update", cache, folder.path("same")]
    for _ in 0..<2 {
      let done = try Command(update)
      #expect(done.output.hasPrefix("0 added, 0 moved, 0 renamed, 0 changed, 0 removed, 1 as"))
      #expect(done.status == 0, "\(done.errors)")
    }
  }

  @Test(arguments: [
    ["--along", "nowhere.gpx", "--within", "1mi"], ["--along", "nowhere.gpx"],
    ["--limit-size", "much"], ["--near", "1,2", "--within", "1mi", "--within", "2mi"],
  ])
  func `options that make no sense`(options: [String]) throws {
    let result = try Command(["cache", "build", folder.path("old.csv"), "-o", cache] + options)
    #expect([64, 66].contains(result.status))
    #expect(result.errors.hasPrefix("nearme: "))
  }
}
