/// Names of elements for fields: XML allows fewer letters than tables do, and no two fields may share a name.
struct ElementNames {
  private var known: [String: String] = [:]
  private var taken: Set<String> = []
  /// The number that the next field of a name gets that is taken.
  private var next: [String: Int] = [:]

  /// Fields that are remembered; a reader of XML would stop at as many names.
  private static let most = GPXDocument.Limit.names

  /// The name of a field's element, the same each time.
  mutating func name(of field: String) -> String {
    if let name = known[field] { return name }
    let plain = PointDetails.escapedElement(Self.plain(field))
    guard known.count < Self.most else { return plain }
    var name = plain
    while taken.contains(name) {
      let number = next[plain, default: 2]
      name = "\(plain)_\(number)"
      next[plain] = number + 1
    }
    known[field] = name
    taken.insert(name)
    return name
  }

  /// A name that an element may have: whatever else stands in it becomes a `_`.
  private static func plain(_ field: String) -> String {
    var name = ""
    for scalar in field.unicodeScalars {
      let isAllowed = isLetter(scalar) || isFollower(scalar)
      if name.isEmpty, isAllowed, !isLetter(scalar) { name = "_" }
      name.unicodeScalars.append(isAllowed ? scalar : "_")
    }
    return name.isEmpty ? "_" : name
  }

  private static func isFollower(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar) || scalar == "." || scalar == "-"
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "_": true
    default: scalar.value > 0x7F && letters.contains { $0.contains(scalar.value) }
    }
  }

  /// The letters beyond ASCII of the scripts that names of columns are likely in.
  ///
  /// - Source: XML 1.0, fourth edition, appendix B, to which expat keeps; the fifth allows more.
  private static let letters: [ClosedRange<UInt32>] = [
    // Latin.
    0xC0...0xD6, 0xD8...0xF6, 0xF8...0x131, 0x134...0x13E, 0x141...0x148, 0x14A...0x17E,
    0x180...0x1C3, 0x1E00...0x1E9B, 0x1EA0...0x1EF9,
    // Greek and Cyrillic.
    0x386...0x386, 0x388...0x38A, 0x38C...0x38C, 0x38E...0x3A1, 0x3A3...0x3CE,
    0x401...0x40C, 0x40E...0x44F, 0x451...0x45C, 0x45E...0x481,
    // Hebrew and Arabic.
    0x5D0...0x5EA, 0x621...0x63A, 0x641...0x64A,
    // Japanese, Chinese and Korean.
    0x3041...0x3094, 0x30A1...0x30FA, 0x4E00...0x9FA5, 0xAC00...0xD7A3,
  ]
}
