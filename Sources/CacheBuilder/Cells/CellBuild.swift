import Foundation
import Geodesy
import ParallelWork
import PlaceStore
import Places
import Timeline

/// Caches to be built, one for each cell of a grid, in a folder.
package struct CellBuild: Sendable {
  /// What a cache of everything would be built from; its output is the folder.
  package var build: CacheBuild
  /// The grid.
  package let grid: CellGrid
  /// How far around its cell each cache has all places.
  package let marginMeters: Double

  /// Makes a build.
  ///
  /// - Precondition: one input, and no limit of the size.
  package init(_ build: CacheBuild, grid: CellGrid, marginMeters: Double) {
    precondition(build.inputs.count == 1 && build.limitBytes == nil, "cells are made from one map")
    self.build = build
    self.grid = grid
    self.marginMeters = marginMeters
  }

  /// What a build did.
  package struct Report: Sendable {
    /// What stands in the folder.
    package let index: CellIndex
    /// Places that the selection left out.
    package let outsideCount: Int
    /// Rows that name a place and gave none.
    package let skipped: SkippedRows
    /// Whether the map's order made it necessary to hold all places in memory.
    package let heldAll: Bool
  }

  /// Reads the map once and puts the folder's new index in place, after all of its caches.
  ///
  /// Until then the old index and the caches that it names are untouched: a cache's name holds its
  /// checksum, and what no index names any more is removed at the end.
  ///
  /// - Throws: ``ImportError`` or `PlaceStoreError`.
  package func run() throws -> Report {
    let isNew = try prepareFolder(build.output)
    do {
      return try fill(build.output)
    } catch {
      if isNew {
        try? FileManager.default.removeItem(atPath: build.output)
      } else if let old = try? CellIndex.read(folder: build.output) {
        try? removeCaches(of: build.output, but: old)
      }
      throw error
    }
  }

  private func fill(_ folder: String) throws -> Report {
    let path = build.inputs[0]
    let job = ImportJob(
      path: path,
      rules: build.rules,
      threadCount: ProcessInfo.processInfo.activeProcessorCount,
      isInterrupted: build.isInterrupted,
      onSkip: build.onSkip,
      progress: ReadingProgress(path: path, tell: build.onProgress)
    )
    var spool = try newSpool()
    var outside = 0
    var result: ImportResult?
    var heldAll = false
    let selection = build.selection
    if try InputFormat.recognize(path: path) == .osmPBF {
      let streaming = spool
      result = try streamPBF(job, spoolingIn: folder) { place, details throws(ImportError) in
        guard selection.isEverything || selection.contains(place.coordinate) else {
          outside += 1
          return
        }
        try streaming.add(place, details)
      }
    }
    if result == nil {
      heldAll = true
      outside = 0
      spool = try newSpool()
      let all = try importPlaces(
        path: path,
        rules: build.rules,
        isInterrupted: build.isInterrupted,
        onSkip: build.onSkip,
        onProgress: build.onProgress
      )
      for place in all.places {
        guard selection.isEverything || selection.contains(place.coordinate) else {
          outside += 1
          continue
        }
        try spool.add(place, all.details[place.sourceID])
      }
      result = all
    }
    guard let result else { preconditionFailure("a map is read in one of two ways") }
    if build.isStrict, let row = result.skipped.rows.first {
      throw ImportError(.badRow, path: path, "\(row.row): \(row.reason)")
    }
    guard spool.placeCount > 0 else {
      throw build.noPlace(outside, result.skipped, of: [result.format])
    }
    let (entries, own) = try writeCells(spool, result)
    let index = CellIndex(
      grid: grid,
      marginMeters: marginMeters,
      largestFootprintMeters: spool.largestFootprintMeters,
      categories: build.rules.categories.map(\.id).sorted(),
      places: own,
      cells: entries
    )
    try write(index, to: folder)
    return Report(
      index: index,
      outsideCount: outside,
      skipped: result.skipped,
      heldAll: heldAll
    )
  }

  private func newSpool() throws(ImportError) -> CellSpool {
    try CellSpool(
      in: build.output,
      grid: grid,
      marginMeters: marginMeters,
      categories: build.rules.categories.map(\.id)
    )
  }

  /// - Returns: whether the folder was made.
  private func prepareFolder(_ folder: String) throws -> Bool {
    let manager = FileManager.default
    if let names = try? manager.contentsOfDirectory(atPath: folder) {
      // A slip of the fingers must not mix cells with somebody's files.
      guard names.isEmpty || CellIndex.isThere(folder) || names.allSatisfy(Self.isOurs) else {
        throw PlaceStoreError(
          .foreignDatabase,
          path: folder,
          detail: "it is a folder with other files",
          advice: "name a new folder for the cells"
        )
      }
      return false
    }
    do {
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
    } catch {
      throw PlaceStoreError(
        .inputOutput,
        path: folder,
        detail: "the folder cannot be made",
        advice: "choose a place that exists and can be written to, where no file has this name"
      )
    }
    return true
  }

  private static func isOurs(_ name: String) -> Bool {
    name == CellIndex.fileName || CellIndex.isCache(name) || name.hasSuffix(".building")
      || name.hasPrefix(".nearme-") || name.hasPrefix(".\(CellIndex.fileName)")
  }

  /// - Returns: an entry for each cell, and how many places there are, each counted once.
  private func writeCells(
    _ spool: CellSpool,
    _ result: ImportResult
  ) throws -> (entries: [CellIndex.Cell], places: Int) {
    let cells = try spool.finish()
    let crc = try ByteSource.crc32(path: build.inputs[0])
    let byteCount = try ByteSource(path: build.inputs[0]).byteCount
    let total = Int64(cells.count)
    let onProgress = build.onProgress
    // The spool is only read from here on.
    nonisolated(unsafe) let spool = spool
    let written = try resultsInOrder(
      count: cells.count,
      threads: ProcessInfo.processInfo.activeProcessorCount,
      done: { onProgress(BuildProgress(step: .cells, done: Int64($0), total: total)) },
      work: { number -> (entry: CellIndex.Cell, own: Int) in
        var (places, details) = try spool.places(of: cells[number])
        if build.mergesDuplicates {
          let merged = try mergingDuplicates(
            places,
            details: &details,
            checkInterruption: build.checkInterruption
          )
          if let merged { places = merged.kept.map(\.place) }
        }
        let own = places.count { grid.cell(at: $0.coordinate) == cells[number] }
        return (
          try write(
            places,
            details,
            of: cells[number],
            provenance: build.provenance(
              of: result,
              byteCount: byteCount,
              crc32: crc,
              places: places
            )
          ),
          own
        )
      }
    )
    return (written.map(\.entry), written.reduce(0) { $0 + $1.own })
  }

  private func write(
    _ places: [PointOfInterest],
    _ details: [String: String],
    of cell: CellGrid.Cell,
    provenance: CacheProvenance
  ) throws -> CellIndex.Cell {
    let unfinished = "\(build.output)/\(cell.name).sqlite"
    let writer = try POICacheWriter(target: unfinished, isInterrupted: build.isInterrupted)
    try writer.write(
      places,
      details: details,
      categories: build.rules.categories.map(\.id),
      provenance: provenance
    )
    let checksum = try ByteSource.crc32(path: unfinished)
    let name = "\(cell.name)-\(checksum).sqlite"
    guard rename(unfinished, "\(build.output)/\(name)") == 0 else {
      throw PlaceStoreError(
        .inputOutput,
        path: unfinished,
        detail: String(cString: strerror(errno))
      )
    }
    return CellIndex.Cell(
      cell: cell.name,
      file: name,
      places: places.count,
      bytes: try ByteSource(path: "\(build.output)/\(name)").byteCount,
      crc32: checksum
    )
  }

  private func write(_ index: CellIndex, to folder: String) throws {
    if build.isInterrupted() { throw PlaceStoreError(.interrupted, path: folder) }
    let path = "\(folder)/\(CellIndex.fileName)"
    do {
      try Data(index.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw PlaceStoreError(.inputOutput, path: path, detail: "it cannot be written")
    }
    try removeCaches(of: folder, but: index)
  }

  /// Removes what an index does not name: caches of an older one, or of a build that has failed.
  private func removeCaches(of folder: String, but index: CellIndex) throws {
    let named = Set(index.cells.map(\.file))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where CellIndex.isCache(name) && !named.contains(name) {
      unlink("\(folder)/\(name)")
    }
  }
}
