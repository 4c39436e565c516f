import Basics
import Timeline
import Traces

/// The plain forms of numbers and times that devices write, read eight bytes at a time.
///
/// Every form gives the bits that ``DecimalText`` and ``RFC3339`` give. Each function moves the
/// pointer behind the value, or returns nil and leaves it anywhere. They may look at 24 bytes behind
/// what they read; a zero byte ends every value.
struct PlainValues {
  private let powers: UnsafeMutablePointer<UInt64>
  /// The date, hour and minute of the last time, as its first 16 bytes, and the instant they name.
  private var minuteText: (UInt64, UInt64) = (0, 0)
  private var minuteStart: Int64 = 0

  /// - Parameter powers: room for ten to the 0 … 15, which the caller keeps and frees.
  init(powers: UnsafeMutablePointer<UInt64>) {
    self.powers = powers
    var power: UInt64 = 1
    for exponent in 0..<Self.powerCount {
      powers[exponent] = power
      power *= 10
    }
  }

  /// How many powers of ten are kept.
  static let powerCount = 16

  // MARK: - Numbers

  /// Reads `-76.1234567` and the like.
  ///
  /// - Source: a whole number up to 2⁵³ and a power of ten up to 10²² are exact, so the one division
  ///   rounds once, as in ``DecimalText/parse(_:)-(UnsafeBufferPointer<UInt8>)``.
  @inline(__always)
  func number(_ position: inout UnsafeRawPointer) -> Double? {
    let start = position
    let isNegative = start.load(as: UInt8.self) == UInt8(ascii: "-")
    let whole = start + (isNegative ? 1 : 0)
    let wholeWord = load(whole)
    let wholeDigits = digitCount(wholeWord)
    // Seven digits before the point are as many as any coordinate, speed or accuracy has.
    guard UInt(bitPattern: wholeDigits &- 1) < 7 else { return uncommonNumber(&position) }
    var digits = value(wholeWord, digits: wholeDigits)
    let point = whole + wholeDigits
    guard point.load(as: UInt8.self) == UInt8(ascii: ".") else {
      position = point
      let number = Double(digits)
      return isNegative ? -number : number
    }
    let fraction = point + 1
    let word = load(fraction)
    var count = digitCount(word)
    guard count > 0 else { return uncommonNumber(&position) }
    digits = digits &* powers[count] &+ value(word, digits: count)
    if count == 8 {
      let more = load(fraction + 8)
      let moreDigits = digitCount(more)
      if moreDigits > 0 {
        guard wholeDigits &+ 8 &+ moreDigits <= 15 else { return uncommonNumber(&position) }
        digits = digits &* powers[moreDigits] &+ value(more, digits: moreDigits)
        count &+= moreDigits
      }
    }
    position = fraction + count
    let number = Double(digits) / Double(powers[count])
    return isNegative ? -number : number
  }

  @inline(never)
  private func uncommonNumber(_ position: inout UnsafeRawPointer) -> Double? {
    let length = runLength(position) {
      $0 &- 0x30 <= 9 || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E || $0 | 0x20 == 0x65
    }
    guard let length else { return nil }
    let bytes = UnsafeBufferPointer(
      start: position.assumingMemoryBound(to: UInt8.self),
      count: length
    )
    guard let number = DecimalText.parse(bytes) else { return nil }
    position += length
    return number
  }

  // MARK: - Times

  /// Reads `2026-01-05T17:20:00Z` and the like, as milliseconds since the epoch.
  @inline(__always)
  mutating func instant(_ position: inout UnsafeRawPointer) -> Int64? {
    let start = position
    // Most fixes share their minute with the one before.
    guard load(start) == minuteText.0, load(start + 8) == minuteText.1 else {
      return newMinute(&position)
    }
    // ":SS" and what follows.
    let word = load(start + 16)
    let tens = word >> 8 & 0xFF &- 0x30
    let ones = word >> 16 & 0xFF &- 0x30
    guard word & 0xFF == 0x3A, tens <= 5, ones <= 9 else { return newMinute(&position) }
    let instant = minuteStart &+ Int64(tens &* 10 &+ ones) &* 1_000
    if word >> 24 & 0xFF == 0x5A {
      position = start + 20
      return instant
    }
    // ".fff" and "Z".
    let first = word >> 32 & 0xFF &- 0x30
    let second = word >> 40 & 0xFF &- 0x30
    let third = word >> 48 & 0xFF &- 0x30
    guard word >> 24 & 0xFF == 0x2E, first <= 9, second <= 9, third <= 9, word >> 56 == 0x5A
    else { return newMinute(&position) }
    position = start + 24
    return instant &+ Int64(first &* 100 &+ second &* 10 &+ third)
  }

  /// Reads a time of any form, and remembers its minute if it is a plain one.
  @inline(never)
  private mutating func newMinute(_ position: inout UnsafeRawPointer) -> Int64? {
    let length = runLength(position) {
      $0 &- 0x2B <= 0x0F || $0 | 0x20 == 0x74 || $0 | 0x20 == 0x7A
    }
    guard let length else { return nil }
    let bytes = UnsafeBufferPointer(
      start: position.assumingMemoryBound(to: UInt8.self),
      count: length
    )
    guard let instant = RFC3339.parse(bytes) else { return nil }
    let text = (load(position), load(position + 8))
    // The hour 24 is one only on the full hour, and the second 60 is in the next minute.
    if length >= 20, bytes[16] == 0x3A, bytes[17] <= 0x35, bytes[length - 1] == 0x5A,
      bytes[11] != 0x32 || bytes[12] != 0x34, text != minuteText
    {
      let second = Int64(bytes[17] &- 0x30) * 10 + Int64(bytes[18] &- 0x30)
      let fraction = instant.milliseconds - (instant.milliseconds / 1_000) * 1_000
      minuteText = text
      minuteStart =
        instant.milliseconds - second * 1_000 - (fraction < 0 ? fraction + 1_000 : fraction)
    }
    position += length
    return instant.milliseconds
  }

  // MARK: - Texts of no interest

  /// Skips a text that is not looked at: digits as a rule, else any plain ASCII text.
  ///
  /// - Returns: false if it is empty, or holds what only a parser should judge.
  @inline(__always)
  func skipText(_ position: inout UnsafeRawPointer) -> Bool {
    let start = position
    var next = start
    while true {
      // Bytes from "+" to ":" are what numbers and times are made of.
      let word = load(next)
      let low = (word &- 0x2B2B_2B2B_2B2B_2B2B) & ~word
      let high = (word &+ 0x4545_4545_4545_4545) | word
      let others = (low | high) & 0x8080_8080_8080_8080
      if others == 0 {
        next += 8
        continue
      }
      next += others.trailingZeroBitCount >> 3
      break
    }
    if next.load(as: UInt8.self) != UInt8(ascii: "<") {
      while true {
        let byte = next.load(as: UInt8.self)
        if byte == UInt8(ascii: "<") { break }
        guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "&"), byte != UInt8(ascii: ">") else {
          return false
        }
        next += 1
      }
    }
    position = next
    return next > start
  }

  // MARK: - Words

  @inline(__always)
  private func load(_ position: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: position.loadUnaligned(as: UInt64.self))
  }

  /// How many bytes from the first on are digits.
  @inline(__always)
  private func digitCount(_ word: UInt64) -> Int {
    let x = word ^ 0x3030_3030_3030_3030
    // A carry out of a byte can only mark bytes behind one that is marked already.
    let others = ((x &+ 0x7676_7676_7676_7676) | x) & 0x8080_8080_8080_8080
    return others.trailingZeroBitCount >> 3
  }

  /// The number that the first bytes spell; at least one of them.
  @inline(__always)
  private func value(_ word: UInt64, digits: Int) -> UInt64 {
    var v = (word ^ 0x3030_3030_3030_3030) &<< UInt64(truncatingIfNeeded: 64 &- digits &* 8)
    v = v &* 10 &+ (v &>> 8)
    let mask: UInt64 = 0x0000_00FF_0000_00FF
    return
      ((v & mask) &* 0x000F_4240_0000_0064 &+ ((v &>> 16) & mask) &* 0x0000_2710_0000_0001)
      &>> 32
  }

  /// How many bytes pass a test; nil for none, or for more than any value has.
  private func runLength(_ start: UnsafeRawPointer, _ isPart: (UInt8) -> Bool) -> Int? {
    var length = 0
    while length <= 40 {
      guard isPart((start + length).load(as: UInt8.self)) else { return length > 0 ? length : nil }
      length += 1
    }
    return nil
  }
}
