import Basics
import Crypto
import LiveHost
import NearMeEngine
import Timeline

/// Pushes to one browser.
///
/// The body is one JSON for all: Safari 18.4 and later show `notification` by themselves, the service
/// worker of the others reads it and `nearme`, where the buttons are. Every push shows something, as
/// browsers take the right to push from who sends silent ones: a withdrawal is a replacement that says so.
/// To Safari, where nothing is replaced, neither withdrawals nor changes that say less are sent; the page
/// that a tap opens knows.
package final class WebPushSink: Sink {
  /// How long a push service keeps a message for a browser that is off, in seconds: news of a place is old
  /// after four hours.
  private static let timeToLiveSeconds = 14_400

  package let name: String
  package var lane: String? { DeliveryLanes.lane(to: subscription.endpoint) }
  private let subscription: PushSubscription
  private let key: VAPIDKey
  private let contact: VAPIDContact
  private let ground: ChannelGround
  private let forget: @Sendable (PushSubscription) async -> Void

  /// Makes a sink for one subscription of one person.
  ///
  /// - Parameter recipients: others than strangers are for tests, whose push service is on this machine.
  /// - Parameter forget: is called when the push service says that the subscription is no more.
  package init(
    _ subscription: PushSubscription,
    key: VAPIDKey,
    contact: VAPIDContact,
    person: String,
    minting: any AnswerMinting,
    clock: any HostClock,
    recipients: Recipients = .strangers,
    forget: @escaping @Sendable (PushSubscription) async -> Void
  ) {
    name = AnswerWay.webPush(subscription.endpoint).name
    self.subscription = subscription
    self.key = key
    self.contact = contact
    self.forget = forget
    ground = ChannelGround(
      person: person,
      minting: minting,
      clock: clock,
      client: HTTPClient(HTTPClient.Settings(recipients: recipients, bodyLimitBytes: 4_096))
    )
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    precondition(deliveries.count == 1, "a request for each")
    guard let news = ChannelNews(deliveries[0]) else { return .notANotification }
    let id: String
    var message: PushMessage
    switch news {
    case .changed where subscription.isApple: return .delivered
    case .withdrawn where subscription.isApple: return .delivered
    case .withdrawn(let gone):
      id = gone
      message = PushMessage(withdrawn: gone)
    case .posted(let notification), .updated(let notification), .changed(let notification):
      guard let (buttons, page) = ground.buttons(notification, .webPush(subscription.endpoint))
      else {
        return .noButtons
      }
      id = notification.id
      message = PushMessage(notification, buttons: buttons, page: page)
      message.isSilent = news.loudness == .quiet
    }
    message.tag = publicName(person: ground.person, notification: id)
    guard let json = message.json(mostBytes: PushEncryption.mostPlainBytes) else {
      return .refused(reason: "too_long")
    }
    return await push(json, topic: message.tag, isUrgent: !message.isSilent)
  }

  private func push(_ json: String, topic: String, isUrgent: Bool) async -> DeliveryOutcome {
    guard
      let body = try? PushEncryption.encrypt(
        Array(json.utf8),
        to: subscription,
        sender: P256.KeyAgreement.PrivateKey(),
        salt: SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
      ),
      let authorization = try? key.authorization(
        origin: subscription.origin,
        contact: contact,
        now: ground.clock.now()
      )
    else { return .refused(reason: "cannot_encrypt") }
    let headers = [
      authorization,
      HTTPRequest.Header("Content-Type", "application/octet-stream"),
      HTTPRequest.Header("Content-Encoding", "aes128gcm"),
      HTTPRequest.Header("TTL", String(Self.timeToLiveSeconds)),
      // An iPhone that sleeps is woken by nothing less.
      HTTPRequest.Header("Urgency", isUrgent ? "high" : "normal"),
      // Takes the place of what the service still holds of the same notification.
      HTTPRequest.Header("Topic", topic),
      HTTPRequest.Header("User-Agent", "nearme"),
    ]
    let request = HTTPRequest(.post, subscription.endpoint, headers: headers, body: body)
    switch await ground.send(request) {
    case .outcome(let outcome): return outcome
    case .answer(let answer):
      if answer.status == 404 || answer.status == 410 {
        await forget(subscription)
        return .refused(reason: "subscription_gone")
      }
      return answer.outcome(now: ground.clock.now())
    }
  }
}

/// What a browser reads.
struct PushMessage: Sendable {
  private let event: String
  private let id: String
  private let title: String
  private let body: String
  private let page: String?
  private let buttons: [AnswerButton]
  /// Whether it makes no noise.
  var isSilent = false
  /// By which a browser replaces it.
  var tag = ""

  init(_ notification: ReminderNotification, buttons: [AnswerButton], page: String) {
    (title, body) = NewsText(notification).titled
    event = "shown"
    id = notification.id
    self.buttons = buttons
    self.page = page
  }

  init(withdrawn id: String) {
    event = "withdrawn"
    self.id = id
    (title, body) = (withdrawnText, "")
    page = nil
    buttons = []
    isSilent = true
  }

  /// As JSON: the text cut so that it fits, or the title, if it is the title that is long.
  func json(mostBytes: Int) -> String? {
    let isShortEnough = { (json: String) in json.utf8.count <= mostBytes }
    return cut(body, isShortEnough: isShortEnough) { json(title: title, body: $0) }
      ?? cut(title, isShortEnough: isShortEnough) { json(title: $0, body: "") }
  }

  private func json(title: String, body: String) -> String {
    var notification = JSONText()
    notification.add("title", title)
    notification.add("body", body)
    // Safari asks for an address in any case; "/" is the page of the person.
    notification.add("navigate", page ?? "/")
    notification.add("lang", "en")
    notification.add("dir", "auto")
    notification.add("silent", json: isSilent ? "true" : "false")
    notification.add("tag", tag)
    var ours = JSONText()
    ours.add("event", event)
    ours.add("id", id)
    ours.add("page", page)
    ours.add("buttons", objects: buttons) { button, object in
      object.add("action", button.action.name)
      object.add("label", button.label)
      object.add("url", button.url)
    }
    var json = JSONText()
    // The number of RFC 8030 marks the form that needs no service worker.
    json.add("web_push", 8_030)
    json.add("notification", json: notification.closed)
    json.add("nearme", json: ours.closed)
    return json.closed
  }
}
