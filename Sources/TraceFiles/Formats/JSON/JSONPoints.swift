import Geodesy
import Timeline
import Traces

/// Finds the positions in objects of JSON.
///
/// - Track points: points with a time, lines with times, Google's records, visits, ways and paths.
/// - Route points: lines without times, and Google's raw signals, which its segments summarize.
/// - Waypoints: points without a time that are no list of locations.
struct JSONPoints {
  var sink: RecordSink
  /// The format, as far as the objects tell.
  private(set) var format: TraceFormat?
  /// Whether anything has been a position, or a list in which positions belong.
  private(set) var hasRecognized = false
  let times: LocalTimes
  private var merge = TimeMerge()

  init(_ options: TraceOptions) {
    times = LocalTimes(options)
    sink = RecordSink(options)
    groups = FlatGroups(options)
  }

  // MARK: - Lists

  mutating func beginList(_ name: String?) {
    switch name {
    case "timelineObjects", "semanticSegments", "rawSignals", "timelineEdits": recognize(.google)
    case "features": recognize(.geojson)
    case "locations": hasRecognized = true
    default: break
    }
  }

  mutating func endList() { finish() }

  mutating func finish() {
    merge.flush(into: &sink)
  }

  private mutating func recognize(_ format: TraceFormat) {
    hasRecognized = true
    if self.format == nil { self.format = format }
  }

  // MARK: - Objects

  /// Reads an object; `list` is the name of the list that it is an element of.
  mutating func add(_ node: JSONNode, line: Int, list: String?) {
    if node["geometry"] != nil || node["type"]?.text == "Feature" {
      recognize(list == "locations" ? .overland : .geojson)
      addFeature(node, line, isLocation: list == "locations")
    } else if case .positions? = node["coordinates"] {
      recognize(.geojson)
      addGeometry(node, properties: .object([]), line, isLocation: false)
    } else if node["geometries"] != nil {
      recognize(.geojson)
      addGeometry(node, properties: .object([]), line, isLocation: false)
    } else if let visit = node["placeVisit"] {
      recognize(.google)
      addPlaceVisit(visit, line)
    } else if let segment = node["activitySegment"] {
      recognize(.google)
      addActivitySegment(segment, line)
    } else if node["startTime"] != nil,
      node["visit", "activity", "timelinePath", "timelineMemory"] != nil
    {
      recognize(.google)
      addSegment(node, line)
    } else if list == "rawSignals" || list == "timelineEdits" {
      let signal = node["rawSignal"]?["signal"] ?? node
      if let position = signal["position"] { addSignal(position, line) }
    } else if node["latitudeE7"] != nil || node["longitudeE7"] != nil {
      recognize(.google)
      addFlat(node, line)
    } else if hasPosition(node) {
      recognize(node["_type"] != nil ? .ownTracks : .json)
      addFlat(node, line)
    }
  }

  private func hasPosition(_ node: JSONNode) -> Bool {
    if node["_type"]?.text == "location" { return true }
    if position(node) != nil { return true }
    return holderOfText(node) != nil
  }

  /// The member that has the position as one text.
  private func holderOfText(_ node: JSONNode) -> String? {
    Self.textHolders.first { node[$0]?.text.flatMap(PositionText.parse) != nil }
  }

  private static let textHolders = ["point", "position", "location", "wkt", "geom"]

  // MARK: - GeoJSON and Overland

  private mutating func addFeature(_ node: JSONNode, _ line: Int, isLocation: Bool) {
    let properties = node["properties"] ?? .object([])
    if let geometry = node["geometry"] {
      addGeometry(geometry, properties: properties, line, isLocation: isLocation)
    } else if isLocation || properties[JSONPoints.timeKeys] != nil {
      var point = timed(properties, line)
      point.kind = .track
      sink.add(point)
    }
  }

  private mutating func addGeometry(
    _ geometry: JSONNode,
    properties: JSONNode,
    _ line: Int,
    isLocation: Bool
  ) {
    if let parts = geometry["geometries"] {
      for part in parts.elements {
        addGeometry(part, properties: properties, line, isLocation: isLocation)
      }
      return
    }
    guard let type = geometry["type"]?.text,
      case .positions(let positions)? = geometry["coordinates"]
    else { return }
    switch type {
    case "Point", "MultiPoint":
      for position in positions {
        var point = timed(properties, line)
        point.set(position)
        let isTimed = { () -> Bool in if case .absent = point.time { false } else { true } }()
        point.kind =
          properties["kind"]?.text.flatMap(PointKind.init(name:))
          ?? (isTimed || isLocation ? .track : .waypoint)
        add(point, properties)
      }
      if positions.isEmpty {
        var point = timed(properties, line)
        point.kind = .track
        sink.add(point)
      }
    case "LineString", "MultiLineString": addLine(positions, properties, geometry)
    // An area is not a way.
    default: break
    }
  }

  private mutating func addLine(
    _ positions: [JSONPosition],
    _ properties: JSONNode,
    _ geometry: JSONNode
  ) {
    let keys = JSONNodeBuilder.timeKeys
    let times = properties[keys] ?? properties["coordinateProperties"]?[keys] ?? geometry[keys]
    var instants: [Timestamp?] = []
    if case .instants(let values)? = times { instants = values }
    var arrays: [(name: String, values: [String])] = []
    if sink.details != nil {
      // Older programs have them beside the times, and not in a member of their own.
      let beside = Self.arrays(instants.isEmpty ? nil : properties, positions.count)
        .filter { PointDetails.numeric.contains($0.name) }
      arrays = Self.arrays(properties["coordinateProperties"], positions.count) + beside
      let names = Set(beside.map(\.name))
      let whole = details(of: properties).fields.filter { !names.contains($0.name) }
      sink.beginGroup(instants.isEmpty ? .route : .track, whole)
    }
    for (index, position) in positions.enumerated() {
      var point = PointBuilder()
      point.line = Int(position.line)
      point.kind = instants.isEmpty ? .route : .track
      point.set(position)
      for array in arrays { point.details.add(array.name, array.values[index]) }
      if index < instants.count { point.time = instants[index].map { .value($0) } ?? .unreadable }
      if position.startsPart { sink.beginSegment(point.kind) }
      sink.add(point)
    }
  }

  /// The last segment that was named, to see where the next begins.
  private var segmentName: SegmentName?

  private enum SegmentName: Equatable {
    case number(Double)
    case text(String)

    init?(_ node: JSONNode) {
      if case .number(let number) = node {
        self = .number(number)
      } else if let text = node.scalar {
        self = .text(text)
      } else {
        return nil
      }
    }
  }

  /// - Parameter holder: the member that has the position, be it as text, where that is not the object itself.
  private mutating func add(
    _ point: PointBuilder,
    _ properties: JSONNode,
    holder: String? = nil,
    fallback: PointDetails = PointDetails()
  ) {
    var point = point
    let segment = properties["segment"]
    if sink.details != nil {
      for field in details(of: properties, holder: holder).fields + fallback.fields {
        point.details.add(field.name, field.value)
      }
      groups.note(&point, segment: segment?.scalar)
    }
    if point.kind != .waypoint, let segment = segment.flatMap(SegmentName.init) {
      if let segmentName, segmentName != segment { sink.beginSegment(point.kind) }
      segmentName = segment
    }
    sink.add(point)
  }

  /// Which track or route the points of each kind belong to, where each says so itself.
  private var groups: FlatGroups

  /// Members that are no detail: those that are the position, and what holds others.
  private static let ofPosition = coordinates.union(["kind", "segment", "_type"])

  private static let coordinates: Set<String> = [
    "lat", "latitude", "Latitude", "lon", "lng", "long", "longitude", "Longitude", "latitudeE7",
    "latE7", "longitudeE7", "lngE7",
  ]

  /// What GeoJSON of lines has its values for each point in.
  private static let ofLine = "coordinateProperties."

  /// The members of an object that are its time, accuracy, course and speed, where it has them.
  private func taken(of node: JSONNode) -> [String?] {
    let kilometers = ["speed_kmh", "speed_kph"]
    return [
      Self.timeKeys, Self.accuracyKeys, Self.courseKeys,
      node[kilometers]?.field.number == nil ? Self.speedKeys : kilometers,
    ]
    .map { keys in
      guard case .object(let members) = node,
        let key = keys.first(where: { key in members.contains { $0.key == key } })
      else { return nil }
      // A truth is no value there; what else is no number is something else.
      let isTaken =
        keys == Self.timeKeys || node[key]?.isTruth == true || node[key]?.field.number != nil
      return isTaken ? key : nil
    }
  }

  /// What an object says beside where, when, how fast and how exactly.
  private func details(of node: JSONNode, holder: String? = nil) -> PointDetails {
    var details = PointDetails()
    let own = taken(of: node)
    var taken = Set(own.compactMap(\.self))
    if let holder, let place = node[holder] {
      if place.text != nil { taken.insert(holder) }
      for (own, key) in zip(own, self.taken(of: place)) where own == nil {
        if let key { taken.insert(holder + "." + key) }
      }
    }
    func add(_ node: JSONNode, _ prefix: String) {
      guard case .object(let members) = node else { return }
      let isPosition = prefix.isEmpty || holder.map { prefix == $0 + "." } ?? false
      for (key, value) in members where !taken.contains(prefix + key) {
        let isPart = prefix.isEmpty ? Self.ofPosition : isPosition ? Self.coordinates : []
        if isPart.contains(key) { continue }
        // Lists there are of the points of a line, one value each.
        let text = prefix == Self.ofLine ? value.scalar : value.detail
        if let text {
          let name = PointDetails.unescaped(key)
          let isOwn = prefix.isEmpty || isPosition && name == PointDetails.elevation
          // Of two members that mean the same the second keeps its own name.
          details.add(isOwn && details[name] == nil ? name : prefix + key, text)
        } else if prefix.isEmpty {
          add(value, key + ".")
        }
      }
    }
    add(node, "")
    return details
  }

  /// Values for each point of a line: the arrays that have as many, be they all in one or in one for each part.
  private static func arrays(
    _ node: JSONNode?,
    _ count: Int
  ) -> [(name: String, values: [String])] {
    guard case .object(let members)? = node else { return [] }
    return members.compactMap { key, value in
      let parts = value.elements
      let flat = parts.flatMap { part in
        if case .array(let elements) = part { elements } else { [part] }
      }
      let elements = flat.count == count ? flat : parts
      guard elements.count == count else { return nil }
      return (PointDetails.unescaped(key), elements.map { $0.scalar ?? "" })
    }
  }

  // MARK: - Points by themselves

  /// Whether a member of this name would be taken for a part of a fix.
  static func isPartOfFix(_ name: String) -> Bool {
    ofPosition.contains(name)
      || [timeKeys, accuracyKeys, speedKeys, courseKeys].contains { $0.contains(name) }
  }

  static let timeKeys = [
    "time", "timestamp", "tst", "timestampMs", "datetime", "dateTime", "date", "when",
    "recorded_at",
    "recordedAt", "time_long", "created_at", "t", "gpsTime", "fixTime", "deviceTime",
  ]
  private static let accuracyKeys = [
    "accuracy_m", "accuracy", "acc", "horizontal_accuracy", "horizontalAccuracy", "hacc",
    "accuracyMeters", "precision",
  ]
  private static let speedKeys = [
    "speed_mps", "speed", "velocity", "speedMetersPerSecond", "vel",
  ]
  private static let courseKeys = [
    "course_deg", "course", "bearing", "heading", "cog", "direction",
  ]

  /// A point with all but its position.
  private func timed(_ node: JSONNode, _ line: Int) -> PointBuilder {
    var point = PointBuilder()
    point.line = line
    point.time = node[JSONPoints.timeKeys]?.time(times) ?? .absent
    // A word such as `high` is a detail, and costs no point.
    let accuracy = node[JSONPoints.accuracyKeys]?.field.number
    point.accuracy = accuracy.map { .value($0) } ?? .absent
    point.hdop = node["hdop"]?.field ?? .absent
    if case .value(let kilometers)? = node["speed_kmh", "speed_kph"]?.field {
      point.speed = .value(kilometers / 3.6)
    } else if node["_type", "tst"] != nil, case .value(let kilometers)? = node["vel"]?.field {
      // OwnTracks has km/h, and -1 where it does not know.
      point.speed = .value(kilometers / 3.6)
    } else if node["fixTime"] != nil, case .value(let knots)? = node["speed"]?.field {
      // Traccar has knots.
      point.speed = .value(knots * metersPerSecondInKnot)
    } else {
      point.speed = node[JSONPoints.speedKeys]?.field ?? .absent
    }
    point.course = node[JSONPoints.courseKeys]?.field ?? .absent
    return point
  }

  private typealias Position = (
    latitude: PointBuilder.NumberField, longitude: PointBuilder.NumberField
  )

  /// The members in which an object has its position, be it in another object.
  private func position(_ node: JSONNode) -> Position? { place(of: node)?.position }

  /// The position of an object, and the member that has it where the object has none itself.
  private func place(of node: JSONNode) -> (position: Position, holder: String?)? {
    if let own = ownPosition(node) { return (own, nil) }
    for name in Self.holders {
      if let position = node[name].flatMap(ownPosition) { return (position, name) }
    }
    return nil
  }

  private static let holders = ["location", "coords", "position"]

  private func ownPosition(_ node: JSONNode) -> Position? {
    if let latitude = node["latitudeE7", "latE7"], let longitude = node["longitudeE7", "lngE7"] {
      return (latitude.field.fromE7, longitude.field.fromE7)
    }
    if let latitude = node["lat", "latitude", "Latitude"],
      let longitude = node["lon", "lng", "long", "longitude", "Longitude"]
    {
      return (latitude.field, longitude.field)
    }
    return nil
  }

  /// Reads an object that is a point by itself.
  mutating func read(_ node: JSONNode, line: Int, into sink: inout RecordSink) {
    swap(&self.sink, &sink)
    addFlat(node, line)
    swap(&self.sink, &sink)
  }

  /// Reads an object that is a position or a batch of them.
  mutating func readMessage(_ node: JSONNode, line: Int, into sink: inout RecordSink) {
    swap(&self.sink, &sink)
    addMessage(node, line: line)
    finish()
    swap(&self.sink, &sink)
  }

  /// A position, or all of a batch.
  mutating func addMessage(_ node: JSONNode, line: Int) {
    for list in ["locations", "features"] {
      guard let elements = node[list]?.elements, !elements.isEmpty else { continue }
      for element in elements { add(element, line: line, list: list) }
      return
    }
    add(node, line: line, list: nil)
  }

  private mutating func addFlat(_ node: JSONNode, _ line: Int) {
    var point = timed(node, line)
    let place = place(of: node)
    var holder = place?.holder
    var fallback = PointDetails()
    if let holder, let inner = node[holder] { point.fill(from: timed(inner, line)) }
    if let place {
      (point.latitude, point.longitude) = place.position
    } else if let key = holderOfText(node), let text = node[key]?.text {
      point.set(text)
      holder = key
      // What the point says of itself comes first.
      swap(&fallback, &point.details)
    }
    if let kind = node["kind"]?.text.flatMap(PointKind.init(name:)) { point.kind = kind }
    // Events of OwnTracks tell where it was, but later than its locations.
    if let type = node["_type"]?.text, type != "location" { point.kind = .waypoint }
    add(point, node, holder: holder, fallback: fallback)
  }

  // MARK: - Google

  /// A visit of the monthly files: there from its start to its end.
  private mutating func addPlaceVisit(_ visit: JSONNode, _ line: Int) {
    let start = visit["duration"].flatMap { $0["startTimestamp", "startTimestampMs"] }?.time(times)
    let end = visit["duration"].flatMap { $0["endTimestamp", "endTimestampMs"] }?.time(times)
    let candidates = visit["otherCandidateLocations"]?.elements ?? []
    var place = PointBuilder()
    place.line = line
    let locations = ([visit["location"]] + candidates).compactMap(\.self)
    let location = locations.first { position($0) != nil }
    place.details = details(ofPlace: location ?? locations.first, of: visit)
    if let position = location.flatMap(self.position) {
      (place.latitude, place.longitude) = position
    } else if let latitude = visit["centerLatE7"], let longitude = visit["centerLngE7"] {
      place.latitude = latitude.field.fromE7
      place.longitude = longitude.field.fromE7
    }
    var points = rawPath(visit, line)
    for time in [start ?? .absent, end].compactMap({ $0 }) {
      place.time = time
      points.append(place)
    }
    addInOrder(points, from: start)
    for child in visit["childVisits"]?.elements ?? [] { addPlaceVisit(child, line) }
  }

  private mutating func addActivitySegment(_ segment: JSONNode, _ line: Int) {
    let start = segment["duration"].flatMap { $0["startTimestamp", "startTimestampMs"] }?
      .time(times)
    let end = segment["duration"].flatMap { $0["endTimestamp", "endTimestampMs"] }?.time(times)
    let waypoints = segment["waypointPath"]?["waypoints"]?.elements ?? []
    var points = rawPath(segment, line)
    for (time, place, waypoint) in [
      (start ?? .absent, segment["startLocation"], waypoints.first),
      (end, segment["endLocation"], waypoints.last),
    ] {
      guard let time, let position = place.flatMap(self.position) ?? waypoint.flatMap(self.position)
      else { continue }
      var point = PointBuilder()
      point.line = line
      point.time = time
      point.details = details(ofPlace: place, of: segment)
      (point.latitude, point.longitude) = position
      points.append(point)
    }
    addInOrder(points, from: start)
  }

  /// What is said of a place, such as its name and address, then of the visit or the way that it is of.
  private func details(ofPlace place: JSONNode?, of whole: JSONNode?) -> PointDetails {
    guard sink.details != nil else { return PointDetails() }
    var details = PointDetails()
    for node in [place, whole] {
      guard case .object(let members)? = node else { continue }
      for (key, value) in members where !Self.ofVisit.contains(key) {
        if let text = value.scalar { details.add(PointDetails.unescaped(key), text) }
      }
    }
    return details
  }

  /// Members of a visit, a way and their places that are positions.
  private static let ofVisit = coordinates.union([
    "centerLatE7", "centerLngE7", "placeLocation", "start", "end",
  ])

  private func rawPath(_ node: JSONNode, _ line: Int) -> [PointBuilder] {
    (node["simplifiedRawPath"]?["points"]?.elements ?? [])
      .map { node in
        var point = timed(node, line)
        if let position = position(node) { (point.latitude, point.longitude) = position }
        if case .value(let millimeters)? = node["accuracyMillimeters"]?.field {
          point.accuracy = .value(millimeters / 1_000)
        }
        return point
      }
  }

  /// A segment of the timeline that telephones keep themselves, of either system.
  private mutating func addSegment(_ segment: JSONNode, _ line: Int) {
    let start = segment["startTime"]?.time(times) ?? .absent
    let end = segment["endTime"]?.time(times)
    var points: [PointBuilder] = []
    func append(
      _ place: JSONNode?,
      at time: PointBuilder.TimeField?,
      _ details: PointDetails = PointDetails()
    ) {
      guard let text = place?.text ?? place?["latLng", "LatLng"]?.text, let time else { return }
      var point = PointBuilder()
      point.line = line
      point.details = details
      point.set(text)
      point.time = time
      points.append(point)
    }
    let (visit, activity) = (segment["visit"], segment["activity"])
    let place = visit?["topCandidate"]
    let stay = details(ofPlace: place, of: visit)
    append(place?["placeLocation"], at: start, stay)
    append(place?["placeLocation"], at: end, stay)
    let way = details(ofPlace: activity?["topCandidate"], of: activity)
    append(activity?["start"], at: start, way)
    append(activity?["end"], at: end, way)
    for step in segment["timelinePath"]?.elements ?? [] {
      var time = step["time"]?.time(times)
      // iPhones count minutes.
      if time == nil, case .value(let begun) = start,
        case .value(let minutes)? = step["durationMinutesOffsetFromStartTime"]?.field,
        minutes.magnitude < 1e6
      {
        time = .value(begun + Milliseconds(Int64((minutes * 60_000).rounded())))
      }
      append(step["point"], at: time ?? .absent)
    }
    addInOrder(points, from: start)
  }

  private mutating func addSignal(_ position: JSONNode, _ line: Int) {
    var point = timed(position, line)
    point.kind = .route
    if let text = position["LatLng", "latLng"]?.text {
      point.set(text)
    } else if let place = position["point"].flatMap(self.position) {
      (point.latitude, point.longitude) = place
    }
    if case .value(let millimeters)? = position["accuracyMm"]?.field {
      point.accuracy = .value(millimeters / 1_000)
    }
    if sink.details != nil {
      for field in details(of: position).fields
      where !["LatLng", "latLng", "accuracyMm"].contains(field.name)
        && !field.name.hasPrefix("point.")
      {
        point.details.add(field.name, field.value)
      }
    }
    sink.add(point)
  }

  /// Adds points of a stretch of time; stretches overlap, visits go on while ways are recorded.
  private mutating func addInOrder(_ points: [PointBuilder], from start: PointBuilder.TimeField?) {
    if case .value(let start)? = start { merge.release(before: start, into: &sink) }
    for point in points {
      if case .value(let time) = point.time {
        merge.add(point, at: time, into: &sink)
      } else {
        sink.add(point)
      }
    }
  }
}

extension PointBuilder {
  /// Takes what it does not have itself: when, how exactly, how fast and where to.
  fileprivate mutating func fill(from other: PointBuilder) {
    if case .absent = time { time = other.time }
    if case .absent = accuracy { accuracy = other.accuracy }
    if case .absent = hdop { hdop = other.hdop }
    if case .absent = speed { speed = other.speed }
    if case .absent = course { course = other.course }
  }

  /// Takes the position of a text.
  fileprivate mutating func set(_ text: String) {
    guard let position = PositionText.parse(text) else {
      latitude = .unreadable
      return
    }
    latitude = .value(position.latitude)
    longitude = .value(position.longitude)
    if let elevation = position.elevationMeters {
      details.add(PointDetails.elevation, plain(elevation))
    }
  }

  fileprivate mutating func set(_ position: JSONPosition) {
    details.add(position)
    latitude = position.latitude.isNaN ? .unreadable : .value(position.latitude)
    longitude = position.longitude.isNaN ? .unreadable : .value(position.longitude)
  }
}

extension PointDetails {
  fileprivate mutating func add(_ position: JSONPosition) {
    if !position.elevation.isNaN { add("ele", plain(position.elevation)) }
  }
}

extension PointBuilder.NumberField {
  /// Ten-millionths of a degree as degrees.
  ///
  /// Some of Google's older exports have overflowed: they are 2³² too large.
  var fromE7: PointBuilder.NumberField {
    guard case .value(let number) = self else { return self }
    return .value((number > 1_800_000_000 ? number - 4_294_967_296 : number) / 1e7)
  }
}

/// Puts points of stretches that begin in order, and overlap, into the order of their times.
///
/// - Complexity: O(log n) a point, n being the points that lie ahead, at most ``limit``.
private struct TimeMerge {
  private static let limit = 65_536

  private var heap: [(time: Timestamp, serial: Int, point: PointBuilder)] = []
  private var serial = 0

  mutating func add(_ point: PointBuilder, at time: Timestamp, into sink: inout RecordSink) {
    heap.append((time, serial, point))
    serial += 1
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
    if heap.count > TimeMerge.limit { sink.add(pop()) }
  }

  mutating func release(before time: Timestamp, into sink: inout RecordSink) {
    while let first = heap.first, first.time < time { sink.add(pop()) }
  }

  mutating func flush(into sink: inout RecordSink) {
    while !heap.isEmpty { sink.add(pop()) }
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    (heap[a].time, heap[a].serial) < (heap[b].time, heap[b].serial)
  }

  private mutating func pop() -> PointBuilder {
    heap.swapAt(0, heap.count - 1)
    let point = heap.removeLast().point
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if isBefore(child, least) { least = child }
      }
      if least == parent { return point }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
