/// Where the places of a list are by their ids.
///
/// A `[String: Int]` hashes each id anew whenever it grows, and follows each to its text: a third of the time in which a
/// table of a million rows is read. This one keeps the hashes, and asks for an id only where they are equal.
package struct IDTable {
  /// By hash, from where it leads on: one more than the index of a place; 0 where there is none.
  private var slots = [UInt32](repeating: 0, count: 1 << 10)
  /// By index of the place.
  private var hashes: [UInt32] = []

  package init() {}

  /// The hash of an id, by which all else goes; equal for texts that are equal.
  package static func hash(of id: String) -> UInt32 { UInt32(truncatingIfNeeded: id.hashValue) }

  /// The place of an id.
  ///
  /// - Parameter isSame: whether a place, by its index, has the id.
  /// - Returns: nil where there is none.
  package func index(of hash: UInt32, where isSame: (Int) -> Bool) -> Int? {
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let index = Int(slots[slot] - 1)
      if hashes[index] == hash, isSame(index) { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Takes in the next place of the list, whose id must not be there yet.
  package mutating func append(_ hash: UInt32) {
    hashes.append(hash)
    guard hashes.count * 2 > slots.count else { return put(hashes.count - 1) }
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for index in hashes.indices { put(index) }
  }

  private mutating func put(_ index: Int) {
    var slot = Int(hashes[index]) & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(index + 1)
  }
}
