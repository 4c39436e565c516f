import CDeflate
import Foundation

/// Makes a large map for measuring out of a small one: renumbered copies, each a little further east or
/// spread over the globe.
///
/// The file is sorted by kind and id, as real ones are. Ids are counted through, for tools keep sets
/// of them whose size is that of the greatest. To move a copy, only the first number of each list has
/// to change, for ids and coordinates are kept as differences. The extract is trusted: this is no
/// reader for strangers' files.
struct BigMap {
  private static let eastNanodegrees: Int64 = 100_000_000

  /// How far a copy is moved, in nanodegrees.
  private struct Shift {
    var east: Int64
    var north: Int64 = 0
  }

  private struct Field {
    let number: UInt64
    let value: UInt64
    /// With its head, and without.
    let (whole, body): (Range<Int>, Range<Int>)
  }

  private var blocks: [[UInt8]] = []
  /// Above every id of the first copy, so that no copy refers to another.
  private var idStride: Int64 = 1

  /// Unpacks an extract.
  init(extract: String) throws {
    let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: extract)))
    var position = 0
    func damaged() -> BenchFailure {
      BenchFailure(status: 65, message: "\(extract): is no whole OSM PBF file")
    }
    guard !file.isEmpty else { throw damaged() }
    while position < file.count {
      guard position + 4 <= file.count else { throw damaged() }
      let length = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length > 0, length <= file.count - position - 4 else { throw damaged() }
      var (type, size) = ("", 0)
      for field in Self.fields(file, position + 4..<position + 4 + length) {
        if field.number == 1 { type = String(decoding: file[field.body], as: UTF8.self) }
        if field.number == 3 { size = Int(clamping: field.value) }
      }
      let start = position + 4 + length
      guard size > 0, size <= file.count - start else { throw damaged() }
      position = start + size
      if type == "OSMData" { blocks.append(Self.unpacked(file, start..<position)) }
    }
    var ids: [Set<Int64>] = [[], [], []]
    for block in blocks {
      _ = Self.renumbered(block) { kind, id in
        ids[kind].insert(id)
        return id
      }
    }
    // In order, from 1 on; what is referred to and not there has a number, too.
    let numbers = ids.map { ids in
      Dictionary(uniqueKeysWithValues: zip(ids.sorted(), Int64(1)...))
    }
    idStride = Int64((ids.map(\.count).max() ?? 0) + 1)
    blocks = blocks.map { Self.renumbered($0) { kind, id in numbers[kind][id] ?? 0 } }
  }

  /// A block with other ids.
  ///
  /// - Parameter number: the new id for a kind (node, way, relation) and an id.
  private static func renumbered(_ block: [UInt8], _ number: (Int, Int64) -> Int64) -> [UInt8] {
    var output: [UInt8] = []
    for field in fields(block, 0..<block.count) {
      guard field.number == 2 else {
        output += block[field.whole]
        continue
      }
      var group: [UInt8] = []
      for element in fields(block, field.body) {
        var copied: [UInt8] = []
        let parts = fields(block, element.body)
        let types = parts.first { $0.number == 10 }.map { numbers(block, $0.body) } ?? []
        for part in parts {
          switch (element.number, part.number) {
          case (1, 1): append(1, zigzag(number(0, signed(part.value))), to: &copied)
          case (3, 1), (4, 1):
            append(1, UInt64(number(Int(element.number) - 2, Int64(part.value))), to: &copied)
          case (2, 1), (3, 8), (4, 9):
            var list: [UInt8] = []
            var (id, before): (Int64, Int64) = (0, 0)
            for (index, delta) in numbers(block, part.body).enumerated() {
              id += signed(delta)
              let new = number(element.number == 4 ? Int(types[index]) : 0, id)
              append(varint: zigzag(new - before), to: &list)
              before = new
            }
            append(part.number, list, to: &copied)
          default: copied += block[part.whole]
          }
        }
        append(element.number, copied, to: &group)
      }
      append(2, group, to: &output)
    }
    return output
  }

  private static func numbers(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt64] {
    var numbers: [UInt64] = []
    var position = range.lowerBound
    while position < range.upperBound { numbers.append(varint(bytes, &position)) }
    return numbers
  }

  /// Where a copy goes that is one of many over the globe: four beside each other at each of a quarter as
  /// many sites, which lie evenly between 75°S and 75°N, on a spiral.
  private func site(_ copy: Int, of copies: Int) -> Shift {
    let (site, sites) = (copy / 4, (copies + 3) / 4)
    let height = 1 - 2 * (Double(site) + 0.5) / Double(sites)
    let latitude = asin(height * sin(75 * Double.pi / 180)) * 180 / .pi
    // The golden angle; the last degrees before ±180 are left for the extent of the extract.
    let turn = (Double(site) * 0.3819660112501051).truncatingRemainder(dividingBy: 1)
    let longitude = -178 + 355 * turn + 0.25 * Double(copy % 4)
    return Shift(
      east: Int64(longitude * 1e9) - origin.east,
      north: Int64(latitude * 1e9) - origin.north
    )
  }

  /// Where the first node of the extract is, in nanodegrees.
  private var origin: Shift {
    for block in blocks {
      let outer = Self.fields(block, 0..<block.count)
      let granularity = Int64(outer.first { $0.number == 17 }?.value ?? 100)
      for group in outer where group.number == 2 {
        for dense in Self.fields(block, group.body) where dense.number == 2 {
          let lists = Self.fields(block, dense.body)
          guard let north = lists.first(where: { $0.number == 8 }),
            let east = lists.first(where: { $0.number == 9 }), !north.body.isEmpty
          else { continue }
          return Shift(
            east: Self.signed(Self.numbers(block, east.body)[0]) * granularity,
            north: Self.signed(Self.numbers(block, north.body)[0]) * granularity
          )
        }
      }
    }
    return Shift(east: 0)
  }

  /// Writes the copies.
  ///
  /// - Parameter spreads: whether they are spread over the globe.
  func write(copies: Int, spreads: Bool = false, to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let output = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
    var header: [UInt8] = []
    for (number, text) in [
      (4, "OsmSchema-V0.6"), (4, "DenseNodes"), (5, "Sort.Type_then_ID"),
      (16, "near-me make-big"),
    ] { Self.append(UInt64(number), Array(text.utf8), to: &header) }
    try output.write(contentsOf: Data(Self.blob("OSMHeader", header)))
    for kinds in [[1, 2], [3], [4]] as [Set<UInt64>] {
      for copy in 0..<copies {
        let shift =
          spreads
          ? site(copy, of: copies) : Shift(east: Int64(copy) * Self.eastNanodegrees)
        for block in blocks {
          guard let copied = copied(block, kinds, Int64(copy), by: shift) else { continue }
          try output.write(contentsOf: Data(Self.blob("OSMData", copied)))
        }
      }
    }
    try output.close()
  }

  // MARK: Copies

  /// The elements of some kinds of a block; nil if it has none.
  private func copied(
    _ block: [UInt8],
    _ kinds: Set<UInt64>,
    _ copy: Int64,
    by shift: Shift
  )
    -> [UInt8]?
  {
    let outer = Self.fields(block, 0..<block.count)
    let granularity = Int64(outer.first { $0.number == 17 }?.value ?? 100)
    let ids = copy * idStride
    let moved = Shift(east: shift.east / granularity, north: shift.north / granularity)
    var output: [UInt8] = []
    var isEmpty = true
    for field in outer {
      guard field.number == 2 else {
        output += block[field.whole]
        continue
      }
      var group: [UInt8] = []
      for element in Self.fields(block, field.body) where kinds.contains(element.number) {
        let copied = Self.copied(element, of: block, ids, moved)
        Self.append(element.number, copied, to: &group)
      }
      guard !group.isEmpty else { continue }
      isEmpty = false
      Self.append(2, group, to: &output)
    }
    return isEmpty ? nil : output
  }

  private static func copied(
    _ element: Field,
    of block: [UInt8],
    _ ids: Int64,
    _ moved: Shift
  ) -> [UInt8] {
    var output: [UInt8] = []
    for field in fields(block, element.body) {
      switch (element.number, field.number) {
      case (1, 1): append(1, zigzag(signed(field.value) + ids), to: &output)
      case (1, 8): append(8, zigzag(signed(field.value) + moved.north), to: &output)
      case (1, 9): append(9, zigzag(signed(field.value) + moved.east), to: &output)
      case (3, 1), (4, 1): append(1, UInt64(Int64(field.value) + ids), to: &output)
      case (2, 1), (3, 8), (4, 9): append(field, of: block, addingToFirst: ids, to: &output)
      case (2, 8): append(field, of: block, addingToFirst: moved.north, to: &output)
      case (2, 9): append(field, of: block, addingToFirst: moved.east, to: &output)
      default: output += block[field.whole]
      }
    }
    return output
  }

  // MARK: Wire format

  private static func fields(_ bytes: [UInt8], _ range: Range<Int>) -> [Field] {
    var fields: [Field] = []
    var position = range.lowerBound
    while position < range.upperBound {
      let start = position
      let tag = varint(bytes, &position)
      var value: UInt64 = 0
      var body = position
      switch tag & 7 {
      case 0: value = varint(bytes, &position)
      case 1: position += 8
      case 2:
        let count = Int(varint(bytes, &position))
        body = position
        position += count
      default: position += 4
      }
      fields.append(
        Field(number: tag >> 3, value: value, whole: start..<position, body: body..<position)
      )
    }
    return fields
  }

  private static func varint(_ bytes: [UInt8], _ position: inout Int) -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
  }

  private static func signed(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  private static func zigzag(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: (value << 1) ^ (value >> 63))
  }

  private static func append(varint value: UInt64, to output: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    output.append(UInt8(rest))
  }

  private static func append(_ number: UInt64, _ value: UInt64, to output: inout [UInt8]) {
    append(varint: number << 3, to: &output)
    append(varint: value, to: &output)
  }

  private static func append(_ number: UInt64, _ bytes: [UInt8], to output: inout [UInt8]) {
    append(varint: number << 3 | 2, to: &output)
    append(varint: UInt64(bytes.count), to: &output)
    output += bytes
  }

  /// A list of differences, of which only the first one changes.
  private static func append(
    _ field: Field,
    of block: [UInt8],
    addingToFirst change: Int64,
    to output: inout [UInt8]
  ) {
    var list: [UInt8] = []
    if !field.body.isEmpty {
      var position = field.body.lowerBound
      append(varint: zigzag(signed(varint(block, &position)) + change), to: &list)
      list += block[position..<field.body.upperBound]
    }
    append(field.number, list, to: &output)
  }

  // MARK: Blobs

  private static func unpacked(_ file: [UInt8], _ range: Range<Int>) -> [UInt8] {
    var (size, packed) = (0, 0..<0)
    for field in fields(file, range) {
      switch field.number {
      case 1: return Array(file[field.body])
      case 2: size = Int(field.value)
      case 3: packed = field.body
      default: break
      }
    }
    let decompressor = libdeflate_alloc_decompressor()
    defer { libdeflate_free_decompressor(decompressor) }
    return [UInt8](unsafeUninitializedCapacity: size) { output, count in
      let result = file[packed]
        .withUnsafeBytes {
          libdeflate_zlib_decompress(
            decompressor,
            $0.baseAddress,
            $0.count,
            output.baseAddress,
            size,
            nil
          )
        }
      precondition(result == LIBDEFLATE_SUCCESS, "the extract is damaged")
      count = size
    }
  }

  private static func blob(_ type: String, _ contents: [UInt8]) -> [UInt8] {
    let compressor = libdeflate_alloc_compressor(6)
    defer { libdeflate_free_compressor(compressor) }
    let bound = libdeflate_zlib_compress_bound(compressor, contents.count)
    let packed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
      count = libdeflate_zlib_compress(
        compressor,
        contents,
        contents.count,
        output.baseAddress,
        bound
      )
    }
    var blob: [UInt8] = []
    append(2, UInt64(contents.count), to: &blob)
    append(3, packed, to: &blob)
    var header: [UInt8] = []
    append(1, Array(type.utf8), to: &header)
    append(3, UInt64(blob.count), to: &header)
    let prefix = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: header.count >> $0) }
    return prefix + header + blob
  }
}
