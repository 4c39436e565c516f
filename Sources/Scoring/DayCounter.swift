import NearMeEngine
import Places
import Replay
import Timeline
import Traces

/// Counts what a day adds to each part of a corpus.
struct DayCounter {
  private let day: PersonDay
  private let visits: [TargetVisit]
  private let actual: JudgedRun
  /// Nil where no perfect monitor was asked.
  private let approaches: ApproachMatching?
  private let isCut: Bool
  private(set) var tallies: [Slice: Tally] = [:]

  init(
    _ day: PersonDay,
    visits: [TargetVisit],
    actual: JudgedRun,
    approaches: ApproachMatching?,
    isCut: Bool = true
  ) {
    self.day = day
    self.visits = visits
    self.actual = actual
    self.approaches = approaches
    self.isCut = isCut
  }

  mutating func countAll(_ setup: ReplaySetup) {
    countVisits()
    countArrivals()
    countEncounters()
    countPosts()
    countApproaches()
    countLoad(setup)
  }

  // MARK: Parts

  /// The parts that are cut by day.
  private var daySlices: [Slice] {
    guard isCut else { return [.all] }
    return [.all, Slice(.noise, day.truth.noise), Slice(.sampling, day.truth.sampling)]
  }

  private func slices(of reminder: String, mode: @autoclosure () -> String) -> [Slice] {
    switch day.person.reminders.first(where: { $0.id == reminder })?.target {
    case .category(let category):
      isCut ? daySlices + [Slice(.mode, mode()), Slice(.target, category.name)] : [.all]
    case .place(let id): isCut ? [.own, Slice(.target, name(ofPlace: id))] : []
    case nil: []
    }
  }

  /// What the part of a place is called: its id, unless a category has a part of that name.
  private func name(ofPlace id: String) -> String {
    let isCategory = day.person.reminders.contains { $0.target == .category(CategoryID(id)) }
    return isCategory ? id + " (place)" : id
  }

  /// The parts of the whole day, where a reminder is of a place of one's own; none for others.
  private func wholes(ofOwn reminder: String) -> [Slice] {
    if case .place = day.person.reminders.first(where: { $0.id == reminder })?.target {
      return daySlices
    }
    return []
  }

  private mutating func add(to slices: [Slice], _ change: (inout Tally) -> Void) {
    for slice in slices { change(&tallies[slice, default: Tally()]) }
  }

  // MARK: Arrivals

  private mutating func countVisits() {
    for (i, visit) in visits.enumerated()
    where !visit.isInitial && !actual.isCutOff(i)
      && day.person.expects(.arrival, of: visit.reminder)
    {
      let isFound = actual.finds(i)
      add(to: slices(of: visit.reminder, mode: visit.mode)) { tally in
        tally.count(.visits)
        tally.count(.visitsFound, isSo: isFound)
        tally.count(.longVisits, isSo: visit.isLong)
        tally.count(.longVisitsFound, isSo: visit.isLong && isFound)
      }
      add(to: wholes(ofOwn: visit.reminder)) { tally in
        tally.count(.ownVisits)
        tally.count(.ownVisitsFound, isSo: isFound)
      }
    }
  }

  private mutating func countArrivals() {
    let visits = visits
    for (announcement, verdict) in zip(actual.arrivals, actual.matching.verdicts) {
      var mode: String {
        if case .found(let visit) = verdict {
          visits[visit].mode
        } else {
          day.truth.mode(at: announcement.at)
        }
      }
      add(to: slices(of: announcement.reminder, mode: mode)) { tally in
        tally.count(.arrivals)
        switch verdict {
        case .found(let index) where visits[index].isOwnFromBegin:
          // Whoever begins the day at home has not arrived there.
          tally.count(.arrivalsRepeated)
        case .found(let index):
          let visit = visits[index]
          tally.count(.arrivalsTrue)
          tally.count(.arrivalsWithPOI, isSo: visit.poi != nil)
          tally.count(
            .arrivalsNamedRight,
            isSo: visit.poi != nil && visit.poi == announcement.poi
          )
          // Where the day began needs no announcement.
          if !visit.isInitial {
            tally.collect((announcement.at - visit.arrive).seconds, .arrivalDelay)
          }
        case .repeated: tally.count(.arrivalsRepeated)
        case .untrue: tally.count(.arrivalsFalse)
        }
      }
      add(to: wholes(ofOwn: announcement.reminder)) { tally in
        tally.count(.ownArrivals)
        switch verdict {
        case .found(let index): tally.count(.ownArrivalsRepeated, isSo: visits[index].isInitial)
        case .repeated: tally.count(.ownArrivalsRepeated)
        case .untrue: tally.count(.ownArrivalsFalse)
        }
      }
    }
  }

  // MARK: Encounters

  private mutating func countEncounters() {
    for reminder in day.person.reminders {
      guard case .category(let category) = reminder.target,
        day.person.expects(.arrival, of: reminder.id)
      else { continue }
      let done = day.person.completion(of: reminder.id)
      let met = day.truth.encounters.filter { encounter in
        encounter.category == category && done.map { encounter.from < $0 } ?? true
      }
      var named: Set<Encounter> = []
      var told: Set<Encounter> = []
      for (announcement, verdict) in zip(actual.arrivals, actual.matching.verdicts)
      where announcement.reminder == reminder.id {
        let isUntrue = verdict == .untrue
        if announcement.poi != nil, visitedPOI(verdict) != announcement.poi {
          let latest = isUntrue ? Encounter.latest : Matching.after
          named.formUnion(
            Encounter.met(by: announcement, among: met, latest: latest, others: false)
          )
        }
        if isUntrue {
          told.formUnion(
            Encounter.met(by: announcement, among: met, latest: Encounter.latest, others: true)
          )
        }
      }
      for encounter in met {
        count(encounter, of: reminder.id, named.contains(encounter), told.contains(encounter))
      }
    }
  }

  private func visitedPOI(_ verdict: Matching.Verdict) -> String? {
    switch verdict {
    case .found(let visit), .repeated(let visit): visits[visit].poi
    case .untrue: nil
    }
  }

  private mutating func count(
    _ encounter: Encounter,
    of reminder: String,
    _ isNamed: Bool,
    _ isTold: Bool
  ) {
    let (all, byPOI, byCategory): (Tally.Count, Tally.Count, Tally.Count) =
      switch encounter.kind {
      case .driveBy: (.driveBys, .driveBysByPOI, .driveBysByCategory)
      case .nearStay: (.nearStays, .nearStaysByPOI, .nearStaysByCategory)
      case .decoy: (.decoys, .decoysByPOI, .decoysByCategory)
      }
    add(to: slices(of: reminder, mode: day.truth.mode(at: encounter.from))) { tally in
      tally.count(all)
      tally.count(byPOI, isSo: isNamed)
      tally.count(byCategory, isSo: isTold)
    }
  }

  // MARK: After arrival and on the way

  private mutating func countPosts() {
    let (longVisits, posts, matching) =
      (actual.posts.visits, actual.posts.told, actual.posts.matching)
    for (i, visit) in longVisits.enumerated()
    where !visit.isInitial && day.person.expects(.postArrival, of: visit.reminder) {
      add(to: slices(of: visit.reminder, mode: visit.mode)) { tally in
        tally.count(.postVisits)
        tally.count(.postVisitsFound, isSo: matching.told[i] != nil)
      }
    }
    for (post, verdict) in zip(posts, matching.verdicts) {
      add(to: slices(of: post.reminder, mode: day.truth.mode(at: post.at))) { tally in
        tally.count(.posts)
        switch verdict {
        case .found(let visit):
          tally.count(.postsTrue)
          if !longVisits[visit].isInitial {
            tally.collect((post.at - longVisits[visit].arrive).seconds, .postDelay)
          }
        case .repeated: tally.count(.postsRepeated)
        case .untrue: break
        }
      }
    }
  }

  /// An approach was of use if a visit follows it within this span.
  private static let useWindow = Milliseconds.minutes(60)

  private mutating func countApproaches() {
    let (visits, path) = (visits, day.path)
    let told = approaches?.told ?? actual.run.announcements(of: .approach)
    for told in told {
      let isUsed = visits.contains {
        $0.reminder == told.reminder && $0.arrive >= told.at
          && $0.arrive <= told.at + Self.useWindow
      }
      add(to: slices(of: told.reminder, mode: day.truth.mode(at: told.at))) { tally in
        tally.count(.approaches)
        tally.count(.approachesUsed, isSo: isUsed)
      }
    }
    guard let approaches else { return }
    for (i, due) in approaches.due.enumerated() {
      let told = approaches.found[i].map { approaches.told[$0] }
      add(to: slices(of: due.reminder, mode: day.truth.mode(at: due.at))) { tally in
        tally.count(.approachesDue)
        guard let told else { return }
        tally.count(.approachesFound)
        tally.collect((told.at - due.at).seconds, .approachLateSeconds)
        tally.collect(path.lengthMeters(from: due.at, to: told.at), .approachLateMeters)
      }
    }
    for (i, told) in approaches.told.enumerated() where approaches.reason[i] == nil {
      add(to: slices(of: told.reminder, mode: day.truth.mode(at: told.at))) { tally in
        tally.count(.approachesSpurious)
      }
    }
  }

  // MARK: Load

  private mutating func countLoad(_ setup: ReplaySetup) {
    let run = actual.run
    let joules = BatteryModel().joules(run, setup.service)
    // As long as the replay went on: a phone that is silent at rest until the end of its day wakes and costs there, too.
    let hours = day.fixes.first.map { (day.end - $0.at).seconds / 3_600 } ?? 0
    let isWithoutStays = day.isWithoutStays
    add(to: daySlices) { tally in
      tally.count(.days)
      tally.count(.daysWithoutStays, isSo: isWithoutStays)
      tally[.hours] += hours
      tally[.notifications] += Double(run.shown.count)
      tally[.quietHourLeaks] += Double(run.quietHourLeaks)
      tally[.wakes] += Double(run.wakeCount(setup.service))
      tally[.registrations] += Double(run.summary.registrations)
      tally[.joules] += joules
      tally.collect(Double(Self.busiestHour(run.shown)), .busiestHour)
    }
  }

  /// The most instants within any 60 minutes.
  static func busiestHour(_ instants: [Timestamp]) -> Int {
    let sorted = instants.sorted()
    var (most, first) = (0, 0)
    for (i, instant) in sorted.enumerated() {
      while instant - sorted[first] >= .minutes(60) { first += 1 }
      most = max(most, i - first + 1)
    }
    return most
  }
}
