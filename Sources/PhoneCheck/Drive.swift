import Basics
import Fencing
import Foundation
import Geodesy
import SimulatedPhones
import Timeline
import Traces

/// What was counted while a day went through the door.
struct DriveCounts {
  var requests = 0
  var answersLost = 0
  var repeats = 0
  var kills = 0
  /// How often the phone did not watch what the engine wanted watched when everything it had to say was answered.
  var otherPlans = 0
  /// How often it was looked at.
  var plans = 0
  /// Requests that were answered with anything but 2xx or 503, by status.
  var refusals: [Int: Int] = [:]
}

/// A day on its way from a simulated app through a bad network to the door.
///
/// The day's clock stands while requests are under way, and jumps from one thing to the next.
struct Drive {
  /// A phone and a server that talk so often without time passing will never stop.
  private static let mostAtOnce = 3_000

  private let day: Day
  private let simulator: Simulator
  private let trouble: Trouble
  private let door: DoorProcess
  private var app: any PhoneApp
  private var network: SplitMix64
  private var killer: Killer
  private var isCalm = false
  private var wire: Wire
  private var sent: Set<Int> = []
  private var lateCopies: [(due: Int, request: OutgoingRequest)] = []
  /// What the server has of parallel requests of which the rest is still to come.
  private var gathered: [Fix] = []
  private var gatheredIDs: Set<Int> = []
  private var gatheringSince: Date?
  /// Groups that took longer than the door holds them: a slow machine, and what differs says nothing of the door.
  private(set) var slowGroups = 0
  private let start: Timestamp
  private var holdSeconds: Double { simulator.holdSeconds(under: trouble) }
  private(set) var reference: Reference
  private(set) var counts = DriveCounts()
  private(set) var firstOtherPlan: String?
  /// Is given each request with what became of it, in words; nil: nobody looks.
  var show: ((String) -> Void)?

  init(
    _ day: Day,
    _ simulator: Simulator,
    _ trouble: Trouble,
    door: DoorProcess,
    account: Account,
    seed: UInt64
  ) throws {
    self.day = day
    self.simulator = simulator
    self.trouble = trouble
    self.door = door
    app = simulator.app(account)
    network = SplitMix64(seed: seed)
    killer = Killer(door, kills: trouble.kills, seed: seed &+ 1)
    wire = Wire(port: door.port)
    reference = try Reference(day, hasRegions: simulator.hasRegions)
    start = day.fixes[0].at
  }

  /// Drives the whole day.
  mutating func run() throws {
    let fixes = simulator.hasRegions ? day.believed : day.fixes
    for (index, fix) in fixes.enumerated() {
      try pass(until: fix.at)
      app.take(fix)
      killer.note(progress: Double(index) / Double(fixes.count))
      try sendAll(at: fix.at)
    }
    var now = fixes[fixes.count - 1].at
    isCalm = true
    while app.waitingCount > 0 {
      now = max(now, app.nextInstant ?? now)
      try sendAll(at: now)
    }
    try settle()
    killer.disarm()
    try door.ensureRunning()
    try reference.finish()
    counts.kills = killer.count
  }

  /// Lets the app do what it does without a new fix.
  private mutating func pass(until end: Timestamp) throws {
    while let next = app.nextInstant, next < end { try sendAll(at: next) }
  }

  private mutating func sendAll(at now: Timestamp) throws {
    let before = counts.requests
    try sendReady(at: now)
    guard simulator.isParallel, counts.requests > before else { return }
    // What was lost is tried again before the day goes on, so that a group comes to its end while it is held.
    var now = now
    while app.waitingCount > 0, let next = app.nextInstant {
      now = max(now, next)
      try sendReady(at: now)
    }
    try settle()
  }

  private mutating func sendReady(at now: Timestamp) throws {
    var rounds = 0
    while true {
      let requests = app.nextRequests(at: now)
      guard !requests.isEmpty else { return }
      rounds += 1
      guard rounds < Self.mostAtOnce else {
        throw CheckFailure("the phone and the door talk without end at \(RFC3339.format(now))")
      }
      try send(requests, at: now)
    }
  }

  private mutating func send(_ requests: [OutgoingRequest], at now: Timestamp) throws {
    if try door.ensureRunning() || wire.port != door.port {
      show?("\(RFC3339.format(now)) the server begins anew")
      wire = Wire(port: door.port)
    }
    killer.beginRequest()
    let fates = requests.map { _ in fate(at: now) }
    let outcomes =
      simulator.isParallel
      ? Parallel.exchange(requests, fates, port: door.port)
      : [wire.outcome(of: requests[0], fates[0])]
    for (request, outcome) in zip(requests, outcomes) {
      counts.requests += 1
      if !sent.insert(request.id).inserted { counts.repeats += 1 }
      if outcome.isTaken { try note(request) }
      // The day's clock stands: without this a restart would look like an outage of minutes.
      if !outcome.isTaken, trouble.kills > 0 { usleep(5_000) }
      if outcome.isTaken, outcome.answer == .none { counts.answersLost += 1 }
      if case .status(let status, _) = outcome.answer, !(200...299).contains(status), status != 503
      {
        counts.refusals[status, default: 0] += 1
      }
      show?("\(RFC3339.format(now)) " + Self.exchange(request, outcome))
      app.answered(request.id, outcome.answer, at: now)
      comparePlan(outcome.answer, at: now)
      if !isCalm, network.unit() < trouble.lateCopies {
        lateCopies.append((counts.requests + 1 + network.index(below: 12), request))
      }
    }
    sendLateCopies()
    if !isCalm, network.unit() < trouble.appRestarts { app.restart(at: now) }
  }

  private static func exchange(
    _ request: OutgoingRequest,
    _ outcome: Outcome
  ) -> String {
    var answer = outcome.isTaken ? "the answer is lost" : "no answer"
    if case .status(let status, let body) = outcome.answer {
      answer = "\(status) \(String(decoding: body, as: UTF8.self))"
    }
    return "\(request.id) \(request.path) "
      + "\(String(decoding: request.body, as: UTF8.self)) -> \(answer)"
  }

  private mutating func fate(at now: Timestamp) -> Fate {
    guard !isCalm else { return .passes }
    if trouble.isOut(at: now, since: start) { return .lostRequest }
    var draw = network.unit()
    for (share, fate) in [
      (trouble.lostRequests, Fate.lostRequest), (trouble.lostAnswers, .lostAnswer),
      (trouble.cuts, .cut), (trouble.doubles, .doubled),
    ] {
      if draw < share { return fate }
      draw -= share
    }
    return .passes
  }

  /// The server has it: so does the reference.
  private mutating func note(_ request: OutgoingRequest) throws {
    guard simulator.isParallel else { return try reference.take(request.id, request.fixes) }
    if gatheringSince == nil { gatheringSince = Date() }
    if gatheredIDs.insert(request.id).inserted { gathered += request.fixes }
  }

  /// An app that sends in parallel has sent all: the door takes it in, in order of time.
  private mutating func settle() throws {
    guard simulator.isParallel, !gathered.isEmpty else { return }
    if let since = gatheringSince, Date().timeIntervalSince(since) > holdSeconds * 0.9 {
      slowGroups += 1
    }
    gatheringSince = nil
    repeat {
      try door.ensureRunning()
      usleep(UInt32((holdSeconds + 0.3) * 1_000_000))
    } while !door.isRunning
    gathered.sort { $0.at < $1.at }
    try reference.take(gathered)
    gathered = []
  }

  private mutating func sendLateCopies() {
    for copy in lateCopies where copy.due <= counts.requests {
      // Nobody waits for the answer of a copy.
      let answer = wire.exchange(copy.request)
      show?("a late copy: " + Self.exchange(copy.request, Outcome(answer: answer, isTaken: false)))
    }
    lateCopies.removeAll { $0.due <= counts.requests }
  }

  private mutating func comparePlan(_ answer: Answer, at now: Timestamp) {
    // One that has more to say, or must say something again, is told with the next answer what it did not hear.
    guard case .status(200...299, _) = answer, app.waitingCount == 0 else { return }
    let wanted = reference.regions
    guard !wanted.isEmpty, let isSame = Simulator.hasPlan(app, wanted) else { return }
    counts.plans += 1
    guard !isSame else { return }
    counts.otherPlans += 1
    if let difference = Simulator.difference(app, wanted) {
      let missing = difference.missing
        .map { "\($0.id) \($0.center.latitude),\($0.center.longitude),\($0.radiusMeters)" }
      let strange = difference.strange
        .map { "\($0.center.latitude),\($0.center.longitude),\($0.radiusMeters)" }
      show?("another plan: not watched \(missing); beside it \(strange)")
    }
    if firstOtherPlan == nil { firstOtherPlan = RFC3339.format(now) }
  }
}

/// What happens to a request on its way.
enum Fate: Hashable, Sendable {
  case passes, lostRequest, lostAnswer, cut, doubled
}

/// What a request came to.
struct Outcome: Sendable {
  /// What the app sees.
  let answer: Answer
  /// Whether the server has said that it has it.
  let isTaken: Bool
}
