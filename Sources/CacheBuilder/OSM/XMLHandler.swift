import Basics
import CExpat

/// What an XML reader does with the elements of a file.
protocol XMLHandler: AnyObject {
  func start(_ name: XMLText, _ attributes: XMLAttributes) throws(XMLRefusal)
  func end(_ name: XMLText) throws(XMLRefusal)
  /// Takes a piece of the text of the innermost element, where ``wantsText``.
  func text(_ bytes: UnsafeRawBufferPointer) throws(XMLRefusal)
  /// Maps have nothing but white space there.
  var wantsText: Bool { get }
}

extension XMLHandler {
  func text(_ bytes: UnsafeRawBufferPointer) throws(XMLRefusal) {}
  var wantsText: Bool { false }
}

/// Why well-formed XML is not read on.
struct XMLRefusal: Error {
  let reason: String
}

/// A text that expat owns, valid during one call.
struct XMLText {
  let bytes: UnsafePointer<XML_Char>

  static func == (text: XMLText, other: StaticString) -> Bool {
    other.withUTF8Buffer { buffer in
      for (index, byte) in buffer.enumerated() where UInt8(bitPattern: text.bytes[index]) != byte {
        return false
      }
      return text.bytes[buffer.count] == 0
    }
  }

  var string: String { String(cString: bytes) }

  /// The whole number that it is; nil for anything else, and for what is too large.
  var integer: Int64? {
    let isNegative = bytes[0] == CChar(UInt8(ascii: "-"))
    var index = isNegative || bytes[0] == CChar(UInt8(ascii: "+")) ? 1 : 0
    guard bytes[index] != 0 else { return nil }
    var value: Int64 = 0
    while bytes[index] != 0 {
      let digit = Int64(bytes[index]) - 0x30
      guard (0...9).contains(digit) else { return nil }
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (next, isTooLargeNow) = tens.addingReportingOverflow(isNegative ? -digit : digit)
      guard !isTooLarge, !isTooLargeNow else { return nil }
      value = next
      index += 1
    }
    return value
  }

  /// A number that two different texts hardly ever share.
  var hash: UInt64 {
    var fingerprint = FNV1a()
    var index = 0
    while bytes[index] != 0 {
      fingerprint.add(UInt8(bitPattern: bytes[index]))
      index += 1
    }
    return fingerprint.hash
  }
}

/// The attributes of an element, valid during one call.
struct XMLAttributes {
  let list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  fileprivate let parser: XML_Parser

  /// The line of the file.
  var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

  subscript(name: StaticString) -> XMLText? {
    guard let list else { return nil }
    var index = 0
    while let key = list[index], let value = list[index + 1] {
      if XMLText(bytes: key) == name { return XMLText(bytes: value) }
      index += 2
    }
    return nil
  }

  func integer(_ name: StaticString) -> Int64? { self[name].flatMap { $0.integer } }
  func double(_ name: StaticString) -> Double? { self[name].flatMap { Double($0.string) } }
}

/// A token longer than this is not a map; expat keeps all of it in memory, and more for each attribute.
private let longestToken: Int64 = 1 << 20
/// Maps nest 4 deep; expat keeps something for each element that is open.
private let deepestNesting = 256
/// Maps have some thirty names of elements and attributes; expat keeps every name for good.
private let mostNames = 1_024

/// Reads a file from its start to its end.
///
/// - Throws: ``ImportError`` with the line where the XML breaks.
func parseXML(_ job: ImportJob, handler: any XMLHandler) throws(ImportError) {
  let source = try ByteSource(path: job.path)
  guard let parser = XML_ParserCreate(nil) else {
    throw ImportError(.inputOutput, path: job.path, "expat cannot start")
  }
  defer { XML_ParserFree(parser) }
  let box = HandlerBox(handler, parser)
  XML_SetUserData(parser, Unmanaged.passUnretained(box).toOpaque())
  XML_SetElementHandler(
    parser,
    { context, name, attributes in
      guard let context, let name else { return }
      Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue()
        .start(XMLText(bytes: name), attributes)
    },
    { context, name in
      guard let context, let name else { return }
      Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue()
        .end(XMLText(bytes: name))
    }
  )
  if handler.wantsText {
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let context, let text else { return }
      Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue()
        .text(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
  }
  XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasDeclarations in
    guard let context, hasDeclarations != 0 else { return }
    // Expat would keep all that is declared, and entities can grow without end.
    Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue()
      .stop("a document type with declarations, which no map has")
  }
  var fed: Int64 = 0
  try job.forEachChunk(of: source) { chunk throws(ImportError) in
    // It is UTF-8 by now, whatever its first line says.
    if fed == 0, source.isUTF16 { XML_SetEncoding(parser, "UTF-8") }
    let text = chunk.bindMemory(to: CChar.self)
    guard XML_Parse(parser, text.baseAddress, Int32(chunk.count), 0) == XML_STATUS_OK else {
      throw xmlError(parser, box, job, isEnd: false)
    }
    fed += Int64(chunk.count)
    guard fed - Int64(XML_GetCurrentByteIndex(parser)) < longestToken else {
      throw ImportError(
        .malformed,
        path: job.path,
        at: .line(Int(XML_GetCurrentLineNumber(parser))),
        "a piece of XML longer than 1 MiB"
      )
    }
    return true
  }
  guard XML_Parse(parser, nil, 0, 1) == XML_STATUS_OK else {
    throw xmlError(parser, box, job, isEnd: true)
  }
  withExtendedLifetime(box) {}
}

private final class HandlerBox {
  /// Why the parser was stopped, if it was.
  private(set) var refusal: String?
  private let handler: any XMLHandler
  private let parser: XML_Parser
  private var depth = 0

  init(_ handler: any XMLHandler, _ parser: XML_Parser) {
    self.handler = handler
    self.parser = parser
  }

  func start(
    _ name: XMLText,
    _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) {
    let attributes = XMLAttributes(list: list, parser: parser)
    depth += 1
    guard depth <= deepestNesting else {
      return stop("elements are nested deeper than \(deepestNesting)")
    }
    noteName(name)
    var index = 0
    while let list = attributes.list, let name = list[index] {
      noteName(XMLText(bytes: name))
      index += 2
    }
    guard refusal == nil else { return }
    do { try handler.start(name, attributes) } catch { stop(error.reason) }
  }

  /// The names so far, by a hash of theirs, and the last one of each of 256 kinds of hash.
  private var names: Set<UInt64> = []
  private var lastNames = [UInt64](repeating: 0, count: 256)

  private func noteName(_ name: XMLText) {
    let hash = name.hash
    guard lastNames[Int(hash & 255)] != hash else { return }
    lastNames[Int(hash & 255)] = hash
    names.insert(hash)
    if names.count > mostNames {
      stop("more than \(mostNames) different names of elements and attributes")
    }
  }

  func end(_ name: XMLText) {
    depth -= 1
    guard refusal == nil else { return }
    do { try handler.end(name) } catch { stop(error.reason) }
  }

  func text(_ bytes: UnsafeRawBufferPointer) {
    guard refusal == nil else { return }
    do { try handler.text(bytes) } catch { stop(error.reason) }
  }

  func stop(_ reason: String) {
    // Stopping an empty element still brings its end.
    guard refusal == nil else { return }
    refusal = reason
    XML_StopParser(parser, 0)
  }
}

private func xmlError(
  _ parser: XML_Parser,
  _ box: HandlerBox,
  _ job: ImportJob,
  isEnd: Bool
) -> ImportError {
  let line = Int(XML_GetCurrentLineNumber(parser))
  if let refusal = box.refusal {
    return ImportError(.malformed, path: job.path, at: .line(line), refusal)
  }
  if isEnd {
    return ImportError(
      .truncated,
      path: job.path,
      at: .line(line),
      "the XML ends in the middle; fetch it again"
    )
  }
  let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "wrong XML"
  return ImportError(.malformed, path: job.path, at: .line(line), "\(reason)")
}
