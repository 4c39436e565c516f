import Foundation
import Timeline

/// A program that is run for one delivery and given bytes on its standard input; no shell is in between.
package struct ChildProgram: Sendable {
  /// How it ended.
  package enum End: Hashable, Sendable {
    /// By itself, with this status.
    case exited(Int32)
    /// By a signal or the time limit, or it never began: a reason to try again.
    case failed(reason: String)
  }

  private let arguments: [String]
  private let environment: [String: String]
  private let timeLimit: Milliseconds

  /// Makes it.
  ///
  /// - Parameter arguments: the program, by path or by a name to look for in `PATH`, and what it is given.
  package init(
    _ arguments: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment,
    timeLimit: Milliseconds
  ) {
    precondition(!arguments.isEmpty, "a program has a name")
    self.arguments = arguments
    self.environment = environment
    self.timeLimit = timeLimit
    // A program need not read what it is given; that is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    // Started by something that ignores it, the system would not keep how a program ended.
    signal(SIGCHLD, SIG_DFL)
  }

  /// Whether there is such a program, by path or by a name to look for in `PATH`.
  package static func isExecutable(_ program: String) -> Bool {
    let folders =
      program.contains("/")
      ? [""]
      : (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        .map { $0 + "/" }
    return folders.contains { folder in
      var status = stat()
      let path = folder + program
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        && access(path, X_OK) == 0
    }
  }

  /// Runs it, and waits; what it prints goes to standard error.
  package func run(_ bytes: [UInt8]) -> End {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return .failed(reason: systemError(errno)) }
    let (input, feed) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(feed, F_SETFL, O_NONBLOCK)
    let (process, number) = spawn(
      arguments,
      environment.map { "\($0)=\($1)" },
      input: input
    )
    close(input)
    guard number == 0 else {
      close(feed)
      return .failed(reason: "cannot be run: \(systemError(number))")
    }
    var feeding = Feeding(descriptor: feed, bytes: bytes)
    defer { feeding.end() }
    let start = ContinuousClock.now
    var pause: UInt32 = 500
    while true {
      feeding.advance()
      switch Self.look(for: process) {
      case .runs: break
      case .ended(let status): return Self.end(status)
      case .lost(let number):
        return .failed(reason: "how it ended is not known: \(systemError(number))")
      }
      if start.duration(to: .now) > .milliseconds(timeLimit.value) {
        stop(process)
        return .failed(reason: "ran longer than \(timeLimit.value / 1_000) s")
      }
      usleep(pause)
      pause = min(20_000, pause * 2)
    }
  }

  /// Ends a program and what it has started: politely, two seconds later not.
  private func stop(_ process: Int32) {
    kill(-process, SIGTERM)
    for _ in 0..<100 {
      switch Self.look(for: process) {
      case .runs: usleep(20_000)
      case .ended:
        kill(-process, SIGKILL)
        return
      // Its number may be another one's by now.
      case .lost: return
      }
    }
    kill(-process, SIGKILL)
    _ = Self.look(for: process, waits: true)
  }

  /// What has become of a process.
  private enum State {
    case runs
    /// With a wait status.
    case ended(Int32)
    /// The system does not know of it, and says why.
    case lost(Int32)
  }

  private static func look(for process: Int32, waits: Bool = false) -> State {
    var status: Int32 = 0
    while true {
      let found = waitpid(process, &status, waits ? 0 : WNOHANG)
      if found == process { return .ended(status) }
      if found == 0 { return .runs }
      if errno != EINTR { return .lost(errno) }
    }
  }

  /// What a wait status means; its bits are the same on Linux and macOS.
  static func end(_ status: Int32) -> End {
    let signal = status & 0x7F
    return signal == 0
      ? .exited(status >> 8 & 0xFF) : .failed(reason: "ended by signal \(signal)")
  }
}

/// What a program still has to be given on its standard input.
private struct Feeding {
  private var descriptor: Int32
  private let bytes: [UInt8]
  private var done = 0

  init(descriptor: Int32, bytes: [UInt8]) {
    self.descriptor = descriptor
    self.bytes = bytes
  }

  /// Gives as much as the program takes now.
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

/// Starts a program in a process group of its own, with the usual signals and without our files.
///
/// - Returns: its process number, and 0 or the system's error.
private func spawn(
  _ arguments: [String],
  _ environment: [String],
  input: Int32
) -> (process: Int32, error: Int32) {
  var flags = Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP)
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
  // Results stand on standard output; what a program says is not one.
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
  // What a program leaves running would hold on to a server's sockets, and the next server could not listen.
  #if canImport(Darwin)
  posix_spawn_file_actions_addinherit_np(&actions, STDERR_FILENO)
  flags |= Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
  #else
  closeAll(from: STDERR_FILENO + 1, &actions)
  #endif
  var signals = sigset_t()
  sigemptyset(&signals)
  for signal in [SIGINT, SIGTERM, SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
  posix_spawnattr_setsigdefault(&attributes, &signals)
  posix_spawnattr_setpgroup(&attributes, 0)
  posix_spawnattr_setflags(&attributes, flags)
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

#if !canImport(Darwin)
/// Has a program begin without the files from a descriptor on, also those that others open meanwhile.
///
/// Swift does not show the function, which is in glibc since 2.34; before, those are closed that are open now.
private func closeAll(from first: Int32, _ actions: inout posix_spawn_file_actions_t) {
  typealias CloseFrom =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
    unsafeBitCast(symbol, to: CloseFrom.self)(&actions, first) == 0
  {
    return
  }
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
  for descriptor in names.compactMap({ Int32($0) }) where descriptor >= first {
    posix_spawn_file_actions_addclose(&actions, descriptor)
  }
}
#endif
