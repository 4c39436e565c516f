import Fencing
import Geodesy
import NearMeEngine
import Places
import Replay
import Scoring
import Timeline
import Traces

extension DayReport {
  /// Makes the report of a day that was recorded.
  ///
  /// - Parameter title: what it is a day of.
  /// - Parameter recorder: after the day's end.
  /// - Parameter day: the truth, if it is known.
  /// - Throws: ``ScoringError`` as ``Explanation`` does.
  /// - Complexity: three replays of the day; with a truth about ten more.
  package init(
    title: String,
    _ recorder: DayRecorder,
    of person: Person,
    _ setup: ReplaySetup,
    day: PersonDay? = nil
  ) throws(ScoringError) {
    let fixes = recorder.fixes
    let start = fixes.first?.at ?? Timestamp(milliseconds: 0)
    let end = day?.end ?? fixes.last?.at ?? start
    let bands = DayBands(start: start, end: end, zone: person.zone, policy: setup.policy)
    var inquiry = try DayInquiry(fixes, of: person, setup, day: day)
    let truth = try day.map { day throws(ScoringError) in
      DayTruthMarks(day, of: person, setup, ledger: try inquiry.ledger())
    }
    let surroundings = DaySurroundings(fixes, person, setup.catalog)
    let items = DayQuestions(
      person,
      from: start,
      to: end,
      decisions: recorder.decisions,
      truth: truth,
      surroundings
    )
    .items
    let (explanations, tracks) = try Explanation.all(
      fixes.isEmpty ? [] : items.map(\.question),
      tracking: person.reminders,
      &inquiry
    )
    let (points, leftOut) = surroundings.points(Self.categories(person.reminders))

    formatVersion = Self.formatVersion
    self.title = title
    service = Self.words(setup.service)
    zone = person.zone.cut(from: start, to: end)
    self.start = start
    self.end = end
    track = DayTrack(fixes, from: start, segments: recorder.segments, seen: recorder.seen)
    places = person.places.map { DayPlace($0, setup.policy) }
    self.points = points.map(DayPoint.init)
    pointsLeftOut = leftOut
    reminders = zip(person.reminders, tracks)
      .map { reminder, track in
        DayReminder(reminder, of: person, setup, recorder, track: track, bands: bands)
      }
    self.bands =
      bands.quietHours(setup.policy.quietHours) + bands.focus(person.actions)
      + bands.accesses(recorder.accesses) + bands.gaps(fixes.map(\.at))
    lines = recorder.lines
    wakes = recorder.wakes
    screen = recorder.screen
    waiting = recorder.waiting
    gates = Gates.questions.map {
      DayGate(question: $0.asks, objections: $0.objections.map(\.rawValue))
    }
    moments = zip(items, explanations).map(DayMoment.init)
    self.truth = truth
    baseMap = nil
  }

  private static func categories(_ reminders: [Reminder]) -> [CategoryID] {
    var categories: [CategoryID] = []
    for reminder in reminders {
      for case .category(let category) in reminder.triggers.compactMap(\.target)
        + reminder.conditions.targets where !categories.contains(category)
      {
        categories.append(category)
      }
    }
    return categories
  }

  private static func words(_ service: LocationService) -> String {
    let count = service.slots.map { "\($0) regions" } ?? "any number of regions"
    switch service {
    case .stream: return "stream: the app sees every fix"
    case .ideal: return "ideal: never late, \(count)"
    case .phone: return "as late as phones are, \(count)"
    }
  }
}

extension UTCOffsetTable {
  /// The same between two instants, and nothing about other times.
  fileprivate func cut(from start: Timestamp, to end: Timestamp) -> UTCOffsetTable {
    UTCOffsetTable(
      identifier: identifier,
      initialOffsetSeconds: offsetSeconds(at: start),
      eras: eras.filter { $0.start > start && $0.start <= end }
    )
  }
}

extension DayPlace {
  fileprivate init(_ place: Place, _ policy: Policy) {
    id = place.id
    name = place.name
    kind = place.kind.rawValue
    latitude = place.coordinate.latitude
    longitude = place.coordinate.longitude
    radiusMeters = place.arrivalRadiusMeters ?? policy.tiers.arrivalRadiusMeters
  }
}

extension DayPoint {
  fileprivate init(_ poi: PointOfInterest) {
    id = poi.sourceID
    name = poi.name
    categories = poi.categories.map(\.name)
    latitude = poi.coordinate.latitude
    longitude = poi.coordinate.longitude
    footprintMeters = poi.footprintRadiusMeters.rounded()
  }
}

extension DayReminder {
  fileprivate init(
    _ reminder: Reminder,
    of person: Person,
    _ setup: ReplaySetup,
    _ recorder: DayRecorder,
    track: PosteriorTrack,
    bands: DayBands
  ) {
    let own = recorder.transitions.filter { $0.reminder == reminder.id }
    id = reminder.id
    title = reminder.title
    (category, place) =
      switch reminder.target {
      case .category(let category): (category.name, nil)
      case .place(let id): (nil, id)
      case nil: (nil, nil)
      }
    rings = Self.rings(of: reminder, person, setup)
    posterior = track.steps.map { Step(at: $0.at, value: $0.hundredths) }
    let arrivals = own.filter { $0.tier == .arrival && $0.kind == .enter }.map(\.at)
    let answers = bands.answers(reminder, person.actions, arrivals: arrivals)
    levels = Self.levels(
      of: own,
      rings,
      isPerPoint: setup.policy.tiers.fenceSemantics == .perPOI,
      // Nobody looks where the phone is to what is done.
      endings: answers.filter { $0.kind == "done" }.map(\.from)
    )
    self.bands =
      bands.windows(reminder.window) + answers + bands.waits(reminder.id, recorder.waiting)
  }
}

extension DayMoment {
  fileprivate init(_ item: DayQuestions.Item, _ explanation: Explanation) {
    reminder = item.reminder.id
    at = item.at
    about = item.about
    spot = item.spot
    meters = item.meters
    outcome = explanation.outcome
    causes = explanation.causes
    evidence = explanation.evidence.map { Evidence(label: $0.label, text: $0.text) }
  }
}

extension DayTruthMarks {
  fileprivate init(
    _ day: PersonDay,
    of person: Person,
    _ setup: ReplaySetup,
    ledger: [LedgerEntry]
  ) {
    visits = TargetVisit.all(in: day.truth, of: person, catalog: setup.catalog)
      .map { visit in
        let entry = ledger.first {
          $0.subject == .visit && $0.reminder == visit.reminder && $0.at == visit.arrive
            && $0.poi == visit.poi
        }
        return Visit(
          reminder: visit.reminder,
          poi: visit.poi,
          from: visit.arrive,
          until: visit.leave,
          isInitial: visit.isInitial,
          isTold: entry?.delaySeconds != nil,
          cause: entry?.cause.rawValue,
          delaySeconds: entry?.delaySeconds
        )
      }
    verdicts = ledger.filter { $0.subject != .visit }
      .map {
        Verdict(
          reminder: $0.reminder,
          subject: $0.subject.rawValue,
          poi: $0.poi,
          at: $0.at,
          isHit: $0.delaySeconds != nil,
          cause: $0.cause.rawValue
        )
      }
    encounters = day.truth.encounters.map {
      Encounter(
        kind: $0.kind.rawValue,
        poi: $0.poi,
        category: $0.category.name,
        from: $0.from,
        until: $0.to
      )
    }
    stays =
      day.truth.stays.map {
        DayBand(kind: "stay", from: $0.arrive, until: $0.leave, text: $0.kind)
      }
      + day.truth.gaps.map {
        DayBand(kind: "gap", from: $0.start, until: $0.end, text: $0.reason)
      }
  }
}
