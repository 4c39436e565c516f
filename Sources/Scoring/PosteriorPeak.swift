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
/// - Complexity: two replays up to half an hour after the last instant, for any number of questions.
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
  /// - Parameter tracking: reminders of which the probability is kept all day long.
  /// - Returns: for each question the peak, nil if no place of the target was within reach while the app
  ///   was awake; and for each of `tracking` how probable it was.
  static func all(
    _ questions: [Explanation.Question],
    tracking: [Reminder],
    _ inquiry: DayInquiry
  ) throws(ScoringError) -> (peaks: [PosteriorPeak?], tracks: [PosteriorTrack]) {
    let (person, setup) = (inquiry.person, inquiry.setup)
    let settings =
      setup.service == .stream ? setup.policy.arrival : setup.policy.arrival.whileAsleep
    let visits =
      inquiry.day.map { TargetVisit.all(in: $0.truth, of: person, catalog: setup.catalog) } ?? []
    var watches = questions.map {
      Watch(
        target: Target($0.reminder, person, setup.catalog),
        around: $0.at,
        Focus($0, inquiry, visits)
      )
    }
    // Those that end last come last, so that few need to be asked.
    let order = watches.indices.sorted { (watches[$0].around, $0) < (watches[$1].around, $1) }
    var first = 0
    let targets = tracking.map { Target($0, person, setup.catalog) }
    var tracks = tracking.map { _ in PosteriorTrack() }
    let dayEnd = inquiry.day?.end ?? inquiry.fixes.last?.at ?? Timestamp(milliseconds: .min)
    let end =
      tracking.isEmpty
      ? watches.map { $0.around + Explanation.reach }.max() ?? Timestamp(milliseconds: .min)
      : dayEnd
    /// Those whose half hours an instant lies in.
    func near(_ now: Timestamp) -> ArraySlice<Int> {
      while first < order.count, watches[order[first]].around + Explanation.reach < now {
        first += 1
      }
      let rest = order[first...]
      let past = rest.firstIndex { watches[$0].around > now + Explanation.reach } ?? rest.endIndex
      return rest[..<past]
    }
    func look(_ detector: ArrivalDetector, _ now: Timestamp) {
      let tracker = detector.tracker
      let asked = near(now)
      guard !asked.isEmpty || !targets.isEmpty else { return }
      // In clear motion there is no arrival.
      let candidates = tracker.isClearlyMoving(at: now) ? [] : tracker.look(at: now)
      for i in asked { watches[i].look(candidates, detector, settings, at: now) }
      for (i, target) in targets.enumerated() {
        let sum = target.likeliest(of: candidates, settings).sum
        tracks[i].note(sum, at: now)
      }
    }
    var session = try ReplaySession(setup, person)
    session.lookAtEveryTick()
    // The engine of the session has moved on by the end of a fix; this one goes from event to event.
    var engine = session.engine
    func follow(_ step: () throws -> Void) throws(ScoringError) {
      session.events = []
      do {
        try step()
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
          if !engine.isAwake(at: fix.at) { for i in order[first...] { watches[i].sleep() } }
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
    for fix in inquiry.fixes where fix.at <= end { try follow { _ = try session.consume(fix) } }
    // Silence is looked at, too.
    var isOver = inquiry.fixes.isEmpty
    for next in inquiry.fixes where next.at > end && !isOver {
      try follow { _ = try session.consume(next) }
      // Of a batch nothing is seen before it is handed over.
      isOver =
        setup.handOver == nil
        || session.events?
          .contains { if case .fix(let fix) = $0.kind { fix.at > end } else { false } } ?? false
    }
    if !isOver { try follow { _ = try session.finish(at: min(end, dayEnd)) } }
    return (watches.map { PosteriorPeak($0, settings) }, tracks)
  }

  private init?(_ watch: Watch, _ settings: ArrivalSettings) {
    let sight = watch.sight
    guard let best = sight.best else { return nil }
    self.at = best.at
    probability = best.sum
    name = watch.target.name(of: best.candidate.place)
    distanceMeters = best.candidate.distanceMeters
    worth = zip(ArrivalTerms.names, zip(best.candidate.terms.values, settings.weights.values))
      .map { (term: $0, logOdds: $1.0 * $1.1) }
      .filter { $0.logOdds != 0 }
      .enumerated()
      .sorted { ($0.element.logOdds, $0.offset) < ($1.element.logOdds, $1.offset) }
      .map(\.element)
    heldSeconds = sight.held
    guards = sight.guards.isEmpty && sight.wasTold ? .told : sight.guards
    discounted = sight.discounted
    self.settings = settings.decision
  }

  /// Which part of the time around an instant a question is about, and which place, if that is known.
  ///
  /// Half an hour has room for several stops at places of one kind: those of another stop are not what decided.
  private struct Focus {
    var from: Timestamp
    var to: Timestamp
    /// The id of the point that was named; nil for any.
    var point: String?

    /// Of what was told then, up to then and there; else of the visit that one was on, all of it; else all.
    init(_ question: Explanation.Question, _ inquiry: DayInquiry, _ visits: [TargetVisit]) {
      let at = question.at
      (from, to) = (at - Explanation.reach, at + Explanation.reach)
      let told = inquiry.run.announcements.first {
        $0.reminder == question.reminder.id && $0.tier.kind == .arrival
          && isWithin(.seconds(1), $0.at, at)
      }
      if let told {
        (to, point) = (told.at, told.poi)
      } else if let visit = visits.first(where: {
        $0.reminder == question.reminder.id && $0.arrive <= at && at <= $0.leave
      }) {
        (from, to) = (visit.arrive, visit.leave + .minutes(1))
      }
    }
  }

  /// What is seen of one target around one instant.
  private struct Watch {
    let target: Target
    let around: Timestamp
    private let focus: Focus
    /// In what the question is about, and, should that be nothing, in all of the time around it.
    private var (focused, all) = (Sight(), Sight())

    var sight: Sight { focused.best == nil ? all : focused }

    init(target: Target, around: Timestamp, _ focus: Focus) {
      self.target = target
      self.around = around
      self.focus = focus
    }

    mutating func look(
      _ candidates: [ArrivalTracker.Candidate],
      _ detector: ArrivalDetector,
      _ settings: ArrivalSettings,
      at now: Timestamp
    ) {
      let (sum, likeliest) = target.likeliest(of: candidates, settings)
      all.note(sum, likeliest, of: detector, by: settings, at: now)
      guard focus.from <= now, now <= focus.to else { return }
      if let point = focus.point, let likeliest, !target.isPoint(likeliest.place, point) {
        return focused.stop()
      }
      focused.note(sum, likeliest, of: detector, by: settings, at: now)
    }

    /// What an app did not see for its sleep has not held meanwhile.
    mutating func sleep() {
      focused.stop()
      all.stop()
    }
  }

  /// How probable it was, and what came of that.
  private struct Sight {
    private(set) var best: (at: Timestamp, sum: Double, candidate: ArrivalTracker.Candidate)?
    private(set) var held: Double?
    private(set) var guards: ArrivalGuards = []
    private(set) var wasTold = false
    private(set) var discounted: [String] = []
    private var heldSince: Timestamp?

    mutating func note(
      _ sum: Double,
      _ likeliest: ArrivalTracker.Candidate?,
      of detector: ArrivalDetector,
      by settings: ArrivalSettings,
      at now: Timestamp
    ) {
      if sum >= settings.decision.threshold, let likeliest {
        heldSince = heldSince ?? now
        let found = detector.guards(on: likeliest, probability: sum, at: now)
        // What was arrived at just now guards itself, and is no other place.
        if found.contains(.told) { wasTold = true } else { guards.formUnion(found) }
      } else {
        heldSince = nil
      }
      if let heldSince { held = max(held ?? 0, (now - heldSince).seconds) }
      if let likeliest, sum > best?.sum ?? -1 {
        best = (now, sum, likeliest)
        discounted = detector.tracker.discounted
      }
    }

    mutating func stop() { heldSince = nil }
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

    /// How probable it is to be at any of them, and the most probable one.
    func likeliest(
      of candidates: [ArrivalTracker.Candidate],
      _ settings: ArrivalSettings
    ) -> (sum: Double, ArrivalTracker.Candidate?) {
      var sum = 0.0
      var likeliest: (probability: Double, ArrivalTracker.Candidate)?
      for candidate in candidates where includes(candidate.place) {
        let p = Arrivals.probability(logOdds: candidate.terms.logOdds(settings.weights))
        sum += p
        if p > likeliest?.probability ?? -1 { likeliest = (p, candidate) }
      }
      return (min(sum, 1), likeliest?.1)
    }

    private func includes(_ index: ArrivalPlaceIndex) -> Bool {
      index.slot < 0 ? index.index == place : index.slot == slot
    }

    func isPoint(_ index: ArrivalPlaceIndex, _ id: String) -> Bool {
      index.slot >= 0 && catalog.points[index.index].sourceID == id
    }

    func name(of index: ArrivalPlaceIndex) -> String {
      guard index.slot >= 0 else { return places[index.index].name }
      let poi = catalog.points[index.index]
      return poi.name.map { "\($0) (\(poi.sourceID))" } ?? poi.sourceID
    }
  }
}
