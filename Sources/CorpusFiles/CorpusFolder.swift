import Basics
import Foundation
import Geodesy
import Replay
import Scoring
import SettingsFiles
import Timeline
import TraceFiles
import Traces

/// A folder of person-days: for each `NAME` a trace, a `NAME.truth.json` and a `NAME.true.csv.gz`.
///
/// An `index.csv`, if there is one, says which days there should be, so that a lost file is noticed.
package struct CorpusFolder: Sendable {
  /// A day's files.
  package struct Day: Hashable, Sendable {
    /// The name that the files have in common.
    package let name: String
    /// The folder's name, if it is one of several: days and people of two corpora may be namesakes.
    package let corpus: String?
    /// Its place among all days that lie there, from 0 on, also beside some that cannot be read.
    package let number: Int
    /// What the phone saw.
    package let trace: String
    /// What was true.
    package let truth: String
    /// Where the person really was; nil where the truth says that only the trace tells.
    package let path: String?

    /// Names the files of a day.
    package init(
      name: String,
      corpus: String?,
      number: Int = 0,
      trace: String,
      truth: String,
      path: String?
    ) {
      self.name = name
      self.corpus = corpus
      self.number = number
      self.trace = trace
      self.truth = truth
      self.path = path
    }

    /// The name by which scores call it.
    package var id: String { (corpus.map { $0 + "/" } ?? "") + name }
  }

  /// The days, in order of their names.
  package let days: [Day]
  /// How many there are with those that were left out.
  private let count: Int

  /// Looks through a folder.
  ///
  /// - Throws: ``CorpusError`` if there is no such folder, it holds no day, or a day is not complete.
  /// - Parameter isOneOfMany: whether names of days and people are to begin with the folder's name.
  /// - Parameter first: the number of its first day.
  /// - Parameter noteFault: takes the fault of a day, which is then left out; nil throws it.
  package init(
    path folder: String,
    isOneOfMany: Bool = false,
    first: Int = 0,
    noteFault: ((CorpusError) -> Void)? = nil
  ) throws(CorpusError) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      throw CorpusError(.missing, folder, "there is no such folder")
    }
    guard isFolder.boolValue else {
      throw CorpusError(
        .malformed,
        folder,
        "it is a file: name the folder that holds traces with their .truth.json"
      )
    }
    let entries: [String]
    do {
      // What systems keep beside files, such as `._NAME.gpx.gz` of macOS, is no day.
      entries = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { !$0.hasPrefix(".") }.sorted()
    } catch {
      throw CorpusError(.unreadable, folder, "it cannot be listed: allow reading it")
    }
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    var names = entries.filter { $0.hasSuffix(Self.truthSuffix) }
      .map { String($0.dropLast(Self.truthSuffix.count)) }
    let traces = entries.filter(Self.isTrace)
    // A trace without truth cannot be scored, and leaving it out would flatter or harm unseen.
    names += traces.map(Self.name)
    if entries.contains("index.csv") { names += try Self.indexed(prefix + "index.csv") }
    let unique = Set(names).sorted()
    guard !unique.isEmpty else {
      throw CorpusError(
        .malformed,
        folder,
        "there is no person-day in it: a day is NAME.gpx.gz, NAME.truth.json and NAME.true.csv.gz"
      )
    }
    var days: [Day] = []
    let corpus = isOneOfMany ? URL(fileURLWithPath: folder).lastPathComponent : nil
    for (i, name) in unique.enumerated() {
      do throws(CorpusError) {
        days.append(
          try Self.day(
            name,
            of: corpus,
            number: first + i,
            prefix: prefix,
            entries: entries,
            traces: traces
          )
        )
      } catch {
        guard let noteFault else { throw error }
        noteFault(error)
      }
    }
    self.days = days
    count = unique.count
  }

  /// The days of several folders.
  ///
  /// - Throws: ``CorpusError`` as for each of them, or if two of their days cannot be told apart.
  ///
  /// - Parameter noteFault: as for ``init(path:isOneOfMany:noteFault:)``.
  package static func days(
    of folders: [String],
    noteFault: ((CorpusError) -> Void)? = nil
  ) throws(CorpusError) -> [Day] {
    var days: [Day] = []
    var count = 0
    var first: [String: String] = [:]
    var traces: [FileNode: String] = [:]
    for folder in folders {
      let isOneOfMany = folders.count > 1
      let corpus = try CorpusFolder(
        path: folder,
        isOneOfMany: isOneOfMany,
        first: count,
        noteFault: noteFault
      )
      count += corpus.count
      for day in corpus.days {
        let id = day.id
        if let other = first.updateValue(day.truth, forKey: id) {
          throw CorpusError(
            .malformed,
            day.truth,
            "\(other) is a day \(id), too: name each corpus once, and give folders of several "
              + "corpora different names"
          )
        }
        // By another name, or through a link, it would count twice.
        if let trace = FileNode(day.trace),
          let other = traces.updateValue(day.trace, forKey: trace)
        {
          throw CorpusError(
            .malformed,
            day.trace,
            "it is the same file as \(other): name each corpus once, by whatever name"
          )
        }
        days.append(day)
      }
    }
    return days
  }

  /// For each day the first one whose trace has the very same bytes; nil for those that are that themselves.
  package static func twins(_ days: [Day]) -> [Int?] {
    let sizes = days.map { day in
      (try? FileManager.default.attributesOfItem(atPath: day.trace)[.size]) as? UInt64
    }
    var first: [UInt64: [(day: Int, bytes: Data)]] = [:]
    let counts = Dictionary(sizes.compactMap(\.self).map { ($0, 1) }, uniquingKeysWith: +)
    return days.indices.map { i in
      guard let size = sizes[i], counts[size, default: 0] > 1,
        let bytes = FileManager.default.contents(atPath: days[i].trace)
      else { return nil }
      if let twin = first[size]?.first(where: { $0.bytes == bytes }) { return twin.day }
      first[size, default: []].append((i, bytes))
      return nil
    }
  }

  static let truthSuffix = ".truth.json"
  private static let traceSuffixes = [".gpx", ".gpx.gz"]

  /// Whether a file is called as a part of a day is, or as the list of days.
  package static func isPartOfADay(_ path: String) -> Bool {
    isTruth(path) || (traceSuffixes + ["index.csv"]).contains { path.hasSuffix($0) }
  }

  /// Whether a file has the name of the truth of a day, or of its true path.
  package static func isTruth(_ path: String) -> Bool {
    [truthSuffix, ".true.csv", ".true.csv.gz"].contains { path.hasSuffix($0) }
  }

  static func isTrace(_ entry: String) -> Bool {
    traceSuffixes.contains { entry.hasSuffix($0) }
  }

  static func name(_ trace: String) -> String {
    let suffix = traceSuffixes.first { trace.hasSuffix($0) } ?? ""
    return String(trace.dropLast(suffix.count))
  }

  private static func day(
    _ name: String,
    of corpus: String?,
    number: Int,
    prefix: String,
    entries: [String],
    traces: [String]
  ) throws(CorpusError) -> Day {
    func missing(_ file: String, _ what: String) -> CorpusError {
      CorpusError(
        .missing,
        prefix + file,
        "the day \(name) has no \(what): add this file, or take the day out of the folder"
      )
    }
    guard entries.contains(name + truthSuffix) else { throw missing(name + truthSuffix, "truth") }
    let own = traces.filter { Self.name($0) == name }
    guard let trace = own.first else { throw missing(name + ".gpx.gz", "trace") }
    guard own.count == 1 else {
      throw CorpusError(
        .malformed,
        prefix + trace,
        "the day \(name) has two traces, \(own.joined(separator: " and ")): remove one of them"
      )
    }
    let paths = [".true.csv.gz", ".true.csv"].map { name + $0 }
    let path = paths.first { entries.contains($0) }
    if path == nil, try !TruthFile(path: prefix + name + truthSuffix).isPathUnknown {
      throw CorpusError(
        .missing,
        prefix + paths[0],
        "the day \(name) has no true path: add this file, take the day out of the folder or, for a "
          + "recording whose true path nobody knows, write \"true_path\": \"trace\" into its truth"
      )
    }
    return Day(
      name: name,
      corpus: corpus,
      number: number,
      trace: prefix + trace,
      truth: prefix + name + truthSuffix,
      path: path.map { prefix + $0 }
    )
  }

  /// The first column of an index, whose lines may end as on any system, and whose ids may stand in quotes.
  private static func indexed(_ path: String) throws(CorpusError) -> [String] {
    let lines = try PackedFile.read(path).withoutByteOrderMark
      .split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .map { firstCell(String(decoding: $0, as: UTF8.self)) }
    guard let head = lines.first else { return [] }
    guard head == "id" else {
      throw CorpusError(
        .malformed,
        path,
        line: 1,
        "the first column must be \"id\", not \"\(head)\""
      )
    }
    return Array(lines.dropFirst())
  }
}

/// The first cell of a row of a table, without the quotes around it.
private func firstCell(_ row: String) -> String {
  guard row.first == "\"" else {
    return String(decoding: row.utf8.prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self)
  }
  // A quote within quotes stands there twice.
  let parts = row.dropFirst().components(separatedBy: "\"")
  var cell = parts[0]
  var next = 1
  while next + 1 < parts.count, parts[next].isEmpty {
    cell += "\"" + parts[next + 1]
    next += 2
  }
  return cell
}

extension CorpusFolder.Day {
  /// The day that a trace belongs to; nil if no truth and true path lie beside it.
  package init?(besides trace: String) {
    let slash = trace.lastIndex(of: "/").map { trace.index(after: $0) } ?? trace.startIndex
    guard CorpusFolder.isTrace(String(trace[slash...])) else { return nil }
    let stem = CorpusFolder.name(trace)
    let paths = [".true.csv.gz", ".true.csv"].map { stem + $0 }
    let truth = stem + CorpusFolder.truthSuffix
    let path = paths.first { FileManager.default.fileExists(atPath: $0) }
    guard FileManager.default.fileExists(atPath: truth),
      path != nil || ((try? TruthFile(path: truth).isPathUnknown) ?? false)
    else { return nil }
    self.init(
      name: CorpusFolder.name(String(trace[slash...])),
      corpus: nil,
      trace: trace,
      truth: truth,
      path: path
    )
  }

  /// Reads the day.
  ///
  /// - Parameter person: what the person wants to be reminded of; nil takes the standard reminders
  ///   with home and work of the truth.
  /// - Throws: ``CorpusError``, or `TraceError` for the trace.
  package func read(person: Person? = nil) throws -> PersonDay {
    let file = try TruthFile(path: truth)
    guard file.truth.id == name else {
      throw CorpusError(
        .unfit,
        truth,
        "it is the truth of \"\(file.truth.id)\", and the trace is \(name): rename one of them"
      )
    }
    let fixes = try TraceReader.fixes(path: trace)
    let day = named(file.truth)
    do {
      return try PersonDay(
        truth: day,
        path: path.map { try PathFile.read($0) } ?? TruePath(along: fixes, of: day),
        fixes: fixes,
        person: try person ?? Person(standardFor: file.truth, zone: zone(file)),
        isPathUnknown: path == nil
      )
    } catch let fault as TruthFault {
      throw CorpusError(.unfit, truth, fault.description)
    }
  }

  /// Reads what was true alone, with the names of ``read(person:)``.
  ///
  /// - Throws: ``CorpusError``.
  package func readTruth() throws(CorpusError) -> DayTruth {
    named(try TruthFile(path: truth).truth)
  }

  /// A truth whose day and person have the corpus before their names, where there are several.
  private func named(_ truth: DayTruth) -> DayTruth {
    guard let corpus else { return truth }
    var truth = truth
    truth.id = corpus + "/" + truth.id
    truth.person = corpus + "/" + truth.person
    return truth
  }

  private func zone(_ file: TruthFile) throws(CorpusError) -> UTCOffsetTable {
    guard let name = file.zoneName else { return .utc }
    guard let zone = UTCOffsetTable(systemZone: name) else {
      throw CorpusError(
        .malformed,
        truth,
        "\"\(name)\" is no time zone this system knows, such as America/New_York"
      )
    }
    return zone
  }
}

extension TruePath {
  /// What a recording tells of the way, where nothing else does: the fixes that are believed.
  fileprivate init(along fixes: [Fix], of truth: DayTruth) throws(TruthFault) {
    var gate = FixGate()
    var rows: [Row] = []
    // A single time that is years off would have all after it come too late; where all are, it is no such trace.
    let isOfTheDay = fixes.contains { truth.covers($0.at) }
    for fix in fixes where !isOfTheDay || truth.covers(fix.at) {
      let before = gate.last
      guard gate.refuse(fix, at: SurfacePoint(fix.coordinate), FixGateSettings()) == nil else {
        continue
      }
      let traveled = before.map {
        $0.coordinate.distanceMeters(to: fix.coordinate) / (fix.at - $0.at).seconds
      }
      rows.append(
        Row(
          at: fix.at,
          coordinate: fix.coordinate,
          speedMetersPerSecond: fix.speedMetersPerSecond ?? traveled ?? 0
        )
      )
    }
    guard !rows.isEmpty else { throw .emptyTrace }
    try self.init(rows)
  }
}
