import Basics
import Geodesy
import Places
import Timeline

/// Reads the places of a GeoJSON file, plain or in gzip: a collection, a feature, or a feature a
/// line.
///
/// - Complexity: memory for the places and for one feature.
func importGeoJSON(_ job: ImportJob) throws(ImportError) -> ImportResult {
  let source = try ByteSource(path: job.path)
  var scanner = GeoJSONScanner()
  var rows = RowCollector(job: job, format: .geoJSON, byteCount: source.byteCount)
  let reader = FeatureReader(rules: job.rules, notesOlderIDs: job.notesOlderIDs)
  var featureCount = 0
  func take(_ piece: GeoJSONScanner.Piece, _ scanner: inout GeoJSONScanner) {
    let row = "line \(scanner.pieceLine)"
    rows.count += 1
    switch piece {
    case .tooLong:
      featureCount += 1
      rows.skip(row, .tooLong)
    case .unterminated: rows.skip(row, .unterminated)
    case .feature:
      let outcome = scanner.buffer.withUnsafeBytes { reader.read($0) }
      var isFeature = true
      if case .bad(let reason) = outcome {
        isFeature = ![.notAFeature, .noFeatureList, .notJSON].contains(reason)
      }
      if isFeature { featureCount += 1 }
      rows.take(outcome, row)
    }
  }
  try job.forEachChunk(of: source) { chunk throws(ImportError) in
    try scanner.scan(chunk) { (piece, scanner) throws(ImportError) in
      take(piece, &scanner)
    } fail: { failure in
      ImportError(.malformed, path: job.path, at: .line(failure.line), failure.reason)
    }
    try rows.check(line: scanner.currentLine)
    return true
  }
  guard scanner.isComplete else {
    throw ImportError(
      .truncated,
      path: job.path,
      at: .line(scanner.currentLine),
      "the file ends in the middle of a feature; fetch it again"
    )
  }
  scanner.end { take($0, &$1) }
  // An answer of some server, say, which must not take the place of a good cache.
  guard featureCount > 0 else {
    throw noFeature(in: rows.result, of: job.path, hasList: scanner.hasFoundList)
  }
  // Overpass Turbo's exports say beside their features when the map was so.
  rows.result.dataTimestamp = scanner.surroundings
    .compactMap { $0["timestamp"]?.text.flatMap(RFC3339.parse) }.min().map { RFC3339.format($0) }
  return rows.result
}

private func noFeature(
  in result: ImportResult,
  of path: String,
  hasList: Bool
) -> ImportError {
  let first = result.skipped.rows.first
  if hasList, let first {
    return ImportError(
      .malformed,
      path: path,
      (result.skipped.count == 1
        ? "the one member of its list is no feature, on "
        : "none of the \(result.skipped.count) members of its list is a feature, the first on ")
        + "\(first.row): \(first.reason); fetch it again"
    )
  }
  if let first, first.reason != SkipReason.noFeatureList.rawValue {
    return ImportError(
      .unknownFormat,
      path: path,
      "this is neither a feature nor a collection of features; fetch it again"
    )
  }
  let what = first == nil ? "a collection that is empty" : "a collection without a list of features"
  return ImportError(.empty, path: path, "\(what); fetch it again")
}

/// A footprint as our own exports give it: 0 for what is not a length, nil for what no place can have.
func footprintRadius(_ meters: Double?) -> Double? {
  guard let meters, meters > 0, meters.isFinite else { return 0 }
  return meters <= PointOfInterest.mostFootprintMeters ? meters : nil
}

/// What a row of a file gave.
enum RowOutcome {
  /// The place, what else is known of it as JSON, what of it could not be read, and what older versions
  /// have called it where that is something else.
  case place(
    PointOfInterest,
    details: String?,
    flaw: SkipReason? = nil,
    olderID: String? = nil
  )
  /// A row of something that no category asks for.
  case noPlace
  case bad(SkipReason)

  /// The same of a row whose shape was not read, for the reason given: it costs only what would be a place.
  func withoutShape(_ reason: SkipReason) -> RowOutcome {
    if case .bad(.noGeometry) = self { .bad(reason) } else { self }
  }
}

/// Gathers the rows of a file; a source id that comes again replaces the one before.
struct RowCollector {
  private let job: ImportJob
  var result: ImportResult
  private var known = IDTable()
  private let budget: ImportBudget
  private var isOverBudget = false
  /// The rows so far, bad ones too.
  var count = 0

  /// - Parameter byteCount: the size of the file as it lies on the disk.
  init(job: ImportJob, format: InputFormat, byteCount: Int64) {
    self.job = job
    budget = ImportBudget(byteCount: byteCount)
    result = ImportResult(format: format)
  }

  /// Why to end the reading: more was kept than a file of its size can hold; nil for going on.
  var refusal: String? { isOverBudget ? ImportBudget.refusal : nil }

  /// Ends the reading if more was kept than a file of its size can hold.
  func check(line: Int) throws(ImportError) {
    guard let refusal else { return }
    throw ImportError(.malformed, path: job.path, at: .line(line), refusal)
  }

  /// Notes that something else is kept until the end: nodes and members, and bytes of texts.
  mutating func keep(references: Int, textBytes: Int = 0) {
    if !budget.take(references: references) || !budget.take(textBytes: textBytes) {
      isOverBudget = true
    }
  }

  /// Takes what a row gave.
  ///
  /// - Parameters:
  ///   - row: what the row is called if there is something to say of it.
  ///   - isNewer: whether a place of the same id is known to be this one as it once was.
  mutating func take(
    _ outcome: consuming RowOutcome,
    _ row: @autoclosure () -> String,
    isNewer: Bool = false
  ) {
    switch consume outcome {
    case .place(let place, let details, let flaw, let olderID):
      guard !isOverBudget else { return }
      if olderID != nil || !result.olderIDs.isEmpty { result.olderIDs[place.sourceID] = olderID }
      add(place, details, row(), isNewer: isNewer)
      if let flaw { skip(row(), flaw) }
    case .bad(let reason): skip(row(), reason)
    case .noPlace: break
    }
  }

  private mutating func add(
    _ place: PointOfInterest,
    _ details: String?,
    _ row: @autoclosure () -> String,
    isNewer: Bool
  ) {
    if details != nil || !result.details.isEmpty { result.details[place.sourceID] = details }
    let textBytes = byteCount(of: place.name) + byteCount(of: place.brand) + byteCount(of: details)
    let hash = IDTable.hash(of: place.sourceID)
    if let index = known.index(of: hash, where: { result.places[$0].sourceID == place.sourceID }) {
      keep(references: 0, textBytes: textBytes)
      if !isNewer, !result.places[index].isToldAgain(by: place) { skip(row(), .sameID) }
      result.places[index] = place
    } else {
      guard budget.takePlace(references: 0, textBytes: place.sourceID.utf8.count + textBytes) else {
        isOverBudget = true
        return
      }
      known.append(hash)
      result.places.append(place)
    }
  }

  /// Takes places away by their ids; the last thing that is done.
  mutating func remove(_ ids: Set<String>) {
    guard !ids.isEmpty else { return }
    result.places.removeAll { ids.contains($0.sourceID) }
    result.details = result.details.filter { !ids.contains($0.key) }
  }

  mutating func skip(_ row: String, _ reason: SkipReason) {
    let row = SkippedRow(path: job.path, row: row, reason)
    result.skipped.add(row)
    job.onSkip(row)
  }
}

/// Reads one feature.
struct FeatureReader {
  let rules: CategoryRules
  /// Whether to say what older versions have called a place.
  var notesOlderIDs = false

  /// Reads a feature.
  func read(_ bytes: UnsafeRawBufferPointer) -> RowOutcome {
    let feature: JSONValue
    do { feature = try JSONValue.parse(bytes) } catch {
      switch error.kind {
      case .malformed: return .bad(.notJSON)
      case .notUTF8: return .bad(.notUTF8)
      case .tooMany: return .bad(.tooManyValues)
      }
    }
    return read(feature)
  }

  /// Reads a feature that is parsed, or was made of a row of another format.
  ///
  /// - Parameter folder: the category of the folder that it lies in, where it has none itself that is known.
  func read(_ feature: JSONValue, folder: String? = nil) -> RowOutcome {
    guard feature["type"]?.text == "Feature" else {
      // One that has a list is a member of another collection, which RFC 7946 does not know.
      let isBroken =
        feature["type"]?.text == "FeatureCollection" && feature["features"]?.elements == nil
      return .bad(isBroken ? .noFeatureList : .notAFeature)
    }
    let properties = WrittenProperties(feature["properties"] ?? .null)
    let tags = Tags(properties)
    let match = rules.match(tags)
    guard !match.isExcluded || !match.categories.isEmpty else { return .noPlace }
    var (categories, hasUnknown) = (match.categories, false)
    if categories.isEmpty {
      let named = NamedCategories(tags.categories, rules: rules)
      (categories, hasUnknown) = (named.known, named.hasUnknown)
      if let folder, categories.isEmpty, !named.hasUnwanted {
        (categories, hasUnknown) = (NamedCategories([folder], rules: rules).known, false)
      }
    }
    if categories.isEmpty, let named = tags.nestedCategory {
      // A tag of a map, which has many that are none of ours.
      categories = NamedCategories([named], rules: rules).known
    }
    guard !categories.isEmpty else { return hasUnknown ? .bad(.unknownCategory) : .noPlace }
    guard let geometry = feature["geometry"] else { return .bad(.noGeometry) }
    let shape: Footprint
    switch Self.footprint(of: geometry) {
    case .success(let footprint): shape = footprint
    case .failure(let bad): return .bad(bad.reason)
    }
    if let fault = shape.fault { return .bad(fault) }
    guard let radiusMeters = footprintRadius(properties["footprint_radius_m"]?.double) else {
      return .bad(.tooWide)
    }
    let ids = rules.ids(categories)
    func madeUp(of tags: Tags) -> String {
      madeUpID(ids, name: tags.name, brand: tags.brand, at: shape.coordinate)
    }
    let found = sourceIDs(feature, properties, madeUp: madeUp(of: tags))
    guard let (sourceID, foundOlderID) = found else { return .bad(.longID) }
    var olderID = foundOlderID
    if notesOlderIDs {
      let older = properties.asOlder
      let id = sourceIDs(feature, older, madeUp: madeUp(of: Tags(older)))?.id
      if let id, id != sourceID { olderID = id }
    }
    return .place(
      PointOfInterest(
        sourceID: sourceID,
        categories: ids,
        name: tags.name,
        brand: tags.brand,
        coordinate: shape.coordinate,
        footprintRadiusMeters: max(shape.radiusMeters, radiusMeters)
      ),
      details: PlaceDetails.json { tags[$0] },
      flaw: hasUnknown ? .oneUnknownCategory : nil,
      olderID: olderID
    )
  }

  /// The properties as tags; those of a nested `tags`, or of GDAL's `other_tags`, come first.
  private struct Tags: TagLookup {
    private let outer: WrittenProperties
    private let nested: JSONValue

    init(_ properties: WrittenProperties) {
      outer = properties
      let tags = properties["tags"] ?? .null
      let others = properties["other_tags"]?.text
        .map { JSONValue.object(CacheBuilder.tags(others: $0)) }
      nested = tags.members == nil ? others ?? tags : tags
    }

    var name: String? {
      cleaned(text(nested["name"])) ?? cleaned(outer.text(ofFirst: KeyAliases.name))
    }
    var brand: String? {
      cleaned(text(nested["brand"])) ?? cleaned(outer.text(ofFirst: KeyAliases.brand))
    }

    subscript(key: String) -> String? { text(nested[key]) ?? text(outer[key]) }

    /// What stands under `category` and `categories`, in whatever case.
    var categories: [String] {
      (outer.exact.members ?? []).filter { isCategoryKey($0.key) }
        .flatMap { member in (member.value.elements ?? [member.value]).compactMap(text) }
    }

    /// The same of the tags of an element, which have one.
    var nestedCategory: String? { text(nested["category"]) }

    func hasTag(where isWanted: (_ key: String, _ value: String) -> Bool) -> Bool {
      (nested.members ?? [])
        .contains { tag in text(tag.value).map { isWanted(tag.key, $0) } ?? false }
        || outer.contains(where: isWanted)
    }
  }

  // MARK: Identity

  private struct FeatureID: GivenID {
    let properties: WrittenProperties
    let featureID: String?
    let shape: String?

    func value(_ key: IDKey) -> String? { cleaned(text(properties[key.name])) }
    func hasKey(_ key: IDKey) -> Bool { properties[key.name] != nil }
  }

  /// The id of a feature, and what older versions have called it where that is something else; nil for one that is
  /// longer than any that is taken.
  private func sourceIDs(
    _ feature: JSONValue,
    _ properties: WrittenProperties,
    madeUp: @autoclosure () -> String
  ) -> (id: String, older: String?)? {
    let given = FeatureID(
      properties: properties,
      featureID: text(feature["id"]),
      shape: feature["geometry"]?["type"]?.text
    )
    if let named = given.namedElement { return (named, nil) }
    guard let paired = given.pairedElement else {
      guard let (prefix, own) = otherID(feature, properties) else { return (madeUp(), nil) }
      // Not with what we put before it.
      guard !isTooLong(id: own) else { return nil }
      return (prefix + own, notesOlderIDs ? olderPart(of: own).map { prefix + $0 } : nil)
    }
    guard notesOlderIDs else { return (paired, nil) }
    let older =
      given.olderPairedElement
      ?? otherID(feature, properties).map { $0.prefix + (olderPart(of: $0.own) ?? $0.own) }
      ?? olderMadeUpID(of: madeUp())
    return (paired, older == paired ? nil : older)
  }

  /// An id that names no element, and what stands before it.
  private func otherID(
    _ feature: JSONValue,
    _ properties: WrittenProperties
  ) -> (prefix: String, own: String)? {
    // A number alone does not say of what: ogr2ogr's layers of points and areas both have them.
    for (candidate, prefix) in [
      (feature["id"], "geojson-id/"), (properties["@id"], "geojson-id/"),
      (properties["source_id"], ""), (properties["osm_id"], bareNumberPrefix),
      (properties.writtenID, "id/"), (properties.placeID, ""),
    ] {
      if let id = cleanedID(text(candidate)) { return (prefix, id) }
    }
    return nil
  }

  // MARK: Geometry

  struct Bad: Error { let reason: SkipReason }

  static func footprint(of geometry: JSONValue) -> Result<Footprint, Bad> {
    do throws(Bad) {
      let coordinates = geometry["coordinates"] ?? .null
      let found: Footprint?
      switch geometry["type"]?.text {
      case "Point":
        found = Footprint(coordinate: try position(coordinates), radiusMeters: 0)
      case "LineString":
        found = CacheBuilder.footprint(ofLine: try positions(coordinates))
      case "MultiPoint":
        found = try common(coordinates)
      case "Polygon":
        found = try polygon(coordinates)
      case "MultiPolygon":
        found = try largest(coordinates)
      case "MultiLineString":
        found = try longest(coordinates)
      case "GeometryCollection":
        found = try collection(geometry)
      default:
        found = nil
      }
      guard let found else { throw Bad(reason: .noGeometry) }
      return .success(found)
    } catch { return .failure(error) }
  }

  /// What a collection is: its largest area, where it has none its longest line, else its one point.
  private static func collection(_ geometry: JSONValue) throws(Bad) -> Footprint? {
    var (areas, lines, points): ([JSONValue], [JSONValue], [JSONValue]) = ([], [], [])
    var rest = [geometry]
    while let part = rest.popLast() {
      let coordinates = part["coordinates"] ?? .null
      switch part["type"]?.text {
      case "GeometryCollection": rest += (part["geometries"]?.elements ?? []).reversed()
      case "Polygon": areas.append(coordinates)
      case "MultiPolygon": areas += coordinates.elements ?? []
      case "LineString": lines.append(coordinates)
      case "MultiLineString": lines += coordinates.elements ?? []
      case "Point": points.append(coordinates)
      case "MultiPoint": points += coordinates.elements ?? []
      default: throw Bad(reason: .noGeometry)
      }
    }
    if let area = try largest(.array(areas)) { return area }
    if let line = try longest(.array(lines)) { return line }
    return try common(.array(points))
  }

  /// The one place of several points: of others, none is where the place is.
  private static func common(_ points: JSONValue) throws(Bad) -> Footprint? {
    let points = try positions(points)
    guard points.allSatisfy({ $0 == points.first }) else { throw Bad(reason: .severalPoints) }
    return points.first.map { Footprint(coordinate: $0, radiusMeters: 0) }
  }

  /// The part of the largest area: one point must do for all.
  private static func largest(_ polygons: JSONValue) throws(Bad) -> Footprint? {
    var largest: (footprint: Footprint, area: Double)?
    for polygon in polygons.elements ?? [] {
      let rings = try self.rings(polygon)
      guard let outer = rings.first,
        let candidate = CacheBuilder.footprint(ofArea: outer, holes: Array(rings.dropFirst()))
      else { continue }
      let area = squareDegrees(outer)
      if area > largest?.area ?? -1 { largest = (candidate, area) }
    }
    return largest?.footprint
  }

  /// The longest of several lines: one point must do for all.
  private static func longest(_ lines: JSONValue) throws(Bad) -> Footprint? {
    var longest: (line: [Coordinate], meters: Double)?
    for element in lines.elements ?? [] {
      let line = try positions(element)
      let meters = zip(line, line.dropFirst()).reduce(0) { $0 + $1.0.distanceMeters(to: $1.1) }
      if meters > longest?.meters ?? -1 { longest = (line, meters) }
    }
    return longest.flatMap { CacheBuilder.footprint(ofLine: $0.line) }
  }

  private static func polygon(_ polygon: JSONValue) throws(Bad) -> Footprint? {
    let rings = try self.rings(polygon)
    return rings.first.flatMap {
      CacheBuilder.footprint(ofArea: $0, holes: Array(rings.dropFirst()))
    }
  }

  private static func rings(_ polygon: JSONValue) throws(Bad) -> [[Coordinate]] {
    var rings: [[Coordinate]] = []
    for ring in polygon.elements ?? [] { rings.append(try positions(ring)) }
    return rings
  }

  private static func positions(_ list: JSONValue) throws(Bad) -> [Coordinate] {
    guard let elements = list.elements else { throw Bad(reason: .noGeometry) }
    var positions: [Coordinate] = []
    for element in elements { positions.append(try position(element)) }
    return positions
  }

  private static func position(_ position: JSONValue) throws(Bad) -> Coordinate {
    guard let numbers = position.elements, numbers.count >= 2,
      let longitude = numbers[0].double, let latitude = numbers[1].double
    else { throw Bad(reason: .noCoordinates) }
    do { return try Coordinate(latitude: latitude, longitude: longitude) } catch {
      throw Bad(reason: .notOnEarth)
    }
  }
}

/// Whether a property names categories; programs write its name as they like.
func isCategoryKey(_ key: String) -> Bool {
  [8, 10].contains(key.utf8.count) && ["category", "categories"].contains(key.lowercased())
}
