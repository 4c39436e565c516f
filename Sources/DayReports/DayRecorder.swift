import NearMeEngine
import OutputLines
import Replay
import Timeline
import Traces

/// Replays a day, and keeps what a ``DayReport`` shows of it.
package struct DayRecorder {
  /// The replay so far.
  package private(set) var session: ReplaySession
  private let format = NDJSONFormat()
  /// The fixes in order of time; those that came too late for it are left out.
  private(set) var fixes: [Fix] = []
  private(set) var segments: [Int] = []
  private(set) var lines: [String] = []
  private(set) var wakes: [DayWake] = []
  private(set) var screen: [DayScreenChange] = []
  private(set) var waiting: [DayWaiting] = []
  private(set) var transitions: [TransitionRecord] = []
  private(set) var decisions: [DecisionRecord] = []
  private(set) var accesses: [(at: Timestamp, access: LocationAccess)] = []
  /// Instants of the positions that the app was given; nil where it is given all.
  private(set) var given: [Timestamp]?

  /// Begins a day.
  ///
  /// - Parameter session: before its first fix.
  package init(_ session: ReplaySession) {
    self.session = session
    self.session.log = ReplayLog()
    if session.engine.monitoring != .everyFix {
      self.session.events = []
      given = []
    }
  }

  /// Takes in the trace's next points.
  ///
  /// - Parameter check: called from time to time; what it throws ends the replay.
  /// - Throws: `RegionLimitExceeded`, or what `check` throws.
  package mutating func take(_ columns: FixColumns, _ check: () throws -> Void = {}) throws {
    for row in 0..<columns.count {
      let fix = columns.rows.fix(row)
      if let last = fixes.last, fix.at < last.at { continue }
      if columns.rows.startsSegment(row) { segments.append(fixes.count) }
      fixes.append(fix)
    }
    var happened: [ReplayLine] = []
    try session.consume(columns) { lines, _ in
      happened += lines
      try check()
    }
    keep(happened)
  }

  /// Ends the day.
  ///
  /// - Parameter end: until when the phone went on; nil: until its last fix.
  package mutating func finish(at end: Timestamp? = nil) throws {
    let last = try session.finish(at: end)
    keep(last)
    lines.append(format.text(session.summary))
  }

  private mutating func keep(_ happened: [ReplayLine]) {
    for line in happened {
      lines.append(format.text(line))
      switch line {
      case .transition(let transition): transitions.append(transition)
      case .decision(let decision): decisions.append(decision)
      case .access(let at, let access): accesses.append((at, access))
      default: break
      }
    }
    for event in session.events ?? [] {
      switch event.kind {
      case .woken(let fix, _): given?.append(fix.at)
      default: break
      }
    }
    if session.events != nil { session.events = [] }
    guard let log = session.log?.takeAll() else { return }
    wakes += log.wakes.map { DayWake(at: $0.at, cause: $0.cause.rawValue, regions: $0.regions) }
    for (at, effect) in log.effects { note(effect, at: at) }
    for (at, occasions) in log.waiting {
      waiting.append(DayWaiting(at: at, items: occasions.map(DayWaiting.Item.init)))
    }
  }

  private mutating func note(_ effect: Effect, at now: Timestamp) {
    switch effect {
    case .post(let notification), .record(.presented(let notification)):
      screen.append(DayScreenChange(notification, at: now, "came"))
    case .replace(let notification):
      screen.append(DayScreenChange(notification, at: now, "changed"))
    case .withdraw(let id):
      screen.append(
        DayScreenChange(at: now, id: id, change: "went", kind: nil, headline: nil, lines: [])
      )
    default: break
    }
  }

  /// For each fix whether the app was given it.
  var seen: [Bool] {
    guard let given else { return fixes.map { _ in true } }
    var seen = fixes.map { _ in false }
    var row = 0
    for at in given.sorted() {
      while row + 1 < fixes.count, fixes[row + 1].at <= at { row += 1 }
      if row < fixes.count, fixes[row].at <= at { seen[row] = true }
    }
    return seen
  }
}

extension DayScreenChange {
  fileprivate init(_ notification: ReminderNotification, at now: Timestamp, _ change: String) {
    at = now
    id = notification.id
    self.change = change
    kind = notification.kind.rawValue
    headline = notification.headline
    lines = notification.members.map {
      Line(
        reminder: $0.reminder,
        tier: $0.step.name,
        text: $0.text,
        poi: $0.poi,
        meters: $0.distanceMeters.map { ($0 * 10).rounded() / 10 }
      )
    }
  }
}

extension DayWaiting.Item {
  fileprivate init(_ occasion: Occasion) {
    reminder = occasion.reminder
    tier = occasion.step.name
    reason = occasion.silence?.rawValue
    until = occasion.until
  }
}
