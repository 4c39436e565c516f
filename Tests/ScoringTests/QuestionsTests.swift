import Arrivals
import Fencing
import NearMeEngine
import Places
import Replay
import Scoring
import Testing
import Timeline
import Traces

/// Many questions about one day.
@Suite struct QuestionsTests {
  private static func day() throws -> (PersonDay, Scene) {
    var scene = Scene([(0, "pharmacy"), (400, "pharmacy"), (2_000, "pharmacy")])
    scene.drive(to: 5)
    scene.visit(1, minutes: 9)
    scene.drive(to: 420)
    scene.wait(beside: 2, minutes: 2)
    scene.drive(to: 2_000)
    scene.visit(3, minutes: 3)
    scene.drive(to: 6_000)
    return (try scene.day(person: Scene.person()), scene)
  }

  @Test(arguments: [
    LocationService.stream, .ideal(slots: 20), .phone(.ios, slots: 20, seed: 3),
  ])
  func `many questions have the answers that each has alone`(_ monitor: LocationService) throws {
    let (day, scene) = try Self.day()
    let setup = scene.setup(monitor) {
      $0.fencing.arrivalDetection = .posterior
      $0.monitor.longestWeighing = .minutes(30)
    }
    let reminder = day.person.reminders[0]
    let first = try #require(day.fixes.first).at
    let last = try #require(day.fixes.last).at
    var instants = [last, first]
    while let at = instants.last, at + .minutes(4) < last { instants.append(at + .minutes(4)) }
    for truth in [day, nil] {
      var inquiry = try DayInquiry(day.fixes, of: day.person, setup, day: truth)
      let questions = instants.map { Explanation.Question(reminder: reminder, at: $0) }
      let answers = try Explanation.all(questions, tracking: [reminder], &inquiry).explanations
      #expect(answers.count == instants.count && instants.count > 5)
      for (at, answer) in zip(instants, answers) {
        let alone = try Explanation(
          day.fixes,
          of: day.person,
          setup,
          day: truth,
          reminder: reminder,
          at: at
        )
        #expect(answer.outcome == alone.outcome)
        #expect(answer.causes == alone.causes)
        #expect(answer.evidence.map(\.label) == alone.evidence.map(\.label))
        #expect(answer.evidence.map(\.text) == alone.evidence.map(\.text))
      }
    }
  }

  @Test func `the probability over the day is high at a visit and nothing on the road`() throws {
    let (day, scene) = try Self.day()
    let setup = scene.setup(.stream) { $0.fencing.arrivalDetection = .posterior }
    let reminder = day.person.reminders[0]
    var inquiry = try DayInquiry(day.fixes, of: day.person, setup, day: nil)
    let track = try Explanation.all([], tracking: [reminder], &inquiry).tracks[0].steps
    func value(_ at: Timestamp) -> Int { track.last { $0.at <= at }?.hundredths ?? 0 }
    let visit = day.truth.visits[0]
    #expect(value(visit.leave - .seconds(30)) > 50)
    #expect(value(try #require(day.fixes.last).at) < 10)
    for (one, next) in zip(track, track.dropFirst()) {
      #expect(one.at < next.at && one.hundredths != next.hundredths)
      #expect((0...100).contains(next.hundredths))
    }
  }

  @Test func `every silence is the objection of one gate, but for those that no gate makes`() {
    let objections = Gates.questions.flatMap(\.objections)
    #expect(Set(objections).count == objections.count)
    let others = Silence.allCases.filter { !objections.contains($0) }
    #expect(others == [.deleted, .superseded, .stale, .exit])
    #expect(Gates.questions.allSatisfy { $0.asks.hasSuffix("?") })
  }
}
