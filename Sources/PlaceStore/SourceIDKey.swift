/// The order of source ids: nodes, ways, relations, each by number; then everything else as text.
package struct SourceIDKey: Hashable, Comparable, Sendable {
  private let kind: UInt8
  private let number: Int64
  private let text: String

  /// Makes the key of a source id such as `node/123`.
  package init(_ sourceID: String) {
    text = sourceID
    if let slash = sourceID.utf8.firstIndex(of: UInt8(ascii: "/")),
      let number = Int64(sourceID[sourceID.utf8.index(after: slash)...]),
      let kind = ["node", "way", "relation"].firstIndex(of: String(sourceID[..<slash]))
    {
      self.kind = UInt8(kind)
      self.number = number
    } else {
      kind = 3
      number = 0
    }
  }

  /// Orders keys; text is compared by its bytes.
  package static func < (a: SourceIDKey, b: SourceIDKey) -> Bool {
    if a.kind != b.kind { return a.kind < b.kind }
    if a.number != b.number { return a.number < b.number }
    return a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }
}
