import ByteStreams
import Traces

/// Reads a format of bytes whose text is stored as UTF-16.
final class UTF16Parser: TraceParser {
  private let inner: any TraceParser
  private var decoder: UTF16Decoder
  private var text: [UInt8] = []

  init(_ inner: any TraceParser, isBigEndian: Bool) {
    self.inner = inner
    decoder = UTF16Decoder(isBigEndian: isBigEndian)
  }

  var failure: ParseFailure? { inner.failure }
  var pointCounts: [Int] { inner.pointCounts }
  var timedCounts: [Int] { inner.timedCounts }
  var understanding: String? { inner.understanding }
  var haveTimesNoZone: Bool { inner.haveTimesNoZone }
  var doubts: [String] { inner.doubts }
  var format: TraceFormat? { inner.format }
  var details: DetailColumns? { inner.details }
  func takePoints(into columns: [FixColumns]) { inner.takePoints(into: columns) }
  func skip(bytes: Int, lines: Int) { inner.skip(bytes: bytes, lines: lines) }

  func finish() {
    text.removeAll(keepingCapacity: true)
    decoder.finish(into: &text)
    if !text.isEmpty { pass(text) }
    inner.finish()
  }

  func abandon() { inner.abandon() }

  func parse(_ bytes: UnsafeRawBufferPointer) {
    text.removeAll(keepingCapacity: true)
    decoder.decode(bytes, into: &text)
    pass(text)
  }

  private func pass(_ text: [UInt8]) {
    let padded = text + [UInt8](repeating: 0, count: TraceReader.padding)
    padded.withUnsafeBytes { inner.parse(UnsafeRawBufferPointer(rebasing: $0[..<text.count])) }
  }
}
