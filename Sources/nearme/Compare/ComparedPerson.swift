import CorpusFiles
import Foundation
import Geodesy
import NearMeEngine
import Places
import Replay
import SettingsFiles
import Timeline
import TraceFiles
import Traces
import TrialFiles

/// A trace with the places and reminders of the person who made it.
struct ComparedPerson: Sendable {
  let path: String
  let person: Person

  /// What a corpus says of a person beside the trace, in NAME.truth.json.
  private struct Truth: Decodable {
    struct Spot: Decodable {
      let lat: Double
      let lon: Double
    }
    let home: Spot?
    let work: Spot?
    let tz: String?
  }

  /// - Parameter file: the reminders that all people have; nil: one for each category of the catalog,
  ///   and one each for home and work, which NAME.truth.json tells.
  /// - Parameter isOfCorpus: whether home and work of NAME.truth.json take the place of those of the
  ///   file.
  init(
    path: String,
    _ file: RemindersFile?,
    isOfCorpus: Bool,
    _ catalog: POICatalog
  ) throws {
    self.path = path
    let truth = try isOfCorpus || file == nil ? Self.truth(of: path) : nil
    if let file {
      var person = file.person
      person.places = try file.places.map { place in
        let spot =
          switch place.kind {
          case .home: truth?.home
          case .work: truth?.work ?? truth?.home
          case .other: nil as Truth.Spot?
          }
        guard let spot else { return place }
        return Place(
          id: place.id,
          name: place.name,
          kind: place.kind,
          coordinate: try Self.coordinate(spot, path),
          arrivalRadiusMeters: place.arrivalRadiusMeters
        )
      }
      self.person = person
      return
    }
    guard let truth else {
      throw CommandFailure(
        .usage,
        "\(path): no \((Self.truthPath(of: path) as NSString).lastPathComponent) beside it says "
          + "where this person lives: give --reminders"
      )
    }
    person = Person(
      zone: try truth.tz.map { try Self.zone($0, path) } ?? .utc,
      home: try truth.home.map { try Self.coordinate($0, path) },
      work: try (truth.work ?? truth.home).map { try Self.coordinate($0, path) },
      categories: catalog.categories
    )
  }

  private static func zone(_ name: String, _ path: String) throws -> UTCOffsetTable {
    guard let zone = UTCOffsetTable(systemZone: name) else {
      throw CommandFailure(
        .badInput,
        "\(truthPath(of: path)): \"\(name)\" is no time zone this system knows, such as America/New_York"
      )
    }
    return zone
  }

  private static func coordinate(_ spot: Truth.Spot, _ path: String) throws -> Coordinate {
    do {
      return try Coordinate(latitude: spot.lat, longitude: spot.lon)
    } catch {
      throw CommandFailure(.badInput, "\(truthPath(of: path)): \(error)")
    }
  }

  private static func truth(of path: String) throws -> Truth? {
    let truthPath = truthPath(of: path)
    guard let data = FileManager.default.contents(atPath: truthPath) else { return nil }
    do {
      return try JSONDecoder().decode(Truth.self, from: data)
    } catch {
      throw CommandFailure(
        .badInput,
        "\(truthPath): is no truth file: it must be JSON with home and work as {\"lat\":…,\"lon\":…}"
      )
    }
  }

  private static func truthPath(of path: String) -> String {
    let ending = traceEndings.first { path.hasSuffix($0) } ?? ""
    return path.dropLast(ending.count) + ".truth.json"
  }

  private static let traceEndings = [".gpx.gz", ".gpx.bz2", ".gpx"]

  /// The trace's fixes.
  func fixes(check: () throws -> Void = {}) throws -> [Fix] {
    do {
      let fixes = try TraceReader.fixes(path: path, check: check)
      guard !fixes.isEmpty else { throw EmptyTraces.failure([path]) }
      return fixes
    } catch let error as TraceError {
      throw CommandFailure(status(of: error), error.description)
    }
  }

  /// All people of what was named: traces as they are, the traces of folders in order of name.
  static func all(
    _ paths: [String],
    _ file: RemindersFile?,
    _ catalog: POICatalog
  ) throws -> [ComparedPerson] {
    var people: [ComparedPerson] = []
    var named: [FileNode: String] = [:]
    func add(_ path: String, isOfCorpus: Bool) throws {
      if let trace = FileNode(path), let other = named.updateValue(path, forKey: trace) {
        throw CommandFailure(
          .badInput,
          path == other
            ? "\(path): it is named twice, and would count twice: name it once"
            : "\(path): it is the same file as \(other), and would count twice: name it once"
        )
      }
      people.append(try ComparedPerson(path: path, file, isOfCorpus: isOfCorpus, catalog))
    }
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw CommandFailure(.inputMissing, "\(path): there is no such file or folder")
      }
      guard isFolder.boolValue else {
        try add(path, isOfCorpus: false)
        continue
      }
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
      } catch {
        throw CommandFailure(.inputOutput, "\(path): cannot be read: check its permissions")
      }
      let traces = names.filter { name in traceEndings.contains { name.hasSuffix($0) } }
      guard !traces.isEmpty else {
        throw CommandFailure(.badInput, "\(path): no trace in it (.gpx, .gpx.gz or .gpx.bz2)")
      }
      for name in traces {
        let trace = (path as NSString).appendingPathComponent(name)
        try add(trace, isOfCorpus: true)
      }
    }
    return people
  }
}
