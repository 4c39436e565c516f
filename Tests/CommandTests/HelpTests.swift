import Foundation
import TestSupport
import Testing

/// The help of every command, as a terminal of 80 columns shows it.
@Suite struct HelpTests {
  private struct Dump: Decodable { let command: Node }

  private struct Node: Decodable {
    let commandName: String
    let discussion: String?
    let subcommands: [Node]?
  }

  /// Every command with its words behind `nearme`, the root first.
  private static func commands() throws -> [(words: [String], discussion: String)] {
    let dump = try Command(["--experimental-dump-help"])
    let root = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
    func all(_ node: Node, _ words: [String]) -> [(words: [String], discussion: String)] {
      [(words, node.discussion ?? "")]
        + (node.subcommands ?? []).filter { $0.commandName != "help" }
        .flatMap { all($0, words + [$0.commandName]) }
    }
    return all(root, [])
  }

  /// The help of a command, whatever width of a terminal the tests' own environment has.
  private static func help(_ words: [String]) throws -> String {
    let process = Process()
    process.executableURL = Command.binary
    process.arguments = words + ["--help"]
    process.environment = ProcessInfo.processInfo.environment.merging(["COLUMNS": "80"]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  /// The lines of a text that are examples or tables.
  private static func examples(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("  ") }
  }

  @Test func `no example is broken over two lines, so that it can be pasted`() throws {
    let commands = try Self.commands()
    #expect(commands.count > 50)
    var examples = 0
    for (words, discussion) in commands {
      let lines = Self.examples(discussion)
      examples += lines.count
      for line in lines {
        // At 80 the parser breaks: it wants to keep the last column free.
        #expect(line.count < 80, "nearme \(words.joined(separator: " ")): \(line)")
      }
      for (line, next) in zip(lines, lines.dropFirst() + [""]) where line.hasSuffix("\\") {
        #expect(next.hasPrefix("    "), "\(line) goes on with \(next)")
      }
    }
    #expect(examples > 100)
  }

  @Test(arguments: [["score"], ["trace", "check"], ["reminder", "export"]])
  func `examples are shown as they were written`(words: [String]) throws {
    let discussion = try Self.commands().first { $0.words == words }?.discussion
    let help = try Self.help(words).split(separator: "\n").map(String.init)
    #expect(help.contains { $0.hasPrefix("USAGE:") })
    for line in Self.examples(try #require(discussion)) {
      #expect(help.contains(line), "\(line)")
    }
  }
}
