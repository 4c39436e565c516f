import Geodesy
import Timeline

/// Reads the places of an OpenStreetMap PBF file.
///
/// Three passes: the places and, for each block, between which ids it lies; the member ways of
/// relations; the nodes of outlines. The later passes unpack only the blocks that can hold what is
/// wanted. What a block gives depends on the block alone, so each pass works on several blocks at a
/// time; what they give is taken in the order of the file.
///
/// - Complexity: memory for the places and for the nodes of their outlines, never for all nodes, and
///   for one block a thread.
func importPBF(_ job: ImportJob) throws(ImportError) -> ImportResult {
  let source = try ByteSource(path: job.path)
  let blobs = try pbfBlobs(of: source)
  var result = ImportResult(format: .osmPBF)
  guard let header = blobs.first, header.type == "OSMHeader" else {
    throw ImportError(.malformed, path: job.path, at: .byte(0), "the file has no header")
  }
  let headerBytes = try PBFInflater(source: source)
  result.dataTimestamp = try readHeader(headerBytes.contents(of: header), of: header, job)
  let blocks = PBFBlocks(job: job, source: source)
  let data = blobs.filter { $0.type == "OSMData" }

  let vocabulary = TagVocabulary(job.rules)
  let findings = try blocks.results(of: data) { bytes throws(PBFBlockError) in
    try PBFBlock(bytes, readsStrings: true).findings(vocabulary, rules: job.rules)
  }

  var assembly = OSMAssembly(job: job, elements: findings.flatMap(\.elements))
  let ways = assembly.neededWays
  let withWays = zip(data, findings).filter { $1.wayIDs.meets(ways) }.map(\.0)
  let members = try blocks.results(of: withWays) { bytes throws(PBFBlockError) in
    try PBFBlock(bytes, readsStrings: false).ways(ways)
  }
  for way in members.joined() { assembly.memberWays[way.id] = way.nodes }

  var nodes = assembly.neededNodes
  let needed = nodes.ids
  let withNodes = zip(data, findings).filter { $1.nodeIDs.meets(needed) }.map(\.0)
  let found = try blocks.results(of: withNodes) { bytes throws(PBFBlockError) in
    try PBFBlock(bytes, readsStrings: false).nodes(needed)
  }
  for node in found.joined() {
    nodes.set(node.index, latitudeE7: node.latitudeE7, longitudeE7: node.longitudeE7)
  }
  assembly.places(nodes, into: &result)
  return result
}

/// Reads blocks of one file on several threads.
private struct PBFBlocks {
  let job: ImportJob
  let source: ByteSource

  /// Unpacks blocks and gives what a body makes of each, in the order of the file.
  ///
  /// A thread holds one block at a time.
  func results<Value: Sendable>(
    of blobs: [PBFBlob],
    _ body: @Sendable (UnsafeRawBufferPointer) throws(PBFBlockError) -> Value
  ) throws(ImportError) -> [Value] {
    let job = job
    // Unsafe, for a source also has a position: the inflater reads at places of its own and leaves
    // that alone.
    nonisolated(unsafe) let source = source
    return try resultsInOrder(
      count: blobs.count,
      threadCount: job.threadCount,
      makeWorker: { () throws(ImportError) in try PBFInflater(source: source) },
      work: { inflater, number throws(ImportError) in
        try job.checkInterruption()
        let bytes = try inflater.contents(of: blobs[number])
        return try inBlock(blobs[number], job) { () throws(PBFBlockError) in try body(bytes) }
      }
    )
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
      // Years 1970 to 9999: anything else is no time of a map.
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
