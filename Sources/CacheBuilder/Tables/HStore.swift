import Basics

/// Reads the column in which GDAL keeps the tags of a map that have no other.
///
/// - Source: gdal.org/drivers/vector/osm.html, "other_tags field": hstore, or JSON where that is asked for.
func tags(others text: String) -> JSONValue.Members {
  if text.first == "{", let members = (try? JSONValue.parse(text))?.members { return members }
  return tags(hstore: text)
}

/// Reads `"key"=>"value","key"=>"value"`.
private func tags(hstore text: String) -> JSONValue.Members {
  var tags: JSONValue.Members = []
  var rest = Array(text.utf8)[...]
  /// What stands between the next quotes, which come at once if `isNext`; each byte is looked at once.
  func quoted(isNext: Bool) -> String? {
    guard let begin = isNext ? rest.startIndex : rest.firstIndex(of: UInt8(ascii: "\"")),
      rest.dropFirst(begin - rest.startIndex).first == UInt8(ascii: "\"")
    else { return nil }
    var bytes: [UInt8] = []
    var at = begin + 1
    while at < rest.endIndex, rest[at] != UInt8(ascii: "\"") {
      if rest[at] == UInt8(ascii: "\\"), at + 1 < rest.endIndex { at += 1 }
      bytes.append(rest[at])
      at += 1
    }
    guard at < rest.endIndex else { return nil }
    rest = rest[(at + 1)...]
    return String(decoding: bytes, as: UTF8.self)
  }
  while let key = quoted(isNext: false) {
    guard rest.starts(with: "=>".utf8) else { continue }
    rest = rest.dropFirst(2)
    if let value = quoted(isNext: true) { tags.append((key, .string(value))) }
  }
  return tags
}
