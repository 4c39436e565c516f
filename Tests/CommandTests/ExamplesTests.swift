import Foundation
import TestSupport
import Testing

/// The examples of the pages, run as they stand.
@Suite struct ExamplesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a command of an example as a shell does, in the folder; what it says on either stream.
  private func run(_ command: String) throws -> String {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "exec 2>&1; " + command]
    shell.currentDirectoryURL = folder.url
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = Command.binary.deletingLastPathComponent().path + ":/usr/bin:/bin"
    shell.environment = environment
    let output = Pipe()
    shell.standardOutput = output
    try shell.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    return text
  }

  /// The commands of a page's part, each with what the page says it prints.
  private func examples(
    of page: String,
    under title: String
  ) throws -> [(command: String, output: String)] {
    let text = try String(
      contentsOf: LiveDay.root.appendingPathComponent(page),
      encoding: .utf8
    )
    let part = text.components(separatedBy: "\n## ").first { $0.hasPrefix(title + "\n") }
    let blocks = try #require(part).components(separatedBy: "```\n")
    var examples: [(command: String, output: String)] = []
    for block in stride(from: 1, to: blocks.count, by: 2).map({ blocks[$0] }) {
      for line in block.split(separator: "\n") {
        if line.hasPrefix("$ ") {
          examples.append((String(line.dropFirst(2)), ""))
        } else if !examples.isEmpty {
          examples[examples.count - 1].output += line + "\n"
        }
      }
    }
    return examples
  }

  @Test func `conversions print what the page about traces says`() throws {
    let seeds = LiveDay.root.appendingPathComponent("Fuzz/seeds")
    let files = FileManager.default
    for kind in try files.contentsOfDirectory(atPath: seeds.path).sorted()
    where kind == "gpx" || kind.hasPrefix("trace-") {
      for name in try files.contentsOfDirectory(atPath: seeds.path + "/" + kind) {
        try? files.copyItem(atPath: "\(seeds.path)/\(kind)/\(name)", toPath: folder.path(name))
      }
    }
    let examples = try examples(of: "docs/traces.md", under: "Converting")
    #expect(examples.count >= 8)
    for example in examples {
      // Which of the two streams comes first is nobody's promise.
      let lines = { (text: String) in text.split(separator: "\n").sorted() }
      #expect(try lines(run(example.command)) == lines(example.output), "\(example.command)")
    }
  }
}
