import CorpusFiles
import Foundation
import NearMeEngine
import ParallelWork
import Places
import Replay
import Scoring
import SettingsFiles
import Tuning

/// Person-days in memory, on which policies are tried one after the other.
struct PolicyTrials: Sendable {
  /// The days, in order.
  let days: [PreparedDay]
  /// Everything that is not tried.
  let base: Policy
  private let service: ScoredReplayOptions.Service
  private let jobs: Int
  private let interrupt: InterruptFlag
  let withTruePath: Bool
  let catalog: POICatalog

  /// Reads the days.
  init(
    _ corpora: [String],
    _ replayed: ScoredReplayOptions,
    jobs: Int,
    withTruePath: Bool,
    _ interrupt: InterruptFlag
  ) throws {
    self.jobs = jobs
    self.interrupt = interrupt
    self.withTruePath = withTruePath
    let files = try CorpusFolder.days(of: corpora)
    base = try replayed.service.monitor.policy(replayed.service.policy)
    let catalog = try replayed.service.catalog()
    self.catalog = catalog
    service = try replayed.scoredService()
    let person = try replayed.person()
    let progress = ProgressLine(total: files.count, unit: "days")
    defer { progress.clear() }
    days = try resultsInOrder(count: files.count, threads: jobs, done: progress.show) { number in
      if interrupt.isSet { throw CommandFailure(.interrupted, "stopped") }
      return PreparedDay(try files[number].read(person: person), catalog: catalog)
    }
  }

  /// The location service with a policy.
  func monitor(_ policy: Policy) -> ScoredMonitor { service.monitor(policy) }

  /// What a policy comes to on a day.
  func tally(_ policy: Policy, day: Int) throws -> Tally {
    do {
      return try days[day].tally(policy, service.monitor(policy), withTruePath: withTruePath)
    } catch {
      throw CommandFailure(.badInput, "\(days[day].day.truth.id): \(error)")
    }
  }

  /// What a policy comes to on every day.
  func tallies(_ policy: Policy) throws -> [Tally] {
    try resultsInOrder(count: days.count, threads: jobs) { try tally(policy, day: $0) }
  }

  /// What policies come to on some days each, in their order.
  ///
  /// - Parameters:
  ///   - log: what was tried before is taken from it, and what is tried is added.
  ///   - progress: counts trials of a policy on a day.
  func tallies(
    _ wanted: [(candidate: Candidate, days: [Int])],
    _ log: TuneLog?,
    _ progress: TrialProgress
  ) throws -> [[Tally]] {
    try resultsInOrder(count: wanted.count, threads: jobs) { number in
      let (candidate, days) = wanted[number]
      let policy = try PolicyFile.policy(candidate.values, over: base)
      var tallies: [Tally] = []
      var new: [(day: Int, tally: Tally)] = []
      for day in days {
        if let known = log?.tally(candidate, day: day) {
          tallies.append(known)
          progress.add(isNew: false)
          continue
        }
        if interrupt.isSet { throw CommandFailure(.interrupted, "") }
        let tally = try tally(policy, day: day)
        tallies.append(tally)
        new.append((day, tally))
        progress.add(isNew: true)
      }
      try log?.add(candidate, new)
      return tallies
    }
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
