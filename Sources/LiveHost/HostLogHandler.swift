import Foundation
import Logging
import Timeline

/// Writes log messages to standard error, a line each.
///
/// `2026-03-03T08:00:00Z warning: deliver put off sink=webhook-1a2b key=…`
package struct HostLogHandler: LogHandler {
  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]
  private let clock: any HostClock
  private let write: @Sendable (String) -> Void

  /// Makes a handler.
  ///
  /// - Parameter write: takes a line without its end.
  package init(
    level: Logger.Level,
    clock: any HostClock,
    write: @escaping @Sendable (String) -> Void
  ) {
    logLevel = level
    self.clock = clock
    self.write = write
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var line = "\(RFC3339.format(clock.now())) \(event.level.rawValue): \(event.message)"
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      let text = "\(value)"
      let isPlain = !text.isEmpty && !text.contains { $0 == " " || $0 == "\"" || $0.isNewline }
      line += " \(key)=" + (isPlain ? text : "\"\(text.replacing("\"", with: "'"))\"")
    }
    write(line.replacing("\n", with: " "))
  }
}
