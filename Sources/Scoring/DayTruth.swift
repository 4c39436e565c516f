import Geodesy
import Places
import Timeline

/// What really happened on one day of one person.
///
/// A value without opinions: what of it a reminder should have spoken of is decided by
/// ``TargetVisit`` and ``Encounter``.
public struct DayTruth: Hashable, Sendable {
  /// A time at a point of interest that was the purpose of going there.
  public struct Visit: Hashable, Sendable {
    /// Which point, by source id.
    public var poi: String
    /// What it is.
    public var category: CategoryID
    /// The point itself, not the spot where the person stood.
    public var coordinate: Coordinate
    /// When the person reached the spot.
    public var arrive: Timestamp
    /// When the person left it.
    public var leave: Timestamp
    /// How the person came: `car`, `foot`, `bike`, `bus`.
    public var mode: String

    /// Makes a visit.
    public init(
      poi: String,
      category: CategoryID,
      coordinate: Coordinate,
      arrive: Timestamp,
      leave: Timestamp,
      mode: String
    ) {
      self.poi = poi
      self.category = category
      self.coordinate = coordinate
      self.arrive = arrive
      self.leave = leave
      self.mode = mode
    }
  }

  /// A time that the person did not move: at home, at a counter, at a curb.
  public struct Stay: Hashable, Sendable {
    /// `home`, `work`, `poi`, `address`, `kerb_wait` or `parking`.
    public var kind: String
    /// Where.
    public var coordinate: Coordinate
    /// Since when.
    public var arrive: Timestamp
    /// Until when.
    public var leave: Timestamp
    /// Whether it was under a roof, as far as the truth says.
    public var isIndoors: Bool

    /// Makes a stay.
    public init(
      kind: String,
      coordinate: Coordinate,
      arrive: Timestamp,
      leave: Timestamp,
      isIndoors: Bool = false
    ) {
      self.kind = kind
      self.coordinate = coordinate
      self.arrive = arrive
      self.leave = leave
      self.isIndoors = isIndoors
    }
  }

  /// A way from one stay to the next.
  public struct Trip: Hashable, Sendable {
    /// `car`, `foot`, `bike` or `bus`.
    public var mode: String
    /// When it began.
    public var depart: Timestamp
    /// When it ended.
    public var arrive: Timestamp

    /// Makes a trip.
    public init(mode: String, depart: Timestamp, arrive: Timestamp) {
      self.mode = mode
      self.depart = depart
      self.arrive = arrive
    }
  }

  /// A time without fixes that has a known reason.
  public struct Gap: Hashable, Sendable {
    /// Since when.
    public var start: Timestamp
    /// Until when.
    public var end: Timestamp
    /// `tunnel`, `suspended`, `indoors`.
    public var reason: String

    /// Makes a gap.
    public init(start: Timestamp, end: Timestamp, reason: String) {
      self.start = start
      self.end = end
      self.reason = reason
    }
  }

  /// Name of the person-day, unique in its corpus.
  public var id: String
  /// Name of the person.
  public var person: String
  /// The first instant that the truth speaks of.
  public var start: Timestamp
  /// The last one.
  public var end: Timestamp
  /// How bad positions were, by the name of the preset.
  public var noise: String
  /// How often the phone measured, by the name of the rule.
  public var sampling: String
  /// Where the person lives, if the truth says.
  public var home: Coordinate?
  /// Where the person works, if anywhere.
  public var work: Coordinate?
  /// In order of time.
  public var visits: [Visit]
  /// Places that the person came near and did not visit, in order of time.
  public var encounters: [Encounter]
  /// In order of time.
  public var stays: [Stay]
  /// Whether the truth says where the person stayed: without that nothing is known of places of one's own.
  public var knowsStays: Bool
  /// In order of time.
  public var trips: [Trip]
  /// In order of time.
  public var gaps: [Gap]

  /// Makes a truth.
  ///
  /// - Parameter stays: nil where it does not say.
  /// - Throws: ``TruthFault`` if something ends before it begins, lies outside the day, or if the
  ///   person was at two places at once.
  public init(
    id: String,
    person: String,
    start: Timestamp,
    end: Timestamp,
    noise: String,
    sampling: String,
    home: Coordinate? = nil,
    work: Coordinate? = nil,
    visits: [Visit],
    encounters: [Encounter] = [],
    stays: [Stay]? = [],
    trips: [Trip] = [],
    gaps: [Gap] = []
  ) throws(TruthFault) {
    self.id = id
    self.person = person
    self.start = start
    self.end = end
    self.noise = noise
    self.sampling = sampling
    self.home = home
    self.work = work
    self.visits = visits.sorted { ($0.arrive, $0.poi) < ($1.arrive, $1.poi) }
    self.encounters = encounters.sorted {
      ($0.from, $0.kind.rawValue, $0.poi) < ($1.from, $1.kind.rawValue, $1.poi)
    }
    knowsStays = stays != nil
    self.stays = (stays ?? []).sorted { ($0.arrive, $0.kind) < ($1.arrive, $1.kind) }
    self.trips = trips.sorted { ($0.depart, $0.mode) < ($1.depart, $1.mode) }
    // A phone that is off at the day's end may be off beyond it: the part of the day counts.
    self.gaps =
      gaps
      .map { gap in
        guard gap.start < end, gap.end > start else { return gap }
        return Gap(start: max(gap.start, start), end: min(gap.end, end), reason: gap.reason)
      }
      .sorted { ($0.start, $0.reason) < ($1.start, $1.reason) }
    try check()
  }

  private func check() throws(TruthFault) {
    guard start < end else { throw .endsBeforeItBegins("the day", start) }
    try check("visit to", visits.map { ($0.poi, $0.arrive, $0.leave) })
    try check("pass of", encounters.map { ($0.poi, $0.from, $0.to) })
    try check("stay", stays.map { ($0.kind, $0.arrive, $0.leave) })
    try check("trip", trips.map { ($0.mode, $0.depart, $0.arrive) })
    try check("gap", gaps.map { ($0.reason, $0.start, $0.end) })
    // Those under way: a visit within another one to the same place is not a contradiction.
    var last: [Visit] = []
    for visit in visits {
      if let other = last.first(where: { visit.arrive < $0.leave && $0.poi != visit.poi }) {
        throw .overlappingVisits(other.poi, visit.poi, visit.arrive)
      }
      last = last.filter { $0.leave > visit.arrive } + [visit]
    }
    // They are what the share of encounters is a share of.
    var passes: Set<Encounter> = []
    for pass in encounters where !passes.insert(pass).inserted {
      throw .samePass(pass.poi, pass.from)
    }
  }

  private func check(
    _ what: String,
    _ spans: [(name: String, from: Timestamp, to: Timestamp)]
  ) throws(TruthFault) {
    for span in spans {
      if span.to < span.from { throw .endsBeforeItBegins("\(what) \(span.name)", span.from) }
      // A second for times that were rounded.
      if span.from < start - .seconds(1) || span.to > end + .seconds(1) {
        throw .outsideTheDay("\(what) \(span.name)", span.from)
      }
    }
  }

  /// Clocks of receivers and of observers may differ by so much.
  public static let clockTolerance = Milliseconds.minutes(10)

  /// Whether the truth speaks of an instant, as far as clocks agree.
  public func covers(_ instant: Timestamp) -> Bool {
    instant >= start - Self.clockTolerance && instant <= end + Self.clockTolerance
  }

  /// Whether what begins and ends at two instants may still go on after the day, which ends soon after it began.
  func cutsShort(from arrive: Timestamp, to leave: Timestamp) -> Bool {
    // A second for times that were rounded.
    leave >= end - .seconds(1) && end - arrive < TargetVisit.latestWord
  }

  /// Whether the truth says what was so at an instant.
  func speaks(of instant: Timestamp) -> Bool { (start...end).contains(instant) }

  /// How the person last traveled at an instant; the walk from a parked car counts as the car.
  ///
  /// - Returns: `none` before the first trip.
  public func mode(at instant: Timestamp) -> String {
    var index = trips.lastIndex { $0.depart <= instant }
    while let i = index, i > 0, trips[i].mode == "foot",
      stays.contains(where: {
        $0.kind == "parking" && $0.arrive >= trips[i - 1].arrive - .seconds(5)
          && $0.leave <= trips[i].depart + .seconds(5)
      })
    {
      index = i - 1
    }
    return index.map { trips[$0].mode } ?? "none"
  }
}

/// A place that the person came within 100 m of without visiting it.
public struct Encounter: Hashable, Sendable {
  /// What the person did there.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Waited beside it at the curb, and never went in.
    case decoy
    /// Stayed at something else nearby.
    case nearStay = "near_stay"
    /// Went past.
    case driveBy = "drive_by"
  }

  /// What the person did there.
  public var kind: Kind
  /// Which place, by source id.
  public var poi: String
  /// What it is.
  public var category: CategoryID
  /// Since when.
  public var from: Timestamp
  /// Until when.
  public var to: Timestamp

  /// Makes an encounter.
  public init(
    kind: Kind,
    poi: String,
    category: CategoryID,
    from: Timestamp,
    to: Timestamp
  ) {
    self.kind = kind
    self.poi = poi
    self.category = category
    self.from = from
    self.to = to
  }
}

/// Why a truth cannot be true.
public enum TruthFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// Something ends before it begins.
  case endsBeforeItBegins(String, Timestamp)
  /// Something happened on another day.
  case outsideTheDay(String, Timestamp)
  /// One person was at two places at once.
  case overlappingVisits(String, String, Timestamp)
  /// A pass is there twice.
  case samePass(String, Timestamp)
  /// The person was nowhere near the place that was visited.
  case visitOffThePath(String, Timestamp, meters: Double)
  /// The trace was recorded at another time.
  case otherDay(trace: Timestamp, truth: Timestamp)
  /// The trace was recorded elsewhere.
  case otherPlace(meters: Double)
  /// The trace has no usable fix at all.
  case emptyTrace
  /// The path has no position, or its times do not rise.
  case badPath(row: Int)

  /// The fault as a sentence that says what to do.
  public var description: String {
    switch self {
    case .endsBeforeItBegins(let what, let at):
      "\(what) at \(RFC3339.format(at)) ends before it begins: correct its times"
    case .outsideTheDay(let what, let at):
      "\(what) at \(RFC3339.format(at)) lies outside start_utc and end_utc: is it of another day?"
    case .overlappingVisits(let first, let second, let at):
      "visits to \(first) and \(second) overlap at \(RFC3339.format(at)), and nobody is at two "
        + "places at once: correct arrive_utc and leave_utc"
    case .samePass(let poi, let at):
      "the pass of \(poi) at \(RFC3339.format(at)) is there twice, and would count twice: leave one out"
    case .visitOffThePath(let poi, let at, let meters):
      "at \(RFC3339.format(at)) the true path is \(kilometers(meters)) away from \(poi), which is "
        + "said to be visited then: do path and truth belong together?"
    case .otherDay(let trace, let truth):
      "most fixes (the first is of \(RFC3339.format(trace))) lie outside the truth, which begins "
        + "at \(RFC3339.format(truth)): this is the truth of another day"
    case .otherPlace(let meters):
      "half of the fixes are more than \(kilometers(meters)) away from the true path: this is the "
        + "truth of another trace"
    case .emptyTrace: "the trace beside it has no usable fix: `nearme trace check` tells why"
    case .badPath(let row):
      "row \(row) of the true path is not later than the row before it, or the path has no rows"
    }
  }

  private func kilometers(_ meters: Double) -> String {
    "\((meters / 100).rounded() / 10) km"
  }
}
