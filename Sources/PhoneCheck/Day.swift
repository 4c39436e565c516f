import CorpusFiles
import Foundation
import Geodesy
import NearMeEngine
import Places
import PlaceStore
import Replay
import Scoring
import Timeline
import TimeZones
import TraceFiles
import Traces
import TrialFiles
import UserStore

/// A recorded day, a person and the places around.
struct Day {
  let name: String
  /// The cache as a file, which the door is given.
  let cache: String
  let catalog: POICatalog
  /// Without anything they do: a door has no such script.
  let person: Person
  /// The fixes of the trace, in order of time.
  let fixes: [Fix]
  let policy = Policy()

  /// Reads a day.
  ///
  /// - Parameter reminders: a reminders file; nil takes the standard reminders of the truth beside the trace.
  init(trace: String, cache: String, reminders: String?) throws {
    name = URL(fileURLWithPath: trace).lastPathComponent
    self.cache = cache
    catalog = try POICatalog(cache: cache)
    person = try Self.person(trace: trace, reminders: reminders)
    let reader = try TraceReader(path: trace)
    var fixes: [Fix] = []
    while let record = try reader.nextRecord() {
      guard case .fix(let fix) = record.outcome else { continue }
      // A receiver measures in order of time; what a recording has mixed up or doubled is left out.
      if fixes.last.map({ $0.at < fix.at }) ?? true { fixes.append(fix) }
    }
    self.fixes = fixes
    guard !fixes.isEmpty else { throw CheckFailure("\(trace): has no fixes") }
  }

  private static func person(trace: String, reminders: String?) throws -> Person {
    if let reminders {
      let file = try RemindersFile(path: reminders)
      return Person(
        zone: file.zone,
        places: file.places,
        reminders: file.reminders,
        entitlement: file.entitlement
      )
    }
    guard let day = CorpusFolder.Day(besides: trace) else {
      throw CheckFailure("\(trace): has no truth beside it: give --reminders")
    }
    return try day.read().person
  }

  /// What a location service believes of it.
  var believed: [Fix] {
    var gate = FixGate()
    return fixes.filter { gate.refuse($0, at: SurfacePoint($0.coordinate), policy.gate) == nil }
  }

  /// Puts the person's places and reminders into the database of a door.
  func fill(_ path: String) throws {
    let store = try UserStore(path: path, key: .besides(path), access: .edit, zones: SystemZones())
    let start = Timestamp(seconds: 0)
    try store.setEntitlement(person.entitlement, at: start)
    for place in person.places {
      _ = try store.addPlace(id: place.id, at: start) { _ in place }.get()
    }
    for reminder in person.reminders {
      _ = try store.addReminder(id: reminder.id, at: start) { _ in reminder }.get()
    }
    try store.close()
  }
}
