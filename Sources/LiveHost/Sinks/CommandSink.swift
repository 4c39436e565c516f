import Foundation
import NearMeEngine
import Timeline

/// Runs a command for each notification: no shell, the facts as environment variables, the line that an
/// NDJSON sink writes as its standard input.
///
/// Exit status 0 is done; 75 (`EX_TEMPFAIL` of sysexits.h), a signal and the time limit are tried again;
/// any other is final. What the command prints goes to standard error.
package final class CommandSink: Sink {
  package let name: String

  /// Its first word: the same command for each person is one.
  package var lane: String? { arguments.first.map { "exec/" + $0 } }

  private let arguments: [String]
  private let timeLimit: Milliseconds
  private let queue = DispatchQueue(label: "command")

  /// Makes a sink.
  ///
  /// - Parameter arguments: the command, by path or by a name to look for in `PATH`, and what it is
  ///   given.
  /// - Throws: `.missing` if there is no such command.
  package init(
    _ arguments: [String],
    timeLimit: Milliseconds = .seconds(30)
  ) throws(HostFailure) {
    guard let command = arguments.first, !command.isEmpty else {
      throw HostFailure(.usage, "exec: name a command, as in exec:/usr/local/bin/notify")
    }
    guard ChildProgram.isExecutable(command) else {
      throw HostFailure(
        .missing,
        "exec: there is no command \(command) that may be run: give its path, or make it executable"
      )
    }
    name = sinkName("exec", arguments.joined(separator: "\0"))
    self.arguments = arguments
    self.timeLimit = timeLimit
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    precondition(deliveries.count == 1, "a command for each")
    let delivery = deliveries[0]
    return await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: run(delivery)) }
    }
  }

  /// What a command is told, as environment variables.
  static func variables(_ delivery: Delivery) -> [(String, String)] {
    var variables = [("NEARME_KEY", delivery.key), ("NEARME_AT", RFC3339.format(delivery.at))]
    func add(_ notification: ReminderNotification) {
      variables += [
        ("NEARME_ID", notification.id),
        ("NEARME_KIND", notification.kind.rawValue),
        ("NEARME_TEXT", notification.text),
        ("NEARME_REMINDERS", notification.members.map(\.reminder).joined(separator: " ")),
        ("NEARME_MAP", notification.mapLink ?? ""),
        ("NEARME_MAP_PAGE", notification.mapPage ?? ""),
      ]
    }
    switch delivery.news {
    case .posted(let notification):
      variables.append(("NEARME_EVENT", "posted"))
      add(notification)
    case .replaced(let notification, let isNews):
      variables.append(("NEARME_EVENT", isNews ? "updated" : "changed"))
      add(notification)
    case .withdrawn(let id):
      variables += [("NEARME_EVENT", "withdrawn"), ("NEARME_ID", id)]
    case .transition, .decision: break
    }
    return variables
  }

  private func run(_ delivery: Delivery) -> DeliveryOutcome {
    var environment = ProcessInfo.processInfo.environment
    for (name, value) in Self.variables(delivery) {
      environment[name] = value.replacing("\0", with: "")
    }
    let program = ChildProgram(arguments, environment: environment, timeLimit: timeLimit)
    switch program.run(Array((delivery.line + "\n").utf8)) {
    case .exited(0): return .delivered
    case .exited(75): return .putOff(reason: "exit status 75", atLeast: nil)
    case .exited(let code): return .refused(reason: "exit status \(code)")
    case .failed(let reason): return .putOff(reason: reason, atLeast: nil)
    }
  }
}
