import Basics
import Testing

@Suite struct SplitMix64Tests {
  /// - Source: the first outputs of Vigna's splitmix64.c for the states 0 and 1234567.
  @Test(
    arguments: [
      (0, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]),
      (
        1_234_567,
        [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
      ),
    ] as [(UInt64, [UInt64])]
  )
  func `gives the sequence of its author`(seed: UInt64, expected: [UInt64]) {
    var random = SplitMix64(seed: seed)
    #expect(expected.map { _ in random.next() } == expected)
  }

  // Sample files, simulated days, latencies and intervals rest on these.
  @Test func `every kind of number keeps its bits`() {
    var random = SplitMix64(seed: 0)
    #expect(random.unit() == Double(0xE220_A839_7B1D_CDAF as UInt64 >> 11) * 0x1p-53)
    random = SplitMix64(seed: 0)
    #expect(random.integer(-3...6) == -3 + Int(0xE220_A839_7B1D_CDAF as UInt64 % 10))
    random = SplitMix64(seed: 0)
    #expect(random.index(below: 10) == 8)
  }

  @Test func `stays within what was asked for`() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<10_000 {
      #expect((0..<1).contains(random.unit()))
      #expect((-2.5...7).contains(random.uniform(-2.5...7)))
      #expect((3...5).contains(random.integer(3...5)))
      #expect((0..<7).contains(random.index(below: 7)))
    }
  }
}
