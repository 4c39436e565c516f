import Fencing
import NearMeEngine
import Replay
import Testing
import Timeline
import TrialFiles

/// The sample day shows everything that the engine does; each test is one thing that must be seen.
@Suite struct SampleDayTests {
  private let day: SampleDay

  init() throws { day = try SampleDay() }

  @Test func `NM-4.1: a category speaks at five miles, three, one, there, and after five minutes`()
  {
    #expect(day.told("meds", "approach:5mi").count == 1)
    #expect(day.told("meds", "approach:3mi").count == 1)
    #expect(day.told("meds", "approach:1mi").count == 1)
    #expect(day.told("meds", "arrival").count == 1)
    #expect(day.told("meds", "post_arrival:5m").count == 1)
  }

  @Test func `NM-4.2: home and work speak at two miles, there, and after five minutes`() {
    for reminder in ["report", "bins"] {
      #expect(day.told(reminder, "approach:2mi").count == 1, "\(reminder)")
      #expect(day.told(reminder, "arrival").count == 1, "\(reminder)")
      #expect(!day.told(reminder, "post_arrival:5m").isEmpty, "\(reminder)")
    }
  }

  @Test func `NM-4.3: another place speaks at five miles and there`() {
    #expect(day.told("books", "approach:5mi").count == 1)
    #expect(day.told("books", "arrival").count == 1)
  }

  @Test func `NM-4.5: rings entered within a minute become one notification`() {
    let shops = day.notifications.filter { $0.members.count >= 2 }
      .filter { $0.members.contains { $0.reminder == "meds" && $0.step.name == "approach:5mi" } }
    #expect(shops.last?.members.map(\.reminder).sorted() == ["food", "gas", "meds"])
    #expect(Set(shops.map(\.id)).count == 1)
  }

  @Test func `where shops crowd, a nearer tier is told and waits for nothing`() {
    let waiting = day.decisions.filter {
      guard $0.reminder == "check", $0.step.name == "approach:1mi", case .deferred = $0.outcome
      else {
        return false
      }
      return true
    }
    #expect(waiting.isEmpty)
    #expect(day.told("check", "approach:1mi").count == 1)
  }

  @Test func `a snooze of fifteen minutes ends with a word`() throws {
    let actions = try RemindersFile(path: SampleDay.path("traces/reminders.json")).actions
    let snooze = try #require(
      actions.first { $0.kind == .reminder("books", .snoozeFor(.minutes(15))) }
    )
    let later = snooze.at + .minutes(15)
    let spoken = day.notifications.filter { notification in
      notification.members.contains { $0.reminder == "books" } && notification.at > snooze.at
    }
    #expect(spoken.map(\.at) == [later])
    #expect(spoken.first?.text == "Still need to return the books?")
  }

  @Test func `NM-5.6: what is muted stays silent, and would have spoken`() throws {
    let muted = try #require(day.told("parcel", "approach:5mi").first)
    #expect(
      day.notifications.filter { $0.members.contains { $0.reminder == "parcel" } }
        .allSatisfy { day.clock($0.at) <= "12:51" && day.clock($0.at) >= muted }
    )
    let unmuted = try SampleDay(skips: { $0.kind == .reminder("parcel", .mute) })
    #expect(!unmuted.told("parcel", "approach:1mi").isEmpty)
  }

  @Test func `NM-2.5: what is done stays silent, and would have spoken`() throws {
    let second = day.notifications.filter { day.clock($0.at) > "18:00" }
    #expect(second.allSatisfy { $0.members.allSatisfy { $0.reminder != "meds" } })
    let undone = try SampleDay(skips: { $0.kind == .reminder("meds", .complete) })
    #expect(undone.told("meds", "approach:5mi").count == 2)
  }

  @Test func `coming home at night is told in the morning`() throws {
    let waiting = day.decisions.first {
      if case .deferred(.quietHours, until: _) = $0.outcome, $0.tier == .arrival {
        true
      } else {
        false
      }
    }
    #expect(waiting?.reminder == "bins")
    #expect(waiting.map { day.clock($0.at) > "22:00" } == true)
    let summary = try #require(day.notifications.last)
    #expect(summary.kind == .summary)
    #expect(day.clock(summary.at) == "07:00")
    #expect(summary.members.map(\.reminder) == ["bins"])
    let loud = day.notifications.dropLast()
    #expect(loud.allSatisfy { day.clock($0.at) < "22:00" && day.clock($0.at) >= "08:00" })
  }

  @Test func `driving past is not arriving`() throws {
    // The way to the pharmacy leads past the gas station, within its arrival radius.
    let truth = try SampleTruth()
    let pass = try #require(
      truth.driveBys.first { $0.name == "Causeway Fuel" && day.clock($0.closest) < "14:00" }
    )
    #expect(pass.minDistanceMeters < 100)
    let arrivals = day.transitions.filter { $0.reminder == "gas" && $0.tier == .arrival }
    #expect(arrivals.filter { $0.kind == .enter }.map(\.at) == day.arrivals("gas"))
    #expect(day.arrivals("gas").allSatisfy { day.clock($0) > "18:00" })
  }

  @Test func `every visit of the truth is an arrival, and nothing else is`() throws {
    let truth = try SampleTruth()
    let reminders = [
      "pharmacy": "meds", "grocery": "food", "bank": "check", "gas_station": "gas",
    ]
    var expected: [String] = []
    for visit in truth.visits {
      let reminder = try #require(reminders[visit.category])
      let arrivals = day.arrivals(reminder)
      #expect(arrivals.count == 1, "\(reminder)")
      let delay = try #require(arrivals.first) - visit.arrival
      // One arrives at the edge of a supermarket before one stands inside.
      #expect(delay.seconds > -120 && delay.seconds < 90, "\(reminder): \(delay.seconds) s")
      expected.append(reminder)
    }
    #expect(expected.count == 4)
    #expect(day.arrivals("parcel").isEmpty)
  }

  @Test func `CTX-7.3b: twenty regions are enough and no fix is refused`() {
    #expect(day.summary.regionsHeldMost <= 20)
    #expect(day.summary.refusedCount == 0)
    #expect(day.summary.plansAtRisk == 0)
    #expect(day.summary.actionsLeft == 0)
  }
}
