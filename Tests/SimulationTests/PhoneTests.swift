import Geodesy
import Simulation
import Testing
import Timeline
import Traces

@Suite("Phones of other kinds")
struct PhoneTests {
  private func days(_ phone: Phone?, people: ClosedRange<Int> = 1...4) throws -> [SimulatedDay] {
    let town = try SimulationTests.town()
    var settings = try SimulationTests.settings()
    settings.phone = phone
    return people.map { SimulatedDay(person: $0, day: 1, in: town, settings) }
  }

  private func fixes(_ phone: Phone) throws -> [Fix] {
    try days(phone).flatMap { $0.fixes.map(\.fix) }
  }

  @Test(arguments: Phone.allCases) func `another phone sees the same life`(phone: Phone) throws {
    for (day, plain) in zip(try days(phone), try days(nil)) {
      #expect(day.truePath == plain.truePath)
      #expect(day.visitCount == plain.visitCount)
      #expect(day.fixes.count > 20, "\(day.name): \(day.fixes.count) fixes")
      // The receiver that is drawn may be the same one.
      if phone != .drawn { #expect(day.gpx != plain.gpx) }
    }
  }

  @Test func `speeds are missing, or stuck at 0`() throws {
    #expect(try fixes(.noSpeed).allSatisfy { $0.speedMetersPerSecond == nil })
    #expect(try fixes(.zeroSpeed).allSatisfy { $0.speedMetersPerSecond == 0 })
  }

  @Test func `an accuracy is one all day, or goes in steps`() throws {
    for day in try days(.constantAccuracy) {
      #expect(Set(day.fixes.map(\.fix.horizontalAccuracyMeters)).count == 1)
    }
    let steps: Set<Double> = [5, 10, 30, 50, 65, 165, 1_414]
    let told = try fixes(.levels).map(\.horizontalAccuracyMeters).filter { $0 <= 1_414 }
    #expect(Set(told).isSubset(of: steps))
    #expect(Set(told).count >= 4)
  }

  @Test(arguments: [(Phone.every50m, 50.0), (.levels, 10)])
  func `a phone that measures by the way is silent at rest`(phone: Phone, meters: Double) throws {
    for day in try days(phone) {
      for (a, b) in zip(day.fixes, day.fixes.dropFirst()) {
        let way = a.fix.coordinate.distanceMeters(to: b.fix.coordinate)
        #expect(way > meters * 0.98, "\(day.name) at \(b.fix.at): \(way) m")
      }
    }
  }

  @Test(arguments: [(Phone.every30s, 30.0), (.every120s, 120)])
  func `a phone with one cadence keeps it at rest`(phone: Phone, seconds: Double) throws {
    for day in try days(phone) {
      let spans = zip(day.fixes, day.fixes.dropFirst()).map { ($1.fix.at - $0.fix.at).seconds }
      #expect(spans.allSatisfy { $0 >= seconds })
      // The others hold a silence under a roof.
      #expect(spans.count { $0 == seconds } > spans.count / 5, "\(day.name)")
    }
  }

  @Test func `networks go on where the sky is lost`() throws {
    for day in try days(.indoors) {
      let inside = day.fixes.filter { $0.surroundings == .indoor && $0.kind == .model }
      #expect(inside.count > 50)
      #expect(inside.allSatisfy { (15...65).contains($0.fix.horizontalAccuracyMeters) })
    }
  }

  @Test func `networks alone tell no speed, and one spot after another`() throws {
    var (kept, jumped, spokeOutside) = (0, 0, 0)
    for day in try days(.networks) {
      let inside = day.fixes.filter { $0.surroundings == .indoor }
      #expect(inside.count > 50)
      #expect(inside.allSatisfy { $0.fix.speedMetersPerSecond == nil })
      #expect(inside.allSatisfy { (14...65).contains($0.fix.horizontalAccuracyMeters) })
      for (a, b) in zip(inside, inside.dropFirst()) {
        let meters = a.error.distanceMeters(to: b.error)
        if meters < 5 { kept += 1 } else if meters > 15 { jumped += 1 }
      }
      spokeOutside += day.fixes.count { $0.fix.speedMetersPerSecond != nil }
    }
    #expect(kept > 3 * jumped)
    #expect(jumped > 20)
    #expect(spokeOutside > 100)
  }

  @Test func `between towers fixes come twice and in disorder, and errors stay and jump`() throws {
    var (doubled, swapped, kept) = (0, 0, 0)
    for day in try days(.towers) {
      for (a, b) in zip(day.fixes, day.fixes.dropFirst()) {
        if a.fix == b.fix { doubled += 1 }
        if b.fix.at < a.fix.at { swapped += 1 }
        if a.kind == .model, b.kind == .model, b.fix.at - a.fix.at == .seconds(1),
          a.error.distanceMeters(to: b.error) < 3, a.sigmaMeters > 10
        {
          kept += 1
        }
      }
    }
    #expect(doubled > 10)
    #expect(swapped > 10)
    #expect(kept > 100)
  }
}
