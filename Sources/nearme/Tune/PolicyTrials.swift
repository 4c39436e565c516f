import Arrivals
import CorpusFiles
import Foundation
import NearMeEngine
import ParallelWork
import Places
import Replay
import Scoring
import SettingsFiles
import TimeZones
import TrialFiles
import Tuning

/// Person-days in memory, on which policies are tried one after the other.
struct PolicyTrials: Sendable {
  /// The days, in order.
  let days: [PreparedDay]
  /// Their numbers in the corpus, by which others know them.
  let numbers: [Int]
  /// Who lived them, and which are recordings of one day.
  let lived: LivedDays
  /// Everything that is not tried.
  let base: Policy
  private let choice: ServiceChoice
  /// How late fixes are handed over; nil for at once.
  let handOver: HandOver?
  private let jobs: Int
  private let interrupt: InterruptFlag
  let withTruePath: Bool
  let catalog: POICatalog

  /// Reads the days of folders.
  ///
  /// - Parameter skipsBad: whether days that cannot be read are left out; all of them are named.
  init(
    _ corpora: [String],
    _ replayed: ScoredReplayOptions,
    jobs: Int,
    withTruePath: Bool,
    skipsBad: Bool,
    _ interrupt: InterruptFlag
  ) throws {
    let faults = DayFaults()
    let files = try CorpusFolder.days(of: corpora, noteFault: { faults.add($0.file, $0) })
    noteUnknownPaths(files)
    try self.init(
      files,
      replayed,
      jobs: jobs,
      withTruePath: withTruePath,
      noting: faults,
      interrupt
    )
    try faults.tell(left: days.count, skips: skipsBad)
    lived.noteTwins()
    noteFixesOutside(days.map(\.day))
    noteUnjudgedPlaces(days.map(\.day))
  }

  /// Reads days.
  ///
  /// - Parameter faults: takes those that cannot be read; nil: the first of them is thrown.
  init(
    _ files: [CorpusFolder.Day],
    _ replayed: ScoredReplayOptions,
    jobs: Int,
    withTruePath: Bool,
    noting faults: DayFaults? = nil,
    _ interrupt: InterruptFlag
  ) throws {
    self.jobs = jobs
    self.interrupt = interrupt
    self.withTruePath = withTruePath
    base = try replayed.service.readPolicy()
    let catalog = try replayed.service.catalog()
    self.catalog = catalog
    choice = try replayed.service.choice(seed: replayed.seed)
    handOver = try replayed.service.handOver(seed: replayed.seed)
    let person = try replayed.person(in: catalog)
    let progress = ProgressLine(total: files.count, unit: "days")
    defer { progress.clear() }
    let read = try resultsInOrder(count: files.count, threads: jobs, done: progress.show) {
      number -> (file: CorpusFolder.Day, day: PreparedDay)? in
      if interrupt.isSet { throw CommandFailure(.interrupted, "stopped") }
      let read = { try files[number].read(person: person) }
      let day = try faults.map { try $0.noting(files[number].truth, read) } ?? read()
      return day.map { (files[number], PreparedDay($0, catalog: catalog)) }
    }
    days = read.compactMap { $0?.day }
    numbers = read.compactMap { $0?.file.number }
    lived = LivedDays(read.compactMap { $0?.file }, days.map(\.day.truth))
  }

  /// The location service with a policy.
  func service(_ policy: Policy) -> LocationService { choice.service(policy) }

  /// A policy on its service, in the world of the cache.
  func setup(_ policy: Policy) -> ReplaySetup {
    ReplaySetup(
      policy: policy,
      catalog: catalog,
      service: service(policy),
      zones: SystemZones(),
      handOver: handOver
    )
  }

  /// What a policy comes to on a day.
  private func tally(
    _ policy: Policy,
    day: Int,
    _ recording: ArrivalRecording? = nil
  ) throws -> Tally {
    do {
      return try days[day]
        .tally(
          setup(policy),
          withTruePath: withTruePath,
          arrivals: recording
        )
    } catch {
      throw CommandFailure(.badInput, "\(days[day].day.truth.id): \(error)")
    }
  }

  /// What a policy comes to on every day.
  func tallies(_ policy: Policy) throws -> [Tally] {
    try resultsInOrder(count: days.count, threads: jobs) { try tally(policy, day: $0) }
  }

  /// Why people were told what, and were not, with a policy: of all days in their order.
  ///
  /// - Parameter unit: what a line of progress counts.
  func ledger(_ policy: Policy, _ unit: String) throws -> [LedgerEntry] {
    let progress = ProgressLine(total: days.count, unit: unit)
    defer { progress.clear() }
    return try resultsInOrder(count: days.count, threads: jobs, done: progress.show) {
      try days[$0].ledger(setup(policy))
    }
    .flatMap(\.self)
  }

  /// What policies come to on some days each, in their order.
  ///
  /// Those that share what arrivals are weighed by are tried one after the other, on one recording of
  /// that for each day; what comes of a policy does not depend on it.
  ///
  /// - Parameters:
  ///   - log: what was tried before is taken from it, and what is tried is added.
  ///   - progress: counts trials of a policy on a day.
  func tallies(
    _ wanted: [(candidate: Candidate, days: [Int])],
    _ log: TuneLog?,
    _ progress: TrialProgress
  ) throws -> [[Tally]] {
    let trials = try wanted.map { candidate, days in
      Trial(
        candidate: candidate,
        policy: try PolicyFile.policy(candidate.values, over: base),
        days: days,
        newDays: days.filter { log?.tally(candidate, day: numbers[$0]) == nil }
      )
    }
    // What arrivals are weighed by is shared where each fix is handed over as it is measured.
    let batches = EvidenceBatch.all(
      trials.map {
        $0.newDays.isEmpty || handOver != nil
          ? nil : SharedEvidence.Key($0.policy, service($0.policy))
      },
      fixes: days.reduce(0) { $0 + $1.day.fixes.count }
    )
    var all = [[Tally]](repeating: [], count: trials.count)
    for batch in batches {
      let recordings = try recordings(batch, trials)
      let results = try resultsInOrder(count: batch.items.count, threads: jobs) { number in
        let (item, group) = batch.items[number]
        return try tallies(trials[item], on: group.map { recordings[$0] } ?? [:], log, progress)
      }
      for ((item, _), tallies) in zip(batch.items, results) { all[item] = tallies }
    }
    return all
  }

  /// A policy and the days on which it is tried.
  private struct Trial {
    let candidate: Candidate
    let policy: Policy
    let days: [Int]
    /// Those of the days on which it was not tried before.
    let newDays: [Int]
  }

  /// By group and day, what the arrival detector sees.
  private func recordings(
    _ batch: EvidenceBatch,
    _ trials: [Trial]
  ) throws -> [[Int: ArrivalRecording]] {
    let wanted = batch.groups.enumerated()
      .flatMap { group, items in
        Set(items.flatMap { trials[$0].newDays }).sorted().map { (group: group, day: $0) }
      }
    let evidence = batch.groups.map { SharedEvidence($0.map { trials[$0].policy }) }
    let made = try resultsInOrder(count: wanted.count, threads: jobs) { number in
      if interrupt.isSet { throw CommandFailure(.interrupted, "") }
      return days[wanted[number].day].recording(evidence[wanted[number].group])
    }
    var recordings = [[Int: ArrivalRecording]](repeating: [:], count: batch.groups.count)
    for ((group, day), recording) in zip(wanted, made) { recordings[group][day] = recording }
    return recordings
  }

  private func tallies(
    _ trial: Trial,
    on recordings: [Int: ArrivalRecording],
    _ log: TuneLog?,
    _ progress: TrialProgress
  ) throws -> [Tally] {
    var tallies: [Tally] = []
    var new: [(day: Int, tally: Tally)] = []
    for day in trial.days {
      if let known = log?.tally(trial.candidate, day: numbers[day]) {
        tallies.append(known)
        progress.add(isNew: false)
        continue
      }
      if interrupt.isSet { throw CommandFailure(.interrupted, "") }
      let tally = try tally(trial.policy, day: day, recordings[day])
      tallies.append(tally)
      new.append((numbers[day], tally))
      progress.add(isNew: true)
    }
    try log?.add(trial.candidate, new)
    return tallies
  }
}

/// Counts trials for a line of progress.
///
/// Unchecked: everything is touched under the lock only.
final class TrialProgress: @unchecked Sendable {
  private let lock = NSLock()
  private let line: ProgressLine
  private var done = 0
  private(set) var total: Int
  /// Trials that were not known before.
  private(set) var new = 0

  init(total: Int) {
    self.total = total
    line = ProgressLine()
  }

  func add(isNew: Bool) {
    lock.withLock {
      done += 1
      if isNew { new += 1 }
      total = max(total, done)
      line.show("trying policies", done: Int64(done), of: Int64(total), in: .things("trials"))
    }
  }

  func clear() { line.clear() }
}

/// Says which scores mean less where recordings stand for true paths.
func noteUnknownPaths(_ days: [CorpusFolder.Day]) {
  let count = days.count { $0.path == nil }
  guard count > 0 else { return }
  printError(
    "nearme: note: of \(count) of \(days.count) days the true path is unknown and the trace stands for "
      + "it: approaches are compared with what the phone saw, and what only the true path would tell has the cause "
      + "\"\(Cause.unknownPath.label)\""
  )
}

/// Says where truths say too little of places of one's own, or places lie elsewhere.
func noteUnjudgedPlaces(_ days: [PersonDay]) {
  let without = days.count(where: \.isWithoutStays)
  if let sentence = PersonDay.sentence(daysWithoutStays: without) {
    printError("nearme: note: " + sentence)
  }
  for far in PersonDay.sumsOffStays(days.flatMap(\.placesOffStays)) {
    printError(
      "nearme: note: "
        + PersonDay.sentence(place: far.place, meters: far.meters, days: far.days)
    )
  }
}

/// Says which fixes no score takes.
func noteFixesOutside(_ days: [PersonDay]) {
  let outside = days.map(\.fixesOutside).filter { $0 > 0 }
  if let sentence = PersonDay.sentence(fixesOutside: outside.reduce(0, +), days: outside.count) {
    printError("nearme: note: " + sentence)
  }
}
