import Foundation
import GRDB
import NearMeEngine
import Timeline

/// What became of a transition, as it is kept: no title, no place, no position.
public struct StoredDecision: Hashable, Sendable {
  /// When.
  public let at: Timestamp
  /// Whose.
  public let reminder: String
  /// Which tier's, by name; nil for a refusal.
  public let tier: String?
  /// `delivered`, `deferred`, `suppressed`; `cancelled` for what had begun to hold and did not, and
  /// `refused` for a reminder or an answer that the engine did not take.
  public let outcome: String
  /// Why, where something was not delivered.
  public let reason: String?
  /// When it is looked at again, where that is known.
  public let until: Timestamp?
}

extension UserStore {
  /// Decisions are kept for so long: long enough to ask why, too short to be a diary.
  public static let decisionsKept = Milliseconds(30 * 86_400_000)
  /// So many decisions are kept at most.
  public static let mostDecisions = 10_000

  /// What became of transitions, the newest first.
  ///
  /// - Parameter reminder: only this one's; nil for all.
  public func decisions(
    of reminder: String? = nil,
    limit: Int = 20
  ) throws(UserStoreError) -> [StoredDecision] {
    try decisions(before: nil, of: reminder, limit: limit).map(\.decision)
  }

  /// Keeps what is to be kept of a turn's records, in the transaction that is open.
  func keep(_ records: [NearMeEngine.Record], at now: Timestamp?, _ database: Database) throws {
    try keepAnswers(records, database)
    var hasNew = false
    for record in records {
      switch record {
      case .analytics(let at, let event): try count(event, at: at, database)
      case .analyticsConsent(_, isOn: false): try forgetEvents(database)
      default: break
      }
      guard let decision = StoredDecision(record) else { continue }
      hasNew = true
      try database.execute(
        sql: """
          INSERT INTO decision (at, reminder, tier, outcome, reason, until)
          VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          decision.at.milliseconds, decision.reminder, decision.tier, decision.outcome,
          decision.reason, decision.until?.milliseconds,
        ]
      )
    }
    if hasNew, let now { try forgetDecisions(before: now - Self.decisionsKept, database) }
  }

  private func forgetDecisions(before oldest: Timestamp, _ database: Database) throws {
    try database.execute(
      sql: "DELETE FROM decision WHERE serial <= (SELECT max(serial) FROM decision) - ?",
      arguments: [Self.mostDecisions]
    )
    // They are in order of time but for clocks that were set back: the first tells whether to look.
    let first = try Int64.fetchOne(database, sql: "SELECT at FROM decision ORDER BY serial LIMIT 1")
    guard let first, first < oldest.milliseconds else { return }
    try database.execute(
      sql: "DELETE FROM decision WHERE at < ?",
      arguments: [oldest.milliseconds]
    )
  }
}

extension StoredDecision {
  /// What a record says of a reminder's transition; nil if it says nothing of the kind.
  init?(_ record: NearMeEngine.Record) {
    switch record {
    case .decision(let decision):
      let (outcome, reason, until): (String, Silence?, Timestamp?) =
        switch decision.outcome {
        case .delivered: ("delivered", nil, nil)
        case .deferred(let silence, let until): ("deferred", silence, until)
        case .suppressed(let silence): ("suppressed", silence, nil)
        }
      self.init(
        at: decision.at,
        reminder: decision.reminder,
        tier: decision.step.name,
        outcome: outcome,
        reason: reason?.rawValue,
        until: until
      )
    case .reminderRefused(let at, let error):
      self.init(
        at: at,
        reminder: error.reminder,
        tier: nil,
        outcome: "refused",
        reason: "\(error.reason)",
        until: nil
      )
    case .actionRefused(let at, let reminder, let refusal):
      self.init(
        at: at,
        reminder: reminder,
        tier: nil,
        outcome: "refused",
        reason: refusal.label,
        until: nil
      )
    case .canceled(let canceled):
      self.init(
        at: canceled.at,
        reminder: canceled.reminder,
        tier: canceled.tier.name,
        outcome: "cancelled",
        reason: canceled.reason.rawValue,
        until: nil
      )
    default: return nil
    }
  }
}
