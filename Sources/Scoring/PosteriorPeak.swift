import Basics
import Arrivals
import Geodesy
import NearMeEngine
import Places
import Replay
import Timeline
import Traces

/// How probable an arrival was at most around an instant, where arrivals are weighed, and why not
/// more.
///
/// - Complexity: two replays up to half an hour after the instant.
struct PosteriorPeak: Sendable {
  /// When it was most probable.
  let at: Timestamp
  /// The probability of being at some place of the target.
  let probability: Double
  /// The most probable of its places.
  let name: String
  /// From the estimate of position to that place, in meters.
  let distanceMeters: Double
  /// What each piece of evidence was worth, in log odds: what spoke against it most comes first.
  let worth: [(term: String, logOdds: Double)]
  /// For how long the threshold was reached at a stretch, at most, in seconds.
  private(set) var heldSeconds: Double?
  /// What kept it from being an arrival while the threshold was reached.
  private let guards: ArrivalGuards
  /// What is found of the receiver, and which evidence counts for less or for nothing because of it.
  private let discounted: [String]
  private let settings: DecisionSettings

  /// Replays the day once more, and looks whenever the engine did: at the fixes that it was given, and
  /// at its own timers between them.
  ///
  /// - Returns: nil if no place of the target was within reach while the app was awake.
  init?(
    _ fixes: [Fix],
    of reminder: Reminder,
    _ person: Person,
    _ setup: ReplaySetup,
    around at: Timestamp
  ) throws(ScoringError) {
    let settings =
      setup.service == .stream ? setup.policy.arrival : setup.policy.arrival.whileAsleep
    let target = Target(reminder, person, setup.catalog)
    var best: (at: Timestamp, sum: Double, ArrivalTracker.Candidate)?
    var heldSince: Timestamp?
    var held: Double?
    var guards: ArrivalGuards = []
    var wasTold = false
    var discounted: [String] = []
    func look(_ detector: ArrivalDetector, _ now: Timestamp) {
      let tracker = detector.tracker
      guard isWithin(Explanation.reach, now, at) else { return }
      var sum = 0.0
      var likeliest: (probability: Double, ArrivalTracker.Candidate)?
      // In clear motion there is no arrival.
      let candidates = tracker.isClearlyMoving(at: now) ? [] : tracker.look(at: now)
      for candidate in candidates where target.includes(candidate.place) {
        let p = Arrivals.probability(logOdds: candidate.terms.logOdds(settings.weights))
        sum += p
        if p > likeliest?.probability ?? -1 { likeliest = (p, candidate) }
      }
      sum = min(sum, 1)
      if sum >= settings.decision.threshold, let likeliest {
        heldSince = heldSince ?? now
        let found = detector.guards(on: likeliest.1, probability: sum, at: now)
        // What was arrived at just now guards itself, and is no other place.
        if found.contains(.told) { wasTold = true } else { guards.formUnion(found) }
      } else {
        heldSince = nil
      }
      if let heldSince { held = max(held ?? 0, (now - heldSince).seconds) }
      if let likeliest, sum > best?.sum ?? -1 {
        best = (now, sum, likeliest.1)
        discounted = tracker.discounted
      }
    }
    var session = try ReplaySession(setup, person)
    session.lookAtEveryTick()
    // The engine of the session has moved on by the end of a fix; this one goes from event to event.
    var engine = session.engine
    for fix in fixes where fix.at <= at + Explanation.reach {
      session.events = []
      do {
        _ = try session.consume(fix)
      } catch {
        throw .replay("\(error)")
      }
      for event in session.events ?? [] {
        let before = engine.arrivalDetector?.tracker.lookedAt
        var position: Timestamp?
        switch event.kind {
        case .fix(let fix): position = fix.at
        case .woken(let fix, _):
          position = fix.at
          // What an app did not see for its sleep has not held meanwhile.
          if !engine.isAwake(at: fix.at) { heldSince = nil }
        default: break
        }
        _ = engine.handle(event)
        // A timer and a fix of one instant are two looks.
        if let detector = engine.arrivalDetector, let now = detector.tracker.lookedAt,
          now != before || now == position
        {
          look(detector, now)
        }
      }
    }
    guard let best else { return nil }
    self.at = best.at
    probability = best.sum
    name = target.name(of: best.2.place)
    distanceMeters = best.2.distanceMeters
    worth = zip(ArrivalTerms.names, zip(best.2.terms.values, settings.weights.values))
      .map { (term: $0, logOdds: $1.0 * $1.1) }
      .filter { $0.logOdds != 0 }
      .enumerated()
      .sorted { ($0.element.logOdds, $0.offset) < ($1.element.logOdds, $1.offset) }
      .map(\.element)
    heldSeconds = held
    self.guards = guards.isEmpty && wasTold ? .told : guards
    self.discounted = discounted
    self.settings = settings.decision
  }

  /// Why no arrival came of it.
  var sentence: String {
    let needed = "\(fixed(settings.threshold, 2)) must hold for \(settings.hold.name)"
    guard let heldSeconds else {
      return "being there was \(fixed(probability, 2)) probable at most, and \(needed)"
    }
    let enough = "being there was probable enough for \(fixed(heldSeconds, 0)) s at most"
    guard heldSeconds >= settings.hold.seconds, !guards.isEmpty else {
      return "\(enough), and \(needed)"
    }
    return "\(enough), but \(guards.sentences.joined(separator: "; "))"
  }

  /// The numbers behind it: a word and a sentence each.
  var evidence: [(label: String, text: String)] {
    func list(_ worth: [(term: String, logOdds: Double)]) -> String {
      worth.isEmpty
        ? "nothing"
        : worth.map { "\(words($0.term)) \(fixed($0.logOdds, 1))" }.joined(separator: ", ")
    }
    return [
      (
        "probable",
        "\(fixed(probability, 2)) at most, at \(Explanation.clock(at)), of \(name), "
          + "\(fixed(distanceMeters, 0)) m away; \(fixed(settings.threshold, 2)) must hold for "
          + settings.hold.name
      ),
      ("against", "\(list(worth.filter { $0.logOdds < 0 })) (log odds then)"),
      ("for", list(worth.filter { $0.logOdds > 0 }.reversed())),
    ]
      + (guards.subtracting(.told).isEmpty
        ? [] : [("blocked", guards.sentences.joined(separator: "; "))])
      + (discounted.isEmpty ? [] : [("receiver", discounted.joined(separator: "; "))])
  }

  private func words(_ term: String) -> String { String(term.map { $0 == "_" ? " " : $0 }) }

  /// Which candidates a reminder means.
  private struct Target {
    private let slot: Int?
    /// Index of a place of one's own, in the order of their ids.
    private let place: Int?
    private let places: [Place]
    private let catalog: POICatalog

    init(_ reminder: Reminder, _ person: Person, _ catalog: POICatalog) {
      self.catalog = catalog
      places = person.places.sorted { $0.id < $1.id }
      switch reminder.target {
      case .category(let category):
        slot = catalog.slot(of: category)
        place = nil
      case .place(let id):
        slot = nil
        place = places.firstIndex { $0.id == id }
      case nil: (slot, place) = (nil, nil)
      }
    }

    func includes(_ index: ArrivalPlaceIndex) -> Bool {
      index.slot < 0 ? index.index == place : index.slot == slot
    }

    func name(of index: ArrivalPlaceIndex) -> String {
      guard index.slot >= 0 else { return places[index.index].name }
      let poi = catalog.points[index.index]
      return poi.name.map { "\($0) (\(poi.sourceID))" } ?? poi.sourceID
    }
  }
}
