/// The order of source ids: nodes, ways, relations, each by number; then everything else as text.
package struct SourceIDKey: Hashable, Comparable, Sendable {
  private let kind: UInt8
  private let number: Int64
  private let text: String

  /// Makes the key of a source id such as `node/123`.
  package init(_ sourceID: String) {
    text = sourceID
    for (kind, prefix) in Self.prefixes.enumerated() where sourceID.hasPrefix(prefix) {
      guard let number = Int64(sourceID.dropFirst(prefix.utf8.count)) else { break }
      self.kind = UInt8(kind)
      self.number = number
      return
    }
    kind = UInt8(Self.prefixes.count)
    number = 0
  }

  private static let prefixes = ["node/", "way/", "relation/"]

  /// Orders keys; text is compared by its bytes.
  package static func < (a: SourceIDKey, b: SourceIDKey) -> Bool {
    if a.kind != b.kind { return a.kind < b.kind }
    if a.number != b.number { return a.number < b.number }
    return a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  /// The order of elements with source ids, as their places; equals stay as they are.
  static func order<Element>(
    of elements: [Element],
    by sourceID: (Element) -> String
  ) -> [Int] {
    // Nearly all differ in their numbers: what is sorted is small, and counts no reference.
    let keys = elements.map { SourceIDKey(sourceID($0)) }
    var order = keys.indices.map { (kind: keys[$0].kind, number: keys[$0].number, index: $0) }
    order.sort { a, b in
      if a.kind != b.kind { return a.kind < b.kind }
      if a.number != b.number { return a.number < b.number }
      return keys[a.index] < keys[b.index]
    }
    return order.map(\.index)
  }
}
