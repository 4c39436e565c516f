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
    guard end &- position >= 8 else { return varintByBytes() }
    let word = self.word
    // Where a number of up to eight bytes ends: the lowest of the top bits that is not set.
    let stops = ~word & Self.topBits
    guard stops != 0 else { return varintByBytes() }
    position &+= stops.trailingZeroBitCount >> 3 &+ 1
    // Seven bits of each byte up to there, moved together in three steps.
    var bits = word & (stops ^ (stops &- 1)) & ~Self.topBits
    bits = (bits & 0x7F00_7F00_7F00_7F00) >> 1 | bits & 0x007F_007F_007F_007F
    bits = (bits & 0x3FFF_0000_3FFF_0000) >> 2 | bits & 0x0000_3FFF_0000_3FFF
    return (bits & 0x0FFF_FFFF_0000_0000) >> 4 | bits & 0x0000_0000_0FFF_FFFF
  }

  private mutating func varintByBytes() -> UInt64 {
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

  private static let topBits: UInt64 = 0x8080_8080_8080_8080

  /// The next eight bytes, the first one lowest; there must be as many.
  @inline(__always)
  private var word: UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// Goes past bytes of zero.
  ///
  /// - Returns: how many there were.
  @inline(__always)
  mutating func skipZeros() -> Int {
    let start = position
    while end &- position >= 8 {
      let word = self.word
      guard word == 0 else {
        position &+= word.trailingZeroBitCount >> 3
        return position &- start
      }
      position &+= 8
    }
    while position < end, base.load(fromByteOffset: position, as: UInt8.self) == 0 {
      position &+= 1
    }
    return position &- start
  }

  /// Reads ids that are kept as differences, to the end, and widens a range by each of them.
  mutating func readIDs(_ range: inout IDRange) {
    var id: Int64 = 0
    while !isAtEnd {
      // Ids mostly rise by less than 64: then eight of them are eight even bytes.
      while end &- position >= 8 {
        let word = self.word
        guard word & 0x8181_8181_8181_8181 == 0 else { break }
        let rises = word >> 1
        let pairs = (rises & 0x00FF_00FF_00FF_00FF) &+ (rises >> 8 & 0x00FF_00FF_00FF_00FF)
        range.include(id &+ Int64(rises & 0x7F))
        id &+= Int64(pairs &* 0x0001_0001_0001_0001 >> 48)
        range.include(id)
        position &+= 8
      }
      guard !isAtEnd else { return }
      id &+= sint()
      range.include(id)
    }
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
