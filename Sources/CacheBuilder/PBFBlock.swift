import Geodesy

/// The least and the greatest id of something.
struct IDRange: Sendable {
  private(set) var least = Int64.max
  private(set) var greatest = Int64.min

  @inline(__always)
  mutating func include(_ id: Int64) {
    if id < least { least = id }
    if id > greatest { greatest = id }
  }

  /// Whether one of the ids, in ascending order, lies in the range.
  func meets(_ ids: [Int64]) -> Bool {
    guard least <= greatest else { return false }
    let index = ids.lowerBound(of: least)
    return index < ids.count && ids[index] <= greatest
  }
}

/// What the first look at a block gave; it depends on nothing but the block.
struct PBFBlockFindings: Sendable {
  var elements: [OSMElement] = []
  var nodeIDs = IDRange()
  var wayIDs = IDRange()
}

/// Why a block cannot be read, and where in its unpacked bytes.
struct PBFBlockError: Error {
  let offset: Int
  let reason: String
}

/// One block of elements.
///
/// - Source: wiki.openstreetmap.org/wiki/PBF_Format, `PrimitiveBlock` and `PrimitiveGroup`.
struct PBFBlock {
  let bytes: UnsafeRawBufferPointer
  private var strings: [Range<Int>] = []
  private var groups: [Range<Int>] = []
  private var granularity: Int64 = 100
  private var latitudeOffset: Int64 = 0
  private var longitudeOffset: Int64 = 0

  /// Reads the outermost fields.
  ///
  /// - Parameter readsStrings: false where only ids and coordinates are wanted.
  init(_ bytes: UnsafeRawBufferPointer, readsStrings: Bool) throws(PBFBlockError) {
    self.bytes = bytes
    var reader = WireReader(bytes, 0..<bytes.count)
    var table: Range<Int>?
    while let field = reader.field() {
      switch field.number {
      case 1: table = reader.bytes(field.type)
      case 2:
        guard groups.count < Self.mostParts else { throw Self.tooMuch("groups", reader) }
        groups.append(reader.bytes(field.type))
      case 17: granularity = Int64(bitPattern: reader.number(field.type))
      case 19: latitudeOffset = Int64(bitPattern: reader.number(field.type))
      case 20: longitudeOffset = Int64(bitPattern: reader.number(field.type))
      default: reader.skip(field.type)
      }
    }
    try Self.check(reader)
    guard (1...1_000_000_000).contains(granularity) else {
      throw PBFBlockError(offset: 0, reason: "a granularity of \(granularity)")
    }
    guard readsStrings, let table else { return }
    var tableReader = WireReader(bytes, table)
    while let field = tableReader.field() {
      if field.number == 1 {
        guard strings.count < Self.mostParts else { throw Self.tooMuch("texts", tableReader) }
        strings.append(tableReader.bytes(field.type))
      } else {
        tableReader.skip(field.type)
      }
    }
    try Self.check(tableReader)
  }

  private static func check(_ reader: WireReader) throws(PBFBlockError) {
    guard reader.isBroken else { return }
    throw PBFBlockError(offset: reader.position, reason: "a field that cannot be read")
  }

  /// The most texts, or groups, of a block.
  ///
  /// A real one has some thousands of texts; empty ones would take eight times their size.
  private static let mostParts = 1 << 22

  private static func tooMuch(_ what: String, _ reader: WireReader) -> PBFBlockError {
    PBFBlockError(offset: reader.position, reason: "too many \(what)")
  }

  private func text(_ index: Int) -> String {
    String(decoding: bytes[strings[index]], as: UTF8.self)
  }

  /// Numbers rounded to ten-millionths of a degree; nil for what is not on the earth.
  @inline(__always)
  private func coordinateE7(
    latitude: Int64,
    longitude: Int64
  ) -> (latitudeE7: Int32, longitudeE7: Int32)? {
    // Wraps on nonsense, which the range check then finds, or takes for some other place on earth.
    let nanoNorth = latitudeOffset &+ granularity &* latitude
    let nanoEast = longitudeOffset &+ granularity &* longitude
    guard (-90_000_000_000...90_000_000_000).contains(nanoNorth),
      (-180_000_000_000...180_000_000_000).contains(nanoEast)
    else { return nil }
    return (roundedE7(nanoNorth), roundedE7(nanoEast))
  }

  @inline(__always)
  private func roundedE7(_ nanodegrees: Int64) -> Int32 {
    Int32((nanodegrees + (nanodegrees < 0 ? -50 : 50)) / 100)
  }

  // MARK: Places

  /// Finds the places, and between which ids the block lies.
  func findings(
    _ vocabulary: TagVocabulary,
    rules: CategoryRules
  ) throws(PBFBlockError) -> PBFBlockFindings {
    var findings = PBFBlockFindings()
    var tokens = [UInt16](repeating: 0, count: strings.count)
    var isPresent = [Bool](repeating: false, count: vocabulary.tokenCount)
    for (index, range) in strings.enumerated() {
      let token = vocabulary.token(UnsafeRawBufferPointer(rebasing: bytes[range]))
      tokens[index] = token
      isPresent[Int(token)] = true
    }
    let search = Search(
      tokens: tokens,
      isLeadingKey: vocabulary.isLeadingKey,
      rules: rules,
      isNeeded: vocabulary.canMatch(isPresent)
    )
    for group in groups {
      var reader = WireReader(bytes, group)
      while let field = reader.field() {
        switch field.number {
        case 1: try findNode(reader.bytes(field.type), search, &findings)
        case 2: try findDense(reader.bytes(field.type), search, &findings)
        case 3: try findWay(reader.bytes(field.type), search, &findings)
        case 4: try findRelation(reader.bytes(field.type), search, &findings)
        default: reader.skip(field.type)
        }
      }
      try Self.check(reader)
    }
    return findings
  }

  private struct Search {
    let tokens: [UInt16]
    let isLeadingKey: [Bool]
    let rules: CategoryRules
    /// False if the texts of the block cannot make a place.
    let isNeeded: Bool

    /// Whether a tag could begin a rule.
    @inline(__always)
    func leads(_ key: Int, _ value: Int) -> Bool {
      isLeadingKey[Int(tokens[key])] && tokens[value] != 0
    }
  }

  private func badIndex(_ reader: WireReader) -> PBFBlockError {
    PBFBlockError(offset: reader.position, reason: "an index beyond the table of texts")
  }

  /// The tags of an element, if one of them could begin a rule.
  private func tags(
    _ keyRange: Range<Int>,
    _ valueRange: Range<Int>,
    _ search: Search
  ) throws(PBFBlockError) -> [OSMTag]? {
    var keys = WireReader(bytes, keyRange)
    var values = WireReader(bytes, valueRange)
    var isCandidate = false
    var count = 0
    while !keys.isAtEnd, !values.isAtEnd {
      count += 1
      guard count <= OSMLimits.tags else { throw Self.tooMuch("tags of an element", keys) }
      let (key, value) = (keys.varint(), values.varint())
      guard key < UInt64(strings.count), value < UInt64(strings.count) else {
        throw badIndex(keys)
      }
      if search.leads(Int(key), Int(value)) { isCandidate = true }
    }
    guard !keys.isBroken, !values.isBroken, keys.isAtEnd, values.isAtEnd else {
      throw PBFBlockError(offset: keys.position, reason: "keys and values that do not pair")
    }
    guard isCandidate else { return nil }
    keys = WireReader(bytes, keyRange)
    values = WireReader(bytes, valueRange)
    var tags: [OSMTag] = []
    while !keys.isAtEnd {
      tags.append(OSMTag(key: text(Int(keys.varint())), value: text(Int(values.varint()))))
    }
    return tags
  }

  private func findNode(
    _ range: Range<Int>,
    _ search: Search,
    _ findings: inout PBFBlockFindings
  ) throws(PBFBlockError) {
    var reader = WireReader(bytes, range)
    var (id, latitude, longitude): (Int64, Int64, Int64) = (0, 0, 0)
    var (keys, values) = (0..<0, 0..<0)
    while let field = reader.field() {
      switch field.number {
      case 1: id = reader.signedNumber(field.type)
      case 2: keys = reader.bytes(field.type)
      case 3: values = reader.bytes(field.type)
      case 8: latitude = reader.signedNumber(field.type)
      case 9: longitude = reader.signedNumber(field.type)
      default: reader.skip(field.type)
      }
    }
    try Self.check(reader)
    findings.nodeIDs.include(id)
    guard search.isNeeded, let tags = try tags(keys, values, search) else { return }
    append(.node, id, tags, point(latitude, longitude), search, &findings)
  }

  private func point(_ latitude: Int64, _ longitude: Int64) -> OSMElement.Shape {
    .point(
      coordinateE7(latitude: latitude, longitude: longitude)
        .map {
          Coordinate(latitudeE7: $0.latitudeE7, longitudeE7: $0.longitudeE7)
        }
    )
  }

  private func append(
    _ kind: OSMKind,
    _ id: Int64,
    _ tags: [OSMTag],
    _ shape: OSMElement.Shape,
    _ search: Search,
    _ findings: inout PBFBlockFindings
  ) {
    let element = OSMElement(kind: kind, id: id, tags: tags, shape: shape, rules: search.rules)
    if let element { findings.elements.append(element) }
  }

  private func findWay(
    _ range: Range<Int>,
    _ search: Search,
    _ findings: inout PBFBlockFindings
  ) throws(PBFBlockError) {
    var reader = WireReader(bytes, range)
    var id: Int64 = 0
    var (keys, values, refs) = (0..<0, 0..<0, 0..<0)
    while let field = reader.field() {
      switch field.number {
      case 1: id = Int64(bitPattern: reader.number(field.type))
      case 2: keys = reader.bytes(field.type)
      case 3: values = reader.bytes(field.type)
      case 8: refs = reader.bytes(field.type)
      default: reader.skip(field.type)
      }
    }
    try Self.check(reader)
    findings.wayIDs.include(id)
    guard search.isNeeded, let tags = try tags(keys, values, search) else { return }
    append(.way, id, tags, .line(try deltas(refs)), search, &findings)
  }

  private func deltas(_ range: Range<Int>) throws(PBFBlockError) -> [Int64] {
    var reader = WireReader(bytes, range)
    var id: Int64 = 0
    var ids: [Int64] = []
    while !reader.isAtEnd {
      id &+= reader.sint()
      guard ids.count < OSMLimits.references else {
        throw Self.tooMuch("nodes or members of an element", reader)
      }
      ids.append(id)
    }
    try Self.check(reader)
    return ids
  }

  private func findRelation(
    _ range: Range<Int>,
    _ search: Search,
    _ findings: inout PBFBlockFindings
  ) throws(PBFBlockError) {
    guard search.isNeeded else { return }
    var reader = WireReader(bytes, range)
    var id: Int64 = 0
    var (keys, values) = (0..<0, 0..<0)
    var (roles, ids, types) = (0..<0, 0..<0, 0..<0)
    while let field = reader.field() {
      switch field.number {
      case 1: id = Int64(bitPattern: reader.number(field.type))
      case 2: keys = reader.bytes(field.type)
      case 3: values = reader.bytes(field.type)
      case 8: roles = reader.bytes(field.type)
      case 9: ids = reader.bytes(field.type)
      case 10: types = reader.bytes(field.type)
      default: reader.skip(field.type)
      }
    }
    try Self.check(reader)
    guard let tags = try tags(keys, values, search) else { return }
    let shape = try members(roles: roles, ids: ids, types: types)
    append(.relation, id, tags, shape, search, &findings)
  }

  private func members(
    roles: Range<Int>,
    ids: Range<Int>,
    types: Range<Int>
  ) throws(PBFBlockError) -> OSMElement.Shape {
    let ids = try deltas(ids)
    var roleReader = WireReader(bytes, roles)
    var typeReader = WireReader(bytes, types)
    var (outer, inner): ([Int64], [Int64]) = ([], [])
    for id in ids {
      let (role, type) = (roleReader.varint(), typeReader.varint())
      guard !roleReader.isBroken, !typeReader.isBroken else {
        throw PBFBlockError(offset: roleReader.position, reason: "members without a role or type")
      }
      guard role < UInt64(strings.count) else { throw badIndex(roleReader) }
      guard type == 1 else { continue }
      switch text(Int(role)) {
      case "outer", "": outer.append(id)
      case "inner": inner.append(id)
      default: break
      }
    }
    return .area(outer: outer, inner: inner)
  }

  /// Many nodes as columns.
  private struct Dense {
    var (ids, latitudes, longitudes, tags) = (0..<0, 0..<0, 0..<0, 0..<0)

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(PBFBlockError) {
      var reader = WireReader(bytes, range)
      while let field = reader.field() {
        switch field.number {
        case 1: ids = reader.bytes(field.type)
        case 8: latitudes = reader.bytes(field.type)
        case 9: longitudes = reader.bytes(field.type)
        case 10: tags = reader.bytes(field.type)
        default: reader.skip(field.type)
        }
      }
      try PBFBlock.check(reader)
    }
  }

  private func findDense(
    _ range: Range<Int>,
    _ search: Search,
    _ findings: inout PBFBlockFindings
  ) throws(PBFBlockError) {
    let dense = try Dense(bytes, range)
    // Tags first: most blocks have none that matter, and then no coordinate is looked at.
    let hits = search.isNeeded ? try denseHits(dense.tags, search) : []
    var ids = WireReader(bytes, dense.ids)
    var latitudes = WireReader(bytes, dense.latitudes)
    var longitudes = WireReader(bytes, dense.longitudes)
    var (id, latitude, longitude): (Int64, Int64, Int64) = (0, 0, 0)
    var index = 0
    for hit in hits {
      while index <= hit.node {
        id &+= ids.sint()
        latitude &+= latitudes.sint()
        longitude &+= longitudes.sint()
        findings.nodeIDs.include(id)
        index += 1
      }
      guard !ids.isBroken, !latitudes.isBroken, !longitudes.isBroken else { break }
      append(.node, id, hit.tags, point(latitude, longitude), search, &findings)
    }
    while !ids.isAtEnd {
      id &+= ids.sint()
      findings.nodeIDs.include(id)
    }
    try Self.check(ids)
    try Self.check(latitudes)
    try Self.check(longitudes)
  }

  private func denseHits(
    _ range: Range<Int>,
    _ search: Search
  ) throws(PBFBlockError) -> [(node: Int, tags: [OSMTag])] {
    var hits: [(node: Int, tags: [OSMTag])] = []
    var reader = WireReader(bytes, range)
    var node = 0
    var tagCount = 0
    var start = reader.position
    var isCandidate = false
    let count = UInt64(strings.count)
    while !reader.isAtEnd {
      let key = reader.varint()
      if key == 0 {
        if isCandidate { hits.append((node, try denseTags(start..<reader.position))) }
        node += 1
        tagCount = 0
        start = reader.position
        isCandidate = false
        continue
      }
      let value = reader.varint()
      guard key < count, value < count else { throw badIndex(reader) }
      tagCount += 1
      guard tagCount <= OSMLimits.tags else { throw Self.tooMuch("tags of an element", reader) }
      if search.leads(Int(key), Int(value)) { isCandidate = true }
    }
    try Self.check(reader)
    guard !isCandidate else {
      throw PBFBlockError(offset: reader.position, reason: "tags that do not end")
    }
    return hits
  }

  /// The tags of one node; its indexes have been checked.
  private func denseTags(_ range: Range<Int>) throws(PBFBlockError) -> [OSMTag] {
    var reader = WireReader(bytes, range)
    var tags: [OSMTag] = []
    while !reader.isAtEnd {
      let key = reader.varint()
      guard key != 0 else { break }
      tags.append(OSMTag(key: text(Int(key)), value: text(Int(reader.varint()))))
    }
    return tags
  }

  // MARK: What outlines refer to

  /// The nodes of those ways whose ids are wanted.
  ///
  /// - Parameter wanted: ids in ascending order.
  func ways(_ wanted: [Int64]) throws(PBFBlockError) -> [(id: Int64, nodes: [Int64])] {
    var found: [(id: Int64, nodes: [Int64])] = []
    for group in groups {
      var reader = WireReader(bytes, group)
      while let field = reader.field() {
        guard field.number == 3 else {
          reader.skip(field.type)
          continue
        }
        var way = WireReader(bytes, reader.bytes(field.type))
        var id: Int64 = 0
        var refs = 0..<0
        while let field = way.field() {
          switch field.number {
          case 1: id = Int64(bitPattern: way.number(field.type))
          case 8: refs = way.bytes(field.type)
          default: way.skip(field.type)
          }
        }
        try Self.check(way)
        let index = wanted.lowerBound(of: id)
        if index < wanted.count, wanted[index] == id { found.append((id, try deltas(refs))) }
      }
      try Self.check(reader)
    }
    return found
  }

  /// Where a node is that an outline needs.
  struct NeededNode: Sendable {
    /// Which of the needed ids it has.
    let index: Int
    let latitudeE7: Int32
    let longitudeE7: Int32
  }

  /// Where the needed nodes are that the block holds.
  ///
  /// - Parameter needed: ids in ascending order.
  func nodes(_ needed: [Int64]) throws(PBFBlockError) -> [NeededNode] {
    var found: [NeededNode] = []
    for group in groups {
      var reader = WireReader(bytes, group)
      while let field = reader.field() {
        switch field.number {
        case 1: try readNode(reader.bytes(field.type), needed, &found)
        case 2: try readDense(reader.bytes(field.type), needed, &found)
        default: reader.skip(field.type)
        }
      }
      try Self.check(reader)
    }
    return found
  }

  private func readNode(
    _ range: Range<Int>,
    _ needed: [Int64],
    _ found: inout [NeededNode]
  ) throws(PBFBlockError) {
    var reader = WireReader(bytes, range)
    var (id, latitude, longitude): (Int64, Int64, Int64) = (0, 0, 0)
    while let field = reader.field() {
      switch field.number {
      case 1: id = reader.signedNumber(field.type)
      case 8: latitude = reader.signedNumber(field.type)
      case 9: longitude = reader.signedNumber(field.type)
      default: reader.skip(field.type)
      }
    }
    try Self.check(reader)
    let index = needed.lowerBound(of: id)
    guard index < needed.count, needed[index] == id else { return }
    note(index, latitude, longitude, &found)
  }

  @inline(__always)
  private func note(
    _ index: Int,
    _ latitude: Int64,
    _ longitude: Int64,
    _ found: inout [NeededNode]
  ) {
    guard let place = coordinateE7(latitude: latitude, longitude: longitude) else { return }
    found.append(
      NeededNode(index: index, latitudeE7: place.latitudeE7, longitudeE7: place.longitudeE7)
    )
  }

  private func readDense(
    _ range: Range<Int>,
    _ needed: [Int64],
    _ found: inout [NeededNode]
  ) throws(PBFBlockError) {
    let dense = try Dense(bytes, range)
    var ids = WireReader(bytes, dense.ids)
    var latitudes = WireReader(bytes, dense.latitudes)
    var longitudes = WireReader(bytes, dense.longitudes)
    var (id, latitude, longitude): (Int64, Int64, Int64) = (0, 0, 0)
    var next = 0
    while !ids.isAtEnd {
      let before = id
      id &+= ids.sint()
      latitude &+= latitudes.sint()
      longitude &+= longitudes.sint()
      // Ids mostly rise: walk along; where they jump, or fall, search.
      if id < before || next == 0 {
        next = needed.lowerBound(of: id)
      } else {
        while next < needed.count, needed[next] < id { next += 1 }
      }
      if next < needed.count, needed[next] == id { note(next, latitude, longitude, &found) }
    }
    try Self.check(ids)
    try Self.check(latitudes)
    try Self.check(longitudes)
  }
}

extension WireReader {
  /// A signed number of a field in zigzag form.
  fileprivate mutating func signedNumber(_ type: UInt64) -> Int64 {
    let value = number(type)
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }
}
