import Basics
import Foundation
import SimulatedPhones

/// Something that kept a check from being made.
struct CheckFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// `nearme serve` as a child, on a folder of its own, that can be killed and started again.
final class DoorProcess {
  /// So long may it take to say where it listens, and to end, in seconds.
  private static let patienceSeconds = 60.0

  /// Everything of it.
  let folder: URL
  private(set) var port: UInt16 = 0
  /// How often it was started.
  private(set) var starts = 0
  private let command: String
  private let arguments: [String]
  private var process: Process?

  init(command: String, folder: URL, cache: String, zone: String, holdSeconds: Double) {
    self.command = command
    self.folder = folder
    arguments = [
      "serve", "--home", folder.appendingPathComponent("home").path, "--cache", cache,
      "--listen", "127.0.0.1:0", "--clock", "fixes", "--hold", "\(holdSeconds)", "--time-zone",
      zone,
      "--sink", "ndjson:" + folder.appendingPathComponent("told").path,
    ]
  }

  var home: String { folder.appendingPathComponent("home").path }
  var isRunning: Bool { process?.isRunning ?? false }
  var processID: Int32? { process?.processIdentifier }

  /// Starts it if it does not run.
  ///
  /// - Returns: whether it was started.
  @discardableResult
  func ensureRunning() throws -> Bool {
    guard !isRunning else { return false }
    process?.waitUntilExit()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = try log()
    process.standardInput = FileHandle.nullDevice
    try process.run()
    self.process = process
    Self.running = process.processIdentifier
    starts += 1
    port = try readPort(output.fileHandleForReading.fileDescriptor)
    return true
  }

  /// Its own words, of all its lives, for whoever looks why a check failed.
  private func log() throws -> FileHandle {
    let path = folder.appendingPathComponent("log.txt").path
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    guard let handle = FileHandle(forWritingAtPath: path) else {
      throw CheckFailure("\(path): cannot be written")
    }
    handle.seekToEndOfFile()
    return handle
  }

  private func readPort(_ descriptor: Int32) throws -> UInt16 {
    let deadline = Date().addingTimeInterval(Self.patienceSeconds)
    var text: [UInt8] = []
    while Date() < deadline {
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&wait, 1, 100) > 0 else { continue }
      var byte: UInt8 = 0
      guard read(descriptor, &byte, 1) == 1 else { break }
      guard byte == UInt8(ascii: "\n") else {
        text.append(byte)
        continue
      }
      let line = String(decoding: text, as: UTF8.self)
      if line.hasPrefix("listening on "),
        let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
      {
        return port
      }
      text = []
    }
    throw CheckFailure("\(command) serve does not say where it listens: see \(folder.path)/log.txt")
  }

  /// Lets it end as a service manager does.
  func stop() throws {
    guard let process, process.isRunning else { return }
    process.terminate()
    let deadline = Date().addingTimeInterval(Self.patienceSeconds)
    while process.isRunning, Date() < deadline { usleep(10_000) }
    guard !process.isRunning else {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      throw CheckFailure("\(command) serve did not end within a minute of SIGTERM")
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CheckFailure("\(command) serve ended with status \(process.terminationStatus)")
    }
  }

  /// The one that runs, for a check that is ended from outside; 0: none.
  private nonisolated(unsafe) static var running: Int32 = 0

  /// Lets no server outlive a check that is ended by a signal.
  static func endWithCheck() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { number in
        if DoorProcess.running > 0 { kill(DoorProcess.running, SIGKILL) }
        _exit(128 + number)
      }
    }
  }

  /// Ends it at once, wherever it stands.
  func killNow() {
    guard let process, process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  // MARK: Commands beside it

  /// Makes the person and lets its phone in.
  func letIn(person: String, app: String) throws -> Account {
    _ = try run(["person", "add", person, "--home", home])
    let text = try run(["phone", "add", person, "phone", "--home", home, "--format", "json"])
    guard let json = try? JSONValue.parse(text.trimmingCharacters(in: .whitespacesAndNewlines)),
      let user = json["user"]?.text, let password = json["password"]?.text,
      let token = json["token"]?.text, let path = json["paths"]?[app]?.text
    else {
      throw CheckFailure("`phone add --format json` printed no credentials for \(app): \(text)")
    }
    return Account(user: user, password: password, token: token, path: path, device: "phone")
  }

  private func run(_ arguments: [String]) throws -> String {
    try DoorProcess.output(of: command, arguments)
  }

  /// What a command prints.
  static func output(of command: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CheckFailure("\(command) \(arguments.joined(separator: " ")) failed")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
