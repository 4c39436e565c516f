import Channels
import Foundation
import LiveHost
import NearMeEngine
import Timeline
import UserStore

extension AnswerToken {
  /// What the door keeps of it.
  var stored: Data { Data(hash.bytes) }
}

/// What a press on a button does, however it comes back: from a page, a notification or a chat.
struct AnswerPresses: Sendable {
  /// What came of a press.
  enum Outcome: Hashable, Sendable {
    /// It was done now.
    case done(AnswerAction)
    /// It was done before.
    case alreadyDone
    /// The button is too old.
    case expired
    /// Nobody made such a button.
    case unknown
    /// It does nothing but show a page.
    case onlyShows
    /// It cannot be done any more.
    case refused(EditRefusal)
  }

  let side: PersonSide

  /// Carries an answer out, and then uses the token up: killed between both, a second press does no harm.
  ///
  /// - Throws: where nothing was done, and may be later.
  func press(_ hash: Data) async throws -> Outcome {
    guard case .fresh(let person, _) = try side.store.lookAnswer(hash, at: side.now) else {
      return try stale(hash)
    }
    let turnstile = side.turnstile(of: person)
    await turnstile.enter()
    defer { turnstile.leave() }
    // Of two presses at the same time, the second one has waited here.
    guard case .fresh(_, let answer) = try side.store.lookAnswer(hash, at: side.now) else {
      return try stale(hash)
    }
    let action = answer.action
    guard let told = action.reminderAction else { return .onlyShows }
    let (now, zone) = (side.now, side.zone(try side.settings(of: person)))
    let desk = side.household.desk(person)
    // Done once more, what comes again would be done ahead, and its next time not come.
    let reminders =
      try action == .complete ? await undone(answer, at: desk, in: zone) : answer.reminders
    guard !reminders.isEmpty else {
      _ = try side.store.useAnswer(hash, at: now)
      return .alreadyDone
    }
    var outcome = Outcome.done(action)
    do {
      try await desk
        .edit { store in
          try HappeningRoutes.apply(
            AnswerForm(told),
            to: reminders,
            in: store,
            at: now,
            zone: zone
          )
        }
    } catch let refusal as EditRefusal {
      switch refusal {
      // The reminder was done elsewhere, or has ended: there is nothing left to do.
      case .nothingToChange, .completed, .hasExpired: outcome = .alreadyDone
      default: outcome = .refused(refusal)
      }
    }
    _ = try side.store.useAnswer(hash, at: now)
    side.hub.publishEdit(of: "reminders", to: person)
    side.counts.note("answered")
    return outcome
  }

  /// The reminders of an answer that have not been done since it was offered, wherever that was: by another button, on a
  /// page, by a command.
  private func undone(
    _ answer: AnswerSubject,
    at desk: Desk,
    in zone: UTCOffsetTable
  ) async throws -> [String] {
    // By the same button on another channel.
    if try side.store.isUsed(like: answer, of: desk.person) { return [] }
    // What a command has done a moment ago counts.
    try await desk.edit { _ in }
    return try await desk.look { store, state, _ in
      try answer.reminders.filter { id in
        guard try store.isAnswered(id, since: answer.shownAt) else { return true }
        // Of times that stack another one may be open: each press answers the oldest, whichever button it is on.
        return try state.openTimes(ofReminder: id, in: zone)
          .contains { try $0 <= answer.shownAt || store.isAnswered(id, since: $0) }
      }
    }
  }

  private func stale(_ hash: Data) throws -> Outcome {
    switch try side.store.lookAnswer(hash, at: side.now) {
    case .expired: .expired
    case .unknown: .unknown
    case .fresh, .alreadyDone: .alreadyDone
    }
  }
}

extension AnswerPresses.Outcome {
  /// In words, for a chat, which has room for 200 characters.
  var text: String {
    switch self {
    case .done(let action): "\(action.label): done."
    case .alreadyDone: "Already done."
    case .expired: "This button is too old. Answer in Near Me."
    case .unknown: "This button is not known here."
    case .onlyShows: "Answer it in Near Me."
    case .refused(let refusal): APIRefusal(refusal).detail
    }
  }
}
