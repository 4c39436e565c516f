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
      tokens.map { (Data($0.hash.bytes), $0.subject, $0.expires) },
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

extension TokenUse {
  /// What a token is worth to one person: nothing, where it is another's.
  fileprivate init(_ use: AnswerUse, of person: DoorPerson) {
    switch use {
    case .fresh(person, let subject): self = .fresh(subject)
    case .alreadyDone(person, let subject): self = .alreadyDone(subject)
    case .expired(person, let subject): self = .expired(subject)
    default: self = .unknown
    }
  }
}
