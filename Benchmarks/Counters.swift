import Basics
import Fencing
import Foundation
import NearMeEngine
import Places
import Replay
import Timeline
import TraceFiles
import Traces

/// What the machine is made to do for a fix, in numbers that do not depend on its speed.
///
/// The drive and the world are always the same, so that the numbers only change with the code.
struct Counters {
  static let fixes = 100_000
  /// In order of name; per 1 000 fixes.
  private(set) var values: [(name: String, perThousand: Double)] = []

  init(folder: URL) throws {
    let world = World(points: 10_000)
    let catalog = POICatalog(world.pois)
    let path = folder.appendingPathComponent("counters.gpx").path
    try BigTrace(fixes: world.drive(fixes: Self.fixes)).writeGPX(to: path)

    let reader = try TraceReader(path: path)
    var columns = try reader.nextColumns()
    let all = FixColumns()
    // The first piece makes the buffers that all others use again.
    let before = allocations()
    while columns.pointCount > 0 {
      all.append(contentsOf: columns)
      columns = try reader.nextColumns()
    }
    let read = allocations() - before
    add("read: points by expat", Self.fixes - reader.templatePoints)
    if before >= 0 { add("read: allocations", read) }

    let person = Person(places: world.places, reminders: world.reminders)
    for service in ReplayedService.allCases {
      let name = service.rawValue
      var session = try service.session(for: person, catalog)
      let before = allocations()
      try session.consume(all) { lines, _ in keep(lines) }
      let made = allocations() - before
      let effort = session.engine.effort
      if before >= 0 { add("\(name): allocations", made) }
      add("\(name): evaluations", effort.evaluations)
      add("\(name): fixes one by one", session.exactFixes)
      add("\(name): ladders measured", effort.measures)
      add("\(name): targets looked at", effort.sightings)
      add("\(name): wakes", session.summary.wakeCount)
    }
    values.append(("memory: bytes a fix as columns", Double(FixColumns.bytesPerFix) * 1_000))
    values.sort { $0.name < $1.name }
  }

  private mutating func add(_ name: String, _ count: Int) {
    values.append((name, Double(count) * 1_000 / Double(Self.fixes)))
  }

  /// The file's text.
  var text: String {
    "{\n" + values.map { "  \"\($0.name)\": \(fixed($0.perThousand, 2))" }.joined(separator: ",\n")
      + "\n}\n"
  }

  /// What is worse than in a kept file, as sentences.
  ///
  /// Allocations may differ by a twentieth between versions of the standard library.
  func regressions(against kept: [String: Double]) -> [String] {
    values.compactMap { name, value in
      guard let old = kept[name] else { return "\(name) is not in the file" }
      let slack = name.hasSuffix("allocations") ? 1.05 : 1
      return value <= old * slack + 0.005
        ? nil : "\(name): \(fixed(value, 2)) for 1 000 fixes, \(fixed(old, 2)) in the file"
    }
  }
}

/// Allocations of this process so far; −1 unless `scripts/counters.sh` has put its counter in front of
/// malloc.
func allocations() -> Int {
  typealias Count = @convention(c) () -> Int
  guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "nearme_allocations") else { return -1 }
  return unsafeBitCast(symbol, to: Count.self)()
}

/// Prints the counters, or compares them with a file: exit status 1 if one is worse.
func checkCounters(_ path: String?, folder: URL) throws -> Int32 {
  let counters = try Counters(folder: folder)
  guard let path else {
    print(counters.text, terminator: "")
    return 0
  }
  let data = try Data(contentsOf: URL(fileURLWithPath: path))
  let kept = try JSONDecoder().decode([String: Double].self, from: data)
  let regressions = counters.regressions(against: kept)
  for regression in regressions { print("counters: \(regression)") }
  if regressions.isEmpty {
    print("counters: \(counters.values.count) as in \(path) or better")
  } else {
    print("counters: explain the change, and keep the new numbers with scripts/counters.sh --keep")
  }
  return regressions.isEmpty ? 0 : 1
}
