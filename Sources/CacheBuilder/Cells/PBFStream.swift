import Geodesy
import Places

/// Reads the places of a PBF file whose order is the usual one, and hands each over as it is known.
///
/// What ``importPBF(_:)`` gives, in memory for the ids of the outlines' nodes and where they are: ways and
/// relations wait in a file until their nodes are known.
///
/// - Parameters:
///   - folder: where that file is.
///   - take: gets each place, in the order of the file, with what else is known of it.
/// - Returns: what was skipped, and when the map was; nil if the order turned out to be another one, and
///   then what was handed over must be let go of.
/// - Complexity: 24 bytes for each node of an outline, and one block for each thread.
func streamPBF(
  _ job: ImportJob,
  spoolingIn folder: String,
  _ take: (PointOfInterest, String?) throws(ImportError) -> Void
) throws(ImportError) -> ImportResult? {
  let (blocks, byteCount, timestamp) = try openPBF(job)
  var result = ImportResult(format: .osmPBF)
  result.dataTimestamp = timestamp
  let firstRelation = blocks.firstBlock(behind: .way, in: 0..<blocks.count)
  let firstWay = blocks.firstBlock(behind: .node, in: 0..<firstRelation)
  var assembly = OSMAssembly(job: job, elements: [])
  let rules = job.rules
  var search = PBFSearch(
    vocabulary: TagVocabulary(rules),
    rules: rules,
    budget: ImportBudget(byteCount: byteCount)
  )
  var order = ElementOrder()
  var failure: ImportError?
  func attempt(_ body: () throws(ImportError) -> Void) {
    guard failure == nil else { return }
    do throws(ImportError) { try body() } catch { failure = error }
  }
  blocks.beginProgress(of: 0..<blocks.count)

  let relations = try ElementSpool(in: folder)
  var needed: [Int64] = []
  let relationSearch = search
  try blocks.take(firstRelation..<blocks.count) { block, _ throws(PBFBlockError) in
    try block.findings(relationSearch)
  } _: { _, found in
    order.note(found, in: .relation)
    for element in found.elements { needed += element.memberWays }
    attempt { () throws(ImportError) in try relations.append(found.elements) }
  }
  search.ways = sortedUnique(needed)

  let ways = try ElementSpool(in: folder)
  needed = []
  let waySearch = search
  try blocks.take(firstWay..<firstRelation) { block, _ throws(PBFBlockError) in
    try block.findings(waySearch)
  } _: { _, found in
    order.note(found, in: .way)
    for element in found.elements { needed += element.outlineNodes }
    for way in found.ways {
      needed += way.nodes
      assembly.memberWays[way.id] = way.nodes
    }
    attempt { () throws(ImportError) in try ways.append(found.elements) }
  }
  var nodes = NodeLocations(needed: needed)
  needed = []
  search.nodes = nodes.ids

  // Whether the order is the usual one, and what is said here is not said again, shows at the end.
  let unfit = try ElementSpool(in: folder)
  var quiet = OSMAssembly(job: job.withoutTelling, elements: [])
  var untold = SkippedRows()
  let nodeSearch = search
  let noNodes = NodeLocations(needed: [])
  try blocks.take(0..<firstWay) { block, _ throws(PBFBlockError) in
    try block.findings(nodeSearch)
  } _: { _, found in
    order.note(found, in: .node)
    for node in found.nodes { nodes.set(node) }
    attempt { () throws(ImportError) in
      for element in found.elements {
        if let place = quiet.place(element, noNodes, &untold) {
          try take(place, element.details)
        } else {
          try unfit.append([element])
        }
      }
    }
  }
  if let failure { throw failure }
  guard order.isUsual else { return nil }
  for spool in [unfit, ways, relations] {
    try spool.forEach { element throws(ImportError) in
      try job.checkInterruption()
      if let place = assembly.place(element, nodes, &result.skipped) {
        try take(place, element.details)
      }
    }
  }
  return result
}

/// Whether a file has nodes, then ways, then relations, each with ascending ids.
private struct ElementOrder {
  private(set) var isUsual = true
  private var newest: [OSMKind: Int64] = [:]

  mutating func note(_ found: PBFBlockFindings, in part: OSMKind) {
    // What a part does not look for is lost there: nodes of ways, ways of relations, and what is looked for by places of
    // another part.
    if part != .node, found.nodeIDs.least <= found.nodeIDs.greatest { isUsual = false }
    if part != .way, found.wayIDs.least <= found.wayIDs.greatest { isUsual = false }
    for element in found.elements {
      if element.kind == .relation, part != .relation { isUsual = false }
      if let last = newest[element.kind], element.id <= last { isUsual = false }
      newest[element.kind] = element.id
    }
  }
}

/// Elements in a file, in order.
private final class ElementSpool {
  private let file: SpoolFile
  private var writer = SpoolWriter()
  private var chunks: [Range<Int>] = []
  private static let chunkBytes = 1 << 20

  init(in folder: String) throws(ImportError) { file = try SpoolFile(in: folder) }

  func append(_ elements: [OSMElement]) throws(ImportError) {
    for element in elements {
      writer.add(UInt64(element.kind == .node ? 0 : element.kind == .way ? 1 : 2))
      writer.add(signed: element.id)
      writer.add(element.categories.bits)
      writer.add(element.name)
      writer.add(element.brand)
      writer.add(element.details)
      switch element.shape {
      case .point(let coordinate):
        writer.add(coordinate == nil ? 0 : 1)
        if let coordinate {
          writer.add(bits: coordinate.latitude)
          writer.add(bits: coordinate.longitude)
        }
      case .line(let nodes):
        writer.add(2)
        writer.add(nodes)
      case .area(let outer, let inner):
        writer.add(3)
        writer.add(outer)
        writer.add(inner)
      case .other: writer.add(4)
      }
    }
    if writer.bytes.count >= Self.chunkBytes { try flush() }
  }

  private func flush() throws(ImportError) {
    guard !writer.bytes.isEmpty else { return }
    chunks.append(try file.append(writer.bytes))
    writer.removeAll()
  }

  func forEach(_ body: (OSMElement) throws(ImportError) -> Void) throws(ImportError) {
    try flush()
    for chunk in chunks {
      var reader = SpoolReader(try file.read(chunk))
      while !reader.isAtEnd {
        let kind = [OSMKind.node, .way, .relation][Int(reader.number())]
        let id = reader.signedNumber()
        let categories = CategorySet(bits: reader.number())
        let (name, brand, details) = (reader.text(), reader.text(), reader.text())
        let shape: OSMElement.Shape =
          switch reader.number() {
          case 0: .point(nil)
          case 1:
            .point(Coordinate(uncheckedLatitude: reader.bits(), longitude: reader.bits()))
          case 2: .line(reader.ids())
          case 3: .area(outer: reader.ids(), inner: reader.ids())
          default: .other
          }
        try body(
          OSMElement(
            kind: kind,
            id: id,
            categories: categories,
            name: name,
            brand: brand,
            details: details,
            shape: shape
          )
        )
      }
    }
  }
}
