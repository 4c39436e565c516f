import Basics
import Testing

@Suite struct DecimalTextTests {
  @Test(arguments: [
    "0", "-0", "+0.5", "-76.595472", "39.2694200", "1e-3", "1E1", "5.", ".5", "-.5e+2",
    "9007199254740993", "9007199254740992", "123456789012345678901234567890", "0.1e-22", "1e22",
    "1e23", "4.9e-324", "1e-400", "2.2250738585072011e-308", "1.7976931348623157e308",
    "0.000000000000000000000000000001", "39.280100000000004", "00000000000000000000001.5",
  ])
  func `reads the same bits as the standard library`(text: String) {
    #expect(DecimalText.parse(text)?.bitPattern == Double(text)?.bitPattern)
  }

  @Test(arguments: [
    "", " ", "-", "+", ".", "-.", "e5", "1e", "1e+", "NaN", "nan", "inf", "-infinity", "0x10",
    "39,28", "39.28N", "1.2.3", "--1", "1 2", "1_000", "1e999", "undefined", "１２", "1e1.5",
  ])
  func `refuses what is no decimal number`(text: String) {
    #expect(DecimalText.parse(text) == nil)
  }

  @Test func `takes white space around a number`() {
    #expect(DecimalText.parse(" \t\r\n-1.25 \n") == -1.25)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `agrees with the standard library on any digits`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<5_000 {
      var text = ["", "-", "+"][random.integer(0...2)]
      for _ in 0..<random.integer(1...random.integer(1...22)) {
        text += String(random.integer(0...9))
      }
      if random.integer(0...3) > 0 {
        text += "."
        for _ in 0..<random.integer(0...random.integer(1...20)) {
          text += String(random.integer(0...9))
        }
      }
      if random.integer(0...3) == 0 { text += "e" + String(random.integer(-330...300)) }
      let expected = Double(text).flatMap { $0.isFinite ? $0 : nil }
      #expect(
        DecimalText.parse(text)?.bitPattern == expected?.bitPattern,
        "\(text), seed \(seed)"
      )
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `never fails on any bytes`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let alphabet = Array("0123456789+-.eE \u{0}x".utf8)
    for _ in 0..<5_000 {
      let bytes = (0..<random.integer(0...40)).map { _ in alphabet[random.integer(0...17)] }
      let parsed = bytes.withUnsafeBufferPointer(DecimalText.parse)
      if let parsed { #expect(parsed.isFinite, "\(bytes), seed \(seed)") }
    }
  }
}
