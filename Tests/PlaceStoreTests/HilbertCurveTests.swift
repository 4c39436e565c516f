import Basics
import Geodesy
import Testing

import PlaceStore

@Suite struct HilbertCurveTests {
  /// The curve bit by bit, as its definition has it.
  private func plainPosition(_ coordinate: Coordinate) -> UInt64 {
    var x = UInt32(truncatingIfNeeded: Int64(coordinate.longitudeE7) + 1_800_000_000)
    var y = UInt32(truncatingIfNeeded: Int64(coordinate.latitudeE7) + 900_000_000)
    var position: UInt64 = 0
    for bit in (0..<32).reversed() {
      let (right, upper) = (x >> bit & 1 != 0, y >> bit & 1 != 0)
      position = position << 2 | (right ? (upper ? 2 : 3) : (upper ? 1 : 0))
      if !upper {
        if right { (x, y) = (~x, ~y) }
        (x, y) = (y, x)
      }
    }
    return position
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `four steps at once are where single steps lead`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10_000 {
      let coordinate = Coordinate(
        latitudeE7: Int32.random(in: -900_000_000...900_000_000, using: &random),
        longitudeE7: Int32.random(in: -1_800_000_000...1_800_000_000, using: &random)
      )
      let position = hilbertPosition(coordinate)
      #expect(position == plainPosition(coordinate), "seed \(seed), \(coordinate)")
    }
  }

  @Test func `a block of eight by eight is walked in 64 steps`() {
    let here = Coordinate(latitudeE7: 392_900_000, longitudeE7: -766_100_000)
    let positions = (0..<64 as Range<Int32>)
      .map { offset in
        hilbertPosition(
          Coordinate(
            latitudeE7: here.latitudeE7 + offset / 8,
            longitudeE7: here.longitudeE7 + offset % 8
          )
        )
      }
    #expect(Set(positions).count == 64)
    #expect(positions.max()! - positions.min()! == 63)
  }
}
