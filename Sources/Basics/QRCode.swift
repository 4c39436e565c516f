/// A QR code: bytes as dark and light squares that a camera reads.
///
/// Byte mode, versions 1 to 25, error correction levels L and M.
///
/// - Source: ISO/IEC 18004:2015; section and table numbers below are of it.
package struct QRCode: Hashable, Sendable {
  /// How much of it may be lost and it is still read.
  package enum Correction: Int, Sendable, CaseIterable {
    /// Level M, about 15 percent.
    case medium = 0b00
    /// Level L, about 7 percent.
    case low = 0b01
  }

  /// Modules along an edge.
  package let size: Int
  /// Which of the eight masks it is drawn with.
  package let mask: Int
  private let dark: [Bool]

  /// Whether a module is dark; what lies outside is light.
  package subscript(x: Int, y: Int) -> Bool {
    (0..<size).contains(x) && (0..<size).contains(y) && dark[y * size + x]
  }

  /// Draws the code of some bytes in the smallest version that holds them, with the mask that is easiest to read.
  ///
  /// - Returns: nil where they are too many: 1,273 bytes fit at level L, 997 at level M.
  package init?(_ bytes: some Collection<UInt8>, correction: Correction) {
    guard let version = QRVersion(holding: bytes.count, correction: correction) else { return nil }
    var grid = QRGrid(version)
    grid.drawData(version.codewords(of: Array(bytes)))
    let tried = (0..<8)
      .map { mask in
        var copy = grid
        copy.apply(mask: mask)
        return (mask: mask, grid: copy, penalty: copy.penalty)
      }
    guard let best = tried.min(by: { $0.penalty < $1.penalty }) else { return nil }
    size = version.size
    mask = best.mask
    dark = best.grid.dark
  }
}

/// A size of codes, with how it is corrected.
struct QRVersion: Sendable {
  /// Codewords of error correction in a block and blocks, by version from 1 (table 9).
  private static let lowChecks = [
    7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30,
    26,
  ]
  private static let lowBlocks = [
    1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12,
  ]
  private static let mediumChecks = [
    10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28,
    28,
  ]
  private static let mediumBlocks = [
    1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21,
  ]

  let number: Int
  let correction: QRCode.Correction

  /// The smallest that holds so many bytes; nil if none does.
  init?(holding count: Int, correction: QRCode.Correction) {
    let fits = (1...25).map { QRVersion(number: $0, correction: correction) }
      .first { count + ($0.number < 10 ? 2 : 3) <= $0.dataCount }
    guard let fits else { return nil }
    self = fits
  }

  private init(number: Int, correction: QRCode.Correction) {
    self.number = number
    self.correction = correction
  }

  /// Modules along an edge.
  var size: Int { 17 + 4 * number }

  /// Where the middles of the alignment patterns are, in rows and columns alike (annex E).
  var alignments: [Int] {
    guard number > 1 else { return [] }
    let count = number / 7 + 2
    let last = size - 7
    let gaps = 2 * (count - 1)
    let step = (last - 6 + gaps - 1) / gaps * 2
    return [6] + (1..<count).map { last - (count - 1 - $0) * step }
  }

  private var checkCount: Int {
    (correction == .low ? Self.lowChecks : Self.mediumChecks)[number - 1]
  }

  private var blockCount: Int {
    (correction == .low ? Self.lowBlocks : Self.mediumBlocks)[number - 1]
  }

  /// Codewords that are left for data.
  private var dataCount: Int {
    let count = alignments.count
    var bits = size * size - 3 * 64 - 2 * 15 - 1 - 2 * (size - 16)
    // Alignment patterns take 25 modules; those on the timing lines share five with them.
    if count > 0 { bits -= (count * count - 3) * 25 - 2 * (count - 2) * 5 }
    if number >= 7 { bits -= 2 * 18 }
    return bits / 8 - checkCount * blockCount
  }

  /// The codewords in the order in which they are drawn.
  func codewords(of bytes: [UInt8]) -> [UInt8] { dealt(framed(bytes)) }

  /// The data with its header, filled up to what the version holds (section 7.4).
  private func framed(_ bytes: [UInt8]) -> [UInt8] {
    var bits: [Bool] = []
    func add(_ value: Int, _ length: Int) {
      for i in (0..<length).reversed() { bits.append(value >> i & 1 == 1) }
    }
    let capacity = dataCount * 8
    add(0b0100, 4)
    add(bytes.count, number < 10 ? 8 : 16)
    for byte in bytes { add(Int(byte), 8) }
    add(0, min(4, capacity - bits.count))
    add(0, (8 - bits.count % 8) % 8)
    var fill = 0xEC
    while bits.count < capacity {
      add(fill, 8)
      fill ^= 0xEC ^ 0x11
    }
    return stride(from: 0, to: capacity, by: 8)
      .map { bits[$0..<$0 + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) } }
  }

  /// The blocks with their checks, a codeword of each in turn (section 7.6).
  private func dealt(_ data: [UInt8]) -> [UInt8] {
    let short = data.count / blockCount
    let firstLong = blockCount - data.count % blockCount
    let divisor = ReedSolomon.generator(degree: checkCount)
    var start = 0
    let parts = (0..<blockCount)
      .map { i -> [UInt8] in
        let length = short + (i >= firstLong ? 1 : 0)
        defer { start += length }
        return Array(data[start..<start + length])
      }
    let checks = parts.map { ReedSolomon.remainder($0, divisor) }
    var out: [UInt8] = []
    for i in 0...short { for part in parts where i < part.count { out.append(part[i]) } }
    for i in 0..<checkCount { for check in checks { out.append(check[i]) } }
    return out
  }
}

/// Codewords that bring lost ones back, over the field of 256 elements with x⁸ + x⁴ + x³ + x² + 1 (section 7.5).
enum ReedSolomon {
  private static let tables: (powers: [UInt8], logarithms: [Int]) = {
    var powers: [UInt8] = []
    var logarithms = Array(repeating: 0, count: 256)
    var value = 1
    for i in 0..<255 {
      powers.append(UInt8(value))
      logarithms[value] = i
      value = value << 1 ^ (value & 0x80 == 0 ? 0 : 0x11D)
    }
    return (powers, logarithms)
  }()

  private static func times(_ a: UInt8, _ b: UInt8) -> UInt8 {
    guard a != 0, b != 0 else { return 0 }
    return tables.powers[(tables.logarithms[Int(a)] + tables.logarithms[Int(b)]) % 255]
  }

  /// The polynomial with the roots α⁰ … αⁿ⁻¹, its leading 1 left out.
  static func generator(degree: Int) -> [UInt8] {
    var terms: [UInt8] = [1]
    for i in 0..<degree {
      var next = terms + [0]
      for (j, term) in terms.enumerated() { next[j + 1] ^= times(term, tables.powers[i]) }
      terms = next
    }
    return Array(terms.dropFirst())
  }

  static func remainder(_ data: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
    var rest = Array(repeating: UInt8(0), count: divisor.count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for (i, term) in divisor.enumerated() { rest[i] ^= times(term, factor) }
    }
    return rest
  }
}
