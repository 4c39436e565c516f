import Channels
import Foundation
import LiveHost
import Timeline

extension ChannelSettings.Kind {
  /// The way to an address that may be anybody's, and is asked first; nil for what only its owner can set up.
  ///
  /// An ntfy topic has readers who asked for it themselves, a browser allows it, and Home Assistant gives out a token.
  var askedWay: AnswerWay? {
    switch (self, ways) {
    case (.mail, .one(let way)), (.telegram, .one(let way)): way
    default: nil
    }
  }
}

extension PersonSettings {
  /// The addresses that may be anybody's, each once.
  package var askedAddresses: [AnswerWay: ChannelSettings.Kind] {
    var kinds = ((try? channelSettings()) ?? nil)?.channels.map(\.kind) ?? []
    if let mail = dailyMail { kinds.append(.mail(to: mail.to.text)) }
    var asked: [AnswerWay: ChannelSettings.Kind] = [:]
    for kind in kinds { if let way = kind.askedWay { asked[way] = kind } }
    return asked
  }
}

/// Asks whoever reads at an address whether news of a person may come there: else anybody at the door could have anybody mailed.
struct AskedAddresses: Sendable {
  let side: PersonSide

  /// What stands in the way of an address that has not said yes, for people.
  static let trouble =
    "a link was sent there: whoever reads it has to open it and press the button first"

  /// Notes the addresses that are new in settings, before they count.
  ///
  /// - Returns: what is to be asked then, with the links' secrets.
  /// - Throws: ``APIRefusal`` where too much was asked: each costs the door's sender its good name.
  func note(
    _ new: PersonSettings,
    insteadOf old: PersonSettings,
    of person: DoorPerson
  ) throws -> [(kind: ChannelSettings.Kind, secret: String)] {
    guard side.channels.services.asks else { return [] }
    let (known, wanted) = (old.askedAddresses, new.askedAddresses)
    let fresh = wanted.filter { known[$0.key] == nil && canBeAsked($0.value) }
      .sorted { $0.key.name < $1.key.name }
    for _ in fresh {
      if let seconds = side.examples.ofPerson.take("\(person.id)") {
        throw APIRefusal.tooManyExamples(seconds: seconds)
      }
    }
    return try fresh.map { ($0.value, try secret(for: $0.key, of: person)) }
  }

  /// Whether somebody there could say yes: messages to a chat have links by https only.
  private func canBeAsked(_ kind: ChannelSettings.Kind) -> Bool {
    guard case .telegram = kind else { return true }
    return side.channels.services.origin.hasPrefix("https://")
  }

  /// Forgets addresses that are in no settings any more, once that is so.
  func forget(allBut settings: PersonSettings, of person: DoorPerson) throws(HostFailure) {
    try side.store.forgetUnconfirmed(but: Set(settings.askedAddresses.keys), of: person)
  }

  /// Asks once more.
  ///
  /// - Returns: nil where the address has said yes, or need not be asked.
  func askAgain(
    _ kind: ChannelSettings.Kind,
    of person: DoorPerson
  ) async throws -> DeliveryOutcome? {
    guard let way = kind.askedWay, try side.store.unconfirmed(of: person).contains(way.name) else {
      return nil
    }
    return await ask(kind, secret: try secret(for: way, of: person), of: person)
  }

  /// Asks at an address.
  @discardableResult
  func ask(
    _ kind: ChannelSettings.Kind,
    secret: String,
    of person: DoorPerson
  ) async -> DeliveryOutcome {
    let page = side.channels.services.origin + "/c/" + secret
    return await side.channels.ask(kind, page: page, of: person)
  }

  private func secret(for way: AnswerWay, of person: DoorPerson) throws(HostFailure) -> String {
    let secret = SessionSecret.make()
    try side.store.putUnconfirmed(way, link: Secret.hash(secret), of: person, at: side.now)
    return secret
  }
}
