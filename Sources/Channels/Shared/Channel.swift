import LiveHost
import NearMeEngine
import Timeline

/// A delivery as a channel tells it.
enum ChannelNews: Hashable, Sendable {
  /// Something new.
  case posted(ReminderNotification)
  /// More than before, without noise.
  case updated(ReminderNotification)
  /// Less than before, without noise.
  case changed(ReminderNotification)
  /// Not needed any more.
  case withdrawn(id: String)

  /// Reads a delivery; nil for records, which no channel is told.
  init?(_ delivery: Delivery) {
    switch delivery.news {
    case .posted(let notification): self = .posted(notification)
    case .replaced(let notification, true): self = .updated(notification)
    case .replaced(let notification, false): self = .changed(notification)
    case .withdrawn(let id): self = .withdrawn(id: id)
    case .transition, .decision: return nil
    }
  }

  /// What is to be shown; nil if nothing is.
  var notification: ReminderNotification? {
    switch self {
    case .posted(let notification), .updated(let notification), .changed(let notification):
      notification
    case .withdrawn: nil
    }
  }

  /// How much noise it makes.
  var loudness: Loudness {
    if case .posted(let notification) = self { Loudness(notification.kind) } else { .quiet }
  }
}

/// What all channels over HTTP have in common.
struct ChannelGround: Sendable {
  /// Whose channel it is.
  let person: String
  let minting: any AnswerMinting
  let clock: any HostClock
  let client: HTTPClient

  /// The buttons and the page; nil where the database fails, which may pass.
  func buttons(
    _ notification: ReminderNotification,
    _ way: AnswerWay
  ) -> (buttons: [AnswerButton], page: String)? {
    try? minting.buttons(for: notification, channel: way.name)
  }

  /// Sends JSON.
  ///
  /// - Returns: the answer, or what its absence means for the delivery.
  func send(
    _ method: HTTPRequest.Method,
    _ url: String,
    json: String,
    headers: [HTTPRequest.Header] = []
  ) async -> ChannelAnswer {
    let head = [
      HTTPRequest.Header("Content-Type", "application/json"),
      HTTPRequest.Header("User-Agent", "nearme"),
    ]
    return await send(HTTPRequest(method, url, headers: head + headers, body: Array(json.utf8)))
  }

  /// Sends a request.
  func send(_ request: HTTPRequest) async -> ChannelAnswer {
    switch await client.send(request) {
    case .answer(let answer): .answer(answer)
    case .none(let reason): .outcome(.putOff(reason: "no answer: \(reason)", atLeast: nil))
    case .unsendable(let reason): .outcome(.refused(reason: reason))
    }
  }
}

/// An answer, or what its absence means.
enum ChannelAnswer: Sendable {
  case answer(HTTPAnswer)
  case outcome(DeliveryOutcome)
}

extension DeliveryOutcome {
  /// The tokens cannot be put away.
  static let noButtons = DeliveryOutcome.putOff(reason: "answers_not_stored", atLeast: nil)
  /// A record, which channels are never given.
  static let notANotification = DeliveryOutcome.refused(reason: "not_a_notification")
}

/// An address of a server as its owner gives it.
package struct ServiceAddress: Hashable, Sendable {
  /// It, without a slash at its end.
  package let text: String
  /// Whom requests may reach.
  package let recipients: Recipients

  /// Reads an address such as `https://ntfy.example.org` or, where that is allowed,
  /// `http://192.168.1.5:8080`.
  ///
  /// - Parameter allowsPlainHTTP: whether http to this machine and to private networks is wanted.
  /// - Parameter recipients: whom requests may reach where that is not wanted.
  /// - Throws: `.usage` for what is neither https nor allowed, and for addresses with a password, a query
  ///   or a fragment.
  package init(
    _ text: String,
    allowsPlainHTTP: Bool = false,
    recipients: Recipients = .anyoneSecurely
  ) throws(HostFailure) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    let rest = text.dropFirst(scheme.count)
    guard scheme == "https" || scheme == "http", rest.hasPrefix("://"),
      let first = rest.dropFirst(3).first, first != "/",
      !text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "@?#\\\"".utf8.contains($0) })
    else {
      throw HostFailure(
        .usage,
        "\(text): an address such as https://ntfy.example.org is needed, without a password, a query or a "
          + "fragment"
      )
    }
    guard scheme == "https" || allowsPlainHTTP else {
      throw HostFailure(
        .usage,
        "\(text): titles and places would go over the network in the clear: use https, or allow http for "
          + "a server at home"
      )
    }
    self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
    self.recipients = allowsPlainHTTP ? .homeInTheClear : recipients
  }
}
