import Foundation
import Geodesy
import Places
import PlaceStore
import Timeline

/// A cache to be built.
package struct CacheBuild: Sendable {
  /// The files, in order; a source id that two of them have is taken from the later one, unless that has a part of
  /// its outline only.
  package var inputs: [String]
  /// The file to be made or replaced.
  package var output: String
  /// The categories.
  package var rules: CategoryRules
  /// The part of the inputs.
  package var selection: CacheSelection
  /// The selection as the user wrote it, for the record.
  package var selectionText: String
  /// The most bytes that the file may have, for which the farthest places are dropped; nil for none.
  package var limitBytes: Int64?
  /// Whether a node in the building of the same shop becomes one place with it.
  package var mergesDuplicates = true
  /// Source ids that a place of several entries keeps if it can: those that reminders may know.
  package var preferredIDs: Set<String> = []
  /// Where the places are that a newer map is to renew; nil for none.
  private var renewed: BoundingBox?
  /// Whether a bad row ends the build.
  package var isStrict: Bool
  /// The time that the file gives as the time of its making.
  package var builtAt: Timestamp
  /// The version that the file names.
  package var toolVersion: String
  /// Asked between steps; true ends the build.
  package var isInterrupted: @Sendable () -> Bool
  /// Told how far the build is, often and from any thread.
  package var onProgress: @Sendable (BuildProgress) -> Void = { _ in }
  /// Told of every row that is skipped; the report lists the first ones only.
  package var onSkip: @Sendable (SkippedRow) -> Void = { _ in }

  /// Makes a build of everything in the inputs.
  package init(
    inputs: [String],
    output: String,
    rules: CategoryRules = .standard,
    selection: CacheSelection = CacheSelection(),
    selectionText: String = "",
    isStrict: Bool = false,
    builtAt: Timestamp,
    toolVersion: String,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) {
    self.inputs = inputs
    self.output = output
    self.rules = rules
    self.selection = selection
    self.selectionText = selectionText
    self.isStrict = isStrict
    self.builtAt = builtAt
    self.toolVersion = toolVersion
    self.isInterrupted = isInterrupted
  }

  func checkInterruption() throws(ImportError) {
    if isInterrupted() { throw ImportError(.interrupted, path: output, "interrupted") }
  }

  /// Has the places of a cache keep their ids, and refuses a map that has nothing where they are.
  package mutating func renew(_ places: [PointOfInterest]) {
    preferredIDs = Set(places.map(\.sourceID))
    let (latitudes, longitudes) = (
      places.map(\.coordinate.latitude), places.map(\.coordinate.longitude)
    )
    guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(),
      let east = longitudes.max()
    else { return }
    let margin = Self.marginDegrees
    renewed = BoundingBox(
      west: max(-180, west - margin),
      south: max(-90, south - margin),
      east: min(180, east + margin),
      north: min(90, north + margin)
    )
  }

  /// Around the places of a cache it is still their region.
  ///
  /// - Source: judgment: a kilometer, more than a place moves on a map.
  private static let marginDegrees = 0.01

  /// What a build did.
  package struct Report: Sendable {
    /// What went into the file.
    package let provenance: CacheProvenance
    /// The places in the file.
    package var placeCount: Int { places.count }
    /// The places in the file.
    package let places: [PointOfInterest]
    /// What else is known of them, as JSON by source id.
    package let details: [String: String]
    /// Places that the selection left out.
    package let outsideCount: Int
    /// Places that a later input replaced.
    package let replacedCount: Int
    /// Of those, the ones that it gave another name, other categories or another spot, as they were and as they are.
    package let replacedOthers: [(old: PointOfInterest, new: PointOfInterest)]
    /// The ids of places that stayed as they were, since a later input has a part of their outline only.
    package let keptWhole: [String]
    /// Entries of the map that were a part of another.
    package let duplicates: [Duplicate]
    /// What the limit of the file's size dropped; nil where all places fitted.
    package let dropped: Dropped?
    /// Rows that name a place and gave none.
    package let skipped: SkippedRows
    /// Of several inputs, those in which no place was, be it in the selection or not.
    package let emptyInputs: [EmptyInput]
  }

  /// One of several inputs that gave nothing.
  package struct EmptyInput: Hashable, Sendable {
    /// The file.
    package let path: String
    /// What it lacks, and what to do about it.
    package let reason: String
  }

  /// Places for which the file had no room.
  package struct Dropped: Hashable, Sendable {
    /// How many.
    package let count: Int
    /// How far the nearest of them is from what was asked for.
    package let nearestMeters: Double
  }

  /// Reads the inputs and puts the cache in place.
  ///
  /// - Throws: ``ImportError`` or `PlaceStoreError`; the old file is untouched then.
  package func run() throws -> Report {
    // First, since it says at once if the output cannot be written.
    let writer = try POICacheWriter(target: output, isInterrupted: isInterrupted)
    let report = try prepare()
    show(writer)
    try writer.write(
      report.places,
      details: report.details,
      categories: rules.categories.map(\.id),
      provenance: report.provenance
    )
    return report
  }

  private func show(_ writer: POICacheWriter) {
    let onProgress = onProgress
    writer.onProgress = { onProgress(BuildProgress(step: .writing, done: $0, total: $1)) }
  }

  /// Reads the inputs and says what ``run()`` would put into the file.
  package func prepare() throws -> Report {
    var merged = Merged()
    var read: [(path: String, result: ImportResult)] = []
    var skipped = SkippedRows()
    var outside = 0
    var empty: [EmptyInput] = []
    for path in inputs {
      var result = try places(of: path)
      let before = result.places.count
      if before == 0 { empty.append(EmptyInput(path: path, reason: noCategory([result.format]))) }
      if !selection.isEverything {
        result.places.removeAll { !selection.contains($0.coordinate) }
      }
      outside += before - result.places.count
      skipped.add(result.skipped)
      merged.add(result, from: read.count)
      result.places = []
      result.details = [:]
      result.olderIDs = [:]
      result.cutIDs = []
      read.append((path, result))
    }
    guard !merged.places.isEmpty else {
      throw noPlace(outside, skipped, of: read.map(\.result.format))
    }
    merged.keepOlderIDs(of: preferredIDs)
    try requireSameRegion(merged.places)
    onProgress(BuildProgress(step: .merging))
    let files = try read.map { input in
      InputFile(
        path: input.path,
        result: input.result,
        byteCount: try ByteSource(path: input.path).byteCount,
        crc32: try ByteSource.crc32(path: input.path)
      )
    }
    let duplicates =
      mergesDuplicates
      ? try merged.mergeDuplicates(preferred: preferredIDs, checkInterruption) : []
    func report(_ merged: Merged, _ dropped: Dropped?) -> Report {
      Report(
        provenance: provenance(files, merged),
        places: merged.places,
        details: merged.details,
        outsideCount: outside,
        replacedCount: merged.replacedCount,
        replacedOthers: merged.replacedOthers,
        keptWhole: merged.keptWhole,
        duplicates: duplicates,
        dropped: dropped,
        skipped: skipped,
        emptyInputs: empty
      )
    }
    let all = report(merged, nil)
    guard let limitBytes else { return all }
    return try fitted(all, of: merged, limitBytes: limitBytes, report: report)
  }

  /// Reads an input, and refuses one that has nothing but bad rows.
  private func places(of path: String) throws(ImportError) -> ImportResult {
    let result = try importPlaces(
      path: path,
      rules: rules,
      notesOlderIDs: !preferredIDs.isEmpty,
      isInterrupted: isInterrupted,
      onSkip: onSkip,
      onProgress: onProgress
    )
    if isStrict, let row = result.skipped.rows.first {
      throw ImportError(.badRow, path: path, "\(row.row): \(row.reason)")
    }
    // Not only where all of them have none: an update would take its places for gone. Of a map, whose edge may cut all
    // that it has, others may have the rest.
    let isMap = [.osmPBF, .osmXML, .overpass].contains(result.format) && inputs.count > 1
    guard isMap || !result.places.isEmpty || result.skipped.count == 0 else {
      throw noPlace(0, result.skipped, of: [result.format])
    }
    return result
  }

  /// Of a cache with fewer places all may have changed.
  ///
  /// - Source: judgment: a map of a region changes by some percent a year.
  private static let leastToCompare = 10

  /// Refuses a map that has nothing where the places of the cache are that it is to renew: it is of another region.
  ///
  /// Ids say less: those that are made up of a table's coordinates change with their last digit.
  private func requireSameRegion(_ places: [PointOfInterest]) throws(ImportError) {
    guard let renewed, preferredIDs.count >= Self.leastToCompare,
      !places.contains(where: {
        preferredIDs.contains($0.sourceID) || renewed.contains($0.coordinate)
      })
    else { return }
    throw ImportError(
      .noPlace,
      path: inputs.joined(separator: ", "),
      "nothing lies where the cache's \(preferredIDs.count) places are: is it of another region? If that is meant, "
        + "`nearme cache build` makes the cache anew"
    )
  }

  /// Why no place is left: a cache of nothing must not take the place of a good one.
  func noPlace(
    _ outside: Int,
    _ skipped: SkippedRows,
    of formats: [InputFormat]
  ) -> ImportError {
    let paths = inputs.joined(separator: ", ")
    if outside > 0 {
      return ImportError(
        .noPlace,
        path: paths,
        "nothing lies in the selection: is it where the map is? --near wants LAT,LON and --bbox wants W,S,E,N; "
          + "places outside of it: \(outside)"
      )
    }
    if let row = skipped.rows.first {
      return ImportError(
        .badRow,
        path: row.path,
        "no place is left of \(skipped.count == 1 ? "1 bad row" : "\(skipped.count) bad rows"); the first "
          + "is \(row.row): \(row.reason)"
          + (skipped.lackCategories ? "; " + rules.categorySentence : "")
      )
    }
    return ImportError(.noPlace, path: paths, noCategory(formats))
  }

  /// What files lack that have no place of a category, nor a row that should be one, and what to do about it.
  private func noCategory(_ formats: [InputFormat]) -> String {
    let names = rules.categories.map(\.id.name).joined(separator: ", ")
    var advice: [String] = []
    if formats.contains(.kml) {
      advice.append(
        "call the folder of your placemarks like one of these, or give each a `category` among its data"
      )
    }
    if formats.contains(.geoJSON) || formats.contains(.geoPackage) {
      advice.append("give each of your features one of these as its `category`")
    }
    advice.append("take a larger extract or other categories")
    return "no place is a \(names); " + advice.joined(separator: ", or ")
  }

  /// Drops the farthest places until the file is small enough.
  ///
  /// How large a file becomes shows only when it is written, and so some are that are thrown away.
  private func fitted(
    _ all: Report,
    of merged: Merged,
    limitBytes: Int64,
    report: (Merged, Dropped?) -> Report
  ) throws -> Report {
    func size(_ report: Report) throws -> Int64 {
      let writer = try POICacheWriter(target: output, isInterrupted: isInterrupted)
      show(writer)
      return try writer.byteCount(
        of: report.places,
        details: report.details,
        categories: rules.categories.map(\.id),
        provenance: report.provenance
      )
    }
    let whole = try size(all)
    guard whole > limitBytes else { return all }
    let order = selection.byDistance(merged.places)
    func nearest(_ count: Int) -> Report {
      report(
        merged.limited(to: Set(order.prefix(count).map(\.index))),
        Dropped(count: order.count - count, nearestMeters: order[count].meters)
      )
    }
    var best = nearest(0)
    var (fits, fails) = (0, order.count)
    var (fitsBytes, failsBytes) = (try size(best), whole)
    guard fitsBytes <= limitBytes else {
      throw ImportError(
        .tooLarge,
        path: output,
        "a cache without any place has \(fitsBytes) bytes, more than the limit of \(limitBytes)"
      )
    }
    // The size grows nearly evenly with the count; half of the rest bounds the number of trials.
    var isEven = true
    while fails - fits > (fits == 0 ? 1 : max(1, order.count / 1_000)) {
      let part = Double(limitBytes - fitsBytes) / Double(max(1, failsBytes - fitsBytes))
      let step = isEven ? Int(Double(fails - fits) * part) : (fails - fits) / 2
      isEven.toggle()
      let count = min(fails - 1, max(fits + 1, fits + step))
      let candidate = nearest(count)
      let bytes = try size(candidate)
      if bytes <= limitBytes {
        (fits, fitsBytes, best) = (count, bytes, candidate)
      } else {
        (fails, failsBytes) = (count, bytes)
      }
    }
    guard !best.places.isEmpty else {
      throw ImportError(
        .tooLarge,
        path: output,
        "the limit of \(limitBytes) bytes leaves no room for places; without any it has "
          + "\(fitsBytes)"
      )
    }
    return best
  }

  private struct InputFile {
    let path: String
    let result: ImportResult
    let byteCount: Int64
    let crc32: String
  }

  /// The license of OpenStreetMap's data of a day; of data without a day, today's.
  ///
  /// - Source: blog.openstreetmap.org, 2012-09-12: "the first ODbL planet file".
  private static func license(ofDataFrom time: String?) -> String {
    let isOld = time.flatMap(RFC3339.parse).map { $0 < Timestamp(seconds: 1_347_408_000) } ?? false
    return isOld ? "CC BY-SA 2.0" : "ODbL 1.0"
  }

  private func provenance(_ files: [InputFile], _ merged: Merged) -> CacheProvenance {
    provenance(
      files.enumerated()
        .map { index, file in
          Self.input(file, merged.inputs.count { $0 == index }) {
            merged.hasOSMPlaces(from: index)
          }
        }
    )
  }

  /// Where the places of a cache come from that has some of those of the one input.
  func provenance(
    of result: ImportResult,
    byteCount: Int64,
    crc32: String,
    places: [PointOfInterest]
  ) -> CacheProvenance {
    let file = InputFile(path: inputs[0], result: result, byteCount: byteCount, crc32: crc32)
    return provenance([
      Self.input(file, places.count) { places.contains { Merged.isOSM($0) } }
    ])
  }

  private static func input(
    _ file: InputFile,
    _ placeCount: Int,
    hasOSMPlaces: () -> Bool
  ) -> CacheProvenance.Input {
    let isOSM = [.osmPBF, .osmXML].contains(file.result.format) || hasOSMPlaces()
    let license = isOSM ? license(ofDataFrom: file.result.dataTimestamp) : nil
    return CacheProvenance.Input(
      name: URL(fileURLWithPath: file.path).lastPathComponent,
      format: file.result.format.rawValue,
      byteCount: file.byteCount,
      crc32: file.crc32,
      dataTimestamp: file.result.dataTimestamp,
      license: license,
      attribution: license.map { "© OpenStreetMap contributors, \($0)" },
      placeCount: placeCount
    )
  }

  private func provenance(_ inputs: [CacheProvenance.Input]) -> CacheProvenance {
    CacheProvenance(
      inputs: inputs,
      builtAt: builtAt,
      toolVersion: toolVersion,
      selection: selectionText,
      categoryRules: rules.json
    )
  }
}

/// The places of all inputs, each source id once.
private struct Merged {
  private(set) var places: [PointOfInterest] = []
  /// For each place, the input it came from.
  private(set) var inputs: [Int] = []
  /// By source id, what else is known of a place.
  private(set) var details: [String: String] = [:]
  /// By source id, what older versions have called a place.
  private var olderIDs: [String: String] = [:]
  /// The older ids that elements of OpenStreetMap have kept.
  private var olderIDsOfOSM: Set<String> = []
  private(set) var replacedCount = 0
  /// Of those, places with another name or elsewhere.
  private(set) var replacedOthers: [(old: PointOfInterest, new: PointOfInterest)] = []
  /// The source ids of places of whose outline the inputs so far have a part only.
  private var cutIDs: Set<String> = []
  /// Those that a later input has in part, and one before it whole.
  private(set) var keptWhole: [String] = []
  /// By source id, from the second input on: within one no id comes twice.
  private var indexByID: [String: Int] = [:]

  mutating func add(_ new: ImportResult, from input: Int) {
    if places.isEmpty {
      places = new.places
      details = new.details
      olderIDs = new.olderIDs
      cutIDs = new.cutIDs
      inputs = Array(repeating: input, count: places.count)
      return
    }
    if indexByID.isEmpty {
      for (index, place) in places.enumerated() { indexByID[place.sourceID] = index }
    }
    for place in new.places {
      let index = indexByID[place.sourceID]
      let isCut = new.cutIDs.contains(place.sourceID)
      let wasCut = index != nil && cutIDs.contains(place.sourceID)
      guard index == nil || !isCut || wasCut else {
        keptWhole.append(place.sourceID)
        continue
      }
      if isCut { cutIDs.insert(place.sourceID) } else { cutIDs.remove(place.sourceID) }
      details[place.sourceID] = new.details[place.sourceID]
      olderIDs[place.sourceID] = new.olderIDs[place.sourceID]
      if let index {
        // The middle of a part is elsewhere than that of the whole.
        let isSame =
          wasCut ? places[index].isNamed(as: place) : places[index].isToldAgain(by: place)
        if !isSame { replacedOthers.append((places[index], place)) }
        places[index] = place
        inputs[index] = input
        replacedCount += 1
      } else {
        indexByID[place.sourceID] = places.count
        places.append(place)
        inputs.append(input)
      }
    }
  }

  /// Gives places the ids back that a cache has for them.
  mutating func keepOlderIDs(of known: Set<String>) {
    for (index, id) in CacheBuilder.olderIDs(of: places, older: olderIDs, known: known) {
      let place = places[index]
      places[index] = place.named(id)
      details[id] = details.removeValue(forKey: place.sourceID)
      if Self.isOSM(place) { olderIDsOfOSM.insert(id) }
    }
    indexByID = [:]
  }

  /// Makes nodes and the buildings around them one.
  mutating func mergeDuplicates(
    preferred: Set<String>,
    _ checkInterruption: () throws(ImportError) -> Void
  ) throws(ImportError) -> [Duplicate] {
    guard
      let (kept, duplicates) = try mergingDuplicates(
        places,
        details: &details,
        preferred: preferred,
        checkInterruption: checkInterruption
      )
    else { return [] }
    places = kept.map(\.place)
    inputs = kept.map { inputs[$0.index] }
    indexByID = [:]
    return duplicates
  }

  /// Some of the places, by index.
  func limited(to indexes: Set<Int>) -> Merged {
    var some = Merged()
    for index in places.indices where indexes.contains(index) {
      some.places.append(places[index])
      some.inputs.append(inputs[index])
      some.details[places[index].sourceID] = details[places[index].sourceID]
    }
    some.olderIDsOfOSM = olderIDsOfOSM
    some.replacedCount = replacedCount
    some.replacedOthers = replacedOthers
    some.keptWhole = keptWhole
    return some
  }

  func hasOSMPlaces(from input: Int) -> Bool {
    zip(places, inputs)
      .contains { place, from in
        from == input && (Self.isOSM(place) || olderIDsOfOSM.contains(place.sourceID))
      }
  }

  static func isOSM(_ place: PointOfInterest) -> Bool {
    ["node/", "way/", "relation/", "osm_id/"].contains { place.sourceID.hasPrefix($0) }
  }
}

/// Reads the places of one file, whatever its format.
///
/// - Parameters:
///   - threadCount: on how many threads a PBF file is read; the result is the same for all.
///   - notesOlderIDs: whether the result says what older versions have called the places.
///   - onSkip: told of every row that is skipped.
///   - onProgress: told how far it is, often and from any thread.
/// - Throws: ``ImportError`` that names the file, and the byte or the line.
package func importPlaces(
  path: String,
  rules: CategoryRules = .standard,
  threadCount: Int = ProcessInfo.processInfo.activeProcessorCount,
  notesOlderIDs: Bool = false,
  isInterrupted: @escaping @Sendable () -> Bool = { false },
  onSkip: @escaping @Sendable (SkippedRow) -> Void = { _ in },
  onProgress: (@Sendable (BuildProgress) -> Void)? = nil
) throws(ImportError) -> ImportResult {
  let job = ImportJob(
    path: path,
    rules: rules,
    threadCount: threadCount,
    notesOlderIDs: notesOlderIDs,
    isInterrupted: isInterrupted,
    onSkip: onSkip,
    progress: onProgress.map { ReadingProgress(path: path, tell: $0) }
  )
  switch try InputFormat.recognize(path: path) {
  case .osmPBF: return try importPBF(job)
  case .osmXML: return try importOSMXML(job)
  case .geoJSON: return try importGeoJSON(job)
  case .csv: return try importCSV(job)
  case .overpass: return try importOverpass(job)
  case .kml: return try importKML(job)
  case .geoPackage: return try importGeoPackage(job)
  }
}
