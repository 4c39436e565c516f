/// Writes the wire format of protocol buffers.
///
/// - Source: protobuf.dev/programming-guides/encoding.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func number(_ field: UInt64, _ value: UInt64) {
    varint(field << 3)
    varint(value)
  }

  mutating func signed(_ field: UInt64, _ value: Int64) { number(field, Self.zigzag(value)) }

  mutating func data(_ field: UInt64, _ data: [UInt8]) {
    varint(field << 3 | 2)
    varint(UInt64(data.count))
    bytes += data
  }

  mutating func text(_ field: UInt64, _ text: String) { data(field, Array(text.utf8)) }

  mutating func packed(_ field: UInt64, _ values: [UInt64]) {
    var inner = WireWriter()
    for value in values { inner.varint(value) }
    data(field, inner.bytes)
  }

  /// Differences of neighbors, as the format stores ids and coordinates.
  mutating func packedDeltas(_ field: UInt64, _ values: [Int64]) {
    var before: Int64 = 0
    var deltas: [UInt64] = []
    for value in values {
      deltas.append(Self.zigzag(value - before))
      before = value
    }
    packed(field, deltas)
  }

  private static func zigzag(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: (value << 1) ^ (value >> 63))
  }
}
