import Basics
import Crypto
import Foundation
import Geodesy
import NearMeEngine
import Places
import Recurrence
import Sentences
import TimeZones
import Timeline
import Traces
import UserStore

/// Reminders as the API tells them: as they are stored, and what they are doing.
struct ReminderPicture {
  private let store: UserStore
  private let engine: Engine
  private let places: [Place]
  private let waiting: Set<String>
  private let waits: [String: Occasion]
  private let catalog: POICatalog
  private let words: SentenceWords?
  private let now: Timestamp
  /// The person's clock.
  private let clock: LocalDateTime

  /// Something is near within so many meters: a quarter of an hour on foot.
  private static let nearMeters = 1_200.0

  /// - Parameter state: the engine's; all that is told of places, times and silences comes from it.
  init(
    _ store: UserStore,
    _ state: EngineState,
    _ setup: DoorSetup,
    zone: UTCOffsetTable,
    words: SentenceWords?,
    at now: Timestamp
  ) throws {
    self.store = store
    engine = Engine(
      policy: setup.policy,
      zone: zone,
      zones: SystemZones(),
      catalog: .empty,
      monitoring: .everyFix,
      state: state
    )
    places = try store.places()
    let all = try store.reminders()
    waiting = Set(
      UserStore.waiting(all, try store.entitlement(), setup.policy.plans).map(\.id)
    )
    waits = Dictionary(
      engine.waitingNow.filter { !$0.isRepeat && $0.silence != nil }.map { ($0.reminder, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    catalog = setup.catalog
    self.words = words
    self.now = now
    clock = LocalDateTime(clamping: now.wholeSeconds + Int64(zone.offsetSeconds(at: now)))
  }

  /// A reminder's ETag: that of what is stored of it.
  static func etag(_ reminder: Reminder) throws -> String {
    etagOf(try JSONValue(encoding: reminder).compact)
  }

  /// A reminder.
  func json(_ reminder: Reminder) throws -> String {
    var json = JSONText()
    let stored = try JSONValue(encoding: reminder)
    for (key, value) in stored.members ?? [] where key != "snoozed_until" {
      json.add(key, json: value.compact)
    }
    switch reminder.snooze {
    case .until(let end) where end > now: json.add("snoozed_until", RFC3339.format(end))
    case .untilNextArrival: json.add("snoozed_until", "next-arrival")
    default: break
    }
    if reminder.status == .completed, let end = try store.endedAt(reminder.id) {
      json.add("done_at", RFC3339.format(end))
    }
    json.add("standing", standing(reminder))
    json.add("sentence", words?.sentence(reminder, places, begunBefore: clock))
    if let next = engine.nextTimes(ofReminder: reminder.id).first {
      json.add("next", json: "{\"at\":\(JSONText.quoted(RFC3339.format(next)))}")
    }
    if let near = near(reminder) { json.add("near", json: near) }
    if let waits = waits(reminder) { json.add("waits", json: waits) }
    json.add("etag", etagOf(stored.compact))
    return json.closed
  }

  /// What it is doing, in a word, as `nearme reminder list` has it.
  private func standing(_ reminder: Reminder) -> String {
    if reminder.status != .active { return reminder.status.rawValue }
    if reminder.isMuted { return "muted" }
    if waiting.contains(reminder.id) { return "waiting" }
    switch reminder.snooze {
    case .until(let end) where end > now: return "snoozed"
    case .untilNextArrival: return "snoozed"
    default: return "live"
    }
  }

  private func waits(_ reminder: Reminder) -> String? {
    guard reminder.isLive, let occasion = waits[reminder.id], let silence = occasion.silence else {
      return nil
    }
    var json = JSONText()
    json.add("reason", silence.rawValue)
    json.add("text", silence.sentence)
    if let until = occasion.until { json.add("until", RFC3339.format(until)) }
    return json.closed
  }

  /// The nearest of what it aims at, by the newest position that was used.
  private func near(_ reminder: Reminder) -> String? {
    guard reminder.isLive, let fix = engine.newestFix else { return nil }
    let targets = reminder.triggers.compactMap { trigger -> Reminder.Target? in
      if case .place(let target, _) = trigger { target } else { nil }
    }
    let nearest = targets.compactMap { spot($0, fix) }.min { $0.meters < $1.meters }
    guard let nearest, nearest.meters <= Self.nearMeters else { return nil }
    var json = JSONText()
    json.add("name", nearest.name)
    json.add("distance_m", Int(nearest.meters.rounded()))
    return json.closed
  }

  private func spot(_ target: Reminder.Target, _ fix: Fix) -> (name: String, meters: Double)? {
    switch target {
    case .place(let id):
      return places.first { $0.id == id }
        .map { ($0.name, $0.coordinate.distanceMeters(to: fix.coordinate)) }
    case .category(let category):
      guard let slot = catalog.slot(of: category),
        let found = catalog.nearest(slot: slot, to: SurfacePoint(fix.coordinate))
      else { return nil }
      return (catalog.points[found.index].spokenName ?? category.label, found.distanceMeters)
    }
  }
}

/// Says reminders back in words, each once: a sentence is read again before it is given out, which takes a while.
final class SentenceWords: Sendable {
  private static let most = 4_000

  private let reader: SentenceReader
  private let lock = NSLock()
  private nonisolated(unsafe) var said: [String: String?] = [:]

  init(_ reader: SentenceReader) { self.reader = reader }

  /// - Parameter places: the person's.
  func sentence(
    _ reminder: Reminder,
    _ places: [Place],
    begunBefore clock: LocalDateTime
  ) -> String? {
    let bare = SentenceWriter.sayable(reminder)
    let known = places.filter { reminder.aims(at: .place($0.id)) }
    guard let parts = try? JSONValue(encoding: bare).compact else { return nil }
    let names = known.map { "\($0.id) \($0.name)" }.joined(separator: "\n")
    let context = SentenceContext.of(places: places, begunBefore: clock)
    let begun = reminder.triggers.map { trigger in
      if case .schedule(let schedule) = trigger { context.hasBegun(schedule) } else { false }
    }
    // The words are as personal as the reminder: only a digest of it stands for them.
    let key = etagOf("\(reader.language.name)\n\(names)\n\(parts)\n\(begun)")
    if let sentence = lock.withLock({ said[key] }) { return sentence }
    let sentence = SentenceWriter(reader.language)
      .sentence(reminder, in: context)
    lock.withLock {
      if said.count >= Self.most { said = [:] }
      // What cannot be said is not tried again.
      said.updateValue(sentence, forKey: key)
    }
    return sentence
  }
}

extension SentenceContext {
  /// A context for words that depend on the time only by what has begun: dates are said in full.
  fileprivate static func of(
    places: [Places.Place],
    begunBefore clock: LocalDateTime
  ) -> SentenceContext {
    SentenceContext(
      now: LocalDateTime(clamping: 0),
      zones: SystemZones(),
      places: places.flatMap(\.spoken),
      begunBefore: clock
    )
  }
}
