import CExpat
import Traces

/// What a format of XML does with its elements.
protocol XMLTraceDocument: AnyObject {
  var sink: RecordSink { get set }
  /// Takes a start tag; `parents` are the local names of the elements that it lies in.
  func start(_ name: String, _ parents: [String], _ attributes: Attributes, line: Int)
  /// Takes a piece of the text of the innermost element.
  func text(_ text: UnsafeBufferPointer<UInt8>, line: Int)
  func end(_ name: String, _ parents: [String])
  /// Why reading must stop, if it must.
  var refusal: String? { get }
  /// Adds what waits for an end tag that will not come: the file is cut, or damaged.
  func stop()
}

extension XMLTraceDocument {
  func stop() {}
}

/// Reads a format of XML other than GPX.
///
/// - Complexity: O(bytes) in time; memory is bounded by the limits of ``GPXDocument/Limit``.
final class XMLTraceParser: TraceParser {
  private let parser: OpaquePointer
  private let document: any XMLTraceDocument
  private var fedBytes = 0
  private var skipped = (bytes: 0, lines: 0)
  private var path: [String] = []
  private var names = NameBudget(limit: GPXDocument.Limit.names)
  private(set) var failure: ParseFailure?

  init(_ document: any XMLTraceDocument) throws(OutOfMemory) {
    guard let parser = XML_ParserCreate(nil) else { throw OutOfMemory() }
    self.parser = parser
    self.document = document
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    installHandlers()
  }

  deinit { XML_ParserFree(parser) }

  var pointCounts: [Int] { document.sink.pointCounts }
  var timedCounts: [Int] { document.sink.timedCounts }
  var details: DetailColumns? { document.sink.details }
  func takePoints(into columns: [FixColumns]) { document.sink.takePoints(into: columns) }

  func skip(bytes: Int, lines: Int) {
    skipped.bytes += bytes
    skipped.lines += lines
  }

  func parse(_ bytes: UnsafeRawBufferPointer) { feed(bytes, isFinal: false) }

  func finish() { feed(UnsafeRawBufferPointer(start: nil, count: 0), isFinal: true) }

  func abandon() { document.stop() }

  private func feed(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) {
    fedBytes += bytes.count
    let text = bytes.bindMemory(to: CChar.self).baseAddress
    let status = XML_Parse(parser, text, Int32(bytes.count), isFinal ? 1 : 0)
    guard failure == nil else { return }
    guard status == XML_STATUS_OK else {
      let message =
        XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown error"
      stop(.malformed, "the XML is wrong: \(message)", "copy or export the file again")
      return
    }
    // Whatever of the text is not parsed yet is one token, and expat holds it.
    if fedBytes - Int(XML_GetCurrentByteIndex(parser)) > GPXDocument.Limit.token {
      stop(
        .excessive,
        "a tag, comment or instruction is longer than \(GPXDocument.Limit.token) bytes",
        "remove it, no trace needs one"
      )
    }
  }

  private var line: Int { skipped.lines + Int(XML_GetCurrentLineNumber(parser)) }

  private func stop(_ code: TraceError.Code, _ problem: String, _ advice: String) {
    guard failure == nil else { return }
    document.stop()
    failure = ParseFailure(
      code: code,
      problem: problem,
      advice: advice,
      line: line,
      byteOffset: skipped.bytes + max(0, Int(XML_GetCurrentByteIndex(parser)))
    )
    XML_StopParser(parser, 0)
  }

  private func start(_ name: QualifiedName, _ attributes: Attributes) {
    guard failure == nil else { return }
    guard path.count < GPXDocument.Limit.depth, name.length <= GPXDocument.Limit.name else {
      stop(
        .excessive,
        path.count >= GPXDocument.Limit.depth
          ? "more than \(GPXDocument.Limit.depth) elements inside each other"
          : "an endless element name",
        "export the file again"
      )
      return
    }
    var isWithin = names.spend(name.whole)
    attributes.forEach { attribute, _ in isWithin = names.spend(attribute.whole) && isWithin }
    guard isWithin else {
      stop(
        .excessive,
        "more than \(GPXDocument.Limit.names) different names of elements and attributes",
        "export the file again"
      )
      return
    }
    let local = String(decoding: name.local, as: UTF8.self)
    document.start(local, path, attributes, line: line)
    path.append(local)
    checkRefusal()
  }

  private func text(_ text: UnsafeBufferPointer<UInt8>) {
    guard failure == nil else { return }
    document.text(text, line: line)
    checkRefusal()
  }

  private func end() {
    guard failure == nil, let name = path.popLast() else { return }
    document.end(name, path)
    checkRefusal()
  }

  private func checkRefusal() {
    guard let refusal = document.refusal else { return }
    stop(.excessive, refusal, "export it in parts")
  }

  private func installHandlers() {
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let context, let name else { return }
        Unmanaged<XMLTraceParser>.fromOpaque(context).takeUnretainedValue()
          .start(QualifiedName(name), Attributes(attributes))
      },
      { context, _ in
        guard let context else { return }
        Unmanaged<XMLTraceParser>.fromOpaque(context).takeUnretainedValue().end()
      }
    )
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let context, let text else { return }
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
      Unmanaged<XMLTraceParser>.fromOpaque(context).takeUnretainedValue()
        .text(bytes.bindMemory(to: UInt8.self))
    }
    XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasInternalSubset in
      guard let context, hasInternalSubset != 0 else { return }
      // Entities are declared there: a few of them can grow to gigabytes, or name other files.
      Unmanaged<XMLTraceParser>.fromOpaque(context).takeUnretainedValue()
        .stop(
          .excessive,
          "the document type declares entities or elements of its own",
          "remove the <!DOCTYPE …> part, no trace needs one"
        )
    }
    XML_SetUnknownEncodingHandler(
      parser,
      { _, name, encoding in
        guard let name, let encoding else { return 0 }
        return describeSingleByteEncoding(String(cString: name), &encoding.pointee)
      },
      nil
    )
  }
}

/// The text of an element, without the white space before it, up to a limit.
struct CapturedText {
  private(set) var bytes: [UInt8] = []
  private var hasOverflowed = false
  private let limit: Int

  init(limit: Int = GPXDocument.Limit.value) { self.limit = limit }

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    hasOverflowed = false
  }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    var text = text[...]
    if bytes.isEmpty { text = text.drop { $0 <= 0x20 } }
    let room = limit - bytes.count
    if text.count > room {
      if text.dropFirst(room).contains(where: { $0 > 0x20 }) { hasOverflowed = true }
      text = text.prefix(room)
    }
    bytes.append(contentsOf: text)
  }

  /// The text as a number.
  var number: PointBuilder.NumberField {
    hasOverflowed ? .unreadable : bytes.withUnsafeBufferPointer { $0.field }
  }

  /// The text as an instant.
  var time: PointBuilder.TimeField {
    guard !bytes.isEmpty else { return .absent }
    let instant = hasOverflowed ? nil : bytes.withUnsafeBufferPointer(InstantText.parse)
    return instant.map { .value($0) } ?? .unreadable
  }

  var string: String { String(decoding: bytes, as: UTF8.self) }
}
