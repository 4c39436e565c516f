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

  @Test func `a folder that is gone while the door runs is there again, and nobody else waits`()
    throws
  {
    for (text, signal) in [("call mum", "unlock"), ("call gran", "charging")] {
      _ = try done("reminder", "add", text, "--on", signal, "--db", database)
    }
    let told = folder.path("told")
    let process = Process()
    process.executableURL = Command.binary
    process.arguments = [
      "serve", "--home", home, "--cache", cache, "--listen", "127.0.0.1:0",
      "--sink", "ndjson:" + told,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { process.terminate() }
    func waits(for word: String) -> Bool {
      for _ in 0..<600 where process.isRunning {
        let text = (try? String(contentsOfFile: told + "/anna.ndjson", encoding: .utf8)) ?? ""
        if text.contains(word) { return true }
        Thread.sleep(forTimeInterval: 0.05)
      }
      return false
    }
    _ = try done("signal", "unlock", "--db", database)
    #expect(waits(for: "call mum"))
    try FileManager.default.removeItem(atPath: told)
    // Whether or not it speaks, that is written.
    _ = try done("signal", "charging", "--to", "charging", "--db", database)
    #expect(waits(for: "\"at\":"))
    #expect(process.isRunning)
  }

  @Test(arguments: [
    ("short", 0o600, "20 or more"), ("a-token-that-is-long-enough", 0o644, "chmod 600"),
  ])
  func `a token for the counts is long, and not for everybody on the machine`(
    token: String,
    mode: Int,
    what: String
  ) throws {
    let path = folder.path("token")
    try (token + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    let run = try Command([
      "serve", "--home", home, "--cache", cache, "--listen", "127.0.0.1:0",
      "--metrics-token-file", path,
    ])
    #expect(run.status == 64 && run.errors.contains(what), "\(run.errors)")
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

  /// Starts a door that mails by a program, and waits until it listens or has ended.
  ///
  /// - Returns: the process, and the port; nil where it does not listen.
  private func mailing(_ program: String, port: Int) throws -> (door: Process, port: Int?) {
    let said = folder.path("said-\(UUID())")
    _ = FileManager.default.createFile(atPath: said, contents: nil)
    let door = Process()
    door.executableURL = Command.binary
    door.arguments = [
      "serve", "--home", home, "--cache", cache, "--listen", "127.0.0.1:\(port)",
      "--mail-from", "near@example.org", "--sendmail", program,
    ]
    door.standardOutput = FileHandle(forWritingAtPath: said)
    door.standardError = FileHandle.nullDevice
    try door.run()
    let words = "listening on http://127.0.0.1:"
    for _ in 0..<1_200 where door.isRunning {
      let text = try String(contentsOfFile: said, encoding: .utf8)
      if let line = text.split(separator: "\n").first(where: { $0.hasPrefix(words) }),
        text.contains("\n"), let port = Int(line.dropFirst(words.count))
      {
        return (door, port)
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
    return (door, nil)
  }

  @Test func `what a mail program leaves running has none of the door's sockets`() throws {
    let channels = try Command(
      ["person", "channels", "anna", "--home", home, "--set", "-"],
      input: #"[{"id":"post","type":"mail","to":"anna@example.org"}]"#
    )
    #expect(channels.status == 0, "\(channels.errors)")
    _ = try done("reminder", "add", "call mum", "--on", "unlock", "--db", database)
    _ = try done("signal", "unlock", "--db", database)
    let left = folder.path("left")
    let program = folder.path("mail")
    try
      "#!/bin/sh\ncat >/dev/null\nsleep 600 &\necho $! >'\(left).new'\nmv '\(left).new' '\(left)'\n"
      .write(toFile: program, atomically: true, encoding: .utf8)
    chmod(program, 0o700)
    let first = try mailing(program, port: 0)
    let port = try #require(first.port)
    for _ in 0..<1_200 where !FileManager.default.fileExists(atPath: left) {
      Thread.sleep(forTimeInterval: 0.05)
    }
    first.door.terminate()
    first.door.waitUntilExit()
    let child = try #require(
      Int32(
        try String(contentsOfFile: left, encoding: .utf8).trimmingCharacters(in: .newlines)
      )
    )
    defer { kill(child, SIGKILL) }
    #expect(kill(child, 0) == 0)
    // The address is free again, while the child goes on.
    let second = try mailing(program, port: port)
    #expect(second.port == port)
    #expect(kill(child, 0) == 0)
    second.door.terminate()
    second.door.waitUntilExit()
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
    let served = try Command(["serve", "--cache", cache, "--home", misspelled])
    #expect(served.status == 66)
    #expect(served.errors.contains("did you mean \(home)?"), "\(served.errors)")
    #expect(!FileManager.default.fileExists(atPath: misspelled))
    #expect(try done("person", "list", "--home", home) == "anna: no phone\n")
  }

  @Test func `a folder whose name is one letter is a folder`() throws {
    for name in ["q", "q/", "./q"] {
      let run = try Command(["person", "list", "--home", name])
      #expect(run.status == 66, "\(name): \(run.errors)")
      #expect(run.errors.contains("\(name): no door is there"), "\(run.errors)")
    }
  }

  @Test func `a door that is made is said to be new`() throws {
    for (name, other) in [("work", ""), ("homes", "; another one is in \(home)")] {
      let new = folder.path(name)
      let made = try Command(["person", "add", "bob", "--home", new])
      #expect(made.status == 0)
      #expect(made.errors == "nearme: \(new): no door was there: a new one was made\(other)\n")
      let again = try Command(["person", "add", "carl", "--home", new])
      #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
    }
    // Where its folder is there, it is meant.
    let empty = folder.path("hone")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
    let served = try Command([
      "serve", "--cache", folder.path("none.sqlite"), "--home", empty,
    ])
    #expect(served.status == 66)
    #expect(served.errors.contains("a new one was made"), "\(served.errors)")
    #expect(served.errors.contains("none.sqlite"), "\(served.errors)")
  }

  @Test func `a certificate that is not there is missing, and a folder is none`() throws {
    try "no key".write(toFile: folder.path("key"), atomically: true, encoding: .utf8)
    for (certificate, key, status, sentence) in [
      ("nope", "key", 66, "--tls-cert \(folder.path("nope")): there is no such file"),
      ("key", "nope", 66, "--tls-key \(folder.path("nope")): there is no such file"),
      ("home", "key", 65, "--tls-cert \(home): this is a folder: name a file"),
      ("key", "key", 65, "cannot be used as certificate and key in PEM"),
    ] as [(String, String, Int32, String)] {
      let run = try Command([
        "serve", "--home", home, "--cache", cache, "--listen", "127.0.0.1:0",
        "--tls-cert", folder.path(certificate), "--tls-key", folder.path(key),
      ])
      #expect(run.status == status, "\(certificate), \(key): \(run.errors)")
      #expect(run.errors.contains(sentence), "\(certificate), \(key): \(run.errors)")
    }
  }
}
