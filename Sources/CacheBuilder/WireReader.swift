/// Reads the fields of a protocol buffer message.
///
/// A message that breaks the rules sets ``isBroken`` and ends at once: loops need no error handling
/// of their own, and nothing is read outside of the message.
///
/// - Source: protobuf.dev, "Encoding".
struct WireReader {
  private let base: UnsafeRawPointer
  /// Bytes from the start of the block.
  private(set) var position: Int
  private let end: Int
  /// Whether something was wrong.
  private(set) var isBroken = false

  init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    // An empty buffer may have no address; its range is empty too, so the address is not used.
    base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    position = range.lowerBound
    end = min(range.upperBound, bytes.count)
    if range.upperBound > bytes.count { fail() }
  }

  @inline(__always)
  var isAtEnd: Bool { position >= end }

  mutating func fail() {
    isBroken = true
    position = end
  }

  @inline(__always)
  mutating func varint() -> UInt64 {
    if position < end {
      let byte = base.load(fromByteOffset: position, as: UInt8.self)
      if byte < 0x80 {
        position &+= 1
        return UInt64(byte)
      }
    }
    return longVarint()
  }

  private mutating func longVarint() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < end, shift < 70 {
      let byte = base.load(fromByteOffset: position, as: UInt8.self)
      position &+= 1
      if shift < 64 { value |= UInt64(byte & 0x7F) << shift }
      if byte < 0x80 { return value }
      shift += 7
    }
    fail()
    return 0
  }

  /// A signed number in zigzag form.
  @inline(__always)
  mutating func sint() -> Int64 {
    let value = varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A signed number in two's complement.
  @inline(__always)
  mutating func int() -> Int64 { Int64(bitPattern: varint()) }

  /// The number and the wire type of the next field; nil at the end.
  @inline(__always)
  mutating func field() -> (number: UInt64, type: UInt64)? {
    guard position < end else { return nil }
    let tag = varint()
    guard !isBroken else { return nil }
    if tag >> 3 == 0 {
      fail()
      return nil
    }
    return (tag >> 3, tag & 7)
  }

  /// Where the bytes of a field with a length lie.
  @inline(__always)
  mutating func bytes(_ type: UInt64) -> Range<Int> {
    guard type == 2 else {
      fail()
      return end..<end
    }
    let length = varint()
    guard length <= UInt64(end - position) else {
      fail()
      return end..<end
    }
    let start = position
    position += Int(length)
    return start..<position
  }

  /// A number of a field without a length.
  mutating func number(_ type: UInt64) -> UInt64 {
    guard type == 0 else {
      fail()
      return 0
    }
    return varint()
  }

  mutating func skip(_ type: UInt64) {
    switch type {
    case 0: _ = varint()
    case 1: advance(8)
    case 2: _ = bytes(type)
    case 5: advance(4)
    default: fail()
    }
  }

  private mutating func advance(_ count: Int) {
    guard count <= end - position else { return fail() }
    position += count
  }
}
