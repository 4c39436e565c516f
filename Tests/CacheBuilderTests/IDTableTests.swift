import Basics
import Testing

import CacheBuilder

@Suite struct IDTableTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `it finds what a dictionary finds, however it grows`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (table, ids, dictionary) = (IDTable(), [String](), [String: Int]())
    for _ in 0..<20_000 {
      let id = "node/\(UInt64.random(in: 0..<12_000, using: &random))"
      let hash = IDTable.hash(of: id)
      let found = table.index(of: hash) { ids[$0] == id }
      #expect(found == dictionary[id], "seed \(seed), \(id)")
      guard found == nil else { continue }
      table.append(hash)
      dictionary[id] = ids.count
      ids.append(id)
    }
  }

  @Test func `ids of one hash are told apart by what they are`() {
    let ids = (0..<300).map { "way/\($0)" }
    var table = IDTable()
    for _ in ids { table.append(7) }
    for (index, id) in ids.enumerated() {
      #expect(table.index(of: 7) { ids[$0] == id } == index)
    }
    #expect(table.index(of: 7) { ids[$0] == "way/300" } == nil)
    #expect(table.index(of: 8) { _ in true } == nil)
  }
}
