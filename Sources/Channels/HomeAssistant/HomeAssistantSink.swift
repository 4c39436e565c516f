import Basics
import LiveHost
import NearMeEngine
import Timeline

/// Notifies a phone through Home Assistant's companion app.
///
/// A button comes back as the event `mobile_app_notification_action`, whose `action` is `NEARME_` and the
/// token: an automation there passes the token on to `ORIGIN/a/TOKEN` by a `rest_command`, as
/// docs/channels.md shows. (Buttons that open an address cannot post.)
///
/// - Source: the companion's documentation of notifications, 2026-11.
package final class HomeAssistantSink: Sink {
  /// Before the token in the name of a button's action, for the automation's filter.
  package static let actionPrefix = "NEARME_"
  /// Apple and Google carry 4 kB, of which Home Assistant adds a part.
  static let mostBytes = 3_072

  package let name: String
  package var lane: String? { DeliveryLanes.lane(to: settings.server.text) }
  private let settings: HomeAssistantSettings
  private let way: AnswerWay
  private let ground: ChannelGround

  /// Makes a sink for one phone of a person.
  package init(
    _ settings: HomeAssistantSettings,
    person: String,
    minting: any AnswerMinting,
    clock: any HostClock
  ) {
    way = .homeAssistant(settings.server, service: settings.service)
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
    case .withdrawn(let id):
      var data = JSONText()
      data.add("tag", tag(id))
      return await send(HomeAssistantMessage.json(title: nil, "clear_notification", data.closed))
    case .posted(let notification), .updated(let notification), .changed(let notification):
      guard let (buttons, page) = ground.buttons(notification, way) else {
        return .noButtons
      }
      let message = HomeAssistantMessage(
        text: NewsText(notification),
        loudness: news.loudness,
        tag: tag(notification.id),
        buttons: Array(buttons.prefix(settings.phone.mostButtons)),
        page: page
      )
      guard let json = message.json(mostBytes: Self.mostBytes) else {
        return .refused(reason: "too_long")
      }
      return await send(json)
    }
  }

  private func tag(_ notification: String) -> String {
    publicName(person: ground.person, notification: notification)
  }

  private func send(_ json: String) async -> DeliveryOutcome {
    let url = "\(settings.server.text)/api/services/notify/\(settings.service)"
    let headers = [HTTPRequest.Header("Authorization", "Bearer \(settings.token)")]
    switch await ground.send(.post, url, json: json, headers: headers) {
    case .answer(let answer): return answer.outcome(now: ground.clock.now())
    case .outcome(let outcome): return outcome
    }
  }
}

/// A notification as the companion app takes it; each platform leaves what is the other's.
struct HomeAssistantMessage: Sendable {
  let text: NewsText
  let loudness: Loudness
  let tag: String
  let buttons: [AnswerButton]
  let page: String

  static func json(title: String?, _ message: String, _ data: String) -> String {
    var json = JSONText()
    if let title { json.add("title", title) }
    json.add("message", message)
    json.add("data", json: data)
    return json.closed
  }

  /// As JSON, the text cut so that it fits; nil if it does not even without.
  func json(mostBytes: Int) -> String? {
    let title = text.title.map { String($0.prefix(100)) }
    return cut(text.body, isShortEnough: { $0.utf8.count <= mostBytes }) {
      Self.json(title: title, $0, data)
    }
  }

  private var data: String {
    var data = JSONText()
    data.add("tag", tag)
    data.add("actions", objects: buttons) { button, object in
      object.add("action", HomeAssistantSink.actionPrefix + button.token)
      object.add("title", button.label)
    }
    // The tap: iOS reads the first, Android the second.
    data.add("url", page)
    data.add("clickAction", page)
    addAndroid(&data)
    var push = JSONText()
    push.add("interruption-level", interruptionLevel)
    push.add("sound", loudness == .quiet ? "none" : "default")
    data.add("push", json: push.closed)
    return data.closed
  }

  /// A channel's importance is fixed on Android when it is first used, so that each loudness has its own.
  private func addAndroid(_ data: inout JSONText) {
    switch loudness {
    case .quiet:
      data.add("channel", "Near Me: changes")
      data.add("importance", "low")
      data.add("alert_once", json: "true")
    case .usual:
      data.add("channel", "Near Me")
      data.add("importance", "default")
    case .prompt:
      data.add("channel", "Near Me: now")
      data.add("importance", "high")
      // A phone that sleeps is woken by nothing less.
      data.add("ttl", 0)
      data.add("priority", "high")
    }
  }

  private var interruptionLevel: String {
    switch loudness {
    case .quiet: "passive"
    case .usual: "active"
    case .prompt: "time-sensitive"
    }
  }
}
