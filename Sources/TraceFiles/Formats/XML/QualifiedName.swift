import Basics

/// A name as expat hands it over, zero-terminated, with its prefix if it has one.
struct QualifiedName {
  private let start: UnsafePointer<UInt8>
  /// Bytes of the whole name.
  let length: Int
  private let localStart: Int

  init(_ name: UnsafePointer<CChar>) {
    start = UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self)
    var length = 0
    var localStart = 0
    while start[length] != 0 {
      if start[length] == UInt8(ascii: ":") { localStart = length + 1 }
      length += 1
    }
    self.length = length
    self.localStart = localStart
  }

  /// The name with its prefix.
  var whole: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: length) }

  /// The name without its prefix.
  var local: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start + localStart, count: length - localStart)
  }

  /// The prefix without the colon; empty if there is none.
  var prefix: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start, count: max(0, localStart - 1))
  }

  /// Whether the whole name is the given one.
  func isEqual(to text: StaticString) -> Bool {
    guard length == text.utf8CodeUnitCount else { return false }
    for index in 0..<length where start[index] != text.utf8Start[index] { return false }
    return true
  }
}

/// The attributes of a start tag as expat hands them over: names and values in turn, then nil.
struct Attributes {
  private let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

  init(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) { self.list = list }

  var isEmpty: Bool { list?.pointee == nil }

  func forEach(_ body: (_ name: QualifiedName, _ value: UnsafeBufferPointer<UInt8>) -> Void) {
    guard var next = list else { return }
    while let name = next[0], let value = next[1] {
      body(QualifiedName(name), QualifiedName(value).whole)
      next += 2
    }
  }

  /// The namespace that this tag binds to a prefix, the empty one being `xmlns` itself.
  func namespace(ofPrefix prefix: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    var found: UnsafeBufferPointer<UInt8>?
    forEach { name, value in
      let binds =
        prefix.isEmpty
        ? name.isEqual(to: "xmlns")
        : name.prefix.elementsEqual("xmlns".utf8) && name.local.elementsEqual(prefix)
      if binds { found = value }
    }
    return found
  }
}

/// Counts different names without keeping them.
///
/// - Precision: names that share one of 65,536 marks count as one, about 3 % of 4,096.
struct NameBudget {
  private var marks = [UInt64](repeating: 0, count: 1_024)
  private var remaining: Int

  init(limit: Int) { remaining = limit }

  /// Counts a name if it is new; false once there have been too many.
  mutating func spend(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    var fingerprint = FNV1a()
    fingerprint.add(name)
    let mark = Int((fingerprint.hash >> 48 ^ fingerprint.hash) & 0xFFFF)
    let bit: UInt64 = 1 << UInt64(mark & 63)
    if marks[mark >> 6] & bit == 0 {
      marks[mark >> 6] |= bit
      remaining -= 1
    }
    return remaining >= 0
  }
}
