import Basics
import Foundation
import LiveHost
import NearMeEngine
import Timeline

/// Publishes to a topic of an ntfy server.
///
/// An update has the sequence of what it replaces, and a withdrawal deletes it, where the server can (2.16
/// and later). An older one would take either for something new: there an update that says more is sent
/// without noise, and one that says less, and a withdrawal, are left out. Which of them it is stands in the
/// settings, or is told by the first answer: a server that knows sequences names it back.
///
/// - Source: docs.ntfy.sh/publish, of server 2.17.
package final class NtfySink: Sink, Sendable {
  /// A message may have so many bytes; kept for the whole of what is sent, which holds more than that.
  static let mostBytes = 4_096
  /// ntfy shows so many buttons.
  static let mostButtons = 3

  package let name: String
  package var lane: String? { DeliveryLanes.lane(to: settings.server.text) }
  private let settings: NtfySettings
  private let way: AnswerWay
  private let ground: ChannelGround
  private let learned = Learned()

  /// Makes a sink for one person.
  package init(
    _ settings: NtfySettings,
    person: String,
    minting: any AnswerMinting,
    clock: any HostClock
  ) {
    way = .ntfy(settings.server, topic: settings.topic)
    name = way.name
    self.settings = settings
    ground = ChannelGround(
      person: person,
      minting: minting,
      clock: clock,
      client: HTTPClient(HTTPClient.Settings(recipients: settings.server.recipients))
    )
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    precondition(deliveries.count == 1, "a request for each")
    guard let news = ChannelNews(deliveries[0]) else { return .notANotification }
    switch news {
    case .withdrawn(let id): return await delete(id)
    case .changed where await canReplace != true: return .delivered
    case .posted(let notification), .updated(let notification), .changed(let notification):
      return await publish(notification, news.loudness)
    }
  }

  private var canReplace: Bool? {
    get async {
      if let known = settings.canReplace { return known }
      return await learned.canReplace
    }
  }

  private var headers: [HTTPRequest.Header] { settings.credentials.header.map { [$0] } ?? [] }

  private func publish(
    _ notification: ReminderNotification,
    _ loudness: Loudness
  ) async -> DeliveryOutcome {
    guard let (buttons, page) = ground.buttons(notification, way) else { return .noButtons }
    let sequence = publicName(person: ground.person, notification: notification.id)
    let message = NtfyMessage(
      topic: settings.topic,
      text: NewsText(notification),
      loudness: loudness,
      sequence: await canReplace == false ? nil : sequence,
      buttons: Array(buttons.prefix(Self.mostButtons)),
      page: page
    )
    guard let json = message.json(mostBytes: Self.mostBytes) else {
      return .refused(reason: "too_long")
    }
    // To the root: posted to the topic, JSON would be the message.
    switch await ground.send(.post, settings.server.text + "/", json: json, headers: headers) {
    case .answer(let answer):
      if answer.status == 200 { await learned.note(answer.text, sequence: sequence) }
      return outcome(answer)
    case .outcome(let outcome): return outcome
    }
  }

  private func delete(_ id: String) async -> DeliveryOutcome {
    guard await canReplace != false else { return .delivered }
    let sequence = publicName(person: ground.person, notification: id)
    let url = "\(settings.server.text)/\(settings.topic)/\(sequence)"
    switch await ground.send(HTTPRequest(.delete, url, headers: headers)) {
    case .answer(let answer):
      switch answer.status {
      // An older server knows no such address: there is nothing to take back with.
      case 404, 405: return .delivered
      default: return outcome(answer)
      }
    case .outcome(let outcome): return outcome
    }
  }

  /// As everywhere, but for 507: the server's limit of messages in a time, which passes.
  private func outcome(_ answer: HTTPAnswer) -> DeliveryOutcome {
    let wait = answer.wait(now: ground.clock.now())
    return answer.status == 507
      ? .putOff(reason: "status 507", atLeast: wait) : answer.outcome(now: ground.clock.now())
  }

  /// What the server's answers told of it.
  private actor Learned {
    private(set) var canReplace: Bool?

    func note(_ answer: String, sequence: String) {
      struct Published: Decodable {
        let sequence_id: String?
      }
      guard canReplace == nil,
        let published = try? JSONDecoder().decode(Published.self, from: Data(answer.utf8))
      else { return }
      canReplace = published.sequence_id == sequence
    }
  }
}

/// A message as ntfy takes it.
struct NtfyMessage: Sendable {
  let topic: String
  let text: NewsText
  let loudness: Loudness
  /// By which it is replaced and deleted; nil for a server that does not know that.
  let sequence: String?
  let buttons: [AnswerButton]
  /// What a tap opens.
  let page: String

  /// As JSON, the text cut so that it fits; nil if it does not even without.
  func json(mostBytes: Int) -> String? {
    cut(text.body, isShortEnough: { $0.utf8.count <= mostBytes }, make: json)
  }

  private func json(body: String) -> String {
    var json = JSONText()
    json.add("topic", topic)
    if let title = text.title { json.add("title", String(title.prefix(200))) }
    json.add("message", body)
    json.add("priority", priority)
    json.add("click", page)
    if let sequence { json.add("sequence_id", sequence) }
    json.add("actions", objects: buttons) { button, object in
      object.add("action", "http")
      object.add("label", button.label)
      object.add("url", button.url)
      object.add("method", "POST")
      // Taken off the screen once the answer has arrived, and not before.
      object.add("clear", json: "true")
    }
    return json.closed
  }

  /// From 1 to 5: 2 makes no noise, 3 is usual, 4 rings on.
  private var priority: Int {
    switch loudness {
    case .quiet: 2
    case .usual: 3
    case .prompt: 4
    }
  }
}
