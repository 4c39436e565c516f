import Geodesy
import Places
import Streets
import Timeline
import Traces

/// What came out of a simulation beside what it was asked for: a wrong simulator would tune a wrong
/// policy, unnoticed.
package struct SimulationStatistics: Sendable, Codable {
  /// A figure that was asked for and the same one as measured.
  package struct Line: Sendable {
    /// What it is.
    package let name: String
    /// What the parameters say.
    package let asked: Double
    /// What the output holds.
    package let measured: Double
    /// How far apart the two may be by chance.
    package let tolerance: Double
    /// How many observations the measured one rests on.
    package let count: Int

    /// Whether the two agree.
    package var agrees: Bool { abs(asked - measured) <= tolerance }
  }

  private struct Sum: Codable {
    var asked = 0.0
    var measured = 0.0
    var count = 0

    mutating func add(asked: Double, measured: Double, weight: Int = 1) {
      self.asked += asked
      self.measured += measured
      count += weight
    }

    static func += (sum: inout Sum, other: Sum) {
      sum.asked += other.asked
      sum.measured += other.measured
      sum.count += other.count
    }
  }

  private var variance: [Sum]
  private var correlation: [Sum]
  /// How large the errors of those pairs are, which products are measured by: no correlation is above 1.
  private var pairSize: [Sum]
  private var claimed = Sum()
  private var indoorSilence = Sum()
  private var redLights = Sum()
  private var stopOffsets: [Double] = []
  private var askedOffset = 0.0
  private var isWhite = false
  package private(set) var days = 0
  package private(set) var fixes = 0
  package private(set) var visits = 0
  package private(set) var driveBys = 0
  package private(set) var nearStays = 0
  package private(set) var curbWaits = 0

  /// Nothing yet.
  package init() {
    variance = Surroundings.allCases.map { _ in Sum() }
    correlation = variance
    pairSize = variance
  }

  /// The figures of a day.
  package init(_ day: SimulatedDay) {
    self.init()
    add(day)
  }

  /// The figures of a day of which only the fixes are known.
  package init(fixes: Int) {
    self.init()
    days = 1
    self.fixes = fixes
  }

  /// Whether they can be those of days, where they were read from a file.
  package var isSound: Bool {
    let sums = variance + correlation + pairSize + [claimed, indoorSilence, redLights]
    let counts = [days, fixes, visits, driveBys, nearStays, curbWaits] + sums.map(\.count)
    return variance.count == Surroundings.allCases.count && correlation.count == variance.count
      && pairSize.count == variance.count
      && counts.allSatisfy { (0...1_000_000_000).contains($0) }
  }

  /// Takes in the figures of other days, which come after those that are known.
  ///
  /// Sums of numbers depend on their order: those of a day are added up first, then the days, and who
  /// simulates on many machines gets the same ones.
  package mutating func add(_ other: Self) {
    days += other.days
    fixes += other.fixes
    visits += other.visits
    driveBys += other.driveBys
    nearStays += other.nearStays
    curbWaits += other.curbWaits
    askedOffset = other.askedOffset
    isWhite = other.isWhite
    for place in variance.indices {
      variance[place] += other.variance[place]
      correlation[place] += other.correlation[place]
      pairSize[place] += other.pairSize[place]
    }
    claimed += other.claimed
    redLights += other.redLights
    indoorSilence += other.indoorSilence
    stopOffsets += other.stopOffsets
  }

  private mutating func add(_ day: SimulatedDay) {
    days += 1
    fixes += day.fixes.count
    visits += day.visits.count
    driveBys += day.driveBys.count
    nearStays += day.nearStays.count
    curbWaits += day.curbWaits.count
    askedOffset = day.settings.stopOffsetMeters
    isWhite = day.settings.isWhiteNoise
    addErrors(of: day)
    addStops(of: day)
  }

  private mutating func addErrors(of day: SimulatedDay) {
    let noise = day.receiver.noise
    var before: SeenFix?
    for seen in day.fixes {
      defer { before = seen }
      guard seen.kind == .model, seen.sigmaMeters > 0 else { continue }
      let place = Surroundings.allCases.firstIndex(of: seen.surroundings) ?? 0
      let square = (seen.error.east * seen.error.east + seen.error.north * seen.error.north) / 2
      let white = noise.whiteMeters * noise.whiteMeters
      let expected = seen.sigmaMeters * seen.sigmaMeters + white
      variance[place].add(asked: 1, measured: square / expected)
      let meters = seen.error.distanceMeters(to: PlanePoint(0, 0))
      claimed.add(asked: 0, measured: meters <= seen.fix.horizontalAccuracyMeters ? 1 : 0)
      guard let before, before.kind == .model, before.surroundings == seen.surroundings else {
        continue
      }
      let seconds = Double((seen.fix.at - before.fix.at).value) / 1_000
      guard seconds <= 20 else { continue }
      let errors = noise.errors(seen.surroundings)
      let product =
        (seen.error.east * before.error.east + seen.error.north * before.error.north) / 2
      let scale = seen.sigmaMeters * before.sigmaMeters
      correlation[place]
        .add(
          asked: isWhite ? 0 : decay(seconds / errors.correlationSeconds),
          measured: product / scale
        )
      let sizeBefore =
        (before.error.east * before.error.east + before.error.north * before.error.north) / 2
      let sigmas = square / (seen.sigmaMeters * seen.sigmaMeters)
      let sigmasBefore = sizeBefore / (before.sigmaMeters * before.sigmaMeters)
      pairSize[place].add(asked: 1, measured: (sigmas + sigmasBefore) / 2)
    }
  }

  private mutating func addStops(of day: SimulatedDay) {
    for trip in day.life.trips where trip.mode == .car {
      for stop in trip.stops where stop.kind == "signal" {
        let range = DayLife.redLightSeconds
        redLights.add(
          asked: Double(range.lowerBound + range.upperBound) / 2,
          measured: Double(stop.seconds)
        )
      }
    }
    for visit in day.visits {
      guard let shop = visit.shop, day.area.shops[shop].category.name != "gas_station" else {
        continue
      }
      stopOffsets.append(day.area.shops[shop].point.distanceMeters(to: visit.point))
    }
    let blocks = day.life.stays.filter(\.isIndoors).reduce(0) { $0 + ($1.departure - $1.arrival) }
    let silent = day.silences.filter { $0.reason == "indoors" }.reduce(0) { $0 + $1.end - $1.start }
    guard blocks > 0 else { return }
    indoorSilence.add(
      asked: day.receiver.noise.indoorAbsentShare * Double(blocks),
      measured: Double(silent),
      weight: blocks
    )
  }

  /// Every figure that has enough observations.
  package var lines: [Line] {
    var lines: [Line] = []
    for (place, surroundings) in Surroundings.allCases.enumerated() {
      let sum = variance[place]
      // Errors that last are few independent ones, so these agree the less the longer they last.
      if sum.count >= 200 {
        lines.append(
          line("\(surroundings.rawValue): variance of errors / asked", sum, tolerance: 0.25)
        )
      }
      let products = correlation[place]
      if products.count >= 200 {
        // Of errors that came out larger than asked the products are larger, too, and no more alike.
        let sizes = pairSize[place]
        let size = max(sizes.measured / Double(sizes.count), .leastNormalMagnitude)
        lines.append(
          Line(
            name: "\(surroundings.rawValue): correlation of fixes up to 20 s apart",
            asked: products.asked / Double(products.count),
            measured: products.measured / Double(products.count) / size,
            tolerance: 0.2,
            count: products.count
          )
        )
      }
    }
    if claimed.count >= 200 {
      lines.append(
        Line(
          name: "share of fixes within their claimed accuracy",
          asked: 0.68,
          measured: claimed.measured / Double(claimed.count),
          tolerance: 0.07,
          count: claimed.count
        )
      )
    }
    if redLights.count >= 20 {
      lines.append(line("red light, mean seconds", redLights, tolerance: 8))
    }
    if indoorSilence.count >= 36_000 {
      lines.append(line("share of time indoors without the sky", indoorSilence, tolerance: 0.06))
    }
    if stopOffsets.count >= 20 {
      lines.append(
        Line(
          name: "distance of stops from the place, median meters",
          asked: askedOffset,
          measured: stopOffsets.sorted()[stopOffsets.count / 2],
          tolerance: askedOffset * 0.35,
          count: stopOffsets.count
        )
      )
    }
    return lines
  }

  private func line(_ name: String, _ sum: Sum, tolerance: Double) -> Line {
    Line(
      name: name,
      asked: sum.asked / Double(sum.count),
      measured: sum.measured / Double(sum.count),
      tolerance: tolerance,
      count: sum.count
    )
  }
}
