import Foundation
import NearMeEngine
import Recurrence
import TestSupport
import Testing
import Timeline

/// A live host that is killed at any instant, and one whose disk is full: what its sinks are told.
@Suite(.serialized) struct KilledRunTests {
  private let day: LiveDay

  init() throws { day = try LiveDay(more: Self.timed, signals: Self.signals) }

  /// What the phone says on that day, some of it twice, and once with a level that stays.
  private static let signals: [(at: String, line: String)] = {
    let start = Timestamp(seconds: 1_772_528_430)
    return (0..<120)
      .flatMap { i -> [(at: String, line: String)] in
        let at = RFC3339.format(start + .minutes(Int64(6 * i)))
        var lines = [#"{"signal":"unlock","at":"\#(at)","id":"u\#(i / 2)"}"#]
        if i % 10 == 3 {
          let level = i % 20 == 3 ? "charging" : "unplugged"
          lines.append(#"{"signal":"charging","to":"\#(level)","at":"\#(at)"}"#)
        }
        return lines.map { (at, $0) }
      }
  }()

  /// Reminders of every kind but places: times that recur, leads, nagging, a snooze, one that speaks once, signals
  /// and a level that lasts.
  private static let timed: [Reminder] = {
    func written(_ text: String) -> WrittenTime {
      WrittenTime(text) ?? WrittenTime(CivilDate(daysSinceEpoch: 0))
    }
    func reminder(
      _ id: String,
      _ start: String,
      _ rule: String? = nil,
      leads: [Milliseconds] = []
    ) -> Reminder {
      Reminder(
        id: id,
        title: "\(id) it",
        triggers: [
          .schedule(
            Schedule(
              start: written(start),
              rule: rule.flatMap { try? RecurrenceRule($0) },
              leads: leads
            )
          )
        ]
      )
    }
    var drink = reminder("drink", "2026-03-03T08:07", "FREQ=MINUTELY;INTERVAL=50")
    drink.tone = "sassy"
    var stretch = reminder("stretch", "2026-03-03T09:15", "FREQ=DAILY;BYHOUR=9,12,15")
    stretch.nag = Reminder.Nag(every: .minutes(4), atMost: 3)
    let call = reminder("call", "2026-03-03T11:00", leads: [.minutes(30), .minutes(5)])
    var once = reminder("once", "2026-03-03T10:10", "FREQ=HOURLY")
    once.persistence = .once
    var snoozed = reminder("snoozed", "2026-03-03T08:30")
    snoozed.snooze = .until(Timestamp(seconds: 1_772_539_800))
    let mail = Reminder(id: "mail", title: "mail it", triggers: [.signal("unlock")])
    let backup = Reminder(
      id: "backup",
      title: "backup it",
      triggers: [.signal("charging", to: "charging")]
    )
    var calm = reminder("calm", "2026-03-03T09:20", "FREQ=MINUTELY;INTERVAL=30")
    calm.conditions = [.lasting(.signal("charging", is: "true"), for: .minutes(10))]
    return [drink, stretch, call, once, snoozed, mail, backup, calm]
  }()

  /// What one chain of lives came to.
  private struct Chain: Sendable {
    var kills = 0
    var days = 0
    var problems: [String] = []
  }

  /// Real processes and SIGKILL: whatever the instant, the file ends up the same to the byte, and a
  /// command that remembers keys has seen each once.
  @Test(.timeLimit(.minutes(30)))
  func `NM-10.4: a host killed 500 times at random instants tells what an undisturbed one tells`()
    async throws
  {
    let day = self.day
    let whole = day.folder.path("whole.ndjson")
    let database = try day.database("whole.db")
    let clock = ContinuousClock()
    var result: (status: Int32, errors: String) = (0, "")
    let full = try clock.measure { result = try day.run(database, ["ndjson:\(whole)"]) }
    #expect(result.status == 0, "\(result.errors)")
    // Everything has been taken in: what is left is what a life costs that gets nothing done.
    let idle = try clock.measure { result = try day.run(database, ["ndjson:\(whole)"]) }
    #expect(result.status == 0, "\(result.errors)")
    let expected = try String(contentsOfFile: whole, encoding: .utf8)
    #expect(expected.split(separator: "\n").count > 50)
    let heard = expected.lowercased()
    for reminder in Self.timed { #expect(heard.contains(reminder.title), "\(reminder.id)") }
    let seed: UInt64 = 2_026
    print("a day takes \(full), a life without work \(idle); seed \(seed)")
    let chains = try await withThrowingTaskGroup(of: Chain.self) { group in
      for worker in 0..<2 {
        group.addTask {
          try await Self.chain(
            day,
            worker: worker,
            kills: 250,
            seed: seed + UInt64(worker),
            expected: expected,
            longest: idle + (full - idle) * 0.2
          )
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let kills = chains.reduce(0) { $0 + $1.kills }
    print("\(kills) kills survived, \(chains.reduce(0) { $0 + $1.days }) days completed")
    #expect(kills == 500)
    #expect(chains.reduce(0) { $0 + $1.days } >= 2)
    #expect(chains.flatMap(\.problems) == [])
  }

  /// Kills and restarts until a day is done, and begins another one.
  private static func chain(
    _ day: LiveDay,
    worker: Int,
    kills: Int,
    seed: UInt64,
    expected: String,
    longest: Duration
  ) async throws -> Chain {
    var generator = SeededGenerator(seed: seed)
    var chain = Chain()
    var isFinished = false
    while !isFinished {
      let told = day.folder.path("told-\(worker)-\(chain.days).ndjson")
      let journal = day.folder.path("journal-\(worker)-\(chain.days)")
      let database = try day.database("killed-\(worker).db")
      while true {
        let process = try day.start(database, ["ndjson:\(told)"], ["--journal", journal])
        // The last day is let to its end.
        isFinished = chain.kills == kills
        let delay = isFinished ? .seconds(600) : longest * generator.uniform(0.2...1)
        let start = ContinuousClock.now
        while process.isRunning, start.duration(to: .now) < delay {
          try await Task.sleep(for: .milliseconds(1))
        }
        if process.isRunning {
          Foundation.kill(process.processIdentifier, SIGKILL)
          process.waitUntilExit()
          chain.kills += 1
          continue
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit else { continue }
        if process.terminationStatus != 0 {
          chain.problems.append("seed \(seed), day \(chain.days): \(process.terminationStatus)")
        }
        break
      }
      let lines = try String(contentsOfFile: told, encoding: .utf8)
      if lines != expected { chain.problems.append("seed \(seed), day \(chain.days): \(told)") }
      let replay = try Command([
        "replay", "--journal", journal, "--cache", day.cache, "--format", "ndjson",
      ])
      if replay.output != expected {
        chain.problems.append("seed \(seed), day \(chain.days): journal: \(replay.errors)")
      }
      chain.days += 1
    }
    return chain
  }

  @Test func `a host on a full disk says so, and tells the rest when there is space again`() throws
  {
    guard let disk = try SmallDisk(at: day.folder.path("disk"), mebibytes: 1) else {
      print("no small disk can be mounted here: the test of a full disk is skipped")
      return
    }
    defer { disk.remove() }
    let whole = day.folder.path("whole.ndjson")
    #expect(try day.run(try day.database("whole.db"), ["ndjson:\(whole)"]).status == 0)
    let database = try day.database("me.db", in: disk.path)
    let told = disk.path + "/told.ndjson"
    var failures = 0
    // A little more room each time, so that it is short in different places.
    for kibibytes in stride(from: 4, through: 160, by: 12) {
      let filler = disk.path + "/filler"
      disk.fill(filler, leaving: kibibytes << 10)
      let result = try day.run(database, ["ndjson:\(told)"])
      try FileManager.default.removeItem(atPath: filler)
      if result.status == 0 { break }
      failures += 1
      #expect(result.status == 74, "\(result.errors)")
      #expect(result.errors.contains(disk.path), "\(result.errors)")
      #expect(
        result.errors.contains("space") || result.errors.contains("full"),
        "\(result.errors)"
      )
    }
    #expect(failures > 2)
    let last = try day.run(database, ["ndjson:\(told)"])
    #expect(last.status == 0, "\(last.errors)")
    print("\(failures) full disks survived")
    let (a, b) = (
      try String(contentsOfFile: told, encoding: .utf8),
      try String(contentsOfFile: whole, encoding: .utf8)
    )
    #expect(a == b)
  }
}
