import NearMeEngine
import Places
import Timeline

extension UserStore {
  /// The engine as it stands, with what the user has done since the host's last turn: to be looked at.
  ///
  /// - Parameter now: the present; what is due by then has happened.
  public func presentEngine(
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws(UserStoreError) -> Engine {
    try present(at: now, zone: zone).engine
  }

  /// The times of reminders that were answered, by their ids, in the order of the answers; those that no host has heard
  /// of yet, too.
  ///
  /// - Parameter now: the present.
  public func answers(
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws(UserStoreError) -> [String: [ReminderAnswer]] {
    var answers = try connection.read { database in
      try self.answers(of: nil, database)
    }
    for record in try present(at: now, zone: zone).records {
      switch record {
      case .answered(let at, let reminder, let times):
        for due in times.isEmpty ? [at] : times {
          let answer = ReminderAnswer(due: due, at: at)
          if answers[reminder]?.contains(answer) != true {
            answers[reminder, default: []].append(answer)
          }
        }
      case .answerTakenBack(_, let reminder, let times):
        answers[reminder]?.removeAll { times.contains($0.due) }
      default: break
      }
    }
    return answers
  }

  /// What the history has beside the tables: the answers that no host has heard of yet, in their order, those times of
  /// which an answer was taken back, and when what is on the screen was told.
  func recentHistory(
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws(UserStoreError) -> (
    answers: [(reminder: String, due: Timestamp, at: Timestamp)],
    takenBack: [(reminder: String, due: Timestamp)],
    told: [String: Timestamp]
  ) {
    var answers: [(reminder: String, due: Timestamp, at: Timestamp)] = []
    var takenBack: [(reminder: String, due: Timestamp)] = []
    var told: [String: Timestamp] = [:]
    let stored = try connection.read { try storedState($0) }
    let (engine, records) = try present(at: now, zone: zone)
    for notification in (stored?.shownNow ?? []) + engine.state.shownNow {
      for member in notification.members { told[member.reminder] = notification.at }
    }
    for record in records {
      switch record {
      case .answered(let at, let reminder, let times):
        for due in times.isEmpty ? [at] : times { answers.append((reminder, due, at)) }
      case .answerTakenBack(_, let reminder, let times):
        answers.removeAll { $0.reminder == reminder && times.contains($0.due) }
        takenBack += times.map { (reminder, $0) }
      default: break
      }
    }
    return (answers, takenBack, told)
  }

  /// The engine as it stands, and what happened on the way there since the host's last turn.
  private func present(
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws(UserStoreError) -> (engine: Engine, records: [NearMeEngine.Record]) {
    let user = try load()
    var records: [NearMeEngine.Record] = []
    var engine = Engine(
      policy: policy,
      zone: zone,
      zones: zones,
      catalog: .empty,
      monitoring: .everyFix,
      state: user.state ?? EngineState()
    )
    let known = engine.newestInstant
    for event in Event.together(user.inbox.map(\.event), at: { max(known ?? $0.at, $0.at) }) {
      for case .record(let record) in engine.handle(event) { records.append(record) }
    }
    _ = engine.handle(Event(at: max(now, engine.newestInstant ?? now), .launched))
    return (engine, records)
  }
}
