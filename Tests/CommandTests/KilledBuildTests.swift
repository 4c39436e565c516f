import Foundation
import TestSupport
import Testing

/// What is left of a cache when its rebuilding ends badly: the old one, or the new one, whole.
@Suite struct KilledBuildTests {
  private let folder: TemporaryFolder
  private let cache: String

  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
  }

  /// Writes a table of so many places.
  private func table(_ name: String, _ count: Int) throws -> String {
    var text = "id,lat,lon,category,name\n"
    for row in 0..<count {
      text += "\(row),\(Double(row % 1_700) / 10 - 80),\(Double(row % 3_500) / 10 - 175),"
      text += "pharmacy,Pharmacy \(row)\n"
    }
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  private func contents() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: cache)) }

  @Test(.timeLimit(.minutes(30)))
  func `a build killed at any moment leaves the old cache or the new one`() throws {
    let small = try table("small.csv", 10)
    let large = try table("large.csv", 8_000)
    #expect(try Command(["cache", "build", small, "-o", cache]).status == 0)
    let old = try contents()
    let clock = ContinuousClock()
    var full = Duration.seconds(60)
    for _ in 0..<3 {
      full = min(
        full,
        try clock.measure { _ = try Command(["cache", "build", large, "-o", cache]) }
      )
    }
    let seed: UInt64 = 7
    var generator = SeededGenerator(seed: seed)
    var (killed, untouched, replaced, leftovers) = (0, 0, 0, 0)
    for round in 0..<600 where killed < 200 {
      try old.write(to: URL(fileURLWithPath: cache))
      // A little beyond the end, so that the last steps are met, too.
      let delay = full * generator.uniform(0...1.15)
      let ended = try kill(["cache", "build", large, "-o", cache], after: delay)
      // The other tests may have kept the machine busy while the first builds were measured.
      if let ended { full = min(full, ended) } else { killed += 1 }
      leftovers = max(leftovers, folder.names.count { $0.hasSuffix(".building") })
      if try contents() == old {
        untouched += 1
        guard untouched % 20 == 1 else { continue }
        let info = try Command(["cache", "info", cache])
        #expect(info.status == 0, "seed \(seed), round \(round), \(delay): \(info.errors)")
      } else {
        replaced += 1
        let check = try Command(["cache", "verify", cache])
        #expect(check.status == 0, "seed \(seed), round \(round), \(delay): \(check.errors)")
      }
    }
    #expect(killed == 200)
    // Enough of both, and never more than the rest of the build that was killed last.
    #expect(untouched > 20 && replaced > 0, "\(untouched) untouched, \(replaced) replaced")
    #expect(leftovers == 1)
    #expect(try Command(["cache", "build", small, "-o", cache]).status == 0)
    #expect(folder.names == ["large.csv", "pois.sqlite", "small.csv"])
  }

  /// Runs a command and ends it without a chance to tidy up.
  ///
  /// - Returns: how long it took, if it ended before; nil if it was killed.
  private func kill(_ arguments: [String], after delay: Duration) throws -> Duration? {
    let process = Process()
    process.executableURL = Command.binary
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let start = ContinuousClock.now
    while process.isRunning, start.duration(to: .now) < delay { usleep(500) }
    let ended = process.isRunning ? nil : start.duration(to: .now)
    if ended == nil { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    return ended
  }

  @Test(.timeLimit(.minutes(30)), arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a build that is told to stop tidies up and says which signal it was`(
    number: Int32
  ) throws {
    // Whoever runs the tests may have had them ignore it, and a child would, too.
    if number == SIGHUP { signal(SIGHUP, SIG_DFL) }
    let large = try table("large.csv", 100_000)
    let (status, errors) = try signaled(number, Command.binary, ["cache", "build", large])
    #expect(status == 128 + number, "\(errors)")
    #expect(errors.contains("interrupted"), "\(errors)")
    #expect(folder.names == ["large.csv"])
  }

  @Test(.timeLimit(.minutes(30)))
  func `a build that is to outlive its terminal does`() throws {
    let large = try table("large.csv", 20_000)
    let (status, errors) = try signaled(
      SIGHUP,
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "trap '' HUP; exec \"$0\" \"$@\"", Command.binary.path, "cache", "build", large]
    )
    #expect(status == 0, "\(errors)")
    #expect(folder.names == ["large.csv", "pois.sqlite"])
  }

  /// Runs a build and sends a signal as soon as its new file is there.
  private func signaled(
    _ number: Int32,
    _ program: URL,
    _ arguments: [String]
  ) throws -> (Int32, String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments + ["-o", cache]
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    while process.isRunning, !folder.names.contains(where: { $0.hasSuffix(".building") }) {
      usleep(500)
    }
    Foundation.kill(process.processIdentifier, number)
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  /// Runs a command in a shell that first says `prelude`.
  private func shell(_ prelude: String, _ arguments: [String]) throws -> (Int32, String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments =
      ["-c", prelude + " && exec \"$0\" \"$@\"", Command.binary.path] + arguments
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  @Test func `a build that reaches the limit of file sizes keeps the old cache`() throws {
    let small = try table("small.csv", 10)
    #expect(try Command(["cache", "build", small, "-o", cache]).status == 0)
    let old = try contents()
    let large = try table("large.csv", 8_000)
    // In blocks of 512 bytes, or of 1,024 in some shells: between the old cache's size and the new's.
    let blocks = old.count / 512
    let (status, errors) = try shell("ulimit -f \(blocks)", ["cache", "build", large, "-o", cache])
    #expect(status == 74, "\(errors)")
    #expect(errors.contains("pois.sqlite: cannot be read or written"), "\(errors)")
    #expect(errors.contains("check the disk's space"), "\(errors)")
    #expect(try contents() == old)
    #expect(folder.names == ["large.csv", "pois.sqlite", "small.csv"])
  }

  @Test func `a build that fills the disk keeps the old cache`() throws {
    let mount = try SmallDisk(at: folder.path("disk"), mebibytes: 8)
    guard let mount else {
      // Nothing else can stand for a full disk; the limit of file sizes above comes near.
      print("no small disk can be mounted here: the test of a full disk is skipped")
      return
    }
    let target = mount.path + "/pois.sqlite"
    defer { mount.remove() }
    let small = try table("small.csv", 10)
    let first = try Command(["cache", "build", small, "-o", target])
    #expect(first.status == 0, "\(first.errors)")
    let old = try Data(contentsOf: URL(fileURLWithPath: target))
    let large = try table("large.csv", 60_000)
    // With a limit of the size, the first file that is too large is one that nobody named.
    for options in [[], ["--limit-size", "9MB"]] {
      let result = try Command(["cache", "build", large, "-o", target] + options)
      #expect(result.status == 74, "\(result.errors)")
      #expect(result.errors.contains("\(target): cannot be read or written"), "\(result.errors)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == old)
    #expect(try FileManager.default.contentsOfDirectory(atPath: mount.path) == ["pois.sqlite"])
  }
}

/// A file system in memory that is soon full.
struct SmallDisk {
  let path: String

  /// Mounts it.
  ///
  /// - Returns: nil where that is not allowed.
  init?(at path: String, mebibytes: Int) throws {
    self.path = path
    #if os(Linux)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else { return nil }
    #else
    return nil
    #endif
  }

  /// Makes a file that leaves so many bytes free.
  func fill(_ file: String, leaving bytes: Int) {
    #if os(Linux)
    var space = statvfs()
    guard statvfs(path, &space) == 0 else { return }
    let free = Int(space.f_bavail) * Int(space.f_bsize)
    _ = FileManager.default.createFile(atPath: file, contents: Data(count: max(0, free - bytes)))
    #endif
  }

  func remove() {
    #if os(Linux)
    umount(path)
    #endif
  }
}
