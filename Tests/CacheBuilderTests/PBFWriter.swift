import CZlib

/// Writes small PBF files, so that readers can be shown files that no tool would write.
struct PBFWriter {
  enum Packing { case raw, zlib }

  struct Node {
    var id: Int64
    var latitudeE7: Int64
    var longitudeE7: Int64
    var tags: [(String, String)] = []
  }
  struct Way {
    var id: Int64
    var refs: [Int64]
    var tags: [(String, String)] = []
  }
  struct Member {
    /// 0 node, 1 way, 2 relation.
    var type: UInt64
    var id: Int64
    var role: String
  }
  struct Relation {
    var id: Int64
    var members: [Member]
    var tags: [(String, String)] = []
  }

  var packing = Packing.raw
  var features = ["OsmSchema-V0.6", "DenseNodes"]
  var isDense = true
  /// Whether ways have the places of their nodes, which are in the file only where they have tags.
  var locatesWays = false

  func file(nodes: [Node], ways: [Way] = [], relations: [Relation] = []) -> [UInt8] {
    var header = Message()
    for feature in features { header.bytes(4, Array(feature.utf8)) }
    header.number(32, 1_600_000_000)
    var bytes = blob("OSMHeader", header.bytes)
    let written = locatesWays ? nodes.filter { !$0.tags.isEmpty } : nodes
    for block in [
      block { try? nodesGroup(written, &$0) }, block { waysGroup(ways, nodes, &$0) },
      block { relationsGroup(relations, &$0) },
    ] { bytes += blob("OSMData", block) }
    return bytes
  }

  func blob(_ type: String, _ contents: [UInt8]) -> [UInt8] {
    var body = Message()
    switch packing {
    case .raw: body.bytes(1, contents)
    case .zlib:
      body.number(2, UInt64(contents.count))
      body.bytes(3, packed(contents))
    }
    var header = Message()
    header.bytes(1, Array(type.utf8))
    header.number(3, UInt64(body.bytes.count))
    let length = UInt32(header.bytes.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + header.bytes
      + body.bytes
  }

  private func packed(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(size))
    compress(&packed, &size, bytes, uLong(bytes.count))
    return Array(packed[..<Int(size)])
  }

  private func block(_ fill: (inout Strings) -> Message?) -> [UInt8] {
    var strings = Strings()
    let group = fill(&strings) ?? Message()
    var table = Message()
    for string in strings.list { table.bytes(1, Array(string.utf8)) }
    var block = Message()
    block.bytes(1, table.bytes)
    block.bytes(2, group.bytes)
    return block.bytes
  }

  private func nodesGroup(_ nodes: [Node], _ strings: inout Strings) throws -> Message {
    var group = Message()
    guard isDense else {
      for node in nodes {
        var message = Message()
        message.number(1, zigzag(node.id))
        addTags(node.tags, to: &message, &strings)
        message.number(8, zigzag(node.latitudeE7))
        message.number(9, zigzag(node.longitudeE7))
        group.bytes(1, message.bytes)
      }
      return group
    }
    var dense = Message()
    dense.packed(1, deltas(nodes.map(\.id)))
    dense.packed(8, deltas(nodes.map(\.latitudeE7)))
    dense.packed(9, deltas(nodes.map(\.longitudeE7)))
    var tags: [UInt64] = []
    for node in nodes {
      for (key, value) in node.tags { tags += [strings.index(key), strings.index(value)] }
      tags.append(0)
    }
    dense.packed(10, tags)
    group.bytes(2, dense.bytes)
    return group
  }

  private func waysGroup(_ ways: [Way], _ nodes: [Node], _ strings: inout Strings) -> Message {
    var group = Message()
    for way in ways {
      var message = Message()
      message.number(1, UInt64(bitPattern: way.id))
      addTags(way.tags, to: &message, &strings)
      message.packed(8, deltas(way.refs))
      let located = way.refs.compactMap { id in nodes.first { $0.id == id } }
      if locatesWays, located.count == way.refs.count {
        message.packed(9, deltas(located.map(\.latitudeE7)))
        message.packed(10, deltas(located.map(\.longitudeE7)))
      }
      group.bytes(3, message.bytes)
    }
    return group
  }

  private func relationsGroup(_ relations: [Relation], _ strings: inout Strings) -> Message {
    var group = Message()
    for relation in relations {
      var message = Message()
      message.number(1, UInt64(bitPattern: relation.id))
      addTags(relation.tags, to: &message, &strings)
      message.packed(8, relation.members.map { strings.index($0.role) })
      message.packed(9, deltas(relation.members.map(\.id)))
      message.packed(10, relation.members.map(\.type))
      group.bytes(4, message.bytes)
    }
    return group
  }

  private func addTags(
    _ tags: [(String, String)],
    to message: inout Message,
    _ strings: inout Strings
  ) {
    guard !tags.isEmpty else { return }
    message.packed(2, tags.map { strings.index($0.0) })
    message.packed(3, tags.map { strings.index($0.1) })
  }

  private func zigzag(_ number: Int64) -> UInt64 { UInt64(bitPattern: number << 1 ^ number >> 63) }

  private func deltas(_ numbers: [Int64]) -> [UInt64] {
    zip(numbers, [0] + numbers).map { zigzag($0 &- $1) }
  }

  private struct Strings {
    var list = [""]
    mutating func index(_ string: String) -> UInt64 {
      if let index = list.firstIndex(of: string) { return UInt64(index) }
      list.append(string)
      return UInt64(list.count - 1)
    }
  }

  /// A message under construction.
  struct Message {
    var bytes: [UInt8] = []

    mutating func varint(_ number: UInt64) {
      var number = number
      while number >= 0x80 {
        bytes.append(UInt8(number & 0x7F) | 0x80)
        number >>= 7
      }
      bytes.append(UInt8(number))
    }

    mutating func number(_ field: UInt64, _ value: UInt64) {
      varint(field << 3)
      varint(value)
    }

    mutating func bytes(_ field: UInt64, _ value: [UInt8]) {
      varint(field << 3 | 2)
      varint(UInt64(value.count))
      bytes += value
    }

    mutating func packed(_ field: UInt64, _ values: [UInt64]) {
      var message = Message()
      for value in values { message.varint(value) }
      bytes(field, message.bytes)
    }
  }
}
