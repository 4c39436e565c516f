import ByteStreams
import Foundation
import Simulation

/// Writes a folder of simulated person-days: it appears whole, or not at all.
package struct CorpusWriter {
  private let target: String
  private let folder: String
  private var index = SimulatedDay.indexHeader

  /// Begins a folder beside the one that is asked for.
  ///
  /// - Throws: ``CorpusError`` if there is something already: two corpora in one folder would be
  ///   scored as one.
  package init(path: String) throws(CorpusError) {
    target = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    folder = target + ".partial-\(ProcessInfo.processInfo.processIdentifier)"
    let manager = FileManager.default
    if manager.fileExists(atPath: target) {
      guard let entries = try? manager.contentsOfDirectory(atPath: target) else {
        throw CorpusError(.malformed, target, "it is a file: name a folder that is not there yet")
      }
      guard entries.isEmpty else {
        throw CorpusError(
          .malformed,
          target,
          "there are files in it already: name another folder, or remove this one first"
        )
      }
    }
    do {
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw CorpusError(.unreadable, target, "its folder cannot be written to")
    }
  }

  /// Adds a day; rows of the index follow the order of the calls.
  package mutating func add(_ day: SimulatedDay, _ files: PackedDay) throws(CorpusError) {
    try write(files.trace, day.name + ".gpx.gz")
    try write(files.path, day.name + ".true.csv.gz")
    try write(files.errors, day.name + ".fixes.csv.gz")
    try write(files.truth, day.name + CorpusFolder.truthSuffix)
    index += day.indexRow
  }

  /// Adds a day that another phone has seen anew.
  package mutating func add(_ day: RecordedDay) throws(CorpusError) {
    try write(day.trace, day.name + ".gpx.gz")
    try write(day.path, day.name + ".true.csv.gz")
    try write(day.errors, day.name + ".fixes.csv.gz")
    try write(day.truth, day.name + CorpusFolder.truthSuffix)
    if index == SimulatedDay.indexHeader { index = "id,points\n" }
    index += "\(day.name),\(day.fixCount)\n"
  }

  /// Adds another file, such as the places of an invented town.
  package func add(_ text: String, named name: String) throws(CorpusError) {
    try write(Array(text.utf8), name)
  }

  /// Puts the complete folder in its place.
  package func finish() throws(CorpusError) {
    try write(Array(index.utf8), "index.csv")
    guard rename(folder, target) == 0 else {
      let reason = String(cString: strerror(errno))
      discard()
      throw CorpusError(.unreadable, target, "it cannot be put in place: \(reason)")
    }
  }

  /// Takes away what has been written.
  package func discard() { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ bytes: [UInt8], _ name: String) throws(CorpusError) {
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
    } catch {
      discard()
      throw CorpusError(
        .unreadable,
        target + "/" + name,
        "it cannot be written: see whether the disk is full"
      )
    }
  }
}

/// A day's files as bytes, which threads can make side by side.
package struct PackedDay: Sendable {
  let trace: [UInt8]
  let path: [UInt8]
  let errors: [UInt8]
  let truth: [UInt8]

  /// Writes and packs a day.
  package init(_ day: SimulatedDay) {
    trace = Compression.gzip(Array(day.gpx.utf8))
    path = Compression.gzip(Array(day.truePath.utf8))
    errors = Compression.gzip(Array(day.errors.utf8))
    truth = Array(day.truth.utf8)
  }
}
