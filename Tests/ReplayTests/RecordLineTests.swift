import Fencing
import Foundation
import NearMeEngine
import OutputLines
import Testing
import Timeline
import Traces

/// A record has one form: the line that a replay prints of it is one that is read as a record.
@Suite struct RecordLineTests {
  private static let at = Timestamp(milliseconds: 1_767_600_000_250)

  private func record(_ line: ReplayLine) throws -> Record {
    try JSONDecoder().decode(Record.self, from: Data(NDJSONFormat().text(line).utf8))
  }

  /// The values of an object that are not null, as text.
  private func values(_ json: Data) throws -> [String: String] {
    let values = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
    return values.filter { !($0.value is NSNull) }.mapValues { "\($0)" }
  }

  private func stored(_ record: Record) throws -> [String: String] {
    try values(JSONEncoder().encode(record))
  }

  private func told(_ line: ReplayLine) throws -> [String: String] {
    try values(Data(NDJSONFormat().text(line).utf8))
  }

  private func expectOneForm(_ line: ReplayLine, _ expected: Record) throws {
    #expect(try record(line) == expected)
    #expect(try stored(expected) == told(line))
  }

  @Test func `the lines of transitions, cancellations and refusals are records`() throws {
    for (step, kind, poi, distance) in [
      (Step.tier(.approach(miles: 3)), TransitionRecord.Kind.enter, "node/1", 4_800.5),
      (.tier(.postArrival(delay: .minutes(5))), .dwell, nil, 25.5),
      (.schedule(Timestamp(seconds: 1_767_600_000)), .due, nil, nil),
      (.signal("unlock"), .edge, nil, nil),
    ] as [(Step, TransitionRecord.Kind, String?, Double?)] {
      let transition = TransitionRecord(
        at: Self.at,
        reminder: "meds \"blue\"",
        step: step,
        kind: kind,
        poi: poi,
        distanceMeters: distance
      )
      try expectOneForm(.transition(transition), .transition(transition))
    }
    let canceled = CancelRecord(
      at: Self.at,
      reminder: "meds",
      tier: .arrival,
      poi: nil,
      reason: .left
    )
    try expectOneForm(.canceled(canceled), .canceled(canceled))
    try expectOneForm(
      .actionRefused(at: Self.at, reminder: "meds", .snoozeOutOfRange),
      .actionRefused(at: Self.at, reminder: "meds", .snoozeOutOfRange)
    )
    try expectOneForm(
      .regionsRefused(at: Self.at, ids: ["a"], slots: 3),
      .regionsRefused(at: Self.at, ids: ["a"], slots: 3)
    )
    try expectOneForm(
      .access(at: Self.at, .servicesOff),
      .locationAccess(at: Self.at, .servicesOff)
    )
    // A line counts those of its reason so far, besides.
    #expect(
      try record(.fixRefused(at: Self.at, .late, count: 2)) == .fixRefused(at: Self.at, .late)
    )
  }

  @Test func `the lines of decisions are records`() throws {
    let start = #"{"type":"decision","at":"2026-01-05T08:00:00.250Z","reminder":"meds","#
    for end in [
      #""tier":"arrival","outcome":"delivered","reason":null,"until":null}"#,
      #""tier":"arrival","outcome":"suppressed","reason":"exit","until":null}"#,
      #""tier":"arrival","outcome":"deferred","reason":"focus","until":null}"#,
      #""tier":"signal:unlock","outcome":"deferred","reason":"quiet_hours","#
        + #""until":"2026-01-06T07:00:00Z"}"#,
    ] {
      let line = start + end
      let record = try JSONDecoder().decode(Record.self, from: Data(line.utf8))
      guard case .decision(let decision) = record else {
        #expect(Bool(false), "\(line): \(record)")
        continue
      }
      #expect(NDJSONFormat().text(.decision(decision)) == line)
      #expect(try stored(record) == told(.decision(decision)))
    }
  }

  @Test func `a distance is stored whole, and rounded in the line`() throws {
    let transition = TransitionRecord(
      at: Self.at,
      reminder: "meds",
      step: .tier(.arrival),
      kind: .enter,
      distanceMeters: 12.3456789
    )
    #expect(try stored(.transition(transition))["distance"] == "12.3456789")
    #expect(NDJSONFormat().text(.transition(transition)).contains(#""distance":12.3}"#))
  }
}
