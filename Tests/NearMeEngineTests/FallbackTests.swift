import Fencing
import NearMeEngine
import Places
import Testing
import Timeline

/// What a reminder about places does while the phone cannot tell where it is.
@Suite struct FallbackTests {
  /// Minutes from the scenes' start, 08:00 of a Monday, to 18:00 that day.
  private static let six = 600.0
  private static let day = 1_440.0

  private static func milk(_ conditions: [Condition] = []) -> Reminder {
    var reminder = Reminder(id: "milk", title: "buy milk", target: .category(CategoryID("grocery")))
    reminder.fallbackMinute = 18 * 60
    reminder.conditions = conditions
    return reminder
  }

  @Test
  func `NM-10.5: where the position is unknown, reminders fall back to the time that the user set`()
    throws
  {
    let other = Reminder(id: "bread", title: "buy bread", target: .category(CategoryID("grocery")))
    var scene = try Scene([Self.milk(), other], pois: [(5, "grocery")])
    scene.wait(until: Self.day)
    #expect(scene.heard() == [])
    scene.send(.locationAccess(.servicesOff), minute: Self.day)
    scene.wait(until: 3 * Self.day)
    // Not at once, but at six, and the next day again, for nobody has answered.
    #expect(
      scene.heard() == [
        "2040.00 n1: Buy milk.", "3480.00 n2: Buy milk.",
      ]
    )
    scene.send(.locationAccess(.always), minute: 3 * Self.day)
    scene.wait(until: 5 * Self.day)
    #expect(scene.heard() == [])
    #expect(scene.engine.violations() == [])
  }

  @Test func `NM-10.5: done is done, and what waits when the position is known again is dropped`()
    throws
  {
    var scene = try Scene([Self.milk()], pois: [(5, "grocery")])
    scene.send(.locationAccess(.servicesOff), minute: 0)
    scene.act("milk", .complete, minute: 1)
    scene.wait(until: 3 * Self.day)
    #expect(scene.heard() == [])

    let evenings = try #require(WeeklyWindow("20:00-22:00"))
    scene = try Scene([Self.milk([.window(evenings)])], pois: [(5, "grocery")])
    scene.send(.locationAccess(.servicesOff), minute: 0)
    scene.wait(until: Self.six + 10)
    scene.send(.locationAccess(.always), minute: Self.six + 60)
    scene.wait(until: Self.day)
    #expect(scene.heard() == [])
    scene.send(.locationAccess(.servicesOff), minute: Self.day)
    scene.wait(until: 2 * Self.day)
    #expect(scene.heard().map { String($0.prefix { $0 != " " }) } == ["2160.00"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `NM-10.5: a restart and an edit in the dark change nothing`() throws {
    var scene = try Scene([Self.milk()], pois: [(5, "grocery")])
    scene.send(.locationAccess(.whileInUse), minute: 0)
    var again = try Scene(
      [],
      pois: [(5, "grocery")],
      state: scene.engine.state,
      from: Scene.start
    )
    again.send(.launched, minute: 1)
    var later = Self.milk()
    later.fallbackMinute = 19 * 60
    again.send(.reminderSaved(later), minute: 2)
    again.wait(until: Self.day)
    #expect(again.heard().map { String($0.drop { $0 != ":" }) } == [": Buy milk."])
    #expect(again.engine.violations() == [])
  }
}
