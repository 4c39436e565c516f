/// Numbers 1 … 64 and -1 … -64, each a bit.
struct SmallNumbers: Hashable, Sendable {
  /// Bit n - 1 stands for n.
  var positive: UInt64 = 0
  /// Bit n - 1 stands for -n.
  var negative: UInt64 = 0

  var isEmpty: Bool { positive | negative == 0 }

  mutating func insert(_ number: Int) {
    if number > 0 { positive |= 1 << UInt64(number - 1) }
    if number < 0 { negative |= 1 << UInt64(-number - 1) }
  }

  /// Ascending: -31 … -1, 1 … 31.
  var numbers: [Int] {
    (0..<64).reversed().filter { negative >> UInt64($0) & 1 == 1 }.map { -$0 - 1 }
      + (0..<64).filter { positive >> UInt64($0) & 1 == 1 }.map { $0 + 1 }
  }
}

/// Numbers 1 … 512 and -1 … -512, each a bit.
struct LargeNumbers: Hashable, Sendable {
  /// Bit n - 1 stands for n.
  var positive = SIMD8<UInt64>()
  /// Bit n - 1 stands for -n.
  var negative = SIMD8<UInt64>()
  private(set) var isEmpty = true

  mutating func insert(_ number: Int) {
    isEmpty = false
    let index = number.magnitude - 1
    let bit: UInt64 = 1 << UInt64(index % 64)
    if number > 0 { positive[Int(index / 64)] |= bit } else { negative[Int(index / 64)] |= bit }
  }

  func contains(positive index: Int) -> Bool {
    positive[index >> 6] >> UInt64(index & 63) & 1 == 1
  }

  func contains(negative index: Int) -> Bool {
    negative[index >> 6] >> UInt64(index & 63) & 1 == 1
  }

  /// Ascending.
  var numbers: [Int] {
    (0..<512).reversed().filter { contains(negative: $0) }.map { -$0 - 1 }
      + (0..<512).filter { contains(positive: $0) }.map { $0 + 1 }
  }
}
