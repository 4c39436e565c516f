import Basics
import Testing

@Suite struct FNV1aTests {
  /// - Source: the test vectors of draft-eastlake-fnv.
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)]
  )
  func `gives the numbers of its authors`(text: String, expected: UInt64) {
    #expect(FNV1a(text).hash == expected)
    #expect(FNV1a(text).text == String(expected, radix: 16))
  }

  @Test func `a number adds its bytes from the lowest`() {
    var (bits, bytes) = (FNV1a(), FNV1a())
    bits.add(bits: 0x0102_0304_0506_0708)
    bytes.add([8, 7, 6, 5, 4, 3, 2, 1] as [UInt8])
    #expect(bits == bytes)
  }
}
