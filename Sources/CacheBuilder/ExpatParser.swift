import CExpat

/// What an XML reader does with the elements of a file.
protocol XMLHandler: AnyObject {
  func start(_ name: XMLText, _ attributes: XMLAttributes)
  func end(_ name: XMLText)
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
}

/// The attributes of an element, valid during one call.
struct XMLAttributes {
  let list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?

  subscript(name: StaticString) -> XMLText? {
    guard let list else { return nil }
    var index = 0
    while let key = list[index], let value = list[index + 1] {
      if XMLText(bytes: key) == name { return XMLText(bytes: value) }
      index += 2
    }
    return nil
  }

  func integer(_ name: StaticString) -> Int64? { self[name].flatMap { Int64($0.string) } }
  func double(_ name: StaticString) -> Double? { self[name].flatMap { Double($0.string) } }
}

/// A token longer than this is no map; expat would keep all of it in memory.
private let longestToken: Int64 = 16 << 20

/// Reads a file from its start to its end.
///
/// - Throws: ``ImportError`` with the line where the XML breaks.
func parseXML(_ job: ImportJob, handler: any XMLHandler) throws(ImportError) {
  let source = try ByteSource(path: job.path)
  guard let parser = XML_ParserCreate(nil) else {
    throw ImportError(.inputOutput, path: job.path, "expat cannot start")
  }
  defer { XML_ParserFree(parser) }
  let box = HandlerBox(handler)
  XML_SetUserData(parser, Unmanaged.passUnretained(box).toOpaque())
  XML_SetElementHandler(
    parser,
    { context, name, attributes in
      guard let context, let name else { return }
      Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue()
        .handler.start(XMLText(bytes: name), XMLAttributes(list: attributes))
    },
    { context, name in
      guard let context, let name else { return }
      Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue()
        .handler.end(XMLText(bytes: name))
    }
  )
  var fed: Int64 = 0
  try source.forEachChunk { chunk throws(ImportError) in
    try job.checkInterruption()
    let text = chunk.bindMemory(to: CChar.self)
    guard XML_Parse(parser, text.baseAddress, Int32(chunk.count), 0) == XML_STATUS_OK else {
      throw xmlError(parser, job, isEnd: false)
    }
    fed += Int64(chunk.count)
    guard fed - Int64(XML_GetCurrentByteIndex(parser)) < longestToken else {
      throw ImportError(
        .malformed,
        path: job.path,
        at: .line(Int(XML_GetCurrentLineNumber(parser))),
        "a piece of XML longer than 16 MiB"
      )
    }
    return true
  }
  guard XML_Parse(parser, nil, 0, 1) == XML_STATUS_OK else {
    throw xmlError(parser, job, isEnd: true)
  }
  withExtendedLifetime(box) {}
}

private final class HandlerBox {
  let handler: any XMLHandler
  init(_ handler: any XMLHandler) { self.handler = handler }
}

private func xmlError(_ parser: XML_Parser, _ job: ImportJob, isEnd: Bool) -> ImportError {
  let line = Int(XML_GetCurrentLineNumber(parser))
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
