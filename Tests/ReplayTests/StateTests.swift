import Fencing
import Foundation
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import Traces

@Suite struct StateTests {
  /// Killed after any event and restored from its encoded state, an engine goes on as if nothing
  /// had happened.
  @Test func `CTX-13.2: a restored engine has the same future`() throws {
    for seed in UInt64(1)...60 {
      let world = RandomWorld(seed: seed)
      let catalog = POICatalog(world.pois)
      var random = SeededGenerator(seed: seed ^ 0xABCD)
      func engine(_ state: EngineState = EngineState()) -> Engine {
        Engine(
          policy: Policy(),
          zone: .utc,
          catalog: catalog,
          monitoring: .everyFix,
          state: state
        )
      }
      var lasting = engine()
      try lasting.load(places: world.places, reminders: world.reminders)
      var killed = lasting
      for (i, fix) in world.fixes.enumerated() {
        var events: [Event] = []
        while let due = lasting.state.nextTimer, due <= fix.at {
          let event = Event(at: due, .timer)
          #expect(lasting.handle(event) == killed.handle(event), "seed \(seed), timer at \(i)")
        }
        events.append(Event(at: fix.at, .fix(fix)))
        if random.integer(0...40) == 0 {
          let id = world.reminders[random.integer(0...(world.reminders.count - 1))].id
          let actions: [ReminderAction] = [
            .mute, .unmute, .snoozeFor(.minutes(7)), .snoozeToday, .snoozeUntilNextArrival,
            .dismiss, .complete,
          ]
          events.append(
            Event(
              at: fix.at,
              .action(reminder: id, actions[random.integer(0...(actions.count - 1))])
            )
          )
        }
        if random.integer(0...60) == 0 {
          events.append(Event(at: fix.at, .focus(random.integer(0...1) == 0)))
        }
        for event in events {
          let expected = lasting.handle(event)
          let found = killed.handle(event)
          let isEqual = expected == found
          #expect(isEqual, "seed \(seed), fix \(i)")
          if random.integer(0...3) == 0 {
            let data = try JSONEncoder().encode(killed.state)
            let state = try JSONDecoder().decode(EngineState.self, from: data)
            #expect(state == killed.state, "seed \(seed), fix \(i)")
            killed = engine(state)
          }
        }
      }
    }
  }
}
