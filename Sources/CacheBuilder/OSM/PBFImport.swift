import Geodesy
import ParallelWork
import Timeline

/// Reads the places of an OpenStreetMap PBF file.
///
/// A file keeps nodes, ways and relations in this order, and what refers to something comes after
/// it. Read from its end, each part knows what the parts behind it refer to, and every block is
/// unpacked once. The order is no promise: what a part could not know when it was read is looked for
/// again, in the blocks that can hold it. What a block gives depends on the block and what is looked
/// for, so each part is read on several threads; the results are taken in the order of the file.
///
/// - Complexity: memory for the places and for the nodes of their outlines, never for all nodes, and
///   for one block a thread.
func importPBF(_ job: ImportJob) throws(ImportError) -> ImportResult {
  var result = ImportResult(format: .osmPBF)
  var (assembly, nodes, timestamp) = try readPBF(job)
  result.dataTimestamp = timestamp
  assembly.places(nodes, into: &result)
  return result
}

/// What a PBF file begins with: its blocks, its size, and when the map was as it shows.
func openPBF(_ job: ImportJob) throws(ImportError) -> (PBFBlocks, Int64, String?) {
  let source = try ByteSource(path: job.path)
  let blobs = try pbfBlobs(of: source)
  guard let header = blobs.first, header.type == "OSMHeader" else {
    throw ImportError(.malformed, path: job.path, at: .byte(0), "the file has no header")
  }
  let headerBytes = try PBFInflater(source: source)
  let timestamp = try readHeader(headerBytes.contents(of: header), of: header, job)
  let data = blobs.filter { $0.type == "OSMData" }
  guard !data.isEmpty else {
    throw ImportError(.empty, path: job.path, "a header without a map; fetch it again")
  }
  return (PBFBlocks(job: job, source: source, blobs: data), source.byteCount, timestamp)
}

/// The elements of a PBF file that rules ask for, with the nodes of their outlines, and when the map
/// was as the file shows it.
func readPBF(_ job: ImportJob) throws(ImportError) -> (OSMAssembly, NodeLocations, String?) {
  let (blocks, byteCount, timestamp) = try openPBF(job)
  var reading = PBFReading(blocks: blocks, budget: ImportBudget(byteCount: byteCount))
  try reading.readAll()

  var assembly = OSMAssembly(job: job, elements: reading.takeElements())
  try reading.find(ways: assembly.neededWays)
  for way in reading.ways { assembly.memberWays[way.id] = way.nodes }
  var nodes = assembly.neededNodes
  try reading.find(nodes: nodes.ids)
  for node in reading.nodes { nodes.set(node) }
  return (assembly, nodes, timestamp)
}

/// What is known of a file's blocks.
private struct PBFReading {
  private let blocks: PBFBlocks
  /// Block by block, what was found so far.
  private var findings: [PBFBlockFindings]
  /// Block by block, what was looked for; by index into ``searches``.
  private var searchOfBlock: [Int]
  private var searches: [PBFSearch] = []

  private let budget: ImportBudget

  init(blocks: PBFBlocks, budget: ImportBudget) {
    self.blocks = blocks
    self.budget = budget
    findings = Array(repeating: PBFBlockFindings(), count: blocks.count)
    searchOfBlock = Array(repeating: 0, count: blocks.count)
  }

  /// Finds the places, and what they refer to as far as the order of the file allows.
  mutating func readAll() throws(ImportError) {
    blocks.beginProgress(of: findings.indices)
    let firstRelation = blocks.firstBlock(behind: .way, in: 0..<blocks.count)
    let firstWay = blocks.firstBlock(behind: .node, in: 0..<firstRelation)
    var failure: ImportError?
    let rules = blocks.job.rules
    var next = PBFSearch(vocabulary: TagVocabulary(rules), rules: rules, budget: budget)
    for part in [firstRelation..<blocks.count, firstWay..<firstRelation, 0..<firstWay] {
      let search = next
      searches.append(search)
      do throws(ImportError) {
        let found = try blocks.results(of: Array(part)) { block, _ throws(PBFBlockError) in
          try block.findings(search)
        }
        findings.replaceSubrange(part, with: found)
      } catch {
        // The parts before this one may be damaged, too: the first damage of the file is named.
        failure = error
      }
      for block in part { searchOfBlock[block] = searches.count - 1 }
      next.ways = neededWays(of: part, and: search.ways)
      next.nodes = neededNodes(of: part, and: search.nodes)
    }
    if let failure { throw failure }
  }

  private func neededWays(of part: Range<Int>, and known: [Int64]) -> [Int64] {
    var needed = known
    for block in part { for element in findings[block].elements { needed += element.memberWays } }
    return sortedUnique(needed)
  }

  private func neededNodes(of part: Range<Int>, and known: [Int64]) -> [Int64] {
    var needed = known
    for block in part {
      for element in findings[block].elements { needed += element.outlineNodes }
      for way in findings[block].ways { needed += way.nodes }
    }
    return sortedUnique(needed)
  }

  /// The elements in the order of the file, which are let go of here.
  mutating func takeElements() -> [OSMElement] {
    var elements: [OSMElement] = []
    elements.reserveCapacity(findings.reduce(0) { $0 + $1.elements.count })
    for block in findings.indices {
      elements += findings[block].elements
      findings[block].elements = []
    }
    return elements
  }

  /// The ways that were looked for, in the order of the file.
  var ways: some Sequence<FoundWay> { findings.lazy.flatMap(\.ways) }

  /// The nodes that were looked for, in the order of the file.
  var nodes: some Sequence<FoundNode> { findings.lazy.flatMap(\.nodes) }

  /// Looks for ways where they have not been looked for yet.
  mutating func find(ways: [Int64]) throws(ImportError) {
    let missing = searches.map { ways.subtracting($0.ways) }
    try find(ways: { missing[$0] }, nodes: { _ in [] })
  }

  /// Looks for nodes where they have not been looked for yet.
  mutating func find(nodes: [Int64]) throws(ImportError) {
    let missing = searches.map { nodes.subtracting($0.nodes) }
    try find(ways: { _ in [] }, nodes: { missing[$0] })
  }

  /// Looks again in the blocks that can hold what is missing.
  ///
  /// - Parameter ways: what is missing in the blocks of a search.
  /// - Parameter nodes: the same of nodes.
  private mutating func find(
    ways: (Int) -> [Int64],
    nodes: (Int) -> [Int64]
  ) throws(ImportError) {
    let more = searches.indices.map { index in
      var search = searches[index]
      (search.ways, search.nodes) = (ways(index), nodes(index))
      return search
    }
    let searchOfBlock = searchOfBlock
    let unread = findings.indices.filter { block in
      let search = more[searchOfBlock[block]]
      return findings[block].wayIDs.meets(search.ways)
        || findings[block].nodeIDs.meets(search.nodes)
    }
    if !unread.isEmpty { blocks.beginProgress(of: unread) }
    let found = try blocks.results(of: unread) { block, number throws(PBFBlockError) in
      try block.references(more[searchOfBlock[number]])
    }
    for (block, more) in zip(unread, found) {
      findings[block].ways += more.ways
      findings[block].nodes += more.nodes
    }
  }
}

/// The blocks of one file, read on several threads.
struct PBFBlocks {
  let job: ImportJob
  private let source: ByteSource
  private let blobs: [PBFBlob]

  init(job: ImportJob, source: ByteSource, blobs: [PBFBlob]) {
    self.job = job
    self.source = source
    self.blobs = blobs
  }

  var count: Int { blobs.count }

  func beginProgress(of numbers: some Sequence<Int>) {
    job.progress?.begin(numbers.reduce(0) { $0 + Int64(blobs[$1].byteCount) })
  }

  /// What a thread keeps from block to block.
  private struct Worker {
    let inflater: PBFInflater
    let texts = PBFTexts()
  }

  /// Unpacks blocks and gives what a body makes of each, in the order that was asked for.
  ///
  /// A thread holds one block at a time.
  ///
  /// - Parameter body: gets a block and its number.
  func results(
    of numbers: [Int],
    _ body: @Sendable (PBFBlock, Int) throws(PBFBlockError) -> PBFBlockFindings
  ) throws(ImportError) -> [PBFBlockFindings] {
    // Unsafe, for a source also has a position: the inflater reads at places of its own and leaves
    // that alone.
    nonisolated(unsafe) let blocks = self
    let budget = PBFInflater.budget
    return try resultsInOrder(
      count: numbers.count,
      threads: job.threadCount,
      makeWorker: { () throws(ImportError) in try blocks.worker(budget) },
      work: { worker, index throws(ImportError) in
        try blocks.result(of: numbers[index], worker, body)
      }
    )
  }

  /// The same, handing over what a body makes of each block and keeping none of it.
  ///
  /// - Parameter take: gets the number of a block and what was made of it, in order of the numbers.
  func take(
    _ numbers: Range<Int>,
    _ body: @Sendable (PBFBlock, Int) throws(PBFBlockError) -> PBFBlockFindings,
    _ take: (Int, PBFBlockFindings) -> Void
  ) throws(ImportError) {
    nonisolated(unsafe) let blocks = self
    let budget = PBFInflater.budget
    try takeResultsInOrder(
      count: numbers.count,
      threads: job.threadCount,
      makeWorker: { () throws(ImportError) in try blocks.worker(budget) },
      work: { worker, index throws(ImportError) in
        try blocks.result(of: numbers.lowerBound + index, worker, body)
      },
      take: { take(numbers.lowerBound + $0, $1) }
    )
  }

  private func worker(_ budget: MemoryBudget) throws(ImportError) -> Worker {
    Worker(inflater: try PBFInflater(source: source, budget: budget))
  }

  private func result(
    of number: Int,
    _ worker: Worker,
    _ body: (PBFBlock, Int) throws(PBFBlockError) -> PBFBlockFindings
  ) throws(ImportError) -> PBFBlockFindings {
    try job.checkInterruption()
    let blob = blobs[number]
    defer { worker.inflater.finish() }
    let bytes = try worker.inflater.contents(of: blob)
    job.progress?.add(Int64(blob.byteCount))
    return try inBlock(blob, job) { () throws(PBFBlockError) in
      try body(try PBFBlock(bytes, texts: worker.texts), number)
    }
  }

  /// The first of some blocks that holds a later kind of elements than the given one, where kinds
  /// are in order; where they are not, any number.
  ///
  /// - Complexity: O(log blocks); a damaged block says nothing here, and is an error when it is read.
  func firstBlock(behind kind: OSMKind, in range: Range<Int>) -> Int {
    guard let inflater = try? PBFInflater(source: source) else { return range.upperBound }
    let texts = PBFTexts()
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let bytes = try? inflater.contents(of: blobs[middle])
      let found = bytes.flatMap { try? PBFBlock($0, texts: texts) }?.lastKind
      if let found, found > kind { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Runs a body on a block and says which block of the file it was that failed.
private func inBlock<Value>(
  _ blob: PBFBlob,
  _ job: ImportJob,
  _ body: () throws(PBFBlockError) -> Value
) throws(ImportError) -> Value {
  do { return try body() } catch {
    throw ImportError(
      .malformed,
      path: job.path,
      at: .byte(blob.offset),
      "the block is damaged: \(error.reason) at its unpacked byte \(error.offset)"
    )
  }
}

/// Checks that the file asks for nothing we cannot do.
///
/// - Returns: when the map was as the file shows it, where the file says.
private func readHeader(
  _ bytes: UnsafeRawBufferPointer,
  of blob: PBFBlob,
  _ job: ImportJob
) throws(ImportError) -> String? {
  var reader = WireReader(bytes, 0..<bytes.count)
  var timestamp: String?
  while let field = reader.field() {
    switch field.number {
    case 4:
      let feature = String(decoding: bytes[reader.bytes(field.type)], as: UTF8.self)
      try requireKnown(feature, blob, job)
    case 32:
      let seconds = Int64(bitPattern: reader.number(field.type))
      // Years 1970 to 9999: anything else is not a time of a map.
      if (1...253_402_300_799).contains(seconds) {
        timestamp = RFC3339.format(Timestamp(seconds: seconds))
      }
    default: reader.skip(field.type)
    }
  }
  guard !reader.isBroken else {
    throw ImportError(
      .malformed,
      path: job.path,
      at: .byte(blob.offset),
      "the file's header is damaged"
    )
  }
  return timestamp
}

private func requireKnown(
  _ feature: String,
  _ blob: PBFBlob,
  _ job: ImportJob
) throws(ImportError) {
  switch feature {
  case "OsmSchema-V0.6", "DenseNodes": return
  case "HistoricalInformation":
    // Old versions of a place would pass for places.
    throw ImportError(
      .unsupported,
      path: job.path,
      at: .byte(blob.offset),
      "a file with the full history; take one day of it with `osmium time-filter`"
    )
  default:
    throw ImportError(
      .unsupported,
      path: job.path,
      at: .byte(blob.offset),
      "the file needs a reader that knows \(feature)"
    )
  }
}
