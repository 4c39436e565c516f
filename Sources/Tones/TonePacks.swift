/// The tones that reminders can speak in.
public struct TonePacks: Hashable, Sendable {
  /// Those that there are besides ``TonePack/plain``, in order of their names.
  public let packs: [TonePack]
  /// The name of the one for reminders that name none.
  public let usual: String
  /// Makes other choices for the same occasions.
  public let seed: UInt64

  /// Makes tones; without any, everything is said plainly.
  public init(_ packs: [TonePack] = [], usual: String = TonePack.plain.name, seed: UInt64 = 0) {
    self.packs = packs.sorted { $0.name < $1.name }
    self.usual = usual
    self.seed = seed
  }

  /// The tone of a name, or the usual one; where there is none of that name, the plain one: a reminder is told
  /// in any case.
  public subscript(name: String?) -> TonePack {
    let wanted = name ?? usual
    return packs.first { $0.name == wanted } ?? .plain
  }
}

extension TonePacks: Codable {
  private enum Key: String, CodingKey {
    case packs, usual, seed
  }

  /// A pack as it is stored: its name, and its templates by kind.
  private struct StoredPack: Codable {
    let name: String
    let templates: [String: [String]]
  }

  /// Reads stored tones.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let packs = try container.decode([StoredPack].self, forKey: .packs)
      .map { stored in
        try TonePack(name: stored.name) { kind throws(ToneError) in
          stored.templates[kind.rawValue] ?? []
        }
      }
    self.init(
      packs,
      usual: try container.decode(String.self, forKey: .usual),
      seed: try container.decode(UInt64.self, forKey: .seed)
    )
  }

  /// Writes tones to store them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    let stored = packs.map { pack in
      StoredPack(
        name: pack.name,
        templates: Dictionary(
          uniqueKeysWithValues: SentenceKind.allCases.map { ($0.rawValue, pack.texts(of: $0)) }
        )
      )
    }
    try container.encode(stored, forKey: .packs)
    try container.encode(usual, forKey: .usual)
    try container.encode(seed, forKey: .seed)
  }
}
