import ByteStreams
import Foundation
import Simulation

/// Writes a folder of simulated person-days: it appears whole, or not at all.
package struct CorpusWriter {
  private let target: String
  private let folder: String
  private var index = SimulatedDay.indexHeader
  /// What the name of a folder has that is not complete.
  static let unfinishedMark = ".partial-"

  /// Begins a folder beside the one that is asked for.
  ///
  /// - Throws: ``CorpusError`` if there is something already: two corpora in one folder would be
  ///   scored as one.
  package init(path: String) throws(CorpusError) {
    target = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    folder = target + Self.unfinishedMark + "\(ProcessInfo.processInfo.processIdentifier)"
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

  /// Describes the folder as a part of a corpus.
  package func add(_ part: CorpusPartFile) throws(CorpusError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(part) else {
      preconditionFailure("figures of a simulation are finite numbers")
    }
    try write(Array(data), CorpusPart.fileName)
  }

  /// Adds the days of a part: the files themselves where that can be, else copies.
  mutating func add(daysOf part: String) throws(CorpusError) {
    let manager = FileManager.default
    let indexName = "index.csv"
    guard let names = try? manager.contentsOfDirectory(atPath: part).sorted(),
      let rows = manager.contents(atPath: part + "/" + indexName)
    else { throw CorpusError(.unreadable, part, "the part cannot be read") }
    for name in names where name != indexName && name != CorpusPart.fileName {
      let (from, to) = (part + "/" + name, folder + "/" + name)
      // The places of an invented town are in each part.
      guard !manager.fileExists(atPath: to), link(from, to) != 0 else { continue }
      do { try manager.copyItem(atPath: from, toPath: to) } catch {
        discard()
        throw CorpusError(.unreadable, from, "it cannot be copied: see whether the disk is full")
      }
    }
    let text = String(decoding: rows, as: UTF8.self)
    let end = text.firstIndex(of: "\n").map { text.index(after: $0) } ?? text.endIndex
    if index == SimulatedDay.indexHeader { index = String(text[..<end]) }
    index += text[end...]
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
