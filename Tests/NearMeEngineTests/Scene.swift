import Basics
import Foundation
import Fencing
import Geodesy
import NearMeEngine
import Places
import Timeline
import Tones
import Traces

/// A straight road with places along it, a phone that moves on it, and everything it says.
///
/// Positions are miles along the road; times are minutes after 2026-01-05 08:00 UTC.
struct Scene {
  static let start = Timestamp(seconds: 1_767_600_000)
  private static let plane = LocalPlane(
    origin: Coordinate(uncheckedLatitude: 0, longitude: 10)
  )

  private(set) var engine: Engine
  private(set) var log: [String] = []
  private(set) var said: [String] = []
  private(set) var effects: [Effect] = []
  /// Fixes that were measured and are handed over later.
  private var kept: [Fix] = []
  private var keepsFixes = false
  private let from: Timestamp
  private var drawnLines: [(mark: Character, line: String)] = []

  init(
    _ reminders: [Reminder],
    pois: [(mile: Double, category: String)] = [],
    places: [Place] = [],
    entitlement: Entitlement = .premium,
    zone: UTCOffsetTable = .utc,
    tones: TonePacks = TonePacks(),
    monitoring: Monitoring = .everyFix,
    state: EngineState? = nil,
    from: Timestamp = Scene.start,
    _ change: (inout Policy) -> Void = { _ in }
  ) throws {
    self.from = from
    var policy = Policy.measuring
    // Scenes are drawn to the meter.
    policy.fencing.arrivalDetection = .radius
    change(&policy)
    let points = pois.enumerated()
      .map { i, poi in
        PointOfInterest(
          sourceID: "node/\(i + 1)",
          categories: [CategoryID(poi.category)],
          name: "\(poi.category.capitalized) \(i + 1)",
          coordinate: Self.coordinate(mile: poi.mile)
        )
      }
    engine = Engine(
      policy: policy,
      zone: zone,
      tones: tones,
      catalog: POICatalog(points),
      monitoring: monitoring,
      state: state ?? EngineState()
    )
    if let now = state?.newestInstant {
      note(engine.handle(Event(at: now, .launched)))
    } else {
      try engine.load(places: places, reminders: reminders, entitlement: entitlement)
      send(.launched, minute: 0)
    }
  }

  static func coordinate(mile: Double) -> Coordinate {
    // Along a meridian at the equator: the ruler and the ellipsoid agree to a part in a million.
    plane.coordinate(eastMeters: 0, northMeters: mile * Tier.metersPerMile)
  }

  static func place(_ id: String, mile: Double, kind: PlaceKind = .other) -> Place {
    Place(id: id, name: id.capitalized, kind: kind, coordinate: coordinate(mile: mile))
  }

  /// The phone is seen at a mile.
  mutating func at(
    _ mile: Double,
    minute: Double,
    accuracy: Double = 10,
    speed: Double? = 1
  ) {
    runTimers(until: instant(minute))
    let fix = Fix(
      at: instant(minute),
      coordinate: Self.coordinate(mile: mile),
      horizontalAccuracyMeters: accuracy,
      speedMetersPerSecond: speed
    )
    if keepsFixes { kept.append(fix) } else { send(.fix(fix), minute: minute) }
  }

  /// Keeps fixes from now on, to hand them over late.
  mutating func keepFixes() { keepsFixes = true }

  /// Hands over at once what was kept.
  mutating func handOver(minute: Double) {
    keepsFixes = false
    for fix in kept { send(.fix(fix), minute: minute) }
    kept = []
  }

  /// The first position of a way.
  mutating func start(at mile: Double, minute: Double, speed: Double) -> Fix {
    let fix = Self.fix(mile, instant(minute), speed)
    send(
      engine.monitoring == .everyFix ? .fix(fix) : .woken(by: fix, previous: nil),
      minute: minute
    )
    return fix
  }

  /// The next position of a way; an app that sleeps is woken at each of them.
  mutating func pass(from last: Fix, to mile: Double, minute: Double, speed: Double) -> Fix {
    let fix = Self.fix(mile, instant(minute), speed)
    send(
      engine.monitoring == .everyFix ? .fix(fix) : .woken(by: fix, previous: last),
      minute: minute
    )
    return fix
  }

  private static func fix(_ mile: Double, _ at: Timestamp, _ speed: Double) -> Fix {
    Fix(
      at: at,
      coordinate: coordinate(mile: mile),
      horizontalAccuracyMeters: 10,
      speedMetersPerSecond: speed
    )
  }

  /// The user does something.
  mutating func act(_ reminder: String, _ action: ReminderAction, minute: Double) {
    send(.action(reminder: reminder, action), minute: minute)
  }

  /// Anything else.
  mutating func send(_ kind: Event.Kind, minute: Double, madeAt: Double? = nil) {
    // Timers that were set by the old clock do not come by the new one.
    if case .clockChanged = kind {} else { runTimers(until: instant(minute)) }
    let event = Event(at: instant(minute), kind, madeAt: madeAt.map { instant($0) })
    note(engine.handle(event))
  }

  /// The reminders that have ended, with their status, in order.
  var ended: [String] {
    effects.compactMap {
      if case .archive(let reminder) = $0 {
        "\(reminder.id) \(reminder.status.rawValue)"
      } else {
        nil
      }
    }
  }

  /// Time passes.
  mutating func wait(until minute: Double) { runTimers(until: instant(minute)) }

  /// Everything said since the last time this was asked.
  mutating func heard() -> [String] {
    defer { said = [] }
    return said
  }

  func instant(_ minute: Double) -> Timestamp {
    from + Milliseconds(Int64((minute * 60_000).rounded()))
  }

  private mutating func runTimers(until end: Timestamp) {
    while let due = engine.nextTimer, due <= end {
      note(engine.handle(Event(at: due, .timer)))
    }
  }

  private mutating func note(_ effects: [Effect]) {
    self.effects += effects
    for effect in effects {
      draw(effect)
      switch effect {
      case .post(let notification): say(notification, "")
      case .replace(let notification): say(notification, "~")
      case .record(.presented(let notification)): say(notification, "")
      case .withdraw(let id): log.append("\(minute) withdraw \(id)")
      case .record(.decision(let decision)): log.append("\(minute) \(text(decision))")
      default: break
      }
    }
  }

  /// `16 n1: text / text`; `~` where it takes the place of what was there.
  private mutating func say(_ notification: ReminderNotification, _ mark: String) {
    let lines = notification.lines.joined(separator: " / ")
    said.append("\(minute) \(mark)\(notification.id): \(lines)")
  }

  private var minute: String {
    let now = engine.state.newestInstant ?? Self.start
    return fixed((now - from).seconds / 60, 2)
  }

  // MARK: Drawing

  /// What was heard and why, as drawings have it, since the last time this was asked.
  mutating func drawn() -> [(mark: Character, line: String)] {
    defer { drawnLines = [] }
    return drawnLines
  }

  static func clock(_ minuteOfDay: Double) -> String {
    let minutes = Int(minuteOfDay)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return two(minutes / 60 % 24) + ":" + two(minutes % 60)
  }

  private static func clock(_ instant: Timestamp) -> String {
    let minute = UTCOffsetTable.utc.local(at: instant).minuteOfDay
    let seconds = instant.milliseconds / 1_000 % 60
    return clock(Double(minute))
      + (seconds == 0 ? "   " : seconds < 10 ? ":0\(seconds)" : ":\(seconds)")
  }

  private mutating func draw(_ effect: Effect) {
    let now = engine.state.newestInstant ?? from
    func add(_ mark: Character, _ text: String, at instant: Timestamp) {
      drawnLines.append((mark, "\(Self.clock(instant)) \(mark) \(text)"))
    }
    func news(_ notification: ReminderNotification) -> String {
      let kind = notification.kind == .summary ? "meanwhile: " : ""
      return kind + notification.lines.joined(separator: " / ")
    }
    switch effect {
    case .post(let notification), .record(.presented(let notification)):
      add("!", news(notification), at: notification.at)
    case .replace(let notification): add("~", news(notification), at: now)
    case .withdraw: add("x", "(taken away)", at: now)
    case .record(.decision(let decision)):
      let subject = "\(decision.reminder) \(decision.step.name)"
      switch decision.outcome {
      case .delivered, .suppressed(.exit): break
      case .deferred(let silence, let until):
        let end = until.map { " until " + Self.clock($0).replacing(" ", with: "") } ?? ""
        add(" ", "\(subject) waits: \(silence.rawValue)\(end)", at: decision.at)
      case .suppressed(let silence):
        add(" ", "\(subject) not said: \(silence.rawValue)", at: decision.at)
      }
    case .record(.canceled(let canceled)):
      let subject = "\(canceled.reminder) \(canceled.tier.name)"
      add(" ", "\(subject) comes to nothing: \(canceled.reason.rawValue)", at: canceled.at)
    case .record(.actionRefused(let at, let reminder, let refusal)):
      add(" ", "\(reminder) refused: \(refusal.rawValue)", at: at)
    case .record(.entitlement(let at, let entitlement, let live)):
      add(" ", "\(entitlement.rawValue), live: \(live.joined(separator: ", "))", at: at)
    default: break
    }
  }

  private func text(_ decision: DecisionRecord) -> String {
    switch decision.outcome {
    case .delivered: "\(decision.reminder) \(decision.step.name) delivered"
    case .deferred(let silence, _):
      "\(decision.reminder) \(decision.step.name) deferred \(silence.rawValue)"
    case .suppressed(let silence):
      "\(decision.reminder) \(decision.step.name) suppressed \(silence.rawValue)"
    }
  }
}
