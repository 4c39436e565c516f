import Traces

/// Reads a format of bytes whose text is stored as UTF-16.
final class UTF16Parser: TraceParser {
  private let inner: any TraceParser
  private let isBigEndian: Bool
  /// Half of a unit, and half of a character.
  private var firstByte: UInt8?
  private var highHalf: UInt16?
  private var text: [UInt8] = []

  init(_ inner: any TraceParser, isBigEndian: Bool) {
    self.inner = inner
    self.isBigEndian = isBigEndian
  }

  var failure: ParseFailure? { inner.failure }
  var pointCounts: [Int] { inner.pointCounts }
  var timedCounts: [Int] { inner.timedCounts }
  var segmentCounts: [Int] { inner.segmentCounts }
  var understanding: String? { inner.understanding }
  var format: TraceFormat? { inner.format }
  var details: DetailColumns? { inner.details }
  func takePoints(into columns: [FixColumns]) { inner.takePoints(into: columns) }
  func skip(bytes: Int, lines: Int) { inner.skip(bytes: bytes, lines: lines) }

  func finish() {
    if firstByte != nil || highHalf != nil { pass([0xEF, 0xBF, 0xBD]) }
    inner.finish()
  }

  func abandon() { inner.abandon() }

  func parse(_ bytes: UnsafeRawBufferPointer) {
    text.removeAll(keepingCapacity: true)
    for byte in bytes {
      guard let first = firstByte else {
        firstByte = byte
        continue
      }
      firstByte = nil
      append(
        isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first)
      )
    }
    pass(text)
  }

  private func append(_ unit: UInt16) {
    if unit < 0x80, highHalf == nil {
      text.append(UInt8(unit))
      return
    }
    var code = UInt32(unit)
    if let high = highHalf, (0xDC00..<0xE000).contains(unit) {
      code = 0x1_0000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
    } else if (0xD800..<0xDC00).contains(unit) {
      highHalf = unit
      return
    }
    highHalf = nil
    // A lone half is not a character.
    text.append(contentsOf: String(Character(Unicode.Scalar(code) ?? "\u{FFFD}")).utf8)
  }

  private func pass(_ text: [UInt8]) {
    let padded = text + [UInt8](repeating: 0, count: TraceReader.padding)
    padded.withUnsafeBytes { inner.parse(UnsafeRawBufferPointer(rebasing: $0[..<text.count])) }
  }
}
