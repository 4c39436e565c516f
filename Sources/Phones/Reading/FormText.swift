import Basics

/// Forms as browsers and apps send them.
enum FormText {
  /// More members than any app has; the rest is left alone.
  static let mostMembers = 200

  /// Reads `lat=48.1&lon=11.5`.
  ///
  /// A percent sign that no two hexadecimal digits follow stands for itself: people write templates by hand.
  static func members(_ bytes: ArraySlice<UInt8>) -> JSONValue.Members {
    var members: JSONValue.Members = []
    for pair in bytes.split(separator: UInt8(ascii: "&")).prefix(mostMembers) {
      let parts = pair.split(
        separator: UInt8(ascii: "="),
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      let name = decoded(parts[0])
      guard !name.isEmpty else { continue }
      members.append((name, .string(parts.count > 1 ? decoded(parts[1]) : "")))
    }
    return members
  }

  /// Reads the text fields of `multipart/form-data`, as Shortcuts sends a form.
  ///
  /// - Parameter contentType: names the boundary; nil or without one, nothing is read.
  /// - Source: RFC 7578, RFC 2046, section 5.1.
  static func parts(_ bytes: ArraySlice<UInt8>, contentType: String?) -> JSONValue.Members {
    guard let boundary = boundary(contentType) else { return [] }
    var members: JSONValue.Members = []
    var name: String?
    var value: [UInt8] = []
    var isInValue = false
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let line = line.last == 0x0D ? line.dropLast() : line
      if line.starts(with: boundary) {
        if let name, isInValue, members.count < mostMembers {
          members.append((name, .string(String(decoding: value.dropLast(), as: UTF8.self))))
        }
        name = nil
        value = []
        isInValue = false
      } else if isInValue {
        // A file among the fields is none of ours.
        guard value.count < longestPart else { continue }
        value.append(contentsOf: line)
        value.append(0x0A)
      } else if line.isEmpty {
        isInValue = true
      } else {
        name = partName(line) ?? name
      }
    }
    return members
  }

  /// No field of an app is longer, in bytes.
  private static let longestPart = 10_000

  private static func boundary(_ contentType: String?) -> [UInt8]? {
    guard let contentType, contentType.lowercased().hasPrefix("multipart/form-data"),
      let mark = contentType.lowercased().firstRange(of: "boundary=")
    else { return nil }
    let text = contentType[mark.upperBound...].prefix { $0 != ";" }
      .filter { $0 != "\"" && $0 != " " }
    return (1...70).contains(text.utf8.count) ? Array("--\(text)".utf8) : nil
  }

  /// The name in `Content-Disposition: form-data; name="lat"`.
  private static func partName(_ line: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: line.prefix(500), as: UTF8.self)
    guard text.lowercased().hasPrefix("content-disposition:"),
      let start = text.firstRange(of: " name=\"")?.upperBound
    else { return nil }
    return String(text[start...].prefix { $0 != "\"" })
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "+"): text.append(0x20)
      case UInt8(ascii: "%"):
        if index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]),
          let low = digit(bytes[index + 2])
        {
          text.append(high << 4 | low)
          index += 2
        } else {
          text.append(bytes[index])
        }
      default: text.append(bytes[index])
      }
      index += 1
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
