import ByteStreams
import Geodesy

/// Writes a map as OpenStreetMap PBF: a header, then a block each of nodes, ways and relations.
///
/// - Source: wiki.openstreetmap.org/wiki/PBF_Format.
struct PBFWriter {
  /// Seconds since 1970 at which the map claims to have been so.
  let dataSeconds: Int64

  func bytes(_ map: MapData) -> [UInt8] {
    blob("OSMHeader", header(map)) + blob("OSMData", nodes(map))
      + blob("OSMData", ways(map)) + blob("OSMData", relations(map))
  }

  private func blob(_ type: String, _ contents: [UInt8]) -> [UInt8] {
    var blob = WireWriter()
    blob.number(2, UInt64(contents.count))
    blob.data(3, Compression.zlib(contents))
    var header = WireWriter()
    header.text(1, type)
    header.number(3, UInt64(blob.bytes.count))
    let length = UInt32(header.bytes.count)
    let prefix = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> UInt32($0)) }
    return prefix + header.bytes + blob.bytes
  }

  private func header(_ map: MapData) -> [UInt8] {
    let longitudes = map.nodes.map { Int64($0.coordinate.longitudeE7) * 100 }
    let latitudes = map.nodes.map { Int64($0.coordinate.latitudeE7) * 100 }
    var box = WireWriter()
    box.signed(1, longitudes.min() ?? 0)
    box.signed(2, longitudes.max() ?? 0)
    box.signed(3, latitudes.max() ?? 0)
    box.signed(4, latitudes.min() ?? 0)
    var header = WireWriter()
    header.data(1, box.bytes)
    header.text(4, "OsmSchema-V0.6")
    header.text(4, "DenseNodes")
    header.text(5, "Sort.Type_then_ID")
    header.text(16, "near-me make-samples")
    header.number(32, UInt64(dataSeconds))
    return header.bytes
  }

  private func nodes(_ map: MapData) -> [UInt8] {
    var strings = StringTable()
    var keysAndValues: [UInt64] = []
    for node in map.nodes {
      for tag in node.tags {
        keysAndValues.append(strings.index(of: tag.key))
        keysAndValues.append(strings.index(of: tag.value))
      }
      keysAndValues.append(0)
    }
    var dense = WireWriter()
    dense.packedDeltas(1, map.nodes.map(\.id))
    dense.packedDeltas(8, map.nodes.map { Int64($0.coordinate.latitudeE7) })
    dense.packedDeltas(9, map.nodes.map { Int64($0.coordinate.longitudeE7) })
    dense.packed(10, keysAndValues)
    var group = WireWriter()
    group.data(2, dense.bytes)
    return block(strings, group)
  }

  private func ways(_ map: MapData) -> [UInt8] {
    var strings = StringTable()
    var group = WireWriter()
    for way in map.ways {
      var message = WireWriter()
      message.number(1, UInt64(way.id))
      tags(way.tags, &strings, &message)
      message.packedDeltas(8, way.nodes)
      group.data(3, message.bytes)
    }
    return block(strings, group)
  }

  private func relations(_ map: MapData) -> [UInt8] {
    var strings = StringTable()
    var group = WireWriter()
    for relation in map.relations {
      var message = WireWriter()
      message.number(1, UInt64(relation.id))
      tags(relation.tags, &strings, &message)
      message.packed(8, relation.members.map { strings.index(of: $0.role) })
      message.packedDeltas(9, relation.members.map(\.way))
      // Type 1 is a way.
      message.packed(10, relation.members.map { _ in 1 })
      group.data(4, message.bytes)
    }
    return block(strings, group)
  }

  private func tags(
    _ tags: MapData.Tags,
    _ strings: inout StringTable,
    _ message: inout WireWriter
  ) {
    guard !tags.isEmpty else { return }
    message.packed(2, tags.map { strings.index(of: $0.key) })
    message.packed(3, tags.map { strings.index(of: $0.value) })
  }

  private func block(_ strings: StringTable, _ group: WireWriter) -> [UInt8] {
    var table = WireWriter()
    for string in strings.strings { table.text(1, string) }
    var block = WireWriter()
    block.data(1, table.bytes)
    block.data(2, group.bytes)
    return block.bytes
  }

  /// The texts of a block in order of first use; the first one is reserved.
  private struct StringTable {
    private(set) var strings = [""]
    private var indices: [String: UInt64] = [:]

    mutating func index(of string: String) -> UInt64 {
      if let index = indices[string] { return index }
      let index = UInt64(strings.count)
      strings.append(string)
      indices[string] = index
      return index
    }
  }
}
