import Foundation
import TestSupport
import Testing

/// Folders of cells as people make and use them, on the sample map.
@Suite struct CellCommandTests {
  private static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  private static func path(_ path: String) -> String { root.appendingPathComponent(path).path }

  private let folder: TemporaryFolder
  private let cells: String

  init() throws {
    folder = try TemporaryFolder()
    cells = folder.path("cells")
    let build = try Command([
      "cache", "build", Self.path("data/port-ardent.osm.pbf"), "--tiles", "1", "-o", cells,
    ])
    #expect(build.status == 0, "\(build.errors)")
    #expect(build.output.contains("cells of 1°"))
  }

  private func replay(_ cache: String, _ more: [String] = []) throws -> Command {
    try Command(
      [
        "replay", Self.path("traces/errands.gpx.gz"), "--cache", cache, "--reminders",
        Self.path("traces/reminders.json"), "--monitor", "stream", "--format", "ndjson",
      ] + more
    )
  }

  @Test func `a replay on cells says what it says on one cache`() throws {
    let one = folder.path("one.sqlite")
    _ = try Command(["cache", "build", Self.path("data/port-ardent.osm.pbf"), "-o", one])
    let whole = try replay(one)
    let parts = try replay(cells)
    #expect(parts.status == 0, "\(parts.errors)")
    #expect(parts.output == whole.output)
    #expect(whole.output.contains("notification"))
  }

  @Test func `a cell is not updated by itself, and how it is made anew is said`() throws {
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: cells).first { $0.hasSuffix(".sqlite") }
    )
    let update = try Command([
      "cache", "update", cells + "/" + name, Self.path("data/port-ardent.osm.pbf"),
    ])
    #expect(update.status == 65)
    #expect(
      update.errors.contains("`nearme cache build MAP --tiles 1 --margin 50km -o FOLDER`"),
      "\(update.errors)"
    )
  }

  @Test func `an index lists the cells, and names the one that is not sound`() throws {
    let sound = try Command(["cache", "index", cells])
    #expect(sound.status == 0, "\(sound.errors)")
    let lines = sound.output.split(separator: "\n")
    #expect(lines.count >= 2)
    #expect(lines.dropFirst().allSatisfy { $0.split(separator: "\t").count == 4 })
    let json = try Command(["cache", "index", cells, "--format", "json"])
    let index = try String(contentsOfFile: cells + "/index.json", encoding: .utf8)
    #expect(json.output == index)
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: cells).first { $0.hasSuffix(".sqlite") }
    )
    let file = try #require(FileHandle(forUpdatingAtPath: cells + "/" + name))
    try file.seek(toOffset: 5_000)
    try file.write(contentsOf: Data([0xFF, 0xFE]))
    try file.close()
    let broken = try Command(["cache", "index", cells])
    #expect(broken.status == 1)
    #expect(broken.errors.contains(name))
  }

  @Test(arguments: [
    (["--tiles", "7"], "cells of 1, 2, 3"),
    (["--tiles", "5", "--margin", "5km"], "35km and 450km"),
    (["--tiles", "5", "--margin", "50"], "50km"), (["--margin", "50km"], "--tiles"),
    (["--tiles", "5", "--limit-size", "5MB"], "--limit-size"),
  ])
  func `options that cells cannot have are named`(_ options: [String], _ word: String) throws {
    let refused = try Command(
      ["cache", "build", Self.path("data/port-ardent.osm.pbf"), "-o", folder.path("x")] + options
    )
    #expect(refused.status == 64)
    #expect(refused.errors.contains(word), "\(refused.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
  }

  @Test func `what cells cannot do is refused with what to do instead`() throws {
    let policy = folder.path("policy.yaml")
    try "tiers: {fence_semantics: per_poi}\n"
      .write(toFile: policy, atomically: true, encoding: .utf8)
    let fences = try replay(cells, ["--policy", policy])
    #expect(fences.status == 64)
    #expect(fences.errors.contains("per_poi"))
    try "tiers: {category: [\"30mi\", arrival]}\n"
      .write(toFile: policy, atomically: true, encoding: .utf8)
    let far = try replay(cells, ["--policy", policy])
    #expect(far.status == 64)
    #expect(far.errors.contains("build them with --margin"))
  }
}
