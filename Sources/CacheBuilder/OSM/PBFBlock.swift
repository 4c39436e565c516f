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

  mutating func include(_ other: IDRange) {
    least = min(least, other.least)
    greatest = max(greatest, other.greatest)
  }

  /// Whether one of the ids, in ascending order, lies in the range.
  func meets(_ ids: [Int64]) -> Bool {
    guard least <= greatest else { return false }
    let index = ids.lowerBound(of: least)
    return index < ids.count && ids[index] <= greatest
  }
}

/// What is looked for in a block.
struct PBFSearch: Sendable {
  let vocabulary: TagVocabulary
  let rules: CategoryRules
  /// What may be kept of the file.
  let budget: ImportBudget
  /// The ids of ways whose nodes are wanted, ascending.
  var ways: [Int64] = []
  /// The ids of nodes whose places are wanted, ascending.
  var nodes: [Int64] = []
}

/// What a look at a block gave; it depends on nothing but the block and what was looked for.
struct PBFBlockFindings: Sendable {
  var elements: [OSMElement] = []
  var nodeIDs = IDRange()
  var wayIDs = IDRange()
  var ways: [FoundWay] = []
  var nodes: [FoundNode] = []
}

/// A way that an area refers to.
struct FoundWay: Sendable {
  let id: Int64
  let nodes: [Int64]
}

/// A node that an outline refers to.
struct FoundNode: Sendable {
  let id: Int64
  let latitudeE7: Int32
  let longitudeE7: Int32
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
  let texts: PBFTexts
  private var groups: [Range<Int>] = []
  private var textTable: Range<Int>?
  private var granularity: Int64 = 100
  private var latitudeOffset: Int64 = 0
  private var longitudeOffset: Int64 = 0

  /// Reads the outermost fields.
  ///
  /// - Parameter texts: for the texts of the block; those of the block before are lost.
  init(_ bytes: UnsafeRawBufferPointer, texts: PBFTexts) throws(PBFBlockError) {
    self.bytes = bytes
    self.texts = texts
    var reader = WireReader(bytes, 0..<bytes.count)
    while let field = reader.field() {
      switch field.number {
      case 1: textTable = reader.bytes(field.type)
      case 2:
        guard groups.count < Self.mostGroups else { throw Self.tooMuch("groups", reader) }
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
  }

  static func check(_ reader: WireReader) throws(PBFBlockError) {
    guard reader.isBroken else { return }
    throw PBFBlockError(offset: reader.position, reason: "a field that cannot be read")
  }

  /// The most groups of a block.
  ///
  /// A real one has a few; empty ones would take eight times their size.
  private static let mostGroups = 1 << 20

  static func tooMuch(_ what: String, _ reader: WireReader) -> PBFBlockError {
    PBFBlockError(offset: reader.position, reason: "too many \(what)")
  }

  /// The last kind of element in the block, as far as its groups show at a glance; nil for none.
  var lastKind: OSMKind? {
    for group in groups.reversed() {
      var reader = WireReader(bytes, group)
      switch reader.field()?.number {
      case 1, 2: return .node
      case 3: return .way
      case 4: return .relation
      default: break
      }
    }
    return nil
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

  /// Finds the places and what else is looked for, and between which ids the block lies.
  func findings(_ search: PBFSearch) throws(PBFBlockError) -> PBFBlockFindings {
    try texts.read(bytes, textTable)
    let tags = TagSearch(
      isNeeded: texts.mark(search.vocabulary),
      marks: UnsafePointer(texts.marks),
      count: UInt64(texts.count)
    )
    var findings = PBFBlockFindings()
    for group in groups {
      var reader = WireReader(bytes, group)
      while let field = reader.field() {
        switch field.number {
        case 1: try findNode(in: reader.bytes(field.type), for: search, tags: tags, &findings)
        case 2: try findDense(in: reader.bytes(field.type), for: search, tags: tags, &findings)
        case 3: try findWay(in: reader.bytes(field.type), for: search, tags: tags, &findings)
        case 4: try findRelation(in: reader.bytes(field.type), for: search, tags: tags, &findings)
        default: reader.skip(field.type)
        }
      }
      try Self.check(reader)
    }
    return findings
  }

  private struct TagSearch {
    /// False if the texts of the block cannot make a place.
    let isNeeded: Bool
    let marks: UnsafePointer<UInt8>
    /// How many texts there are.
    let count: UInt64

    /// Whether a tag could begin a rule.
    @inline(__always)
    func leads(_ key: UInt64, _ value: UInt64) -> Bool {
      let mark = marks[Int(key)]
      return mark & TagVocabulary.Mark.leadingKey != 0 && marks[Int(value)] != 0
        || mark & TagVocabulary.Mark.loneKey != 0
    }
  }

  private func badIndex(_ reader: WireReader) -> PBFBlockError {
    PBFBlockError(offset: reader.position, reason: "an index beyond the table of texts")
  }

  /// The tags of an element, if one of them could begin a rule.
  private func tags(
    _ keyRange: Range<Int>,
    _ valueRange: Range<Int>,
    _ search: TagSearch
  ) throws(PBFBlockError) -> [OSMTag]? {
    var keys = WireReader(bytes, keyRange)
    var values = WireReader(bytes, valueRange)
    var isCandidate = false
    var count = 0
    while !keys.isAtEnd, !values.isAtEnd {
      count += 1
      guard count <= OSMLimits.tags else { throw Self.tooMuch("tags of an element", keys) }
      let (key, value) = (keys.varint(), values.varint())
      guard key < search.count, value < search.count else { throw badIndex(keys) }
      if search.leads(key, value) { isCandidate = true }
    }
    guard !keys.isBroken, !values.isBroken, keys.isAtEnd, values.isAtEnd else {
      throw PBFBlockError(offset: keys.position, reason: "keys and values that do not pair")
    }
    guard isCandidate else { return nil }
    keys = WireReader(bytes, keyRange)
    values = WireReader(bytes, valueRange)
    var tags: [OSMTag] = []
    var byteCount = 0
    while !keys.isAtEnd {
      let tag = OSMTag(key: texts[Int(keys.varint())], value: texts[Int(values.varint())])
      try Self.add(tag, to: &tags, &byteCount, keys)
    }
    return tags
  }

  /// A text of the table can be as long as the block, and be meant by each tag.
  private static func add(
    _ tag: OSMTag,
    to tags: inout [OSMTag],
    _ byteCount: inout Int,
    _ reader: WireReader
  ) throws(PBFBlockError) {
    byteCount += tag.key.utf8.count + tag.value.utf8.count
    guard byteCount <= OSMLimits.tagBytes else { throw tooMuch("bytes of tags", reader) }
    tags.append(tag)
  }

  private func findNode(
    in range: Range<Int>,
    for search: PBFSearch,
    tags tagSearch: TagSearch,
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
    if search.nodes.containsSorted(id) {
      note(id, latitude: latitude, longitude: longitude, in: &findings.nodes)
      guard search.budget.take(references: 1) else { throw overBudget(reader) }
    }
    guard tagSearch.isNeeded, let tags = try tags(keys, values, tagSearch) else { return }
    try append(
      .node,
      id: id,
      tags: tags,
      shape: point(latitude, longitude),
      for: search,
      to: &findings
    )
  }

  private func point(_ latitude: Int64, _ longitude: Int64) -> OSMElement.Shape {
    .point(
      coordinateE7(latitude: latitude, longitude: longitude)
        .map {
          Coordinate(latitudeE7: $0.latitudeE7, longitudeE7: $0.longitudeE7)
        }
    )
  }

  /// - Returns: whether it is one that is asked for.
  @discardableResult
  private func append(
    _ kind: OSMKind,
    id: Int64,
    tags: [OSMTag],
    shape: OSMElement.Shape,
    for search: PBFSearch,
    to findings: inout PBFBlockFindings
  ) throws(PBFBlockError) -> Bool {
    let element = OSMElement(kind: kind, id: id, tags: tags, shape: shape, rules: search.rules)
    guard let element else { return false }
    guard search.budget.takes(element) else {
      throw PBFBlockError(offset: 0, reason: ImportBudget.refusal)
    }
    findings.elements.append(element)
    return true
  }

  private func overBudget(_ reader: WireReader) -> PBFBlockError {
    PBFBlockError(offset: reader.position, reason: ImportBudget.refusal)
  }

  private func findWay(
    in range: Range<Int>,
    for search: PBFSearch,
    tags tagSearch: TagSearch,
    _ findings: inout PBFBlockFindings
  ) throws(PBFBlockError) {
    var reader = WireReader(bytes, range)
    var id: Int64 = 0
    var (keys, values, refs) = (0..<0, 0..<0, 0..<0)
    var (latitudes, longitudes) = (0..<0, 0..<0)
    while let field = reader.field() {
      switch field.number {
      case 1: id = Int64(bitPattern: reader.number(field.type))
      case 2: keys = reader.bytes(field.type)
      case 3: values = reader.bytes(field.type)
      case 8: refs = reader.bytes(field.type)
      case 9: latitudes = reader.bytes(field.type)
      case 10: longitudes = reader.bytes(field.type)
      default: reader.skip(field.type)
      }
    }
    try Self.check(reader)
    findings.wayIDs.include(id)
    if search.ways.containsSorted(id) {
      let nodes = try deltas(refs)
      guard search.budget.take(references: nodes.count) else { throw overBudget(reader) }
      findings.ways.append(FoundWay(id: id, nodes: nodes))
      try note(nodes, latitudes, longitudes, in: &findings.nodes)
    }
    guard tagSearch.isNeeded, let tags = try tags(keys, values, tagSearch) else { return }
    let nodes = try deltas(refs)
    guard try append(.way, id: id, tags: tags, shape: .line(nodes), for: search, to: &findings)
    else { return }
    try note(nodes, latitudes, longitudes, in: &findings.nodes)
  }

  /// Takes the places of a way's nodes from the way, where a file has them there: its untagged nodes are then left out.
  ///
  /// - Source: the feature `LocationsOnWays` of OpenStreetMap's PBF format, as `osmium add-locations-to-ways` writes it.
  private func note(
    _ nodes: [Int64],
    _ latitudes: Range<Int>,
    _ longitudes: Range<Int>,
    in found: inout [FoundNode]
  ) throws(PBFBlockError) {
    guard !latitudes.isEmpty else { return }
    let (latitudes, longitudes) = (try deltas(latitudes), try deltas(longitudes))
    guard latitudes.count == nodes.count, longitudes.count == nodes.count else { return }
    for index in nodes.indices {
      note(nodes[index], latitude: latitudes[index], longitude: longitudes[index], in: &found)
    }
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
    in range: Range<Int>,
    for search: PBFSearch,
    tags tagSearch: TagSearch,
    _ findings: inout PBFBlockFindings
  ) throws(PBFBlockError) {
    guard tagSearch.isNeeded else { return }
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
    guard let tags = try tags(keys, values, tagSearch) else { return }
    let shape = try members(roles: roles, ids: ids, types: types)
    try append(.relation, id: id, tags: tags, shape: shape, for: search, to: &findings)
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
      guard role < UInt64(texts.count) else { throw badIndex(roleReader) }
      guard type == 1 else { continue }
      switch texts[Int(role)] {
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
    in range: Range<Int>,
    for search: PBFSearch,
    tags tagSearch: TagSearch,
    _ findings: inout PBFBlockFindings
  ) throws(PBFBlockError) {
    let dense = try Dense(bytes, range)
    var between = IDRange()
    var ids = WireReader(bytes, dense.ids)
    ids.readIDs(&between)
    try Self.check(ids)
    findings.nodeIDs.include(between)
    // Most blocks have no tags that matter, and no node that does: no coordinate is looked at then.
    let hits = tagSearch.isNeeded ? try denseHits(dense.tags, tagSearch) : []
    let isWanted = between.meets(search.nodes)
    guard isWanted || !hits.isEmpty else { return }
    let knownCount = findings.nodes.count
    var nodes = DenseNodes(bytes, dense)
    var wanted = SortedCursor(search.nodes)
    for hit in hits {
      while nodes.index <= hit.node, nodes.next() {
        if isWanted, wanted.moves(to: nodes.id) {
          note(nodes.id, latitude: nodes.latitude, longitude: nodes.longitude, in: &findings.nodes)
        }
      }
      try nodes.check()
      guard nodes.index == hit.node + 1 else {
        throw PBFBlockError(offset: range.lowerBound, reason: "tags of nodes that are not there")
      }
      let place = point(nodes.latitude, nodes.longitude)
      try append(
        .node,
        id: nodes.id,
        tags: try denseTags(hit.tags),
        shape: place,
        for: search,
        to: &findings
      )
    }
    while isWanted, nodes.next() {
      if wanted.moves(to: nodes.id) {
        note(nodes.id, latitude: nodes.latitude, longitude: nodes.longitude, in: &findings.nodes)
      }
    }
    try nodes.check()
    guard search.budget.take(references: findings.nodes.count - knownCount) else {
      throw overBudget(ids)
    }
  }

  /// The nodes that may be places, by their index, and where their tags lie.
  private func denseHits(
    _ range: Range<Int>,
    _ search: TagSearch
  ) throws(PBFBlockError) -> [(node: Int, tags: Range<Int>)] {
    var hits: [(node: Int, tags: Range<Int>)] = []
    var reader = WireReader(bytes, range)
    var node = 0
    while true {
      // A zero ends the tags of a node; most nodes have none.
      node += reader.skipZeros()
      guard !reader.isAtEnd else { break }
      let start = reader.position
      var isCandidate = false
      var count = 0
      while true {
        let key = reader.varint()
        guard key != 0 else { break }
        let value = reader.varint()
        guard key < search.count, value < search.count else { throw badIndex(reader) }
        count += 1
        guard count <= OSMLimits.tags else { throw Self.tooMuch("tags of an element", reader) }
        if search.leads(key, value) { isCandidate = true }
      }
      guard !reader.isBroken else {
        throw PBFBlockError(offset: reader.position, reason: "tags that do not end")
      }
      if isCandidate { hits.append((node, start..<reader.position)) }
      node += 1
    }
    return hits
  }

  /// The tags of one node; its indexes have been checked.
  private func denseTags(_ range: Range<Int>) throws(PBFBlockError) -> [OSMTag] {
    var reader = WireReader(bytes, range)
    var tags: [OSMTag] = []
    var byteCount = 0
    while !reader.isAtEnd {
      let key = reader.varint()
      guard key != 0 else { break }
      let tag = OSMTag(key: texts[Int(key)], value: texts[Int(reader.varint())])
      try Self.add(tag, to: &tags, &byteCount, reader)
    }
    return tags
  }

  // MARK: What outlines refer to

  /// Only the wanted ways and nodes.
  func references(_ search: PBFSearch) throws(PBFBlockError) -> PBFBlockFindings {
    var findings = PBFBlockFindings()
    let noTags = TagSearch(isNeeded: false, marks: UnsafePointer(texts.marks), count: 0)
    for group in groups {
      var reader = WireReader(bytes, group)
      while let field = reader.field() {
        switch field.number {
        case 1: try findNode(in: reader.bytes(field.type), for: search, tags: noTags, &findings)
        case 2: try findDense(in: reader.bytes(field.type), for: search, tags: noTags, &findings)
        case 3: try findWay(in: reader.bytes(field.type), for: search, tags: noTags, &findings)
        default: reader.skip(field.type)
        }
      }
      try Self.check(reader)
    }
    return findings
  }

  @inline(__always)
  private func note(
    _ id: Int64,
    latitude: Int64,
    longitude: Int64,
    in found: inout [FoundNode]
  ) {
    guard let place = coordinateE7(latitude: latitude, longitude: longitude) else { return }
    found.append(FoundNode(id: id, latitudeE7: place.latitudeE7, longitudeE7: place.longitudeE7))
  }

  /// Walks through columns of nodes.
  private struct DenseNodes {
    private var ids: WireReader
    private var latitudes: WireReader
    private var longitudes: WireReader
    /// How many nodes have been read.
    private(set) var index = 0
    private(set) var id: Int64 = 0
    private(set) var latitude: Int64 = 0
    private(set) var longitude: Int64 = 0

    init(_ bytes: UnsafeRawBufferPointer, _ dense: Dense) {
      ids = WireReader(bytes, dense.ids)
      latitudes = WireReader(bytes, dense.latitudes)
      longitudes = WireReader(bytes, dense.longitudes)
    }

    /// Reads a node; false at the end.
    @inline(__always)
    mutating func next() -> Bool {
      guard !ids.isAtEnd else { return false }
      id &+= ids.sint()
      latitude &+= latitudes.sint()
      longitude &+= longitudes.sint()
      index += 1
      return true
    }

    func check() throws(PBFBlockError) {
      try PBFBlock.check(ids)
      try PBFBlock.check(latitudes)
      try PBFBlock.check(longitudes)
    }
  }
}

/// Finds ids in an ascending list that is walked along as long as they rise.
private struct SortedCursor {
  private let ids: [Int64]
  private var next = 0
  private var last = Int64.max

  init(_ ids: [Int64]) { self.ids = ids }

  /// Whether the list holds an id.
  @inline(__always)
  mutating func moves(to id: Int64) -> Bool {
    if id < last {
      next = ids.lowerBound(of: id)
    } else {
      while next < ids.count, ids[next] < id { next += 1 }
    }
    last = id
    return next < ids.count && ids[next] == id
  }
}

extension WireReader {
  /// A signed number of a field in zigzag form.
  fileprivate mutating func signedNumber(_ type: UInt64) -> Int64 {
    let value = number(type)
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }
}
