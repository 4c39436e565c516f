/// Reads the pieces of a time as people and files write it.
package struct TimeReader {
  package let bytes: UnsafeBufferPointer<UInt8>
  package private(set) var position: Int
  package private(set) var end: Int

  /// Reads from one position up to another.
  package init(bytes: UnsafeBufferPointer<UInt8>, position: Int, end: Int) {
    self.bytes = bytes
    self.position = position
    self.end = end
  }

  package var isAtEnd: Bool { position == end }

  /// Passes over white space on both ends.
  package mutating func trim() {
    while position < end, bytes[position] <= 0x20 { position += 1 }
    while end > position, bytes[end - 1] <= 0x20 { end -= 1 }
  }

  package mutating func take(_ byte: UInt8) -> Bool {
    guard position < end, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  package mutating func takeAny(of letters: StaticString) -> Bool {
    guard position < end else { return false }
    for index in 0..<letters.utf8CodeUnitCount
    where letters.utf8Start[index] == bytes[position] {
      position += 1
      return true
    }
    return false
  }

  /// A number of so many digits; nil, and nothing is taken, where there are fewer.
  package mutating func digits(_ count: Int) -> Int? {
    guard position + count <= end else { return nil }
    var value = 0
    for index in position..<position + count {
      let digit = bytes[index] &- 0x30
      guard digit <= 9 else { return nil }
      value = value * 10 + Int(digit)
    }
    position += count
    return value
  }
}
