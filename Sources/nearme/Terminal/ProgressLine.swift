import Basics
import Foundation

/// One line that says how far a command is, how fast it goes and how long it will still take.
///
/// It stands on standard error where that is a terminal, and nowhere else: results and logs stay as
/// they are. `NO_COLOR` is respected. The line changes nothing about the terminal but itself, and is
/// overwritten with blanks in the end, so that there is nothing to restore after Ctrl-C.
///
/// Unchecked: everything is touched under the lock only.
final class ProgressLine: @unchecked Sendable {
  /// What a task is counted in.
  enum Unit: Equatable {
    case bytes
    /// Things of a name, such as `rows`.
    case things(String)
  }

  /// Nothing is drawn before that: a short command shall not flicker.
  private static let patience = Duration.milliseconds(150)
  private static let pause = Duration.milliseconds(100)
  private static let barWidth = 20

  /// What a line of one task counts, and up to where.
  private let count: (total: Int64, unit: String)

  private let lock = NSLock()
  private let isShown: Bool
  private let isColored: Bool
  private let clock = ContinuousClock()
  private var task = ""
  private var taskBegan: ContinuousClock.Instant
  private var nextDrawing: ContinuousClock.Instant
  /// How many columns the line takes that is on the terminal.
  private var drawnWidth = 0

  /// Makes a line that is not drawn yet, for one task or several.
  ///
  /// - Parameter total: what ``show(_:)`` counts up to, in units such as `traces`.
  init(total: Int = 0, unit: String = "") {
    count = (Int64(total), unit)
    let environment = ProcessInfo.processInfo.environment
    isShown = isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
    isColored = environment["NO_COLOR", default: ""].isEmpty
    taskBegan = clock.now
    nextDrawing = taskBegan + Self.patience
  }

  /// Says how far the one task is.
  func show(_ done: Int) {
    show(count.unit, done: Int64(done), of: count.total, in: .things(count.unit))
  }

  /// Says how far a task is; another text begins another task.
  ///
  /// May be called very often, from any thread.
  ///
  /// - Parameter total: 0 for a task that is not counted.
  func show(_ task: String, done: Int64, of total: Int64, in unit: Unit) {
    guard isShown else { return }
    lock.withLock {
      let now = clock.now
      if task != self.task {
        self.task = task
        taskBegan = now
      }
      guard now >= nextDrawing else { return }
      nextDrawing = now + Self.pause
      let part = total > 0 ? Double(min(done, total)) / Double(total) : nil
      draw(bar: part.map(bar), figures(done, of: total, unit, elapsed: now - taskBegan))
    }
  }

  /// Prints a line of text on standard error, above.
  func print(_ line: String) {
    lock.withLock {
      erase()
      printError(line)
    }
  }

  /// Takes the line away.
  func clear() { lock.withLock { erase() } }

  private func bar(_ part: Double) -> String {
    let full = Int(part * Double(Self.barWidth))
    return "[" + String(repeating: "#", count: full)
      + String(repeating: "-", count: Self.barWidth - full) + "]"
  }

  /// The percentage, the rate and the time left.
  private func figures(
    _ done: Int64,
    of total: Int64,
    _ unit: Unit,
    elapsed: Duration
  ) -> String {
    guard total > 0 else { return "" }
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    var text = " \(Int(Double(min(done, total)) / Double(total) * 100)) %"
    guard done > 0, seconds >= 0.1 else { return text }
    let rate = Double(done) / seconds
    switch unit {
    case .bytes: text += "  \(Self.rounded(rate / 1e6)) MB/s"
    case .things(let name):
      text +=
        rate < 10_000
        ? "  \(Self.rounded(rate)) \(name)/s" : "  \(Self.rounded(rate / 1e3)) k \(name)/s"
    }
    return text + "  \(Self.clockText(Double(total - min(done, total)) / rate)) left"
  }

  private static func rounded(_ value: Double) -> String {
    value >= 10 ? "\(Int(value))" : "\((value * 10).rounded() / 10)"
  }

  /// `0:07`, `12:30`, `1:02:03`.
  private static func clockText(_ seconds: Double) -> String {
    let whole = Int(min(seconds.rounded(.up), 359_999))
    let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
    return hours > 0
      ? "\(hours):\(twoDigits(minutes)):\(twoDigits(whole % 60))"
      : "\(minutes):\(twoDigits(whole % 60))"
  }

  private func draw(bar: String?, _ figures: String) {
    let width = terminalWidth - 1
    let middle = bar.map { " \($0)" } ?? ""
    let room = max(0, width - middle.count - figures.count)
    let text = "\(task.prefix(room))\(middle)\(figures)".prefix(width)
    let blanks = String(repeating: " ", count: max(0, drawnWidth - text.count))
    drawnWidth = text.count
    var line = String(text)
    if isColored, let bar, let place = line.range(of: bar) {
      line.replaceSubrange(place, with: "\u{1B}[32m\(bar)\u{1B}[0m")
    }
    write("\r" + line + blanks)
  }

  private func erase() {
    guard drawnWidth > 0 else { return }
    write("\r" + String(repeating: " ", count: drawnWidth) + "\r")
    drawnWidth = 0
  }

  private var terminalWidth: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
    return Int(size.ws_col)
  }

  /// A terminal that has gone is no reason to fail.
  private func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
