import Basics
import Arrivals
import Fencing
import Geodesy
import NearMeEngine
import Places
import Replay
import Timeline
import Traces

/// Why a reminder spoke, or did not, around an instant: a few lines with the numbers that decided.
public struct Explanation: Sendable {
  /// What was told or not, in a sentence.
  public let outcome: String
  /// The causes, a sentence each: of what was told, and why no arrival was.
  public let causes: [String]
  /// The numbers behind it: a word and a sentence each.
  public let evidence: [(label: String, text: String)]

  /// Half an hour to each side is looked at.
  public static let reach = Milliseconds.minutes(30)

  /// Explains.
  ///
  /// - Parameter day: the truth, if it is known; then the cause is that of the ledger.
  /// - Parameter reminder: one of the person's.
  /// - Complexity: a replay of the fixes; with a truth or a sleeping app, some more.
  public init(
    _ fixes: [Fix],
    of person: Person,
    _ setup: ReplaySetup,
    day: PersonDay?,
    reminder: Reminder,
    at: Timestamp
  ) throws(ScoringError) {
    var inquiry = try DayInquiry(fixes, of: person, setup, day: day)
    self = try Self.all([Question(reminder: reminder, at: at)], &inquiry).explanations[0]
  }

  /// What is asked: why a reminder spoke, or did not, around an instant.
  package struct Question: Sendable {
    package let reminder: Reminder
    package let at: Timestamp

    package init(reminder: Reminder, at: Timestamp) {
      self.reminder = reminder
      self.at = at
    }
  }

  /// Answers many questions about one day, as if each were asked alone.
  ///
  /// - Parameter tracking: reminders of which the probability of being there is kept all day long.
  /// - Returns: an explanation for each question, and for each of `tracking` how probable it was.
  /// - Complexity: three replays of the day whatever the number of questions; with a truth or a sleeping
  ///   app, some more.
  package static func all(
    _ questions: [Question],
    tracking: [Reminder] = [],
    _ inquiry: inout DayInquiry
  ) throws(ScoringError) -> (explanations: [Explanation], tracks: [PosteriorTrack]) {
    var peaks = [PosteriorPeak?](repeating: nil, count: questions.count)
    var tracks = tracking.map { _ in PosteriorTrack() }
    if inquiry.isWeighed {
      (peaks, tracks) = try PosteriorPeak.all(questions, tracking: tracking, inquiry)
    }
    var explanations: [Explanation] = []
    for (question, peak) in zip(questions, peaks) {
      explanations.append(try Explanation(question, peak, &inquiry))
    }
    return (explanations, tracks)
  }

  private init(
    _ question: Question,
    _ peak: PosteriorPeak?,
    _ shared: inout DayInquiry
  ) throws(ScoringError) {
    let (reminder, at) = (question.reminder, question.at)
    let inquiry = Inquiry(question, shared)
    let near = inquiry.run.announcements
      .filter { $0.reminder == reminder.id && isWithin(Self.reach, $0.at, at) }
    let told = near.min { distance($0.at, at) < distance($1.at, at) }
    let other = OtherNews(reminder, inquiry.run, within: Self.reach, of: at)
    let news = other.told.min { distance($0.at, at) < distance($1.at, at) }
    let entry = try Self.ledgerEntry(inquiry, &shared)
    outcome =
      reminder.id + ": "
      + Self.outcome(told, news, count: near.count + other.told.count, missed: entry, at: at)
    evidence =
      Self.evidence(inquiry) + (peak?.evidence ?? [])
      + (shared.day.map { Self.truth($0, reminder, at) } ?? [])
    var causes: [String] = []
    if let entry {
      causes.append(Self.sentence(entry))
    } else if let told {
      causes.append(Self.whyTold(told, inquiry))
    }
    if let news { causes.append("\(news.name) at \(Self.clock(news.at)): \(news.cause)") }
    if inquiry.sight.hasArrival, entry?.subject != .visit,
      !near.contains(where: { $0.tier.kind != .approach })
    {
      causes.append("no arrival: " + (try Self.whySilent(inquiry, peak, &shared)))
    } else if told == nil, news == nil {
      if let silent = other.silent {
        causes.append(silent)
      } else {
        causes += try Self.whyNothingCame(inquiry, &shared)
      }
    }
    self.causes = causes
  }

  /// What is asked, and how the day went.
  private struct Inquiry {
    let person: Person
    let setup: ReplaySetup
    let reminder: Reminder
    let at: Timestamp
    /// The fixes that the gate let through.
    let used: [Fix]
    let run: DayRun
    let sight: ArrivalSight
    let stretch: Stretch
    let isWeighed: Bool

    init(_ question: Question, _ shared: DayInquiry) {
      person = shared.person
      setup = shared.setup
      reminder = question.reminder
      at = question.at
      used = shared.used
      run = shared.run
      isWeighed = shared.isWeighed
      sight = ArrivalSight(reminder, person, setup)
      stretch = Stretch(used, sight, setup.policy.fencing, around: at)
    }
  }

  // MARK: What happened

  /// What was told, or that a visit was not.
  private static func outcome(
    _ told: Announcement?,
    _ news: OtherNews.Told?,
    count: Int,
    missed entry: LedgerEntry?,
    at: Timestamp
  ) -> String {
    let what = nearest(told, news, at: at)
    let others = count <= 1 ? "" : "; \(count - 1) more within half an hour"
    if let entry, entry.subject == .visit, entry.delaySeconds == nil {
      let poi = entry.poi.map { " to \($0)" } ?? ""
      return "the visit\(poi) at \(clock(entry.at)) was not announced"
        + (what.map { "; the nearest news: \($0)\(others)" } ?? "")
    }
    return what.map { $0 + others }
      ?? "nothing was told between \(clock(at - reach)) and \(clock(at + reach))"
  }

  /// Of what was told the nearest in time.
  private static func nearest(
    _ told: Announcement?,
    _ news: OtherNews.Told?,
    at: Timestamp
  ) -> String? {
    if let news, told.map({ distance(news.at, at) < distance($0.at, at) }) ?? true {
      return "\(news.name) was told at \(clock(news.at))"
    }
    return told.map {
      let poi = $0.poi.map { " of \($0)" } ?? ""
      return "\($0.tier.name)\(poi) was told at \(clock($0.at)), "
        + "\(fixed($0.distanceMeters, 0)) m away"
    }
  }

  private static func ledgerEntry(
    _ inquiry: Inquiry,
    _ shared: inout DayInquiry
  ) throws(ScoringError) -> LedgerEntry? {
    guard let day = shared.day else { return nil }
    let (setup, reminder, at) = (inquiry.setup, inquiry.reminder.id, inquiry.at)
    let own = try shared.ledger().filter { $0.reminder == reminder }
    // What was told at this very second and says more than its visit: what was wrong, as a repeat in a visit that was
    // announced before, or the question whether one still needs to.
    let exact = own.first { entry in
      entry.subject != .visit && isWithin(.seconds(1), entry.at, at)
        && (entry.subject == .postArrival || entry.cause != .correct && entry.cause != .late)
    }
    if let exact { return exact }
    // Else a visit that one is in comes before anything that was told.
    let present = TargetVisit.all(in: day.truth, of: day.person, catalog: setup.catalog)
      .first { $0.reminder == reminder && $0.arrive <= at && at <= $0.leave }
    if let present,
      let entry = own.first(where: { $0.subject == .visit && $0.at == present.arrive })
    {
      return entry
    }
    return own.filter { isWithin(reach, $0.at, at) }
      .min { distance($0.at, at) < distance($1.at, at) }
  }

  private static func sentence(_ entry: LedgerEntry) -> String {
    let what: String =
      switch entry.subject {
      case .visit: "the visit" + (entry.poi.map { " to \($0)" } ?? "")
      case .arrival: "the arrival" + (entry.poi.map { " at \($0)" } ?? "")
      case .postArrival: "the post-arrival" + (entry.poi.map { " at \($0)" } ?? "")
      case .approach: "the approach"
      }
    let since = entry.subject == .approach ? "behind a perfect monitor" : "after arriving"
    let delay = entry.delaySeconds.map { ", \(fixed($0, 0)) s \(since)" } ?? ""
    // What comes after an arrival did not wait too short a time: the visit was too short for it.
    let label =
      entry.cause == .dwell && entry.subject == .postArrival ? "short visit" : entry.cause.label
    return "\(label): \(what) at \(clock(entry.at))\(delay) (by the truth)"
  }

  private static func whyTold(_ told: Announcement, _ inquiry: Inquiry) -> String {
    if let silence = told.heldBackBy {
      return "it had waited for \(silence.rawValue) to end"
    }
    switch told.tier {
    case .approach(let meters):
      return "the ring of \(Tier.lengthName(meters)) was entered, and nothing spoke against it"
    case .arrival, .postArrival:
      guard let inside = inquiry.stretch.longest, !inquiry.isWeighed else {
        return "the arrival was thought true"
      }
      return "the arrival held: inside for \(fixed(inside.seconds, 0)) s, "
        + "\(fixed(inquiry.stretch.neededSeconds, 0)) s were needed"
    }
  }

  // MARK: Why nothing was told

  private static func whySilent(
    _ inquiry: Inquiry,
    _ peak: PosteriorPeak?,
    _ shared: inout DayInquiry
  ) throws(ScoringError) -> String {
    let (setup, reminder) = (inquiry.setup, inquiry.reminder)
    let (at, run, stretch) = (inquiry.at, inquiry.run, inquiry.stretch)
    if let ended = whyOver(inquiry) { return ended }
    if !inquiry.sight.hasTarget { return noTarget }
    if let decision = spokenDecision(run, reminder.id, of: .arrival, at) { return decision }
    guard let closest = stretch.closest else { return gap(around: at) }
    if !inquiry.isWeighed, closest.slackMeters > 0 {
      return "out of reach: the nearest fix was \(fixed(closest.slackMeters, 0)) m outside the "
        + "arrival ring of \(fixed(closest.radiusMeters, 0)) m"
    }
    if let last = run.transitions.last(where: {
      $0.reminder == reminder.id && $0.tier == .arrival && $0.at <= at
    }), last.kind != .exit {
      return "already said: the arrival ring was entered at \(clock(last.at)) and has not been "
        + "left since"
    }
    if setup.service != .stream, try isToldAwake(.arrival, inquiry, &shared) { return toldAwake }
    if inquiry.isWeighed {
      if let peak { return "dwell: " + peak.sentence }
      let reachMeters = setup.policy.arrival.places.reachMeters
      if closest.distanceMeters > reachMeters {
        return "out of reach: the nearest fix was \(fixed(closest.distanceMeters, 0)) m away, and "
          + "places beyond \(fixed(reachMeters, 0)) m are not thought of"
      }
      if setup.service != .stream {
        return "dwell: the app slept while it was near, and with every fix passed on at once "
          + "nothing would have been told either"
      }
      return
        "dwell: in clear motion nobody arrives, and there was nothing else near \(closest.name)"
    }
    guard let inside = stretch.longest else {
      return "accuracy: every fix inside the ring was worse than the "
        + "\(fixed(stretch.entryAccuracyMeters, 0)) m that an entry needs"
    }
    if inside.seconds < stretch.neededSeconds {
      return "dwell: inside for \(fixed(inside.seconds, 0)) s at most, and an arrival must hold "
        + "\(fixed(stretch.neededSeconds, 0)) s"
    }
    return "hysteresis: the ladder had not fallen since it began inside the ring"
  }

  private static let noTarget = "stale cache: the cache has no place of this category"
  private static let toldAwake =
    "os latency or cushion: with every fix passed on at once it would have been told"

  private static func gap(around at: Timestamp) -> String {
    "gap in trace: no fix was used between \(clock(at - reach)) and \(clock(at + reach))"
  }

  /// Whether a tier of a kind would have been told near the instant if every fix had been passed on at once.
  private static func isToldAwake(
    _ kind: NotificationKind,
    _ inquiry: Inquiry,
    _ shared: inout DayInquiry
  ) throws(ScoringError) -> Bool {
    try shared.awakeRun().announcements
      .contains {
        $0.reminder == inquiry.reminder.id && $0.tier.kind == kind
          && isWithin(reach, $0.at, inquiry.at)
      }
  }

  /// Why a reminder that speaks on the way only did not.
  private static func whyNoApproach(
    _ inquiry: Inquiry,
    _ widest: Ring,
    _ shared: inout DayInquiry
  ) throws(ScoringError) -> String {
    let (reminder, at, run) = (inquiry.reminder.id, inquiry.at, inquiry.run)
    if !inquiry.sight.hasTarget { return noTarget }
    if let decision = spokenDecision(run, reminder, of: .approach, at) { return decision }
    guard let closest = inquiry.stretch.closest else { return gap(around: at) }
    let name = Tier.lengthName(widest.radiusMeters)
    let beyondMeters = closest.distanceMeters - widest.radiusMeters
    if beyondMeters > 0 {
      return
        "out of reach: the nearest fix was \(fixed(beyondMeters, 0)) m outside the ring of \(name)"
    }
    if let last = run.transitions.last(where: {
      $0.reminder == reminder && $0.tier?.kind == .approach && $0.at <= at
    }), last.kind != .exit, case .approach(let meters)? = last.tier {
      return
        "already said: the ring of \(Tier.lengthName(meters)) was entered at \(clock(last.at)) and has not been "
        + "left since"
    }
    if inquiry.setup.service != .stream, try isToldAwake(.approach, inquiry, &shared) {
      return toldAwake
    }
    return
      "hysteresis: the nearest fix was inside the ring of \(name), and no ring was entered anew"
  }

  /// Why a reminder can say nothing at the instant that is asked about, whatever happens: it is over, or muted.
  private static func whyOver(_ inquiry: Inquiry) -> String? {
    let (person, reminder, at) = (inquiry.person, inquiry.reminder, inquiry.at)
    if let done = person.completion(of: reminder.id, by: at) {
      return "completed: it was done at \(clock(done))"
    }
    if person.wasOver(reminder.id, at: at) { return "completed: it was over before the day began" }
    if person.isMuted(reminder.id, at: at) { return "mute: the reminder was muted" }
    return OtherNews.end(of: reminder, inquiry.run, in: person.zone, by: at)
  }

  /// Why a reminder without an arrival had nothing to say: of what it waits for, and of its place.
  private static func whyNothingCame(
    _ inquiry: Inquiry,
    _ shared: inout DayInquiry
  ) throws(ScoringError) -> [String] {
    if let ended = whyOver(inquiry) { return [ended] }
    let others = inquiry.reminder.triggers.compactMap { trigger -> String? in
      switch trigger {
      case .place: nil
      case .leave: "its place was not left"
      case .schedule: "none of its times came"
      default: "what it waits for did not happen"
      }
    }
    var causes =
      others.isEmpty ? [] : [others.joined(separator: ", and ") + " within half an hour"]
    if let widest = inquiry.sight.widest, !inquiry.sight.hasArrival {
      causes.append("no approach: " + (try whyNoApproach(inquiry, widest, &shared)))
    }
    return causes
  }

  /// The decision nearest in time that kept silent: of a kind, or of whatever was decided at that very instant.
  private static func spokenDecision(
    _ run: DayRun,
    _ reminder: String,
    of kind: NotificationKind,
    _ at: Timestamp
  ) -> String? {
    let silent = run.decisions.filter {
      guard $0.reminder == reminder, isWithin($0.tier?.kind == kind ? reach : instant, $0.at, at)
      else { return false }
      switch $0.outcome {
      case .delivered, .suppressed(.exit): return false
      default: return true
      }
    }
    return silent.min { $0.isNearer($1, to: at) }.flatMap(silence)
  }

  /// Lists print whole seconds.
  private static let instant = Milliseconds.seconds(1)

  /// The cause behind a silence, which the ledger has among quiet hours where it is a condition.
  private static func label(of silence: Silence) -> String {
    switch silence {
    case .outsideDates, .notInside, .notOutside, .signalLevel, .notLongEnough: "condition"
    default: Cause(silence).label
    }
  }

  /// Why a decision kept silent; nil if it did not.
  static func silence(of decision: DecisionRecord) -> String? {
    switch decision.outcome {
    case .deferred(let silence, let end):
      let until = end.map { " until \(clock($0))" } ?? ""
      return "\(label(of: silence)): \(decision.step.name) was put off at \(clock(decision.at)) "
        + "for \(silence.rawValue)\(until)"
    case .suppressed(let silence):
      return "\(label(of: silence)): \(decision.step.name) was not told at "
        + "\(clock(decision.at)): \(silence.rawValue)"
    case .delivered: return nil
    }
  }

  // MARK: Evidence

  private static func evidence(_ inquiry: Inquiry) -> [(label: String, text: String)] {
    let (at, stretch) = (inquiry.at, inquiry.stretch)
    var lines: [(String, String)] = []
    if let last = inquiry.used.last(where: { $0.at <= at }) {
      let speed = last.speedMetersPerSecond.map { ", \(fixed($0, 1)) m/s" } ?? ", speed unknown"
      var text =
        "\(clock(last.at)), \(fixed((at - last.at).seconds, 0)) s before; accuracy "
        + "\(fixed(last.horizontalAccuracyMeters, 0)) m\(speed)"
      if let edge = inquiry.sight.edge(at: SurfacePoint(last.coordinate)) {
        text +=
          "; \(fixed(edge.distanceMeters, 0)) m from \(edge.name), ring "
          + "\(fixed(edge.radiusMeters, 0)) m"
      }
      lines.append(("last fix", text))
    } else {
      lines.append(("last fix", "none before \(clock(at))"))
    }
    if let closest = stretch.closest {
      lines.append(
        (
          "closest",
          "\(fixed(closest.distanceMeters, 0)) m from \(closest.name) at \(clock(closest.at)), "
            + "accuracy \(fixed(closest.accuracyMeters, 0)) m; ring "
            + "\(fixed(closest.radiusMeters, 0)) m"
        )
      )
    }
    if let inside = stretch.nearest {
      lines.append(
        (
          "inside",
          "\(clock(inside.from)) to \(clock(inside.to)), \(fixed(inside.seconds, 0)) s, "
            + "\(inside.fixes) \(inside.fixes == 1 ? "fix" : "fixes")"
            + (inquiry.isWeighed || !inquiry.sight.hasArrival
              ? "" : "; an arrival must hold \(fixed(stretch.neededSeconds, 0)) s")
        )
      )
    }
    if stretch.tooPoor > 0 {
      lines.append(
        (
          "too poor",
          "\(stretch.tooPoor) \(stretch.tooPoor == 1 ? "fix inside the ring was" : "fixes inside the ring were") worse than "
            + "\(fixed(stretch.entryAccuracyMeters, 0)) m"
        )
      )
    }
    if let gap = stretch.longestGap, gap.seconds >= 120 {
      lines.append(
        (
          "silence",
          "no fix from \(clock(gap.from)) to \(clock(gap.to)), \(fixed(gap.seconds, 0)) s"
        )
      )
    }
    let own = inquiry.run.transitions.filter {
      $0.reminder == inquiry.reminder.id && isWithin(reach, $0.at, at)
    }
    for transition in own.suffix(4) {
      lines.append(
        (
          "fact",
          "\(clock(transition.at)) \(transition.step.name) \(transition.kind.rawValue)"
            + (transition.distanceMeters.map { ", \(fixed($0, 0)) m" } ?? "")
        )
      )
    }
    return lines
  }

  /// What really happened there and then.
  private static func truth(
    _ day: PersonDay,
    _ reminder: Reminder,
    _ at: Timestamp
  ) -> [(label: String, text: String)] {
    guard case .category(let category) = reminder.target else { return [] }
    var events: [(from: Timestamp, to: Timestamp, text: String)] = []
    for visit in day.truth.visits where visit.category == category {
      events.append((visit.arrive, visit.leave, "visit to \(visit.poi)"))
    }
    for encounter in day.truth.encounters where encounter.category == category {
      let kind = String(encounter.kind.rawValue.map { $0 == "_" ? " " : $0 })
      events.append((encounter.from, encounter.to, "\(kind) of \(encounter.poi)"))
    }
    let near = events.filter {
      $0.from <= at + JudgedRun.sameEvent && at <= $0.to + JudgedRun.sameEvent
    }
    return near.sorted { ($0.from, $0.text) < ($1.from, $1.text) }
      .map { ("truth", "\($0.text), \(clock($0.from)) to \(clock($0.to))") }
  }

  static func clock(_ instant: Timestamp) -> String { RFC3339.format(instant) }
}

/// Looks at a reminder's arrival discs from a position, as the engine does; at its nearest ring where it has none.
struct ArrivalSight: Sendable {
  struct Edge: Sendable {
    let name: String
    let distanceMeters: Double
    let radiusMeters: Double
    var slackMeters: Double { distanceMeters - radiusMeters }
  }

  let hasTarget: Bool
  /// The ring nearest to the target; that of the arrival, if there is one.
  let ring: Ring?
  /// The ring farthest from it.
  let widest: Ring?
  let hasArrival: Bool
  private let catalog: POICatalog
  private let slot: Int?
  private let discs: DiscRadius?
  private let place: (name: String, point: SurfacePoint)?

  init(_ reminder: Reminder, _ person: Person, _ setup: ReplaySetup) {
    catalog = setup.catalog
    switch reminder.target {
    case .category(let category):
      slot = setup.catalog.slot(of: category)
      place = nil
      hasTarget = slot != nil
    case .place(let id):
      slot = nil
      place = person.places.first { $0.id == id }.map { ($0.name, SurfacePoint($0.coordinate)) }
      hasTarget = place != nil
    case nil: (slot, place, hasTarget) = (nil, nil, false)
    }
    let rings = setup.rings(of: reminder, for: person)
    ring = rings?.rings.last
    widest = rings?.rings.first
    hasArrival = rings?.hasArrival ?? false
    discs = rings.flatMap { shape in
      setup.policy.fencing.arrivalDiscs(shape)
        ?? shape.rings.last.map { DiscRadius(leastMeters: $0.radiusMeters) }
    }
  }

  func edge(at point: SurfacePoint) -> Edge? {
    guard let ring else { return nil }
    if let place {
      return Edge(
        name: place.name,
        distanceMeters: place.point.distanceMeters(to: point),
        radiusMeters: ring.radiusMeters
      )
    }
    guard let slot, let discs,
      let nearest = catalog.nearestEdges(slot: slot, to: point, of: discs, count: 1).first
    else { return nil }
    let poi = catalog.points[nearest.index]
    return Edge(
      name: poi.spokenName.map { "\($0) (\(poi.sourceID))" } ?? poi.sourceID,
      distanceMeters: nearest.distanceMeters,
      radiusMeters: nearest.radiusMeters
    )
  }
}

/// How the fixes around an instant lay to an arrival ring.
private struct Stretch {
  struct Closest {
    let at: Timestamp
    let name: String
    let distanceMeters: Double
    let radiusMeters: Double
    let accuracyMeters: Double
    var slackMeters: Double { distanceMeters - radiusMeters }
  }

  struct Span {
    var from: Timestamp
    var to: Timestamp
    var fixes: Int
    var seconds: Double { (to - from).seconds }

    func distance(to instant: Timestamp) -> Milliseconds {
      max(from - instant, instant - to, Milliseconds(0))
    }
  }

  private(set) var closest: Closest?
  private(set) var longest: Span?
  /// The time inside that is nearest to the instant.
  private(set) var nearest: Span?
  private(set) var longestGap: Span?
  /// Fixes inside the ring that were too poor to enter it.
  private(set) var tooPoor = 0
  private(set) var neededSeconds = 0.0
  let entryAccuracyMeters: Double

  init(_ fixes: [Fix], _ sight: ArrivalSight, _ settings: FencingSettings, around at: Timestamp) {
    entryAccuracyMeters = sight.ring.map { settings.entryAccuracyMeters(for: $0) } ?? 0
    neededSeconds = settings.arrivalHold.seconds
    var run: Span?
    // Also one that goes beyond the half hour at an end.
    for (last, next) in zip(fixes, fixes.dropFirst())
    where next.at >= at - Explanation.reach && last.at <= at + Explanation.reach
      && (next.at - last.at).seconds > longestGap?.seconds ?? 0
    {
      longestGap = Span(from: last.at, to: next.at, fixes: 0)
    }
    for fix in fixes where isWithin(Explanation.reach, fix.at, at) {
      guard let edge = sight.edge(at: SurfacePoint(fix.coordinate)) else { continue }
      if edge.slackMeters < closest?.slackMeters ?? .infinity {
        closest = Closest(
          at: fix.at,
          name: edge.name,
          distanceMeters: edge.distanceMeters,
          radiusMeters: edge.radiusMeters,
          accuracyMeters: fix.horizontalAccuracyMeters
        )
      }
      let isInside = edge.slackMeters <= 0
      guard isInside else {
        run = nil
        continue
      }
      if run == nil, fix.horizontalAccuracyMeters > entryAccuracyMeters {
        tooPoor += 1
        continue
      }
      if run == nil {
        let isSlow =
          fix.speedMetersPerSecond.map { $0 < settings.slowSpeedMetersPerSecond } ?? false
        neededSeconds = settings.arrivalHold.seconds * (isSlow ? 1 : 2)
      }
      run = Span(from: run?.from ?? fix.at, to: fix.at, fixes: (run?.fixes ?? 0) + 1)
      guard let run else { continue }
      if run.seconds >= longest?.seconds ?? 0 { longest = run }
      if nearest.map({ $0.from == run.from || run.distance(to: at) < $0.distance(to: at) }) ?? true
      {
        nearest = run
      }
    }
  }
}

extension DecisionRecord {
  /// Whether it lies nearer to an instant than another one; of two at one time, what something newer took the place of
  /// says less.
  func isNearer(_ other: DecisionRecord, to at: Timestamp) -> Bool {
    func key(_ decision: DecisionRecord) -> (Milliseconds, Int) {
      (distance(decision.at, at), decision.outcome == .suppressed(.superseded) ? 1 : 0)
    }
    return key(self) < key(other)
  }
}
