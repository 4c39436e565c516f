import Foundation
import TestSupport

/// The `nearme` command as people run it.
struct Command {
  let status: Int32
  let output: String
  let errors: String

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
  /// - Parameter interruptedAfter: seconds after which Ctrl-C is pressed.
  /// - Parameter memoryMebibytes: more address space than this is refused to it, as by a phone.
  /// - Parameter keepsInputOpen: whether standard input stays open to the end.
  init(
    _ arguments: [String],
    input: String = "",
    memoryMebibytes: Int? = nil,
    interruptedAfter: Double? = nil,
    keepsInputOpen: Bool = false
  ) throws {
    let folder = try TemporaryFolder()
    let (out, err) = (folder.path("out"), folder.path("err"))
    for path in [out, err] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    let process = Process()
    process.executableURL = Self.binary
    process.arguments = arguments
    if let memoryMebibytes {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      let script = "ulimit -v \(memoryMebibytes << 10); exec \"$0\" \"$@\""
      process.arguments = ["-c", script, Self.binary.path] + arguments
    }
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardOutput = FileHandle(forWritingAtPath: out)
    process.standardError = FileHandle(forWritingAtPath: err)
    try process.run()
    try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    if let interruptedAfter {
      Thread.sleep(forTimeInterval: interruptedAfter)
      process.interrupt()
      // The signal takes effect when its queue is scheduled; on a busy machine that takes a while.
      Thread.sleep(forTimeInterval: 0.5)
    }
    if !keepsInputOpen { try? pipe.fileHandleForWriting.close() }
    process.waitUntilExit()
    try? pipe.fileHandleForWriting.close()
    status = process.terminationStatus
    output = try String(contentsOfFile: out, encoding: .utf8)
    errors = try String(contentsOfFile: err, encoding: .utf8)
  }
}
