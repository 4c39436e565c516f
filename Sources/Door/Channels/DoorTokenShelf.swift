import Channels
import Foundation
import LiveHost
import Timeline

/// The tokens of one person's buttons, in the door's file.
struct DoorTokenShelf: TokenShelf {
  let store: DoorStore
  let person: DoorPerson

  func put(_ tokens: [ShelvedToken]) throws {
    try store.putAnswers(
      tokens.map { (Data($0.hash.bytes), StoredAnswer($0.subject), $0.expires) },
      of: person
    )
  }

  func look(_ hash: TokenHash, at now: Timestamp) throws -> TokenUse {
    TokenUse(try store.lookAnswer(Data(hash.bytes), at: now), of: person)
  }

  func use(_ hash: TokenHash, at now: Timestamp) throws -> TokenUse {
    TokenUse(try store.useAnswer(Data(hash.bytes), at: now), of: person)
  }
}

extension StoredAnswer {
  fileprivate init(_ subject: AnswerSubject) {
    self.init(
      notification: subject.notification,
      shownAt: subject.shownAt,
      reminders: subject.reminders,
      action: subject.action.name,
      channel: subject.channel
    )
  }

  fileprivate func subject(of person: DoorPerson) -> AnswerSubject? {
    AnswerAction(name: action)
      .map {
        AnswerSubject(
          person: person.name,
          notification: notification,
          shownAt: shownAt,
          reminders: reminders,
          action: $0,
          channel: channel
        )
      }
  }
}

extension TokenUse {
  /// What a token is worth to one person: nothing, where it is another's.
  fileprivate init(_ use: AnswerUse, of person: DoorPerson) {
    self = .unknown
    switch use {
    case .fresh(person, let answer): if let it = answer.subject(of: person) { self = .fresh(it) }
    case .alreadyDone(person, let answer):
      if let it = answer.subject(of: person) { self = .alreadyDone(it) }
    case .expired(person, let answer):
      if let it = answer.subject(of: person) { self = .expired(it) }
    default: break
    }
  }
}
