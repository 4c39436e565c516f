import Foundation
import Timeline

/// A sink as it is named on the command line.
package enum SinkSpecification: Hashable, Sendable {
  /// Lines for a person, with the terminal's bell or without.
  case terminal(rings: Bool)
  /// Lines for programs, to standard output or to a file.
  case ndjson(path: String?)
  /// A command with its arguments.
  case command([String])
  /// A server.
  case webhook(WebhookAddress)

  /// Reads `terminal`, `terminal:bell`, `ndjson`, `ndjson:FILE`, `exec:COMMAND`,
  /// `exec:["COMMAND", "ARGUMENT", …]` or `webhook:URL`.
  ///
  /// - Throws: `.usage` with what would be right.
  package init(_ text: String) throws(HostFailure) {
    let kind = text.prefix { $0 != ":" }
    let rest = text.count > kind.count ? String(text.dropFirst(kind.count + 1)) : nil
    switch (kind, rest) {
    case ("terminal", nil): self = .terminal(rings: false)
    case ("terminal", "bell"): self = .terminal(rings: true)
    case ("ndjson", nil), ("ndjson", "-"): self = .ndjson(path: nil)
    case ("ndjson", let path?) where !path.isEmpty:
      self = .ndjson(path: URL(fileURLWithPath: path).standardizedFileURL.path)
    case ("exec", let command?) where command.hasPrefix("["):
      guard let words = try? JSONDecoder().decode([String].self, from: Data(command.utf8)),
        words.first?.isEmpty == false
      else {
        throw HostFailure(
          .usage,
          "--sink \(text): after exec: stands a command, or a JSON list such as "
            + "[\"notify-send\", \"Near Me\"]"
        )
      }
      self = .command(words)
    case ("exec", let command?) where !command.isEmpty: self = .command([command])
    case ("webhook", let address?): self = .webhook(try WebhookAddress(address))
    default:
      throw HostFailure(
        .usage,
        "--sink \(text): known are terminal, terminal:bell, ndjson, ndjson:FILE, exec:COMMAND and "
          + "webhook:URL"
      )
    }
  }

  /// Whether it writes to standard output, where only one can.
  package var usesStandardOutput: Bool {
    switch self {
    case .terminal, .ndjson(path: nil): true
    case .ndjson, .command, .webhook: false
    }
  }

  /// Opens it.
  ///
  /// - Parameter authorization: what a webhook says of itself.
  package func open(
    zone: UTCOffsetTable,
    authorization: String?,
    clock: any HostClock
  ) throws(HostFailure) -> any Sink {
    switch self {
    case .terminal(let rings): return TerminalSink(zone: zone, rings: rings)
    case .ndjson(nil): return NDJSONSink()
    case .ndjson(let path?): return try NDJSONSink(path: path)
    case .command(let arguments): return try CommandSink(arguments)
    case .webhook(let address):
      return WebhookSink(address, authorization: authorization, clock: clock)
    }
  }
}
