/// A large value kept by reference: what holds it is passed on fast, and reading one of its numbers copies no other.
///
/// A value all the same: copies share it until one of them is changed, and it is coded as what it holds.
/// Unchecked: it is changed only while nobody else holds the storage.
struct Boxed<Value: Hashable & Sendable & Codable>: @unchecked Sendable {
  private final class Storage {
    // Nobody but the one who changes it holds it then, so that looking for overlaps is time lost.
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  /// What it holds.
  var value: Value {
    _read { yield storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}

extension Boxed: Hashable {
  static func == (a: Self, b: Self) -> Bool { a.storage === b.storage || a.value == b.value }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Boxed: Codable {
  init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
