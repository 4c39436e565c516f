import Basics
import Geodesy
import Testing
import Timeline
import TraceDoctor
import Traces

/// One small drawn trace for each thing that the doctor knows.
@Suite struct SceneTests {
  // MARK: - Points and times

  @Test func `a good trace has nothing to say about`() {
    #expect(found(Scene.order("abcdefgh")).isEmpty)
    #expect(diagnose(Scene.order("abcdefgh")).summaryLine == "nothing would distort a replay")
  }

  @Test func `a trace without a fix says so`() {
    #expect(diagnose([]).summaryLine == "no fixes")
    #expect(found(Scene.order("---")) == ["missing_time 1", "missing_time 2", "missing_time 3"])
  }

  @Test func `points that are no fixes are located by number and line`() throws {
    let diagnosis = diagnose(Scene.order("ab-c?d!e#f~g"))
    #expect(
      found(diagnosis) == [
        "missing_time 3", "unreadable_time 5", "bad_coordinate 7", "unreadable_number 9",
        "invalid_accuracy 11",
      ]
    )
    #expect(diagnosis.tally(.badCoordinate).places.map(\.first.line) == [17])
    #expect(diagnosis.points == 12)
    #expect(diagnosis.fixes == 7)
  }

  @Test func `neighbors in the wrong order are swapped`() {
    #expect(found(Scene.order("abdcefg")) == ["swapped_points 4"])
    #expect(found(Scene.order("bacdefg")) == ["swapped_points 2"])
    #expect(found(Scene.order("abcdegf")) == ["swapped_points 7"])
    #expect(found(Scene.order("abdcfegh")) == ["swapped_points 4", "swapped_points 6"])
  }

  @Test func `a part that is older than what came before goes back in time`() throws {
    let diagnosis = diagnose(Scene.order("abefgcdh"))
    #expect(found(diagnosis) == ["time_reversal 6-7"])
    let place = try #require(diagnosis.tally(.timeReversal).places.first)
    #expect(place.fixes == 2)
    #expect(place.seconds == 4)
    #expect(place.first.at == Scene.start + .seconds(2))
  }

  @Test func `one stamp that runs ahead makes all until then too old`() {
    #expect(found(Scene.order("abwcdefgx")) == ["time_reversal 4-8"])
  }

  @Test func `a trace that begins with its end goes back once`() throws {
    let diagnosis = diagnose(Scene.order("hgfedcba"))
    #expect(found(diagnosis) == ["time_reversal 2-8"])
    #expect(diagnosis.tally(.timeReversal).fixes == 7)
  }

  @Test func `the same fix twice is a duplicate`() {
    #expect(found(Scene.order("abccdd")) == ["duplicate_fix 4", "duplicate_fix 6"])
  }

  @Test func `one stamp for two places depends on how far they are apart`() {
    var records = Scene.order("abcdef")
    records.insert(Scene.record(second: 2, east: 20, north: 40), at: 3)
    records.insert(Scene.record(second: 4, east: 40, north: 400), at: 6)
    #expect(found(records) == ["duplicate_stamp 4", "two_places_at_once 7"])
  }

  @Test func `zero, zero is not a place`() {
    var records = Scene.order("abcdef")
    records[3] = TraceRecord(
      outcome: .fix(
        Fix(
          at: Scene.start + .seconds(3),
          coordinate: Coordinate(uncheckedLatitude: 0, longitude: 0),
          horizontalAccuracyMeters: 10
        )
      ),
      line: 0
    )
    #expect(found(records) == ["null_island 4"])
  }

  @Test func `a clock that was not set shows in the date`() {
    var records = Scene.order("abcdef")
    for index in 0..<2 {
      records[index] = TraceRecord(
        outcome: .fix(
          Fix(
            at: Timestamp(seconds: Int64(index)),
            coordinate: Scene.plane.coordinate(eastMeters: 0, northMeters: Double(index)),
            horizontalAccuracyMeters: 10
          )
        ),
        line: 0
      )
    }
    #expect(found(records) == ["implausible_date 1-2", "silence 2-3"])
  }

  // MARK: - Movement

  @Test func `two fixes away and back are a teleport`() throws {
    let diagnosis = diagnose(
      Scene.map(
        """
             **
        *****  *****
        """
      )
    )
    #expect(found(diagnosis) == ["teleport 6-7"])
    let place = try #require(diagnosis.tally(.teleport).places.first)
    #expect(place.fixes == 2)
    #expect(try abs(#require(place.meters) - 500) < 2)
  }

  @Test func `one fix away and back is a lone jump, which a replay refuses`() {
    let diagnosis = diagnose(
      Scene.map(
        """
             *
        ***** *****
        """
      )
    )
    #expect(found(diagnosis) == ["lone_jump 6"])
    #expect(!diagnosis.isDistorted())
  }

  @Test func `two jumps in a row that do not agree are lone jumps`() {
    #expect(
      found(
        Scene.map(
          """
               *

                *
          *****  *****
          """
        )
      ) == ["lone_jump 6-7"]
    )
  }

  @Test func `many jumps in a row are not harmless, even if no two agree`() {
    // A route that somebody drew, a second a click.
    let drawn = (0..<12).map { Scene.record(second: Double($0), east: 4_000 * Double($0)) }
    #expect(found(drawn) == ["impossible_speed 2-12"])
  }

  @Test func `what an honest accuracy admits is no jump`() {
    var records = Scene.map("**********")
    for index in 4..<6 {
      records[index] = Scene.record(
        second: Double(index),
        east: 10 * Double(index),
        north: 400,
        accuracy: 350
      )
    }
    #expect(found(records).isEmpty)
  }

  @Test func `a jump that is never taken back is a move faster than anything`() {
    let rows =
      "     " + String(repeating: "*", count: 130) + "\n\n\n\n"
      + String(repeating: "*", count: 5)
    let diagnosis = diagnose(Scene.map(rows))
    #expect(found(diagnosis) == ["impossible_speed 6"])
    #expect(diagnosis.tally(.impossibleSpeed).places.first?.seconds == 1)
  }

  @Test func `a flight is one move faster than anything`() {
    var records = (0..<10).map { Scene.record(second: Double($0), east: 0, north: Double($0)) }
    records += (0..<20).map { Scene.record(second: 10 + Double($0), east: 5_000 * Double($0 + 1)) }
    records += (0..<200)
      .map {
        Scene.record(second: 30 + Double($0), east: 100_000, north: Double($0))
      }
    #expect(found(records) == ["impossible_speed 11-30"])
  }

  @Test func `a position that stands still and then leaps was stuck`() {
    let drawing = "*****" + String(repeating: "=", count: 20) + "*****"
    #expect(found(Scene.map(drawing)) == ["stuck 5-25"])
  }

  @Test func `a position that stands still at speed was stuck, however it goes on`() {
    let drawing = "**" + String(repeating: "=", count: 20)
    #expect(found(Scene.map(drawing, speed: 10)) == ["stuck 2-22"])
    #expect(found(Scene.map(drawing, speed: 0)) == [])
  }

  @Test func `a position that stands still for a minute is held, not stuck`() {
    let records = (0..<100).map { Scene.record(second: Double($0), east: $0 < 20 ? 0 : 10) }
    #expect(found(records) == ["held_position 21-100"])
  }

  // MARK: - Silence and cadence

  private func silence(minutes: Double, meters: Double, segment: Bool) -> [String] {
    found([
      Scene.record(second: 0, east: 0, startsSegment: true), Scene.record(second: 1, east: 3),
      Scene.record(second: 1 + minutes * 60, east: meters, startsSegment: segment),
      Scene.record(second: 2 + minutes * 60, east: meters + 3),
    ])
  }

  @Test func `a silence is a gap where the phone moved and the file does not say so`() {
    #expect(silence(minutes: 11, meters: 900, segment: false) == ["gap 2-3"])
    #expect(silence(minutes: 11, meters: 900, segment: true) == ["break 2-3", "segment 3"])
    #expect(silence(minutes: 11, meters: 150, segment: false) == ["silence 2-3"])
    #expect(silence(minutes: 9, meters: 900, segment: false).isEmpty)
  }

  @Test func `a change of cadence is where the first new interval begins`() throws {
    var records = (0..<50).map { Scene.record(second: Double($0), east: Double($0)) }
    records += (0..<20).map { Scene.record(second: 54 + 5 * Double($0), east: 50 + Double($0)) }
    let diagnosis = diagnose(records)
    #expect(found(diagnosis) == ["cadence_change 50"])
    #expect(diagnosis.tally(.cadenceChange).places.first?.seconds == 5)
    #expect(try abs(#require(diagnosis.usualIntervalSeconds) - 1) < 0.05)
  }

  @Test func `a few long intervals are no change of cadence`() {
    var second = 0.0
    let records = (0..<100)
      .map { index in
        second += index % 10 < 7 ? 1 : 5
        return Scene.record(second: second, east: second)
      }
    #expect(found(records).isEmpty)
  }

  // MARK: - Claims

  /// Four rests of ten minutes, 2 km apart, with a scatter of so many times the claim.
  private func rests(scatter: Double, accuracy: Double, source: AccuracySource) -> Diagnosis {
    var records: [TraceRecord] = []
    for place in 0..<4 {
      for index in 0..<120 {
        // Evenly around the place, so that 68 % lie within 0.68 of the greatest distance.
        let (sine, cosine) = sineAndCosine(degrees: Double(index * 137 % 360))
        let distance = scatter * accuracy / 0.68 * Double(index * 7 % 120 + 1) / 120
        var record = Scene.record(
          second: Double(place) * 900 + Double(index) * 5,
          east: 2_000 * Double(place) + distance * cosine,
          north: distance * sine,
          accuracy: accuracy,
          startsSegment: records.isEmpty
        )
        record.accuracySource = source
        records.append(record)
      }
    }
    return diagnose(records)
  }

  @Test(arguments: AccuracySource.allCases)
  func `claims are measured against the scatter at rest`(_ source: AccuracySource) throws {
    for (scatter, verdict) in [(0.8, AccuracyVerdict.plausible), (2.5, .tooSmall)] {
      let diagnosis = rests(scatter: scatter, accuracy: 8, source: source)
      let judgment = diagnosis.accuracy[Int(source.rawValue)]
      #expect(judgment.verdict == verdict)
      #expect(judgment.rests == 4)
      #expect(try abs(#require(judgment.scatterByClaim) / scatter - 1) < 0.1)
      #expect(try abs(#require(judgment.scatterMeters) / scatter / 8 - 1) < 0.1)
      #expect(diagnosis.count(.optimisticAccuracy) == (verdict == .tooSmall ? 1 : 0))
    }
  }

  @Test func `positions that are held at rest say nothing about claims`() {
    let diagnosis = rests(scatter: 0, accuracy: 8, source: .reported)
    #expect(diagnosis.accuracy[0].verdict == .held)
    #expect(diagnosis.accuracy[1].verdict == .tooFewRests)
  }

  @Test(arguments: [
    (1, SpeedVerdict.plausible), (3.6, .kilometersPerHour), (2.237, .milesPerHour),
    (1.944, .knots), (0.05, .tooSmall), (10, .tooLarge),
  ])
  func `speeds are compared with the way traveled`(_ factor: Double, _ verdict: SpeedVerdict) {
    let records = (0..<400)
      .map {
        Scene.record(second: Double($0), east: 15 * Double($0), speed: 15 * factor)
      }
    let diagnosis = diagnose(records)
    #expect(diagnosis.speed.verdict == verdict)
    #expect(diagnosis.count(.wrongSpeed) == (verdict == .plausible ? 0 : 1))
  }

  @Test func `speeds of somebody who hardly moves are not judged`() {
    let records = (0..<400)
      .map {
        Scene.record(second: Double($0), east: Double($0 % 7), speed: 0.3)
      }
    #expect(diagnose(records).speed.verdict == .tooFew)
  }

  // MARK: - The diagnosis

  @Test func `the summary names what would distort a replay before the rest`() {
    var records = Scene.order("abdc-cefgabh")
    records.append(Scene.record(second: 8, east: 80, startsSegment: true))
    let diagnosis = diagnose(records)
    #expect(
      diagnosis.summaryLine
        == "would distort a replay: missing_time, 2 time_reversal; also segment"
    )
    #expect(diagnosis.isDistorted())
    #expect(diagnosis.isDistorted(allowing: [.missingTime]))
    #expect(!diagnosis.isDistorted(allowing: [.missingTime, .timeReversal]))
  }

  @Test func `only the first places are kept, and all are counted`() {
    var doctor = TraceDoctor(placesKept: 2)
    for record in Scene.order("abccddeeff") { doctor.examine(record) }
    let tally = doctor.finish().tally(.duplicateFix)
    #expect(tally.count == 4)
    #expect(tally.places.map(\.first.number) == [4, 6])
  }
}
