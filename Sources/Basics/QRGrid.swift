/// The squares of a QR code while it is drawn.
struct QRGrid: Sendable {
  private let version: QRVersion
  private let size: Int
  private(set) var dark: [Bool]
  /// What is there for cameras, and no data.
  private var isFixed: [Bool]

  /// Draws what every code of a version has (section 6.3).
  init(_ version: QRVersion) {
    self.version = version
    size = version.size
    dark = Array(repeating: false, count: size * size)
    isFixed = dark
    for i in 0..<size {
      fix(6, i, i % 2 == 0)
      fix(i, 6, i % 2 == 0)
    }
    for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
      fixRings(x, y, radius: 4) { $0 != 2 && $0 != 4 }
    }
    let middles = version.alignments
    for y in middles {
      for x in middles {
        // Three corners are taken by the finders.
        let isFinder = (x == 6 && (y == 6 || y == size - 7)) || (x == size - 7 && y == 6)
        if !isFinder { fixRings(x, y, radius: 2) { $0 != 1 } }
      }
    }
    fixFormat(mask: 0)
    if version.number >= 7 { fixVersion() }
  }

  private mutating func fix(_ x: Int, _ y: Int, _ isDark: Bool) {
    dark[y * size + x] = isDark
    isFixed[y * size + x] = true
  }

  private mutating func fixRings(_ x: Int, _ y: Int, radius: Int, isDark: (Int) -> Bool) {
    for dy in -radius...radius {
      for dx in -radius...radius
      where (0..<size).contains(x + dx) && (0..<size).contains(y + dy) {
        fix(x + dx, y + dy, isDark(max(abs(dx), abs(dy))))
      }
    }
  }

  /// Level and mask, twice, and the module that is always dark (section 7.9).
  private mutating func fixFormat(mask: Int) {
    let word = Self.coded(version.correction.rawValue << 3 | mask, by: 0x537, length: 10) ^ 0x5412
    for i in 0..<15 {
      let bit = word >> i & 1 == 1
      switch i {
      case ..<6: fix(8, i, bit)
      case 6: fix(8, 7, bit)
      case 7: fix(8, 8, bit)
      case 8: fix(7, 8, bit)
      default: fix(14 - i, 8, bit)
      }
      if i < 8 { fix(size - 1 - i, 8, bit) } else { fix(8, size - 15 + i, bit) }
    }
    fix(8, size - 8, true)
  }

  /// The version, twice (section 7.10).
  private mutating func fixVersion() {
    let word = Self.coded(version.number, by: 0x1F25, length: 12)
    for i in 0..<18 {
      let (far, near) = (size - 11 + i % 3, i / 3)
      fix(far, near, word >> i & 1 == 1)
      fix(near, far, word >> i & 1 == 1)
    }
  }

  /// A word with its remainder by a polynomial after it: a BCH code.
  private static func coded(_ word: Int, by polynomial: Int, length: Int) -> Int {
    var rest = word << length
    while rest >> length != 0 {
      let bit = Int.bitWidth - 1 - rest.leadingZeroBitCount
      rest ^= polynomial << (bit - length)
    }
    return word << length | rest
  }

  /// Fills the columns in pairs from the right, up and down in turn (section 7.7.3).
  mutating func drawData(_ words: [UInt8]) {
    var at = 0
    var isUp = true
    for pair in stride(from: size - 1, through: 1, by: -2) {
      // The column of the timing line is passed over.
      let right = pair <= 6 ? pair - 1 : pair
      for i in 0..<size {
        let y = isUp ? size - 1 - i : i
        for x in [right, right - 1] where !isFixed[y * size + x] {
          dark[y * size + x] = at < words.count * 8 && words[at / 8] >> (7 - at % 8) & 1 == 1
          at += 1
        }
      }
      isUp.toggle()
    }
  }

  /// Inverts the data by one of the eight masks (table 10).
  mutating func apply(mask: Int) {
    for y in 0..<size {
      for x in 0..<size where !isFixed[y * size + x] && Self.inverts(mask, x, y) {
        dark[y * size + x].toggle()
      }
    }
    fixFormat(mask: mask)
  }

  private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
    switch mask {
    case 0: (x + y) % 2 == 0
    case 1: y % 2 == 0
    case 2: x % 3 == 0
    case 3: (x + y) % 3 == 0
    case 4: (x / 3 + y / 2) % 2 == 0
    case 5: x * y % 2 + x * y % 3 == 0
    case 6: (x * y % 2 + x * y % 3) % 2 == 0
    default: ((x + y) % 2 + x * y % 3) % 2 == 0
    }
  }

  /// How hard it is to read: less is better (section 7.8.3).
  var penalty: Int {
    var points = 0
    for i in 0..<size {
      points += Self.penalty(of: (0..<size).map { dark[i * size + $0] })
      points += Self.penalty(of: (0..<size).map { dark[$0 * size + i] })
    }
    for y in 1..<size {
      for x in 1..<size {
        let one = dark[y * size + x]
        if dark[y * size + x - 1] == one, dark[(y - 1) * size + x] == one,
          dark[(y - 1) * size + x - 1] == one
        {
          points += 3
        }
      }
    }
    let share = dark.count(where: \.self) * 20
    return points + 10 * (abs(share - 10 * dark.count) / dark.count)
  }

  /// Runs of one color, and what looks like a finder, in a row or a column.
  private static func penalty(of line: [Bool]) -> Int {
    var points = 0
    var run = 0
    for i in line.indices {
      run = i > 0 && line[i] == line[i - 1] ? run + 1 : 1
      if run == 5 { points += 3 } else if run > 5 { points += 1 }
    }
    let finder = [true, false, true, true, true, false, true]
    let light = [false, false, false, false]
    for pattern in [finder + light, light + finder] where line.count >= pattern.count {
      for i in 0...(line.count - pattern.count)
      where line[i..<i + pattern.count].elementsEqual(pattern) { points += 40 }
    }
    return points
  }
}
