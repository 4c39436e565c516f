import Basics
import Testing

@Suite struct ValidTextTests {
  /// - Source: RFC 3629, sections 3 and 4.
  @Test(
    arguments: [
      [], Array("plain".utf8), Array("of sixteen bytes".utf8), Array("Café “Ötzi” 😀 und mehr".utf8),
      [0xF4, 0x8F, 0xBF, 0xBF], Array("a replacement \u{FFFD} of one's own".utf8), [0x61, 0, 0x62],
    ] as [[UInt8]]
  )
  func `takes what is UTF-8, as it is`(bytes: [UInt8]) throws {
    let text = try #require(String(ifUTF8: bytes))
    #expect(Array(text.utf8) == bytes)
    #expect(String(ifUTF8: ([0xFF] + bytes)[1...]) == text)
    #expect(String(ifUTF8: AnyCollection(bytes)) == text)
  }

  @Test(
    arguments: [
      [0xFF], [0xC3], [0xC3, 0x28], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      // As long as the character that a decoder puts in its place.
      [0xF0, 0x9F, 0x98], Array("eight by eight: ".utf8) + [0xF0, 0x9F, 0x98],
      Array("a table of Windows: h".utf8) + [0xE4] + Array("nlich".utf8),
    ] as [[UInt8]]
  )
  func `refuses what is not`(bytes: [UInt8]) {
    #expect(String(ifUTF8: bytes) == nil)
    #expect(String(ifUTF8: AnyCollection(bytes)) == nil)
  }

  @Test func `says of any two bytes what the standard library does`() {
    for high in UInt8.min...UInt8.max {
      for low in UInt8.min...UInt8.max {
        let bytes = [0x61, high, low]
        let decoded = String(decoding: bytes, as: UTF8.self)
        #expect((String(ifUTF8: bytes) != nil) == (Array(decoded.utf8) == bytes))
      }
    }
  }
}
