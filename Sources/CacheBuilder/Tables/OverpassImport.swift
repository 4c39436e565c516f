import Basics
import Geodesy
import Places
import Timeline

/// Reads what a server of the Overpass API answers with `[out:json]`.
///
/// Ways and relations have their shape with them (`out geom`), a middle (`out center`), or the nodes and
/// ways that they refer to stand in the same answer (`(._;>;); out body`). Of several versions of an element, as the
/// history of one has them, the last one counts.
///
/// - Complexity: memory for the places, for the nodes and ways of the answer, and for one element.
/// - Source: wiki.openstreetmap.org/wiki/Overpass_API/Output_Formats, "JSON".
func importOverpass(_ job: ImportJob) throws(ImportError) -> ImportResult {
  let source = try ByteSource(path: job.path)
  var rows = RowCollector(job: job, format: .overpass, byteCount: source.byteCount)
  let reader = FeatureReader(rules: job.rules)
  var scanner = ElementScanner()
  var world = OverpassWorld()
  var versions = OverpassVersions()
  func add(_ id: String, _ element: JSONValue, _ geometry: JSONValue?) {
    rows.count += 1
    let feature = JSONValue.object([
      ("type", .string("Feature")), ("id", .string(id)),
      ("properties", .object([("tags", element["tags"] ?? .null)])),
      ("geometry", geometry ?? .null),
    ])
    let outcome = reader.read(feature)
    if case .place(let place, _, _, _) = outcome {
      if world.isCut(element) {
        rows.result.cutIDs.insert(place.sourceID)
      } else {
        rows.result.cutIDs.remove(place.sourceID)
      }
    }
    rows.take(outcome, id, isNewer: versions.note(outcome, of: id, element.version))
  }
  try job.forEachChunk(of: source) { chunk throws(ImportError) in
    scanner.scan(chunk) { bytes, line in
      guard !bytes.isEmpty else {
        rows.count += 1
        return rows.skip("line \(line)", .tooLong)
      }
      guard let element = try? JSONValue.parse(bytes) else {
        rows.count += 1
        return rows.skip("line \(line)", .notJSON)
      }
      rows.keep(references: world.take(element))
      guard element["tags"]?.members?.isEmpty == false, !element.isDeleted else {
        if let id = element.overpassID {
          rows.keep(references: 0, textBytes: versions.noteNoPlace(id, element))
        }
        return
      }
      guard let id = element.overpassID else {
        rows.count += 1
        return rows.skip("line \(line)", .noID)
      }
      if !versions.isWaiting(id), let geometry = world.ownGeometry(of: element) {
        add(id, element, geometry)
      } else {
        // What it refers to may stand behind it.
        let textBytes = versions.wait(id, element.version, bytes)
        rows.keep(references: 1, textBytes: textBytes)
      }
    }
    try rows.check(line: scanner.line)
    return true
  }
  guard scanner.isComplete else {
    throw ImportError(
      .truncated,
      path: job.path,
      at: .line(scanner.line),
      "the answer ends in the middle; ask for it again"
    )
  }
  try refuseBrokenOff(scanner.texts["remark"] ?? "", job)
  guard scanner.count > 0 else {
    throw ImportError(.empty, path: job.path, "an answer without an element; ask for more")
  }
  for waiting in versions.waiting {
    guard let (id, _, bytes) = waiting, let element = parsed(bytes) else { continue }
    add(id, element, world.ownGeometry(of: element) ?? world.geometry(of: element))
  }
  rows.remove(versions.gone)
  rows.result.dataTimestamp = scanner.texts["timestamp_osm_base"]
    .flatMap { RFC3339.parse($0).map { RFC3339.format($0) } }
  return rows.result
}

/// Refuses an answer of Overpass that breaks off: a server that runs out of time or memory sends what it has, and
/// says so behind it.
func refuseBrokenOff(_ remark: String, _ job: ImportJob) throws(ImportError) {
  guard remark.contains("error") else { return }
  throw ImportError(
    .truncated,
    path: job.path,
    "the server stopped in the middle: \"\(remark)\"; ask for less, or with a longer [timeout:…]"
  )
}

private func parsed(_ bytes: [UInt8]) -> JSONValue? {
  bytes.withUnsafeBytes { try? JSONValue.parse($0) }
}

extension JSONValue {
  fileprivate var overpassID: String? {
    guard let type = self["type"]?.text, let id = number("id") else { return nil }
    return "\(type)/\(id)"
  }

  /// Which version of the element it is, as `out meta` and histories say.
  fileprivate var version: Int64? { number("version").flatMap { Int64($0) } }

  /// Whether it says that the element is no longer there, as histories do.
  fileprivate var isDeleted: Bool {
    if case .bool(false)? = self["visible"] { true } else { false }
  }

  fileprivate func number(_ key: String) -> String? {
    if case .number(let text)? = self[key] { text } else { nil }
  }

  fileprivate var position: JSONValue? {
    guard let latitude = number("lat"), let longitude = number("lon") else { return nil }
    return .array([.number(longitude), .number(latitude)])
  }
}

/// What an answer says of elements that come again: versions of theirs in a history, or printed a second time.
///
/// What it has last counts. A version that is no place, or was deleted, takes the place away.
private struct OverpassVersions {
  private struct Known {
    /// The version of the place that was read last; nil where none was, or nobody says.
    var version: Int64?
    /// Whether a place was read.
    var isPlace = false
    /// Where it stands among those that wait.
    var waiting: [Int] = []
  }

  private var known: [String: Known] = [:]
  /// The elements that wait for what they refer to, in order; nil for one of which a newer version came.
  ///
  /// As they were read: their values take many times as much memory.
  private(set) var waiting: [(id: String, version: Int64?, bytes: [UInt8])?] = []
  /// The ids of places that are none any more.
  private(set) var gone: Set<String> = []

  /// Whether something of the element waits, and what comes later has to wait, too.
  func isWaiting(_ id: String) -> Bool { known[id]?.waiting.isEmpty == false }

  /// Has an element wait for the end of the answer.
  ///
  /// - Returns: how many bytes of texts more wait than before; fewer than none where older versions wait no longer.
  mutating func wait(_ id: String, _ version: Int64?, _ bytes: UnsafeRawBufferPointer) -> Int {
    var more = bytes.count
    if let last = known[id]?.waiting.last, let version, let older = waiting[last]?.version,
      version > older
    {
      more += stopWaiting(id)
    }
    known[id, default: Known()].waiting.append(waiting.count)
    waiting.append((id, version, Array(bytes)))
    return more
  }

  private mutating func stopWaiting(_ id: String) -> Int {
    var more = 0
    for index in known[id]?.waiting ?? [] {
      more -= waiting[index]?.bytes.count ?? 0
      waiting[index] = nil
    }
    known[id]?.waiting = []
    return more
  }

  /// Notes what an element gave.
  ///
  /// - Returns: whether it is another version of the place that was read before under its id.
  mutating func note(_ outcome: RowOutcome, of id: String, _ version: Int64?) -> Bool {
    let before = known[id]
    let isNewer =
      version.flatMap { version in before?.version.map { version > $0 } } ?? false
    switch outcome {
    case .place:
      known[id, default: Known()].version = version
      known[id]?.isPlace = true
      return gone.remove(id) != nil || isNewer
    case .bad where !isNewer: return false
    case .bad, .noPlace:
      if before?.isPlace == true { gone.insert(id) }
      known[id]?.isPlace = false
      return isNewer
    }
  }

  /// Notes an element without tags, or one that was deleted.
  ///
  /// One with neither tags nor a version is no version of it, but its shape alone: `out skel` prints what an outline
  /// refers to, be it a place as well or not.
  ///
  /// - Returns: how many bytes of texts more wait than before, which is none, or fewer.
  mutating func noteNoPlace(_ id: String, _ element: JSONValue) -> Int {
    guard let before = known[id] else { return 0 }
    let last = before.waiting.last.map { waiting[$0]?.version } ?? before.version
    let version = element.version
    guard element.isDeleted || version != nil && version != last else { return 0 }
    let more = stopWaiting(id)
    if before.isPlace { gone.insert(id) }
    known[id] = nil
    return more
  }
}

/// The nodes and ways of an answer, by which shapes are put together.
private struct OverpassWorld {
  private var nodes: [String: JSONValue] = [:]
  private var ways: [String: [JSONValue]] = [:]

  private static let nodeReferences = 4

  /// - Returns: how much more is kept than before, in references; a node takes the memory of several.
  mutating func take(_ element: JSONValue) -> Int {
    guard let id = element.number("id") else { return 0 }
    switch element["type"]?.text {
    case "node":
      // Some programs write where a node was that is gone.
      guard !element.isDeleted else {
        return nodes.removeValue(forKey: id) == nil ? 0 : -Self.nodeReferences
      }
      guard let position = element.position else { return 0 }
      return nodes.updateValue(position, forKey: id) == nil ? Self.nodeReferences : 0
    case "way":
      guard !element.isDeleted else { return -(ways.removeValue(forKey: id)?.count ?? 0) }
      guard let refs = element["nodes"]?.elements else { return 0 }
      return refs.count - (ways.updateValue(refs, forKey: id)?.count ?? 0)
    default: return 0
    }
  }

  /// What the element says itself.
  func ownGeometry(of element: JSONValue) -> JSONValue? {
    if let position = element.position { return shape("Point", position) }
    if let points = element["geometry"]?.elements {
      // Of a way that a box cuts, the corners beyond it are null.
      return line(points.compactMap(\.position))
    }
    if let members = element["members"]?.elements,
      members.contains(where: { $0["geometry"] != nil })
    {
      return area(
        members.compactMap { member in
          guard member["type"]?.text == "way", let points = member["geometry"]?.elements else {
            return nil
          }
          return (member["role"]?.text ?? "", points.compactMap(\.position))
        }
      )
    }
    return element["center"]?.position.map { shape("Point", $0) }
  }

  /// What its nodes and ways say.
  func geometry(of element: JSONValue) -> JSONValue? {
    if let refs = element["nodes"]?.elements { return line(positions(refs)) }
    guard let members = element["members"]?.elements else { return nil }
    return area(
      members.compactMap { member in
        guard member["type"]?.text == "way", let refs = member.number("ref").flatMap({ ways[$0] })
        else { return nil }
        return (member["role"]?.text ?? "", positions(refs))
      }
    )
  }

  /// Whether the answer has a part of an outline only: a box cuts it, or ways and nodes of it are not there.
  func isCut(_ element: JSONValue) -> Bool {
    func isCut(points: [JSONValue]?) -> Bool { points?.contains { $0.position == nil } ?? true }
    func isCut(refs: [JSONValue]?) -> Bool {
      refs.map { positions($0).count < $0.count } ?? true
    }
    if element.position != nil { return false }
    if let points = element["geometry"]?.elements { return isCut(points: points) }
    let ways = element["members"]?.elements?.filter { $0["type"]?.text == "way" } ?? []
    if ways.contains(where: { $0["geometry"] != nil }) {
      return ways.contains { isCut(points: $0["geometry"]?.elements) }
    }
    if element["center"]?.position != nil { return false }
    if let refs = element["nodes"]?.elements { return isCut(refs: refs) }
    return ways.contains { way in isCut(refs: way.number("ref").flatMap { self.ways[$0] }) }
  }

  private func positions(_ refs: [JSONValue]) -> [JSONValue] {
    refs.compactMap { ref in
      guard case .number(let id) = ref else { return nil }
      return nodes[id]
    }
  }

  private func shape(_ type: String, _ coordinates: JSONValue) -> JSONValue {
    .object([("type", .string(type)), ("coordinates", coordinates)])
  }

  private static func isSame(_ a: JSONValue?, _ b: JSONValue?) -> Bool {
    guard let a = a?.elements?.compactMap(\.double), let b = b?.elements?.compactMap(\.double)
    else {
      return false
    }
    return a == b
  }

  private func line(_ positions: [JSONValue]) -> JSONValue? {
    guard positions.count > 1 else { return positions.first.map { shape("Point", $0) } }
    return positions.count > 3 && Self.isSame(positions.first, positions.last)
      ? shape("Polygon", .array([.array(positions)])) : shape("LineString", .array(positions))
  }

  /// The area of a relation's ways, as maps are read whose nodes have ids: here, a node is where it lies.
  private func area(_ ways: [(role: String, positions: [JSONValue])]) -> JSONValue? {
    var outer: [[Int64]] = []
    var inner: [[Int64]] = []
    for way in ways {
      var places: [Int64] = []
      for position in way.positions {
        // Let its reader say what is wrong with it.
        guard let place = Self.key(position) else { return shape("Point", position) }
        places.append(place)
      }
      if way.role == "inner" { inner.append(places) } else { outer.append(places) }
    }
    let outline = AreaOutline(outer: outer, inner: inner, place: Self.coordinate)
    let ring = outline.ring.map(Self.position)
    guard outline.isClosed else { return line(ring) }
    return shape(
      "Polygon",
      .array(([ring] + outline.holes.map { $0.map(Self.position) }).map { .array($0) })
    )
  }

  /// A position as one number: two of the same are the same place.
  private static func key(_ position: JSONValue) -> Int64? {
    guard let numbers = position.elements, let longitude = numbers[0].double,
      let latitude = numbers[1].double,
      let place = try? Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    return Int64(place.latitudeE7) << 32 | Int64(UInt32(bitPattern: place.longitudeE7))
  }

  private static func coordinate(_ key: Int64) -> Coordinate {
    Coordinate(
      latitudeE7: Int32(key >> 32),
      longitudeE7: Int32(truncatingIfNeeded: key)
    )
  }

  private static func position(_ place: Coordinate) -> JSONValue {
    .array([
      .number(degreesText(e7: place.longitudeE7)), .number(degreesText(e7: place.latitudeE7)),
    ])
  }
}

/// Cuts the list `elements` of an object into its members, and keeps the texts around it.
private struct ElementScanner {
  /// Elements in the list so far.
  private(set) var count = 0
  private(set) var line = 1
  private var depth = 0
  private var isInText = false
  private var isEscaped = false
  private var text: [UInt8] = []
  private var lastText: [UInt8] = []
  /// The key whose value is read, outside of the list.
  private var key: [UInt8]?
  /// By key, the texts of the answer and of the objects in it that are no elements.
  private(set) var texts: [String: String] = [:]
  private var isInList = false
  private var element: [UInt8] = []
  private var elementLine = 0
  private var isTooLong = false

  /// Whether everything that was opened is closed.
  var isComplete: Bool { depth == 0 && !isInText }

  /// - Parameter body: given an element's bytes; none of one that is longer than any real one.
  mutating func scan(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (_ element: UnsafeRawBufferPointer, _ line: Int) -> Void
  ) {
    for byte in bytes {
      if byte == 0x0A { line += 1 }
      if isInList, depth > 2 || byte == UInt8(ascii: "{") { keep(byte) }
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInText = false
          lastText = text
          if let key, depth <= 2 { note(key) }
        } else if depth <= 2, !isInList, text.count < Self.longestText {
          text.append(byte)
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isInText = true
        text.removeAll(keepingCapacity: true)
      case UInt8(ascii: ":"): if !isInList { key = lastText }
      case UInt8(ascii: ","): key = nil
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        key = nil
        if depth == 2, byte == UInt8(ascii: "["), lastText == Array("elements".utf8) {
          isInList = true
        }
        if depth == 3, isInList { elementLine = line }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // More that closes than was opened is no answer of a server; what follows is looked at as if it were.
        depth = max(0, depth - 1)
        if isInList, depth == 2 {
          count += 1
          if isTooLong { element.removeAll() }
          element.withUnsafeBytes { body($0, elementLine) }
          element.removeAll(keepingCapacity: true)
          isTooLong = false
        } else if depth <= 1 {
          isInList = false
        }
      default: break
      }
    }
  }

  /// The head of an answer has five short texts.
  private static let longestText = 1_024
  private static let mostTexts = 64

  private mutating func note(_ key: [UInt8]) {
    self.key = nil
    guard texts.count < Self.mostTexts else { return }
    texts[String(decoding: key, as: UTF8.self)] = String(decoding: text, as: UTF8.self)
  }

  private mutating func keep(_ byte: UInt8) {
    guard !isTooLong else { return }
    element.append(byte)
    isTooLong = element.count > GeoJSONScanner.longestFeature
  }
}
