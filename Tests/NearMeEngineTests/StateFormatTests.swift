import Fencing
import Foundation
import NearMeEngine
import Places
import Testing
import Timeline

/// States of every format that was ever written can be read; `States/` keeps some of each.
@Suite struct StateFormatTests {
  private static func file(_ name: String) throws -> Data {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return try Data(contentsOf: folder.appendingPathComponent("States/\(name).json"))
  }

  private static func read(_ data: Data) throws -> EngineState {
    try JSONDecoder().decode(EngineState.self, from: data)
  }

  private static func minute(_ instant: Timestamp) -> Double {
    (instant - Scene.start).seconds / 60
  }

  @Test func `a state of format 1 keeps reminders, snoozes and what waits`() throws {
    let state = try Self.read(Self.file("format-1-stream"))
    let reminders = state.currentReminders
    #expect(reminders.map(\.id) == ["meds", "cash", "rest", "cook", "done", "mute", "later"])
    #expect(reminders[0].target == .category(CategoryID("pharmacy")))
    #expect(reminders[0].notes == "blue card")
    #expect(reminders[0].snooze == .until(Scene.start + .seconds(51 * 60 + 30)))
    #expect(reminders[3].target == .place("hut"))
    #expect(
      reminders[3].tiers == [.approach(miles: 2), .arrival, .postArrival(delay: .minutes(5))]
    )
    #expect(reminders[4].status == .completed)
    #expect(reminders[5].isMuted)
    #expect(state.waitingCount == 1)
    #expect(state.newestInstant.map(Self.minute) == 42.5)
  }

  @Test func `a state of format 1 goes on where it was, and is then of this format`() throws {
    let state = try Self.read(Self.file("format-1-stream"))
    var scene = try Scene(
      [],
      pois: [(0, "pharmacy"), (-1, "bank"), (-0.02, "pharmacy")],
      state: state
    )
    scene.send(.focus(false), minute: 43)
    scene.wait(until: 120)
    // Snoozed for 45 minutes at 6.5 and arrived meanwhile.
    #expect(scene.heard().filter { $0.contains("meds") } == ["51.50 n6: Still need to do meds?"])
    let data = try JSONEncoder().encode(scene.engine.state)
    let json = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(json["formatVersion"] as? Int == EngineState.formatVersion)
    #expect(try Self.read(data) == scene.engine.state)
  }

  @Test func `a sleeping app's state of format 1 keeps its regions and schedule`() throws {
    let state = try Self.read(Self.file("format-1-regions"))
    #expect(state.currentRegions.count == 3)
    #expect(state.currentCertificate != nil)
    let json = try #require(
      JSONSerialization.jsonObject(with: try JSONEncoder().encode(state)) as? [String: Any]
    )
    let screen = try #require(json["screen"] as? [String: Any])
    #expect(((screen["state"] as? [String: Any])?["scheduled"] as? [Any])?.count == 1)
  }

  @Test func `a state of format 2 keeps what waits, with its reasons`() throws {
    let state = try Self.read(Self.file("format-2-stream"))
    #expect(state.currentReminders.map(\.id) == ["r0", "r1", "r2", "r3", "r4", "r5"])
    // One of the four only says again what was said before a snooze.
    #expect(state.waitingCount == 3)
    let sleeping = try Self.read(Self.file("format-2-regions"))
    #expect(sleeping.currentReminders.map(\.id) == ["r0", "r1", "r2", "r3", "r4", "n39"])
    #expect(sleeping.currentRegions.count == 11)
    #expect(sleeping.waitingCount == 4)
    for state in [state, sleeping] {
      #expect(try Self.read(JSONEncoder().encode(state)) == state)
      let json = try #require(
        JSONSerialization.jsonObject(with: JSONEncoder().encode(state)) as? [String: Any]
      )
      #expect(json["formatVersion"] as? Int == 3)
      for part in [
        "roster", "surroundings", "places", "clock", "signals", "waiting", "screen", "regions",
      ] {
        let form = part == "clock" || part == "signals" ? 2 : 1
        #expect((json[part] as? [String: Any])?["version"] as? Int == form, "\(part)")
      }
    }
  }

  @Test func `a part of a newer form is refused with advice`() throws {
    let state = try Self.read(Self.file("format-2-stream"))
    var json = try #require(
      JSONSerialization.jsonObject(with: JSONEncoder().encode(state)) as? [String: Any]
    )
    var screen = try #require(json["screen"] as? [String: Any])
    screen["version"] = 2
    json["screen"] = screen
    let data = try JSONSerialization.data(withJSONObject: json)
    let error = #expect(throws: DecodingError.self) { try Self.read(data) }
    guard case .dataCorrupted(let context)? = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(context.debugDescription.contains("use the newer version that wrote it"))
  }

  @Test func `a state whose parts do not agree is refused`() throws {
    let state = try Self.read(Self.file("format-2-stream"))
    var json = try #require(
      JSONSerialization.jsonObject(with: JSONEncoder().encode(state)) as? [String: Any]
    )
    var roster = try #require(json["roster"] as? [String: Any])
    var inner = try #require(roster["state"] as? [String: Any])
    inner["reminders"] = [Any]()
    roster["state"] = inner
    json["roster"] = roster
    let data = try JSONSerialization.data(withJSONObject: json)
    #expect(throws: DecodingError.self) { try Self.read(data) }
  }

  @Test func `what another version's detector is gathered anew`() throws {
    var json = try #require(
      JSONSerialization.jsonObject(with: try Self.file("format-1-stream")) as? [String: Any]
    )
    json["arrivals"] = ["tracker": ["unheard": "of"]]
    let state = try Self.read(JSONSerialization.data(withJSONObject: json))
    #expect(state == (try Self.read(Self.file("format-1-stream"))))
  }

  @Test func `a state of a newer format is refused with advice`() throws {
    var json = try #require(
      JSONSerialization.jsonObject(with: try Self.file("format-1-stream")) as? [String: Any]
    )
    for version in [0, EngineState.formatVersion + 1, 99] {
      json["formatVersion"] = version
      let data = try JSONSerialization.data(withJSONObject: json)
      let error = #expect(throws: DecodingError.self) { try Self.read(data) }
      guard case .dataCorrupted(let context)? = error else {
        #expect(Bool(false), "\(String(describing: error))")
        continue
      }
      #expect(context.debugDescription.contains("the state has format \(version)"))
      #expect(context.debugDescription.contains("use the newer version"))
    }
  }
}
