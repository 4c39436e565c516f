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
    guard Self.isExecutable(command) else {
      throw HostFailure(
        .missing,
        "exec: there is no command \(command) that may be run: give its path, or make it executable"
      )
    }
    name = sinkName("exec", arguments.joined(separator: "\0"))
    self.arguments = arguments
    self.timeLimit = timeLimit
    // A command need not read what it is given; that is no reason to end.
    signal(SIGPIPE, SIG_IGN)
  }

  private static func isExecutable(_ command: String) -> Bool {
    let folders =
      command.contains("/")
      ? [""]
      : (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        .map { $0 + "/" }
    return folders.contains { folder in
      var status = stat()
      let path = folder + command
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        && access(path, X_OK) == 0
    }
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
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return .putOff(reason: systemError(errno), atLeast: nil) }
    let (input, feed) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(feed, F_SETFL, O_NONBLOCK)
    var environment = ProcessInfo.processInfo.environment
    for (name, value) in Self.variables(delivery) {
      environment[name] = value.replacing("\0", with: "")
    }
    let (process, number) = spawn(
      arguments,
      environment.map { "\($0)=\($1)" },
      input: input
    )
    close(input)
    guard number == 0 else {
      close(feed)
      return .putOff(reason: "cannot be run: \(systemError(number))", atLeast: nil)
    }
    var feeding = Feeding(descriptor: feed, bytes: Array((delivery.line + "\n").utf8))
    defer { feeding.end() }
    let start = ContinuousClock.now
    var pause: UInt32 = 500
    while true {
      feeding.advance()
      var status: Int32 = 0
      if waitpid(process, &status, WNOHANG) == process { return Self.outcome(status) }
      if start.duration(to: .now) > .milliseconds(timeLimit.value) {
        stop(process)
        return .putOff(reason: "ran longer than \(timeLimit.value / 1_000) s", atLeast: nil)
      }
      usleep(pause)
      pause = min(20_000, pause * 2)
    }
  }

  /// Ends a command and what it has started: politely, two seconds later not.
  private func stop(_ process: Int32) {
    var status: Int32 = 0
    kill(-process, SIGTERM)
    for _ in 0..<100 {
      if waitpid(process, &status, WNOHANG) == process {
        kill(-process, SIGKILL)
        return
      }
      usleep(20_000)
    }
    kill(-process, SIGKILL)
    waitpid(process, &status, 0)
  }

  /// What a wait status means; its bits are the same on Linux and macOS.
  static func outcome(_ status: Int32) -> DeliveryOutcome {
    let signal = status & 0x7F
    if signal != 0 { return .putOff(reason: "ended by signal \(signal)", atLeast: nil) }
    switch status >> 8 & 0xFF {
    case 0: return .delivered
    case 75: return .putOff(reason: "exit status 75", atLeast: nil)
    case let code: return .refused(reason: "exit status \(code)")
    }
  }
}

/// What a command still has to be given on its standard input.
private struct Feeding {
  private var descriptor: Int32
  private let bytes: [UInt8]
  private var done = 0

  init(descriptor: Int32, bytes: [UInt8]) {
    self.descriptor = descriptor
    self.bytes = bytes
  }

  /// Gives as much as the command takes now.
  mutating func advance() {
    while descriptor >= 0 {
      let count = bytes.withUnsafeBytes { buffer in
        write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
      }
      if count > 0 { done += count }
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      if count < 0 || done == bytes.count { end() }
    }
  }

  mutating func end() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}

/// Starts a command in a process group of its own, with the usual signals and without our files.
///
/// - Returns: its process number, and 0 or the system's error.
private func spawn(
  _ arguments: [String],
  _ environment: [String],
  input: Int32
) -> (process: Int32, error: Int32) {
  #if canImport(Darwin)
  var actions: posix_spawn_file_actions_t?
  var attributes: posix_spawnattr_t?
  #else
  var actions = posix_spawn_file_actions_t()
  var attributes = posix_spawnattr_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  posix_spawnattr_init(&attributes)
  defer {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
  // Results stand on standard output; what a command says is not one.
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
  var signals = sigset_t()
  sigemptyset(&signals)
  for signal in [SIGINT, SIGTERM, SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
  posix_spawnattr_setsigdefault(&attributes, &signals)
  posix_spawnattr_setpgroup(&attributes, 0)
  posix_spawnattr_setflags(
    &attributes,
    Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP)
  )
  var cArguments: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  var cEnvironment: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
  defer { for text in cArguments + cEnvironment { free(text) } }
  var process: pid_t = 0
  let number = posix_spawnp(
    &process,
    arguments[0],
    &actions,
    &attributes,
    &cArguments,
    &cEnvironment
  )
  return (process, number)
}
