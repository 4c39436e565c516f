import Basics
import Foundation
import Geodesy
import LiveHost
import Logging
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import Traces
import TrialFiles
import UserStore

/// What a host logs in a day, at the most talkative level: reasons and ids, nobody's errands.
@Suite struct LogPrivacyTests {
  @Test func `NM-10.6: no title, name or coordinate is in the log of a day`() async throws {
    let lines = SaidLines()
    let clock = VirtualClock()
    let log = Logger(label: "test") { _ in
      HostLogHandler(level: .trace, clock: clock) { lines.add($0) }
    }
    let database = try UserDatabase(copyOf: ErrandsDay.template)
    // A sink that has to be asked twice, now and then.
    let outcomes = (0..<20)
      .map { number -> DeliveryOutcome in
        number < 10
          ? .refused(reason: "status 410") : .putOff(reason: "status 503", atLeast: nil)
      }
    let sink = RecordingSink("webhook", batchLimit: 1, answers: outcomes)
    let store = try database.open()
    let host = try await makeHost(
      ErrandsDay.setup,
      store: store,
      sinks: [sink],
      clock: clock,
      log: log
    )
    try await host.take(ErrandsDay.records)
    for _ in 0..<12 {
      clock.advance(.minutes(60))
      try await host.tick()
    }
    try await host.finish()
    try store.close()
    #expect(lines.all.count > 5, "\(lines.all)")
    var secrets = ErrandsDay.person.reminders.map(\.title)
    secrets += ErrandsDay.person.places.map(\.name).filter { $0.count > 4 }
    secrets += ErrandsDay.catalog.points.compactMap(\.name).filter { $0.count > 4 }
    let spots =
      ErrandsDay.person.places.map(\.coordinate)
      + ErrandsDay.records.compactMap { $0.fix?.coordinate }
    secrets += spots.flatMap { [$0.latitude, $0.longitude] }.map { String(fixed($0, 4)) }
    #expect(secrets.count > 1_000)
    let text = lines.all.joined(separator: "\n")
    for secret in Set(secrets) {
      #expect(!text.contains(secret), "the log holds \(secret)")
    }
  }
}
