import Basics
import Geodesy
import TestSupport
import Timeline
import Traces

/// A clean trace from a seed: rests, walks and drives with honest noise.
struct Outing {
  /// Its points, all of them fixes in order of time.
  let records: [TraceRecord]
  /// The indices of fixes that drive at 8 m/s or more, with 40 more such fixes after each.
  let driving: [Int]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let origin = Coordinate(
      uncheckedLatitude: random.uniform(-70...70),
      longitude: random.uniform(-179...179)
    )
    let plane = LocalPlane(origin: origin)
    let cadence = [1, 2, 5, 15][random.integer(0...3)]
    let reportsSpeed = random.integer(0...1) == 1
    let accuracy = random.uniform(4...25)
    var (east, north, second) = (0.0, 0.0, 0)
    var records: [TraceRecord] = []
    var driving: [Int] = []
    // Correlated over about a minute, as a receiver's error is.
    var (errorEast, errorNorth) = (0.0, 0.0)
    for leg in 0..<8 {
      let speed = leg % 2 == 0 ? random.uniform(9...30) : [0, 1.4][random.integer(0...1)]
      let (sine, cosine) = sineAndCosine(degrees: random.uniform(0...360))
      let fixes = random.integer(60...150)
      for index in 0..<fixes {
        let memory = 1 - min(0.9, Double(cadence) / 60)
        let fresh = accuracy / 1.51 * (1 - memory * memory).squareRoot() * 0.9
        errorEast = errorEast * memory + fresh * random.uniform(-1.7...1.7)
        errorNorth = errorNorth * memory + fresh * random.uniform(-1.7...1.7)
        if speed > 8, index < fixes - 41 { driving.append(records.count) }
        records.append(
          TraceRecord(
            outcome: .fix(
              Fix(
                at: Scene.start + .seconds(Int64(second)),
                coordinate: plane.coordinate(
                  eastMeters: east + errorEast,
                  northMeters: north + errorNorth
                ),
                horizontalAccuracyMeters: accuracy,
                speedMetersPerSecond: reportsSpeed ? speed : nil
              )
            ),
            startsSegment: records.isEmpty,
            line: 0
          )
        )
        second += cadence
        east += speed * sine * Double(cadence)
        north += speed * cosine * Double(cadence)
      }
    }
    self.records = Scene.numbered(records)
    self.driving = driving
  }
}
