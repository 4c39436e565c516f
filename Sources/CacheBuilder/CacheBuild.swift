import Foundation
import Geodesy
import Places
import PlaceStore
import Timeline

/// Which part of the inputs a cache takes.
package struct CacheSelection: Hashable, Sendable {
  /// A circle on the map.
  package struct Circle: Hashable, Sendable {
    /// Its centre.
    package let centre: Coordinate
    /// Its radius in meters.
    package let radiusMeters: Double

    /// Makes a circle.
    package init(centre: Coordinate, radiusMeters: Double) {
      self.centre = centre
      self.radiusMeters = radiusMeters
    }
  }

  /// Only what lies in the box; nil for the whole earth.
  package var box: BoundingBox?
  /// Only what lies in one of the circles; empty for the whole earth.
  package var circles: [Circle]

  /// Makes a selection.
  package init(box: BoundingBox? = nil, circles: [Circle] = []) {
    self.box = box
    self.circles = circles
  }

  func contains(_ coordinate: Coordinate) -> Bool {
    if let box, !box.contains(coordinate) { return false }
    return circles.isEmpty
      || circles.contains { $0.centre.distanceMeters(to: coordinate) <= $0.radiusMeters }
  }
}

/// A cache to be built.
package struct CacheBuild: Sendable {
  /// The files, in order; a source id that two of them have is taken from the later one.
  package var inputs: [String]
  /// The file to be made or replaced.
  package var output: String
  /// The categories.
  package var rules: CategoryRules
  /// The part of the inputs.
  package var selection: CacheSelection
  /// The selection as the user wrote it, for the record.
  package var selectionText: String
  /// Whether a bad row ends the build.
  package var isStrict: Bool
  /// The time that the file gives as the time of its making.
  package var builtAt: Timestamp
  /// The version that the file names.
  package var toolVersion: String
  /// Asked between steps; true ends the build.
  package var isInterrupted: @Sendable () -> Bool

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

  /// What a build did.
  package struct Report: Sendable {
    /// What went into the file.
    package let provenance: CacheProvenance
    /// The places in the file.
    package let placeCount: Int
    /// Places that the selection left out.
    package let outsideCount: Int
    /// Places that a later input replaced.
    package let replacedCount: Int
    /// Rows that name a place and gave none.
    package let skipped: SkippedRows
  }

  /// Reads the inputs and puts the cache in place.
  ///
  /// - Throws: ``ImportError`` or `PlaceStoreError`; the old file is untouched then.
  package func run() throws -> Report {
    // First, since it says at once if the output cannot be written.
    let writer = try POICacheWriter(target: output, isInterrupted: isInterrupted)
    var merged = Merged()
    var read: [(path: String, result: ImportResult)] = []
    var skipped = SkippedRows()
    var outside = 0
    for path in inputs {
      var result = try importPlaces(path: path, rules: rules, isInterrupted: isInterrupted)
      if isStrict, let row = result.skipped.rows.first {
        throw ImportError(.badRow, path: path, "\(row.row): \(row.reason)")
      }
      let before = result.places.count
      result.places.removeAll { !selection.contains($0.coordinate) }
      outside += before - result.places.count
      skipped.add(result.skipped)
      merged.add(result, from: read.count)
      result.places = []
      result.details = [:]
      read.append((path, result))
    }
    // Places that two inputs have under different ids are still two places here.
    let provenance = try self.provenance(read, merged)
    try writer.write(
      merged.places,
      details: merged.details,
      categories: rules.categories.map(\.id),
      provenance: provenance
    )
    return Report(
      provenance: provenance,
      placeCount: merged.places.count,
      outsideCount: outside,
      replacedCount: merged.replacedCount,
      skipped: skipped
    )
  }

  private func provenance(
    _ read: [(path: String, result: ImportResult)],
    _ merged: Merged
  ) throws -> CacheProvenance {
    var inputs: [CacheProvenance.Input] = []
    for (index, input) in read.enumerated() {
      let isOSM =
        [.osmPBF, .osmXML].contains(input.result.format) || merged.hasOSMPlaces(from: index)
      inputs.append(
        CacheProvenance.Input(
          name: URL(fileURLWithPath: input.path).lastPathComponent,
          format: input.result.format.rawValue,
          byteCount: try ByteSource(path: input.path).byteCount,
          crc32: try ByteSource.crc32(path: input.path),
          dataTimestamp: input.result.dataTimestamp,
          licence: isOSM ? "ODbL 1.0" : nil,
          attribution: isOSM ? "© OpenStreetMap contributors, ODbL 1.0" : nil,
          placeCount: merged.inputs.count { $0 == index }
        )
      )
    }
    return CacheProvenance(
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
  private(set) var replacedCount = 0
  private var indexByID: [String: Int] = [:]

  mutating func add(_ new: ImportResult, from input: Int) {
    for place in new.places {
      details[place.sourceID] = new.details[place.sourceID]
      if let index = indexByID[place.sourceID] {
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

  func hasOSMPlaces(from input: Int) -> Bool {
    zip(places, inputs)
      .contains { place, from in
        from == input
          && ["node/", "way/", "relation/"].contains { place.sourceID.hasPrefix($0) }
      }
  }
}

/// Reads the places of one file, whatever its format.
///
/// - Parameter threadCount: on how many threads a PBF file is read; the result is the same for all.
/// - Throws: ``ImportError`` that names the file, and the byte or the line.
package func importPlaces(
  path: String,
  rules: CategoryRules = .standard,
  threadCount: Int = ProcessInfo.processInfo.activeProcessorCount,
  isInterrupted: @escaping @Sendable () -> Bool = { false }
) throws(ImportError) -> ImportResult {
  let job = ImportJob(
    path: path,
    rules: rules,
    threadCount: threadCount,
    isInterrupted: isInterrupted
  )
  switch try InputFormat.recognise(path: path) {
  case .osmPBF: return try importPBF(job)
  case .osmXML: return try importOSMXML(job)
  case .geoJSON: return try importGeoJSON(job)
  case .csv: return try importCSV(job)
  }
}
