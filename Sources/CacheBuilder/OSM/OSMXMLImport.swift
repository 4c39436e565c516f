import Foundation
import Geodesy
import Timeline

/// Reads the places of an OpenStreetMap XML file, plain or in gzip.
///
/// The elements may come in any order: the file is read once for the places, and again for the
/// member ways of relations and for the nodes of outlines, where there are any. Of several versions of
/// an element, as in a file with the full history, the last one counts.
///
/// - Complexity: memory for the places and for the nodes of their outlines, never for all nodes.
func importOSMXML(_ job: ImportJob) throws(ImportError) -> ImportResult {
  var result = ImportResult(format: .osmXML)
  var (assembly, nodes, timestamp) = try readOSMXML(job) { row, reason in
    let row = SkippedRow(path: job.path, row: row, reason)
    result.skipped.add(row)
    job.onSkip(row)
  }
  result.dataTimestamp = timestamp
  assembly.places(nodes, into: &result)
  return result
}

/// The elements of an XML file that rules ask for, with the nodes of their outlines, and when the
/// map was as the file shows it.
///
/// - Parameter skip: told of elements that the file does not describe as far as they are needed.
func readOSMXML(
  _ job: ImportJob,
  skip: @escaping (_ row: String, SkipReason) -> Void = { _, _ in }
) throws(ImportError) -> (OSMAssembly, NodeLocations, String?) {
  let budget = ImportBudget(byteCount: try ByteSource(path: job.path).byteCount)
  let places = PlaceHandler(rules: job.rules, budget: budget, skip: skip)
  try parseXML(job, handler: places)
  guard places.root == "osm" else {
    throw ImportError(
      .unknownFormat,
      path: job.path,
      "XML of `\(places.root ?? "")` elements; a file of OpenStreetMap starts with `<osm`"
    )
  }
  try refuseBrokenOff(places.remark, job)
  guard places.hasElements else {
    throw ImportError(.empty, path: job.path, "a map without a node or a way; fetch it again")
  }
  let timestamp = places.dataTimestamp ?? places.newestEdit
  var assembly = OSMAssembly(job: job, elements: places.elements)
  let wanted = assembly.neededWays
  if !wanted.isEmpty {
    let ways = WayHandler(wanted: wanted, budget: budget)
    try parseXML(job, handler: ways)
    assembly.memberWays = ways.found
  }
  let needed = assembly.neededNodes
  guard !needed.ids.isEmpty else { return (assembly, needed, timestamp) }
  let nodes = NodeHandler(nodes: needed)
  try parseXML(job, handler: nodes)
  return (assembly, nodes.nodes, timestamp)
}

/// Whether an editor marked an element as deleted: JOSM and the history write such elements.
private func isDeleted(_ attributes: XMLAttributes) -> Bool {
  attributes["action"].map { $0 == "delete" } ?? false
    || attributes["visible"].map { $0 == "false" } ?? false
}

private func tooMuch(_ what: String, _ limit: Int) -> XMLRefusal {
  XMLRefusal(reason: "an element with more than \(limit) \(what)")
}

/// The id of a node of a way.
///
/// Overpass's `out geom` names no nodes in the ways of a relation, only where they are: such a node has its position for
/// an id, far below those that editors give to what is new.
private func nodeID(_ attributes: XMLAttributes) -> Int64? {
  if let ref = attributes.integer("ref") { return ref }
  guard let latitude = attributes.double("lat"), let longitude = attributes.double("lon"),
    let place = try? Coordinate(latitude: latitude, longitude: longitude)
  else { return nil }
  return ~(Int64(place.latitudeE7 + 900_000_000) << 32 | (Int64(place.longitudeE7) + 1_800_000_000))
}

private func add(_ ref: Int64, to refs: inout [Int64]) throws(XMLRefusal) {
  guard refs.count < OSMLimits.references else {
    throw tooMuch("nodes or members", OSMLimits.references)
  }
  refs.append(ref)
}

private final class PlaceHandler: XMLHandler {
  private let rules: CategoryRules
  private let skip: (_ row: String, SkipReason) -> Void
  private(set) var root: String?
  private(set) var dataTimestamp: String?
  /// Whether there was any node, way or relation, wanted or not.
  private(set) var hasElements = false
  /// What a server of the Overpass API says behind its answer, as that it ran out of time or memory.
  var remark: String {
    String(decoding: remarkBytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
  private var remarkBytes: [UInt8] = []
  private var isInRemark = false
  private static let longestRemark = 1_024
  /// For remarks alone.
  let wantsText = true
  private var places: OSMVersions
  /// The places, in the order of the file.
  var elements: [OSMElement] { places.elements }
  private var newest: [CChar] = [0]

  /// When the newest element was edited: the map is at least as new as that.
  var newestEdit: String? {
    let text = String(decoding: newest.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    return RFC3339.parse(text).map { RFC3339.format($0) }
  }

  private var current: (element: OSMElementID, version: Int64?)?
  private var tags: [OSMTag] = []
  private var tagBytes = 0
  private var coordinate: Coordinate?
  private var center: Coordinate?
  private var refs: [Int64] = []
  private var outer: [Int64] = []
  private var inner: [Int64] = []

  init(
    rules: CategoryRules,
    budget: ImportBudget,
    skip: @escaping (_ row: String, SkipReason) -> Void
  ) {
    self.rules = rules
    self.skip = skip
    places = OSMVersions(budget: budget)
  }

  func start(_ name: XMLText, _ attributes: XMLAttributes) throws(XMLRefusal) {
    if root == nil {
      root = name.string
      dataTimestamp = time(attributes["osmosis_replication_timestamp"])
    } else if name == "tag" {
      guard current != nil, let key = attributes["k"], let value = attributes["v"] else { return }
      guard tags.count < OSMLimits.tags else { throw tooMuch("tags", OSMLimits.tags) }
      tagBytes += strlen(key.bytes) + strlen(value.bytes)
      guard tagBytes <= OSMLimits.tagBytes else {
        throw tooMuch("bytes of tags", OSMLimits.tagBytes)
      }
      tags.append(OSMTag(key: key.string, value: value.string))
    } else if name == "nd" {
      // Within a member of a relation they are that way's, which `WayHandler` reads.
      if current?.element.kind == .way, let ref = nodeID(attributes) { try add(ref, to: &refs) }
    } else if name == "member" {
      try addMember(attributes)
    } else if name == "node" {
      begin(.node, attributes)
      guard let node = current else { return }
      guard let latitude = attributes.double("lat"), let longitude = attributes.double("lon") else {
        current = nil
        return skip("node/\(node.element.id)", .noCoordinates)
      }
      coordinate = try? Coordinate(latitude: latitude, longitude: longitude)
    } else if name == "way" {
      begin(.way, attributes)
    } else if name == "relation" {
      begin(.relation, attributes)
    } else if name == "center" {
      // Overpass's `out center`: the middle of what a way or a relation is.
      guard let latitude = attributes.double("lat"), let longitude = attributes.double("lon") else {
        return
      }
      center = try? Coordinate(latitude: latitude, longitude: longitude)
    } else if name == "remark" {
      isInRemark = true
    } else if name == "meta", dataTimestamp == nil {
      dataTimestamp = time(attributes["osm_base"])
    }
  }

  /// A time as caches keep it; nil for what is none.
  private func time(_ text: XMLText?) -> String? {
    text.flatMap { RFC3339.parse($0.string) }.map { RFC3339.format($0) }
  }

  private func begin(_ kind: OSMKind, _ attributes: XMLAttributes) {
    hasElements = true
    current = nil
    center = nil
    tags.removeAll(keepingCapacity: true)
    tagBytes = 0
    refs.removeAll(keepingCapacity: true)
    outer.removeAll(keepingCapacity: true)
    inner.removeAll(keepingCapacity: true)
    // OpenStreetMap writes all times alike, in UTC: their order is that of their bytes.
    if let time = attributes["timestamp"], strcmp(time.bytes, newest) > 0, strlen(time.bytes) == 20
    {
      newest = Array(UnsafeBufferPointer(start: time.bytes, count: 21))
    }
    let id = attributes.integer("id")
    guard !isDeleted(attributes) else {
      if let id { places.remove(OSMElementID(kind: kind, id: id)) }
      return
    }
    guard let id else { return skip("line \(attributes.line)", .noID) }
    current = (OSMElementID(kind: kind, id: id), attributes.integer("version"))
  }

  private func addMember(_ attributes: XMLAttributes) throws(XMLRefusal) {
    guard let type = attributes["type"], type == "way", let ref = attributes.integer("ref"),
      let role = attributes["role"]
    else { return }
    if role == "inner" {
      try add(ref, to: &inner)
    } else if role == "outer" || role == "" {
      try add(ref, to: &outer)
    }
  }

  func text(_ bytes: UnsafeRawBufferPointer) throws(XMLRefusal) {
    guard isInRemark, remarkBytes.count < Self.longestRemark else { return }
    remarkBytes += bytes.prefix(Self.longestRemark - remarkBytes.count)
  }

  func end(_ name: XMLText) throws(XMLRefusal) {
    isInRemark = false
    guard name == "node" || name == "way" || name == "relation",
      let (element, version) = current
    else { return }
    current = nil
    guard !tags.isEmpty else { return places.noteNoPlace(element, version, hasTags: false) }
    let shape: OSMElement.Shape =
      switch element.kind {
      case .node: .point(coordinate)
      // Whoever asked for the middle has at most some of the nodes.
      case .way where center != nil, .relation where center != nil:
        .point(center)
      case .way: .line(refs)
      case .relation: .area(outer: outer, inner: inner)
      }
    let place = OSMElement(
      kind: element.kind,
      id: element.id,
      tags: tags,
      shape: shape,
      rules: rules
    )
    guard let place else { return places.noteNoPlace(element, version, hasTags: true) }
    guard places.add(place, version) else {
      throw XMLRefusal(reason: ImportBudget.refusal)
    }
  }
}

private final class WayHandler: XMLHandler {
  private let wanted: [Int64]
  private let budget: ImportBudget
  private(set) var found: [Int64: [Int64]] = [:]
  private var current: Int64?
  private var refs: [Int64] = []

  init(wanted: [Int64], budget: ImportBudget) {
    self.wanted = wanted
    self.budget = budget
  }

  func start(_ name: XMLText, _ attributes: XMLAttributes) throws(XMLRefusal) {
    let isMember = name == "member"
    if name == "way" || isMember {
      current = nil
      refs = []
      guard let id = attributes.integer(isMember ? "ref" : "id"), wanted.containsSorted(id),
        !isMember || attributes["type"].map({ $0 == "way" }) ?? false
      else { return }
      if isDeleted(attributes) { found[id] = nil } else { current = id }
    } else if current != nil, name == "nd", let ref = nodeID(attributes) {
      try add(ref, to: &refs)
    }
  }

  func end(_ name: XMLText) throws(XMLRefusal) {
    guard name == "way" || name == "member", let id = current else { return }
    current = nil
    // Most files name the ways of a relation there, and have them elsewhere.
    guard name == "way" || !refs.isEmpty && found[id] == nil else { return }
    guard budget.take(references: refs.count - (found[id]?.count ?? 0)) else {
      throw XMLRefusal(reason: ImportBudget.refusal)
    }
    found[id] = refs
  }
}

private final class NodeHandler: XMLHandler {
  private(set) var nodes: NodeLocations

  init(nodes: NodeLocations) { self.nodes = nodes }

  func start(_ name: XMLText, _ attributes: XMLAttributes) throws(XMLRefusal) {
    // Overpass's `out geom` writes where a node is into the way; others only name it there.
    let isNode = name == "node"
    guard isNode || name == "nd" && attributes["lat"] != nil,
      let id = isNode ? attributes.integer("id") : nodeID(attributes)
    else { return }
    let index = nodes.ids.lowerBound(of: id)
    guard index < nodes.ids.count, nodes.ids[index] == id else { return }
    guard !isDeleted(attributes) else { return nodes.forget(index) }
    guard let latitude = attributes.double("lat"), let longitude = attributes.double("lon"),
      let place = try? Coordinate(latitude: latitude, longitude: longitude)
    else { return }
    nodes.set(index, latitudeE7: place.latitudeE7, longitudeE7: place.longitudeE7)
  }

  func end(_ name: XMLText) {}
}
