import Basics
import Channels
import Foundation
import LiveHost
import Logging
import NearMeEngine
import Timeline

/// What the door's owner gives all people's channels.
package struct ChannelServices: Sendable {
  /// The address at which phones and browsers reach the door, as `https://near.example.org`.
  package var origin: String
  /// Whom push services may ask about pushes; nil: no Web Push is offered.
  package var contact: VAPIDContact?
  /// Who mails, and by which program; nil: no mail is offered.
  package var mail: (from: MailAddress, command: [String])?
  /// The bot that writes into chats; nil: no Telegram is offered.
  package var telegram: TelegramBot?
  /// Whether whoever reads at an address that a person sets is asked first.
  package var asks = true

  /// Nothing but an address.
  package init(origin: String) { self.origin = origin }
}

/// Opens people's channels.
struct PersonChannels: Sendable {
  let services: ChannelServices
  let store: DoorStore
  let clock: any HostClock
  let log: Logger
  let heard: HeardNews
  private let tokens: AnswerTokens
  private let key: VAPIDKey?

  init(
    _ services: ChannelServices,
    store: DoorStore,
    clock: any HostClock,
    log: Logger
  ) throws(HostFailure) {
    self.services = services
    self.store = store
    self.clock = clock
    self.log = log
    heard = HeardNews(store: store)
    tokens = try AnswerTokens(secret: [UInt8](try store.secret("answers")))
    key =
      services.contact == nil
      ? nil : try VAPIDKey(stored: Base64URL.encode([UInt8](try store.secret("push"))))
  }

  /// What a browser needs to subscribe; nil where no Web Push is offered.
  var publicKey: String? { key?.publicText }

  /// The tokens of the buttons that a notification with this page can have, in the order of ``AnswerAction/offered``.
  func tokens(beside page: AnswerSubject) -> [(action: AnswerAction, token: AnswerToken)] {
    AnswerAction.everOffered.map { ($0, tokens.token(for: page.with($0))) }
  }

  /// The types of channels that this door can open.
  var offered: [String] {
    [
      "ntfy", "home_assistant", key == nil ? nil : "web_push", services.mail == nil ? nil : "mail",
      services.telegram == nil ? nil : "telegram",
    ]
    .compactMap(\.self)
  }

  /// A channel of a person with what stands in its way.
  struct Standing: Sendable {
    let channel: ChannelSettings.Channel
    let hasSecret: Bool
    /// Why it cannot be told anything, for people; nil if it can.
    let trouble: String?
  }

  /// How a person's channels are.
  func standings(of person: DoorPerson) throws(HostFailure) -> [Standing] {
    let settings = try settings(of: person)
    let known = try store.channelsWithSecret(of: person)
    let unconfirmed = try store.unconfirmed(of: person)
    let opener = try opener(for: person, minting: NoButtons(page: services.origin + "/"))
    return settings.channels.map { channel in
      var trouble: String?
      if let way = channel.kind.askedWay, unconfirmed.contains(way.name) {
        trouble = AskedAddresses.trouble
      }
      do throws(HostFailure) {
        if try opener.open(channel).isEmpty {
          trouble = "no browser has allowed notifications: turn them on in one, under Settings"
        }
      } catch { trouble = error.description }
      return Standing(
        channel: channel,
        hasSecret: known.contains(channel.id),
        trouble: trouble
      )
    }
  }

  /// The sinks of a person's channels, in their order; one that cannot be opened is passed over, and its page says why.
  ///
  /// - Parameter hurry: is called when a channel has given something up.
  func sinks(
    of person: DoorPerson,
    hurry: @escaping @Sendable () -> Void
  ) throws(HostFailure) -> [any Sink] {
    let settings = try settings(of: person)
    guard !settings.channels.isEmpty else { return [] }
    let desk = AnswerDesk(
      person: person.name,
      origin: services.origin,
      tokens: tokens,
      shelf: DoorTokenShelf(store: store, person: person)
    )
    let opener = try opener(for: person, minting: desk)
    let order = ChannelOrder(settings)
    let unconfirmed = try store.unconfirmed(of: person)
    var sinks: [any Sink] = []
    var before: [(channel: String, sinks: [String])] = []
    for channel in settings.channels {
      // Two that lead to the same place are one queue.
      let isAsked = channel.kind.askedWay.map { unconfirmed.contains($0.name) } ?? false
      let opened = (isAsked ? [] : opened(channel, by: opener))
        .filter { sink in !sinks.contains { $0.name == sink.name } }
      if opened.isEmpty {
        log.warning("a channel tells nobody", metadata: ["person": "\(person.id)"])
      }
      for sink in opened {
        sinks.append(
          OrderedSink(
            sink: sink,
            channel: channel.id,
            before: before,
            order: order,
            person: person,
            heard: heard,
            clock: clock,
            hurry: hurry
          )
        )
      }
      before.append((channel.id, opened.map(\.name)))
    }
    return sinks
  }

  /// Which sinks' names are those of channels that a person has no more: what waited for them is told to nobody.
  ///
  /// One that cannot be opened for now, as its secret or the door's bot is missing, is there still.
  func areOver(of person: DoorPerson) throws(HostFailure) -> @Sendable (_ sink: String) -> Bool {
    var names: Set<String> = []
    var types: Set<AnswerChannel> = []
    for channel in try settings(of: person).channels {
      switch (channel.kind, channel.kind.ways) {
      case (.webPush, _):
        names.formUnion(try store.browsers(of: person).map { AnswerWay.webPush($0.endpoint).name })
      case (.telegram(let chat), _):
        guard let bot = services.telegram else {
          types.insert(.telegram)
          continue
        }
        names.insert(TelegramSink.name(of: TelegramSettings(bot: bot, chat: chat)))
      case (_, .one(let way)): names.insert(way.name)
      case (_, .all(let type, _)): types.insert(type)
      }
    }
    let (known, open) = (names, types)
    return { sink in
      AnswerChannel(ofSink: sink).map { !open.contains($0) && !known.contains(sink) } ?? false
    }
  }

  private func opened(
    _ channel: ChannelSettings.Channel,
    by opener: ChannelOpener
  ) -> [any Sink] {
    do throws(HostFailure) { return try opener.open(channel) } catch { return [] }
  }

  /// What a channel does with an example.
  ///
  /// - Returns: nil where there is no such channel.
  func test(_ id: String, of person: DoorPerson) async throws(HostFailure) -> DeliveryOutcome? {
    let settings = try settings(of: person)
    guard let channel = settings.channels.first(where: { $0.id == id }) else { return nil }
    let text = "Arriving at the pharmacy — an example, to see that Near Me gets through."
    return try await tell(text, by: channel, page: services.origin + "/", of: person)
  }

  /// Asks whoever reads at an address whether news of a person may come there.
  ///
  /// - Parameter page: where that is answered.
  func ask(
    _ kind: ChannelSettings.Kind,
    page: String,
    of person: DoorPerson
  ) async -> DeliveryOutcome {
    let text =
      "Shall Near Me send the reminders of \(person.name) here? If you want that, open the link and press the button. "
      + "If not, do nothing: nothing more will come."
    do throws(HostFailure) {
      return try await tell(
        text,
        by: ChannelSettings.Channel(id: "asked", kind),
        page: page,
        of: person
      )
    } catch {
      return .putOff(reason: error.description, atLeast: nil)
    }
  }

  private func tell(
    _ text: String,
    by channel: ChannelSettings.Channel,
    page: String,
    of person: DoorPerson
  ) async throws(HostFailure) -> DeliveryOutcome {
    let now = clock.now()
    let opener = try opener(for: person, minting: NoButtons(page: page))
    let sinks: [any Sink]
    do throws(HostFailure) {
      sinks = try opener.open(channel)
    } catch { return .refused(reason: error.description) }
    guard let example = Self.example(text, at: now) else { return .refused(reason: "no_example") }
    var outcome = DeliveryOutcome.refused(reason: "no_browser")
    for sink in sinks {
      let delivery = Delivery(key: "test-\(now.milliseconds)", at: now, .posted(example))
      outcome = await DeliveryLanes.shared.deliverNow(delivery, by: sink)
      await sink.end()
      if outcome != .delivered { break }
    }
    return outcome
  }

  private static func example(_ text: String, at now: Timestamp) -> ReminderNotification? {
    let form = """
      {"id":"example-\(now.milliseconds)","at":\(now.milliseconds),"kind":"arrival","members":[{"reminder":"example",\
      "tier":"arrival","text":\(JSONText.quoted(text))}]}
      """
    return try? JSONDecoder().decode(ReminderNotification.self, from: Data(form.utf8))
  }

  private func settings(of person: DoorPerson) throws(HostFailure) -> ChannelSettings {
    try PersonSettings(of: person, in: store).channelSettings()
  }

  private func opener(
    for person: DoorPerson,
    minting: any AnswerMinting
  ) throws(HostFailure) -> ChannelOpener {
    var server = ChannelOpener.Server()
    if let key, let contact = services.contact { server.push = (key, contact) }
    server.mail = services.mail
    let store = store
    server.telegram = services.telegram.map {
      ($0, DoorTelegramMemory(store: store, person: person))
    }
    return ChannelOpener(
      server,
      person: person.name,
      minting: minting,
      clock: clock,
      subscriptions: try store.browsers(of: person),
      secret: { channel in (try? store.channelSecret(channel, of: person)) ?? nil },
      forget: { browser in try? store.removeBrowser(browser.endpoint, of: person) }
    )
  }
}

/// For an example, which nobody can answer.
private struct NoButtons: AnswerMinting {
  let page: String

  func buttons(
    for notification: ReminderNotification,
    channel: String
  ) throws -> (buttons: [AnswerButton], page: String) { ([], page) }
}
