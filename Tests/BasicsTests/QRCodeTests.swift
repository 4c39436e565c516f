import Basics
import Testing

@Suite struct QRCodeTests {
  /// So many bytes of an address.
  private static func text(_ count: Int) -> [UInt8] {
    Array(String(repeating: "https://near.example.org/", count: 60).utf8.prefix(count))
  }

  private static func fingerprint(_ code: QRCode) -> String {
    var print = FNV1a()
    for y in 0..<code.size {
      for x in 0..<code.size { print.add(code[x, y] ? UInt8(ascii: "1") : UInt8(ascii: "0")) }
    }
    return print.text
  }

  /// Fingerprints of what Python's qrcode 8 draws of the same bytes with the same mask; zxing reads each back.
  private static let known: [(QRCode.Correction, count: Int, size: Int, fingerprint: String)] = [
    (.medium, 1, 21, "4ab685d6ab7ccd87"),
    (.low, 1, 21, "eeebfc0f58e37507"),
    (.medium, 14, 21, "160ce1bc834a16f"),
    (.low, 14, 21, "d762d73a1b5226f3"),
    (.medium, 15, 25, "f039bd1d55fcc0ce"),
    (.low, 15, 21, "a401e1bc58f0d6a5"),
    (.medium, 40, 29, "a1472f09b9325e50"),
    (.low, 40, 29, "90092a36372d1a96"),
    (.medium, 80, 37, "505c52e6620137af"),
    (.low, 80, 37, "9e195c54937ecdb3"),
    (.medium, 140, 49, "8b4d504fee8fa4bb"),
    (.low, 140, 45, "66f30c135e5f2263"),
    (.medium, 230, 61, "7f866502e53385c5"),
    (.low, 230, 53, "c54df7b4e340fc09"),
    (.medium, 290, 69, "89802c3f4e4cae3b"),
    (.low, 290, 61, "fdb922d397f06bcb"),
    (.medium, 370, 77, "8b968e50321508e7"),
    (.low, 370, 69, "ee34040b2856eccf"),
    (.medium, 450, 81, "d8ef06d09cd60ff4"),
    (.low, 450, 73, "e12fa0716dbe14f9"),
    (.medium, 520, 89, "f84aad071810215d"),
    (.low, 520, 77, "b946352179715cdf"),
    (.medium, 640, 97, "fa62beefb091aea7"),
    (.low, 640, 85, "6fe468146020dfa9"),
    (.medium, 780, 109, "e615382232babedb"),
    (.low, 780, 93, "f5386170364de61f"),
    (.medium, 900, 113, "f1f4a3cc1238826b"),
    (.low, 900, 101, "6a7f8e8a9397aa7b"),
    (.medium, 997, 117, "a273deeab9894f37"),
    (.low, 997, 105, "32dc7ebb25ec62d7"),
    (.low, 1273, 117, "195053b37fb21447"),
  ]

  @Test func `draws the squares that another program draws`() throws {
    for (correction, count, size, fingerprint) in Self.known {
      let code = try #require(QRCode(Self.text(count), correction: correction))
      #expect(code.size == size, "\(count) bytes at \(correction)")
      #expect(Self.fingerprint(code) == fingerprint, "\(count) bytes at \(correction)")
    }
  }

  @Test func `what does not fit is no code`() {
    #expect(QRCode(Self.text(997), correction: .medium) != nil)
    #expect(QRCode(Self.text(998), correction: .medium) == nil)
    #expect(QRCode(Self.text(1_274), correction: .low) == nil)
  }

  @Test func `lines of text hold two rows each, with four light modules around`() throws {
    let code = try #require(QRCode(Self.text(14), correction: .medium))
    let lines = code.lines(isColored: false)
    #expect(lines.count == 15)
    #expect(lines.allSatisfy { $0.count == code.columnCount })
    #expect(lines[0].allSatisfy { $0 == " " } && lines[1].allSatisfy { $0 == " " })
    #expect(lines[2].hasPrefix("    █▀▀▀▀▀█ "))
    #expect(lines[5].hasPrefix("    ▀▀▀▀▀▀▀ "))
    #expect(code.lines(isColored: true)[2].hasPrefix("\u{1B}[38;5;16;48;5;231m    █▀▀▀▀▀█ "))
  }
}
