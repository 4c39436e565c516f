import CExpat
import Traces

/// Turns the bytes of a GPX document into records, a piece at a time.
///
/// - Complexity: O(bytes) in time. Memory is bounded by the limits of ``GPXDocument/Limit``.
final class GPXParser: TraceParser {
  private let parser: OpaquePointer
  /// At an address of its own: expat's handlers come by it some thirty times a point, and through
  /// a reference each of them would count references and check for exclusive access.
  private let document: UnsafeMutablePointer<GPXDocument>
  private var fedBytes = 0

  init(options: TraceOptions) throws(OutOfMemory) {
    guard let parser = XML_ParserCreate(nil) else { throw OutOfMemory() }
    self.parser = parser
    document = .allocate(capacity: 1)
    document.initialize(to: GPXDocument(parser: parser, options: options))
    XML_SetUserData(parser, document)
    installHandlers()
  }

  deinit {
    XML_ParserFree(parser)
    document.deinitialize(count: 1)
    document.deallocate()
  }

  /// The reason why parsing stopped, if it did.
  var failure: ParseFailure? { document.pointee.failure }
  /// Points begun, by kind.
  var pointCounts: [Int] { document.pointee.pointCounts }
  /// Points with a time that is not empty, by kind.
  var timedCounts: [Int] { document.pointee.timedCounts }
  /// Segments, routes, or the one list of waypoints that hold points, by kind.
  var segmentCounts: [Int] { document.pointee.segmentCounts }

  /// Takes out the records of the pieces since the last time.
  func takeRecords() -> [KindedRecord] {
    document.pointee.takeRecords()
  }

  /// Notes white space that was left out before the text.
  func skip(bytes: Int, lines: Int) { document.pointee.skip(bytes: bytes, lines: lines) }

  /// Parses a piece of at most ``GPXDocument/Limit/piece`` bytes.
  func parse(_ bytes: UnsafeRawBufferPointer) { feed(bytes, isFinal: false) }

  /// Notes the end of the text.
  func finish() { feed(UnsafeRawBufferPointer(start: nil, count: 0), isFinal: true) }

  private func feed(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) {
    fedBytes += bytes.count
    let text = bytes.bindMemory(to: CChar.self).baseAddress
    let status = XML_Parse(parser, text, Int32(bytes.count), isFinal ? 1 : 0)
    if failure != nil { return }
    guard status == XML_STATUS_OK else {
      let code = XML_GetErrorCode(parser)
      let message = XML_ErrorString(code).map { String(cString: $0) } ?? "unknown error"
      let endsEarly =
        isFinal
        && [XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR].contains(code)
      document.pointee.stop(
        .malformed,
        endsEarly ? "the XML ends too early (\(message))" : "the XML is wrong: \(message)",
        endsEarly ? "copy or export the file again" : "repair or export the file again"
      )
      return
    }
    // Whatever of the text is not parsed yet is one token, and expat holds it.
    if fedBytes - Int(XML_GetCurrentByteIndex(parser)) > GPXDocument.Limit.token {
      document.pointee.stop(
        .excessive,
        "a tag, comment or instruction is longer than \(GPXDocument.Limit.token) bytes",
        "remove it, no GPX needs one"
      )
    }
  }

  // MARK: - Handlers

  private func installHandlers() {
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let context, let name else { return }
        context.assumingMemoryBound(to: GPXDocument.self).pointee
          .start(QualifiedName(name), Attributes(attributes))
      },
      { context, _ in
        guard let context else { return }
        context.assumingMemoryBound(to: GPXDocument.self).pointee.end()
      }
    )
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let context, let text else { return }
      context.assumingMemoryBound(to: GPXDocument.self).pointee
        .append(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
    XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasInternalSubset in
      guard let context, hasInternalSubset != 0 else { return }
      // Entities are declared there: a few of them can grow to gigabytes, or name other files.
      context.assumingMemoryBound(to: GPXDocument.self).pointee
        .stop(
          .excessive,
          "the document type declares entities or elements of its own",
          "remove the <!DOCTYPE …> part, no GPX needs one"
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
