import CExpat
import Traces

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Turns the bytes of a GPX document into fixes, a piece at a time.
///
/// Expat reads everything but the points that ``PointTemplates`` have learned to read from it. Those
/// are whole elements, left out between two tokens, so what expat does see is a well-formed document
/// exactly if the whole is.
///
/// - Complexity: O(bytes) in time. Memory is bounded by the limits of ``GPXDocument/Limit``.
final class GPXParser: TraceParser {
  private let parser: OpaquePointer
  /// Nil if expat is to read everything.
  private let templates: PointTemplates?
  /// Points in a row that no template read.
  private var strangePoints = 0
  /// Points that templates read.
  private(set) var templatePoints = 0
  /// At an address of its own: expat's handlers come by it some thirty times a point, and through
  /// a reference each of them would count references and check for exclusive access.
  private let document: UnsafeMutablePointer<GPXDocument>
  private var fedBytes = 0

  init(options: TraceOptions) throws(OutOfMemory) {
    guard let parser = XML_ParserCreate(nil) else { throw OutOfMemory() }
    self.parser = parser
    templates = options.usesTemplates && !options.keepsDetails ? PointTemplates() : nil
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

  /// The points of a kind since they were last taken.
  private func points(_ kind: PointKind) -> FixColumns { document.pointee.points[kind.rawValue] }

  var details: DetailColumns? { document.pointee.details }

  func takePoints(into columns: [FixColumns]) {
    for (points, columns) in zip(document.pointee.points, columns) { columns.take(from: points) }
  }

  /// Notes white space that was left out before the text.
  func skip(bytes: Int, lines: Int) { document.pointee.skip(bytes: bytes, lines: lines) }

  func parse(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while position < bytes.count {
      position += readPoints(bytes[position...])
      if position == bytes.count { break }
      let cut = cut(bytes[position...])
      let start = fedBytes
      guard feed(bytes[position..<cut]) else { return }
      learn(from: bytes[position..<cut], fedSince: start)
      position = cut
    }
  }

  func finish() { _ = feed(UnsafeRawBufferPointer(start: nil, count: 0)[...], isFinal: true) }

  // MARK: - Templates

  /// Reads the points that match a template, if such may follow here.
  private func readPoints(_ text: Slice<UnsafeRawBufferPointer>) -> Int {
    guard let templates, document.pointee.trackPointEnd == fedBytes,
      document.pointee.isBetweenTrackPoints
    else { return 0 }
    let columns = points(.track)
    let before = columns.count
    let (bytes, lines) = templates.read(
      UnsafeRawBufferPointer(rebasing: text),
      line: document.pointee.currentLine,
      document.pointee.accuracyRule,
      into: columns
    )
    let points = columns.count - before
    strangePoints = points > 0 ? 0 : strangePoints + 1
    templatePoints += points
    document.pointee.skip(bytes: bytes, lines: lines, points: points)
    return bytes
  }

  /// Where to cut the text for expat: behind what may be the end of a track point.
  ///
  /// It need not be one, that is seen afterward. Where many points in a row matched nothing, it is
  /// tried more rarely.
  private func cut(_ text: Slice<UnsafeRawBufferPointer>) -> Int {
    let most = min(text.endIndex, text.startIndex + GPXDocument.Limit.piece)
    guard templates != nil, document.pointee.showsPoints else { return most }
    let patience = min(strangePoints * Self.bytesOfPatience, GPXDocument.Limit.piece)
    let start = min(text.startIndex + patience, most)
    guard let base = text.base.baseAddress else { return most }
    var position = start
    while position < most,
      let found = memchr(base + position, Int32(UInt8(ascii: ">")), most - position)
    {
      position = UnsafeRawPointer(found) - base + 1
      if position - text.startIndex >= Self.endOfTrackPoint.utf8CodeUnitCount,
        memcmp(
          base + position - Self.endOfTrackPoint.utf8CodeUnitCount,
          Self.endOfTrackPoint.utf8Start,
          Self.endOfTrackPoint.utf8CodeUnitCount
        ) == 0
      {
        return position
      }
    }
    return most
  }

  /// The end of an end tag, whatever its prefix.
  private static let endOfTrackPoint: StaticString = "trkpt>"

  /// How much more text goes to expat at once for each point in a row that matched nothing.
  private static let bytesOfPatience = 64

  /// Shows the last point to the templates.
  private func learn(from text: Slice<UnsafeRawBufferPointer>, fedSince start: Int) {
    guard let templates, let shown = document.pointee.takeShownPoint(),
      document.pointee.showsPoints, shown.range.lowerBound >= start
    else { return }
    // Expat's count of bytes and ours differ by what it did not see.
    let shift = text.startIndex - start
    let pointStart = shown.range.lowerBound + shift
    let pointEnd = shown.range.upperBound + shift
    var begin = pointStart
    while begin > text.startIndex, text[begin - 1] <= 0x20 { begin -= 1 }
    // White space that follows something else than a tag is not only white space.
    if begin > text.startIndex, text[begin - 1] != UInt8(ascii: ">") { begin = pointStart }
    templates.learn(
      UnsafeRawBufferPointer(rebasing: text[begin..<pointEnd]),
      start: pointStart - begin,
      captured: shown.captured.map {
        PointTemplate.Slot(
          field: $0.field,
          range: ($0.range.lowerBound + shift - begin)..<($0.range.upperBound + shift - begin)
        )
      },
      document.pointee.accuracyRule,
      from: points(.track)
    )
  }

  // MARK: - Expat

  /// Lets expat read; false once parsing has stopped for good.
  private func feed(_ text: Slice<UnsafeRawBufferPointer>, isFinal: Bool = false) -> Bool {
    fedBytes += text.count
    let start = UnsafeRawBufferPointer(rebasing: text).baseAddress?
      .assumingMemoryBound(to: CChar.self)
    let status = XML_Parse(parser, start, Int32(text.count), isFinal ? 1 : 0)
    if failure != nil { return false }
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
      return false
    }
    // Whatever of the text is not parsed yet is one token, and expat holds it.
    if fedBytes - Int(XML_GetCurrentByteIndex(parser)) > GPXDocument.Limit.token {
      document.pointee.stop(
        .excessive,
        "a tag, comment or instruction is longer than \(GPXDocument.Limit.token) bytes",
        "remove it, no GPX needs one"
      )
      return false
    }
    return true
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
    XML_SetXmlDeclHandler(parser) { context, _, encoding, _ in
      guard let context, let encoding else { return }
      context.assumingMemoryBound(to: GPXDocument.self).pointee
        .declare(encoding: String(cString: encoding))
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
