import Foundation
import Phones

/// The newest messages of a phone, by their numbers: one that is sent again is answered, and nothing else comes of it.
///
/// A phone sends again what was not answered, and a server that was killed may have taken it in. To the engine it would be
/// a position that is not newer than what is known: it says nothing of the crossing for which the phone woke, so another
/// one would be asked for.
struct RecentMessages: Hashable, Sendable, Codable {
  /// So many are known: more than an app sends again after an outage of minutes.
  private static let most = 128

  /// The newest last.
  private var numbers: [UInt64] = []

  init() {}

  /// Reads them as they are stored: eight bytes each.
  init(from decoder: any Decoder) throws {
    let bytes = try decoder.singleValueContainer().decode(Data.self)
    numbers = bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count - bytes.count % 8, by: 8)
        .map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)) }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let numbers = numbers.map(\.littleEndian)
    try container.encode(numbers.withUnsafeBytes { Data($0) })
  }

  /// Those that came after one; none where it is not known.
  func after(_ number: UInt64) -> [UInt64] {
    numbers.lastIndex(of: number).map { Array(numbers[($0 + 1)...]) } ?? []
  }

  /// Notes one; the oldest is forgotten for it.
  ///
  /// - Returns: false if it is there already.
  @discardableResult
  mutating func note(_ number: UInt64) -> Bool {
    guard !numbers.contains(number) else { return false }
    if numbers.count == Self.most { numbers.removeFirst() }
    numbers.append(number)
    return true
  }
}

extension IntakeReading {
  /// Whether it means the same when it comes in once more, unlike a signal without a time.
  var isTheSameTwice: Bool { messageID != nil || items.allSatisfy(\.isTheSameTwice) }
}

extension IntakeItem {
  /// Whether it means the same when it comes in once more.
  fileprivate var isTheSameTwice: Bool {
    switch self {
    case .signal(let signal): signal.at != nil || signal.id != nil
    case .held, .heldOne: false
    case .fix, .still, .crossing, .battery, .status: true
    }
  }
}
