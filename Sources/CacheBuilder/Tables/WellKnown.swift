import Basics

/// Shapes as text and as bytes, turned into geometries of GeoJSON.
///
/// - Source: OGC 06-103r4, "Simple feature access", chapters 7 (text) and 8 (bytes); EWKT and EWKB of PostGIS
///   for the SRID in front.
enum WellKnown {
  private static let names = [
    "Point", "LineString", "Polygon", "MultiPolygon", "MultiPoint", "MultiLineString",
    "GeometryCollection",
  ]
  private static let types = names.map { $0.uppercased() }

  // MARK: Text

  /// A point, several, lines, areas, or a collection of them; nil for anything else.
  ///
  /// - Parameter hasCommas: whether a comma within a number may stand for its point.
  static func geometry(text: String, hasCommas: Bool = false) -> JSONValue? {
    if let geometry = geometry(plain: text) { return geometry }
    // What can be read as it stands is: `1 2,3 4` are two positions.
    return hasCommas ? geometry(plain: pointed(text)) : nil
  }

  /// A text with points for the commas between two digits.
  private static func pointed(_ text: String) -> String {
    var bytes = Array(text.utf8)
    func isDigit(_ index: Int) -> Bool { (0x30...0x39).contains(bytes[index]) }
    for index in bytes.indices.dropFirst().dropLast()
    where bytes[index] == UInt8(ascii: ",") && isDigit(index - 1) && isDigit(index + 1) {
      bytes[index] = UInt8(ascii: ".")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number of the system of coordinates that a text names, where that is not degrees on WGS 84.
  static func foreignSystem(of text: String) -> Int? {
    let number = system(of: text)?.number ?? hexadecimal(text).flatMap { $0.system }
    return number.flatMap { isDegrees($0) ? nil : $0 }
  }

  /// Whether a number stands for degrees on WGS 84; 0 is said of coordinates whose system nobody has named.
  private static func isDegrees(_ system: Int) -> Bool { system == 4326 || system == 0 }

  /// The number behind `SRID=`, and the shape.
  private static func system(of text: String) -> (number: Int, shape: Substring)? {
    guard text.prefix(5).uppercased() == "SRID=", let end = text.firstIndex(of: ";"),
      let number = Int(text[..<end].dropFirst(5))
    else { return nil }
    return (number, text[text.index(after: end)...])
  }

  /// A shape whose bytes are written as digits, with the number of its system, as PostGIS writes tables.
  private static func hexadecimal(_ text: String) -> (shape: JSONValue, system: Int?)? {
    let digits = text.utf8
    // The first byte says which way round the others are.
    guard digits.count.isMultiple(of: 2), text.hasPrefix("00") || text.hasPrefix("01") else {
      return nil
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue.map({ UInt8($0) }) else {
        return nil
      }
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    var reader = ByteReader(rest: bytes[...])
    guard let shape = reader.geometry(depth: 0), reader.rest.isEmpty else { return nil }
    return (shape, reader.system)
  }

  private static func geometry(plain text: String) -> JSONValue? {
    if let (shape, system) = hexadecimal(text) { return isDegrees(system ?? 0) ? shape : nil }
    var rest = text[...]
    if let (number, shape) = system(of: text) {
      guard isDegrees(number) else { return nil }
      rest = shape
    }
    var reader = TextReader(rest: rest)
    guard let geometry = reader.geometry(depth: 0), reader.isAtEnd else { return nil }
    return geometry
  }

  private static func collection(_ parts: [JSONValue]) -> JSONValue {
    .object([("type", .string("GeometryCollection")), ("geometries", .array(parts))])
  }

  /// Collections may be in collections, and a file of nothing else would have no end of them.
  private static let deepest = 8

  private static func feature(_ type: Int, _ coordinates: JSONValue) -> JSONValue {
    .object([("type", .string(names[type])), ("coordinates", coordinates)])
  }

  private struct TextReader {
    var rest: Substring

    var isAtEnd: Bool {
      mutating get {
        skipBlanks()
        return rest.isEmpty
      }
    }

    private mutating func skipBlanks() { rest = rest.drop(while: \.isWhitespace) }

    /// A name, and what stands behind it in brackets; a part of a collection may be empty instead.
    mutating func geometry(depth: Int) -> JSONValue? {
      guard depth < deepest, let (name, isEmpty) = name() else { return nil }
      // POINTZ and POINT Z are the same.
      guard
        let type = types.firstIndex(where: {
          name == $0 || [$0 + "Z", $0 + "M", $0 + "ZM"].contains(name)
        })
      else { return nil }
      if isEmpty {
        guard depth > 0 else { return nil }
        return names[type] == "GeometryCollection" ? collection([]) : feature(type, .array([]))
      }
      if names[type] == "GeometryCollection" { return parts(depth: depth).map(collection) }
      guard let coordinates = list(depth: 0) else { return nil }
      switch names[type] {
      // A point is written as a list of one.
      case "Point": return feature(type, coordinates.elements?.first ?? .null)
      // Each point may have brackets of its own, or none.
      case "MultiPoint":
        let points = (coordinates.elements ?? [])
          .map { point in point.elements?.first.flatMap { $0.elements == nil ? nil : $0 } ?? point }
        return feature(type, .array(points))
      default: return feature(type, coordinates)
      }
    }

    /// The first word before a bracket, in capitals, and whether the last one says that nothing is in it.
    private mutating func name() -> (String, isEmpty: Bool)? {
      let words = rest.prefix { !"(),".contains($0) }
      rest = rest[words.endIndex...]
      let all = words.uppercased().split(whereSeparator: \.isWhitespace)
      return all.first.map { (String($0), all.count > 1 && all.last == "EMPTY") }
    }

    /// The shapes of a collection.
    private mutating func parts(depth: Int) -> [JSONValue]? {
      guard rest.popFirst() == "(" else { return nil }
      var parts: [JSONValue] = []
      while true {
        guard let part = geometry(depth: depth + 1) else { return nil }
        parts.append(part)
        skipBlanks()
        guard let next = rest.popFirst() else { return nil }
        if next == ")" { return parts }
        if next != "," { return nil }
      }
    }

    /// What stands between brackets: lists, or positions.
    mutating func list(depth: Int) -> JSONValue? {
      skipBlanks()
      guard depth < 4, rest.first == "(" else { return nil }
      rest.removeFirst()
      var elements: [JSONValue] = []
      while true {
        skipBlanks()
        guard let element = rest.first == "(" ? list(depth: depth + 1) : position() else {
          return nil
        }
        elements.append(element)
        skipBlanks()
        guard let next = rest.popFirst() else { return nil }
        if next == ")" { return .array(elements) }
        if next != "," { return nil }
      }
    }

    private mutating func position() -> JSONValue? {
      let text = rest.prefix { $0 != "," && $0 != ")" && $0 != "(" }
      rest = rest[text.endIndex...]
      let numbers = text.split(whereSeparator: \.isWhitespace).map(String.init)
      guard (2...4).contains(numbers.count), numbers.allSatisfy({ Double($0) != nil }) else {
        return nil
      }
      return .array(numbers.prefix(2).map(JSONValue.number))
    }
  }

  // MARK: Bytes

  /// A point, several, lines, areas, or a collection of them; nil for anything else.
  static func geometry(bytes: ArraySlice<UInt8>) -> JSONValue? {
    var reader = ByteReader(rest: bytes)
    return reader.geometry(depth: 0)
  }

  private struct ByteReader {
    var rest: ArraySlice<UInt8>
    /// The number of the system of coordinates, where the bytes have one.
    private(set) var system: Int?
    private var isLittle = true

    init(rest: ArraySlice<UInt8>) { self.rest = rest }

    private mutating func number(_ count: Int) -> UInt64? {
      guard rest.count >= count else { return nil }
      let bytes = rest.prefix(count)
      rest = rest.dropFirst(count)
      let ordered = isLittle ? Array(bytes.reversed()) : Array(bytes)
      return ordered.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func count(ofAtLeast size: Int) -> Int? {
      guard let count = number(4), Int(count) <= rest.count / size else { return nil }
      return Int(count)
    }

    mutating func geometry(depth: Int) -> JSONValue? {
      guard depth < deepest, let order = rest.popFirst(), order <= 1 else { return nil }
      isLittle = order == 1
      guard let code = number(4) else { return nil }
      // Thousands and PostGIS's high bits say which dimensions follow the first two.
      let kind = Int(code & 0x0FFF_FFFF) % 1_000
      let thousands = Int(code & 0x0FFF_FFFF) / 1_000
      guard thousands <= 3 else { return nil }
      let hasZ = code & 0x8000_0000 != 0 || thousands == 1 || thousands == 3
      let hasM = code & 0x4000_0000 != 0 || thousands >= 2
      if code & 0x2000_0000 != 0 {
        guard let number = number(4) else { return nil }
        system = system ?? Int(number)
      }
      let size = 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0)
      switch kind {
      case 1: return position(size).map { feature(0, $0) }
      case 2: return positions(size).map { feature(1, $0) }
      case 3: return rings(size).map { feature(2, $0) }
      case 4: return parts("Point", depth: depth).map { feature(4, $0) }
      case 5: return parts("LineString", depth: depth).map { feature(5, $0) }
      case 6: return parts("Polygon", depth: depth).map { feature(3, $0) }
      case 7: return parts(depth: depth).map(collection)
      default: return nil
      }
    }

    /// Several shapes of one type, each with a header of its own.
    private mutating func parts(_ type: String, depth: Int) -> JSONValue? {
      guard let parts = parts(depth: depth) else { return nil }
      var list: [JSONValue] = []
      for part in parts {
        guard part["type"]?.text == type, let coordinates = part["coordinates"] else { return nil }
        list.append(coordinates)
      }
      return .array(list)
    }

    /// The shapes of a collection.
    private mutating func parts(depth: Int) -> [JSONValue]? {
      guard let count = count(ofAtLeast: 9) else { return nil }
      var list: [JSONValue] = []
      for _ in 0..<count {
        guard let part = geometry(depth: depth + 1) else { return nil }
        list.append(part)
      }
      return list
    }

    private mutating func position(_ size: Int) -> JSONValue? {
      var values: [JSONValue] = []
      for index in 0..<size {
        guard let bits = number(8) else { return nil }
        let value = Double(bitPattern: bits)
        guard index < 2 else { continue }
        // An empty point has no numbers.
        guard value.isFinite else { return nil }
        values.append(.number("\(value)"))
      }
      return .array(values)
    }

    private mutating func positions(_ size: Int) -> JSONValue? {
      guard let count = count(ofAtLeast: size * 8) else { return nil }
      var list: [JSONValue] = []
      for _ in 0..<count {
        guard let position = position(size) else { return nil }
        list.append(position)
      }
      return .array(list)
    }

    private mutating func rings(_ size: Int) -> JSONValue? {
      guard let count = count(ofAtLeast: 4) else { return nil }
      var list: [JSONValue] = []
      for _ in 0..<count {
        guard let ring = positions(size) else { return nil }
        list.append(ring)
      }
      return .array(list)
    }
  }
}
