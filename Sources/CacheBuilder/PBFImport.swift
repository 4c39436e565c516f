import Geodesy
import Timeline

/// Reads the places of an OpenStreetMap PBF file.
///
/// Three passes: the places and, for each block, between which ids it lies; the member ways of
/// relations; the nodes of outlines. The later passes unpack only the blocks that can hold what is
/// wanted. What a block gives depends on the block alone.
///
/// - Complexity: memory for the places and for the nodes of their outlines, never for all nodes.
func importPBF(_ job: ImportJob) throws(ImportError) -> ImportResult {
  let source = try ByteSource(path: job.path)
  let blobs = try pbfBlobs(of: source)
  let inflater = try PBFInflater(source: source)
  var result = ImportResult(format: .osmPBF)
  guard let header = blobs.first, header.type == "OSMHeader" else {
    throw ImportError(.malformed, path: job.path, at: .byte(0), "the file has no header")
  }
  result.dataTimestamp = try readHeader(inflater.contents(of: header), of: header, job)
  let data = blobs.filter { $0.type == "OSMData" }

  let vocabulary = TagVocabulary(job.rules)
  var elements: [OSMElement] = []
  var ranges: [(nodes: IDRange, ways: IDRange)] = []
  ranges.reserveCapacity(data.count)
  for blob in data {
    try job.checkInterruption()
    let bytes = try inflater.contents(of: blob)
    let findings = try inBlock(blob, job) { () throws(PBFBlockError) in
      try PBFBlock(bytes, readsStrings: true).findings(vocabulary, rules: job.rules)
    }
    elements += findings.elements
    ranges.append((findings.nodeIDs, findings.wayIDs))
  }

  var assembly = OSMAssembly(job: job, elements: elements)
  let ways = assembly.neededWays
  var memberWays: [Int64: [Int64]] = [:]
  for (blob, range) in zip(data, ranges) where range.ways.meets(ways) {
    try job.checkInterruption()
    let bytes = try inflater.contents(of: blob)
    try inBlock(blob, job) { () throws(PBFBlockError) in
      try PBFBlock(bytes, readsStrings: false).readWays(ways) { memberWays[$0] = $1 }
    }
  }
  assembly.memberWays = memberWays

  var nodes = assembly.neededNodes
  for (blob, range) in zip(data, ranges) where range.nodes.meets(nodes.ids) {
    try job.checkInterruption()
    let bytes = try inflater.contents(of: blob)
    try inBlock(blob, job) { () throws(PBFBlockError) in
      try PBFBlock(bytes, readsStrings: false).readNodes(&nodes)
    }
  }
  assembly.places(nodes, into: &result)
  return result
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
