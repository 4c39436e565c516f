import Basics
import Testing

import PlaceStore

@Suite struct AscendingOrderTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `it is the order of a stable sort`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // From numbers that differ in their lowest bits to those that differ in all, many of them equal.
    let most = UInt64.max >> (60 - seed * 10)
    let numbers = (0..<5_000).map { _ in UInt64.random(in: 0...most, using: &random) }
    let expected = numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
    #expect(numbers.withUnsafeBufferPointer { ascendingOrder(of: $0) } == expected, "seed \(seed)")
  }

  @Test func `none, one and equal ones stay as they are`() {
    for numbers in [[], [7], [7, 7, 7]] as [[UInt64]] {
      let order = numbers.withUnsafeBufferPointer { ascendingOrder(of: $0) }
      #expect(order == Array(numbers.indices))
    }
  }
}
