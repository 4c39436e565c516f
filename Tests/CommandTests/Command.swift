import Foundation
import TestSupport

/// The `nearme` command as people run it.
struct Command {
  let status: Int32
  let output: String
  let errors: String
  /// The most memory it had, where that was asked for and the system tells.
  private(set) var peakMebibytes: Int?

  /// The binary lies beside the test bundle.
  static let binary: URL = {
    var folder = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    for _ in 0..<6 {
      folder.deleteLastPathComponent()
      let candidate = folder.appendingPathComponent("nearme")
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
    }
    preconditionFailure("the command is not beside the tests: run `swift build` first")
  }()

  /// Runs it to its end.
  ///
  /// - Parameter interruptedAfter: seconds after which Ctrl-C is pressed, from when it heeds that.
  /// - Parameter onceItHasSaid: what standard output has before that.
  /// - Parameter keepsInputOpen: whether standard input stays open to the end.
  /// - Parameter measuresMemory: whether ``peakMebibytes`` is wanted.
  /// - Parameter killedAfter: seconds of work after which it is killed, if it has not ended by itself. One that only
  ///   waits has thirty times as long.
  /// - Parameter environment: what it finds there besides what the tests do.
  init(
    _ arguments: [String],
    input: String = "",
    data: Data? = nil,
    interruptedAfter: Double? = nil,
    onceItHasSaid said: String = "",
    keepsInputOpen: Bool = false,
    measuresMemory: Bool = false,
    killedAfter: Double? = nil,
    environment: [String: String] = [:]
  ) throws {
    // A command that refuses its arguments leaves its input unread.
    signal(SIGPIPE, SIG_IGN)
    let folder = try TemporaryFolder()
    let (out, err) = (folder.path("out"), folder.path("err"))
    for path in [out, err] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    let process = Process()
    process.executableURL = Self.binary
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardOutput = FileHandle(forWritingAtPath: out)
    process.standardError = FileHandle(forWritingAtPath: err)
    try process.run()
    try? pipe.fileHandleForWriting.write(contentsOf: data ?? Data(input.utf8))
    if let interruptedAfter {
      Self.wait { Self.heedsInterrupts(process.processIdentifier) }
      Self.wait {
        said.isEmpty || (try? String(contentsOfFile: out, encoding: .utf8))?.contains(said) ?? false
      }
      Thread.sleep(forTimeInterval: interruptedAfter)
      process.interrupt()
      // The signal takes effect when its queue is scheduled; on a busy machine that takes a while.
      Thread.sleep(forTimeInterval: 0.5)
    }
    if !keepsInputOpen { try? pipe.fileHandleForWriting.close() }
    let start = ContinuousClock.now
    while measuresMemory || killedAfter != nil, process.isRunning {
      if let killedAfter,
        Self.processorSeconds(process.processIdentifier) ?? 0 > killedAfter
          || start.duration(to: .now) > .seconds(30 * killedAfter)
      {
        kill(process.processIdentifier, SIGKILL)
      }
      // The system keeps the high-water mark as long as the process lives.
      if measuresMemory {
        peakMebibytes = Self.peakMebibytes(process.processIdentifier) ?? peakMebibytes
      }
      Thread.sleep(forTimeInterval: 0.005)
    }
    process.waitUntilExit()
    try? pipe.fileHandleForWriting.close()
    status = process.terminationStatus
    output = try String(contentsOfFile: out, encoding: .utf8)
    errors = try String(contentsOfFile: err, encoding: .utf8)
  }

  /// Waits until something is so, for a minute at most.
  private static func wait(_ isSo: () -> Bool) {
    for _ in 0..<6_000 {
      if isSo() { return }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  /// Whether Ctrl-C would not simply end it; true where the system does not tell.
  private static func heedsInterrupts(_ process: Int32) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let masks = status?.split(separator: "\n")
      .filter { $0.hasPrefix("SigIgn:") || $0.hasPrefix("SigCgt:") }
      .compactMap { UInt64($0.dropFirst(7).trimmingPrefix { $0.isWhitespace }, radix: 16) }
    return masks?.contains { $0 >> UInt64(SIGINT - 1) & 1 == 1 } ?? true
  }

  /// How long it has worked, from the fields `utime` and `stime` of proc_pid_stat(5), in hundredths of a second.
  private static func processorSeconds(_ process: Int32) -> Double? {
    guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = line.lastIndex(of: ")")
    else { return nil }
    let fields = line[end...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      return nil
    }
    return (user + system) / 100
  }

  // What `getrusage` says of a child begins with the memory of the parent that it was forked from.
  private static func peakMebibytes(_ process: Int32) -> Int? {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    guard let line = status?.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    else { return nil }
    return Int(kibibytes).map { $0 >> 10 }
  }
}
