import Basics
import Foundation
import Timeline

/// Where a webhook posts to.
package struct WebhookAddress: Hashable, Sendable {
  /// The address as it was given.
  package let text: String

  /// Reads an address.
  ///
  /// - Throws: `.usage` unless it is https, or http to this machine.
  package init(_ text: String) throws(HostFailure) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      let host = parts.host, !host.isEmpty, scheme == "https" || scheme == "http"
    else {
      throw HostFailure(
        .usage,
        "webhook:\(text): an address such as https://example.org/hook is needed"
      )
    }
    // libcurl has its own way to read an address, and it is the one that sends.
    guard let curl = CurlAddress(text), curl.scheme == scheme else {
      throw HostFailure(.usage, "webhook:\(text): libcurl reads this address in another way")
    }
    guard parts.user == nil, parts.password == nil, !curl.hasUser else {
      throw HostFailure(
        .usage,
        "webhook: the address holds a password, which others see in the list of processes: use "
          + "--webhook-authorization with a file"
      )
    }
    guard scheme == "https" || (Self.isLoopback(host) && Self.isLoopback(curl.host)) else {
      throw HostFailure(
        .usage,
        "webhook:\(text): titles and places would go over the network in the clear: use https "
          + "(http is for this machine only)"
      )
    }
    self.text = text
  }

  /// Whether a host is this machine (RFC 6761 for the name, RFC 1122 and RFC 4291 for the numbers).
  private static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    if host == "localhost" || host == "::1" { return true }
    var address = in_addr()
    guard inet_pton(AF_INET, host, &address) == 1 else { return false }
    return UInt32(bigEndian: address.s_addr) >> 24 == 127
  }
}

/// Posts notifications to a server, one request each.
///
/// The body is the line that an NDJSON sink writes. `Idempotency-Key` is the same whenever the same
/// notification is sent again, so that a server that remembers keys shows nothing twice. Redirects
/// are not followed: they could lead out of https, or to another server.
package final class WebhookSink: Sink {
  package let name: String

  package var lane: String? { DeliveryLanes.lane(to: url) }

  private let authorization: String?
  private let clock: any HostClock
  private let url: String
  private let client: HTTPClient

  /// Makes a sink.
  ///
  /// - Parameter authorization: the value of the header `Authorization`, if one is needed.
  /// - Parameter timeout: how long a request may take, connecting included.
  package init(
    _ address: WebhookAddress,
    authorization: String? = nil,
    timeout: Milliseconds = .seconds(15),
    clock: any HostClock
  ) {
    name = sinkName("webhook", address.text)
    self.authorization = authorization
    self.clock = clock
    url = address.text
    // What it says beside the head is not looked at.
    client = HTTPClient(HTTPClient.Settings(timeout: timeout, bodyLimitBytes: 0))
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    precondition(deliveries.count == 1, "a request for each")
    let delivery = deliveries[0]
    var headers = [
      HTTPRequest.Header("Content-Type", "application/json"),
      HTTPRequest.Header("Idempotency-Key", "\"\(delivery.key)\""),
      HTTPRequest.Header("User-Agent", "nearme"),
    ]
    if let authorization { headers.append(HTTPRequest.Header("Authorization", authorization)) }
    switch await client.send(
      HTTPRequest(.post, url, headers: headers, body: Array(delivery.line.utf8))
    ) {
    case .answer(let answer): return answer.outcome(now: clock.now())
    case .none(let reason): return .putOff(reason: "no answer: \(reason)", atLeast: nil)
    case .unsendable(let reason): return .refused(reason: reason)
    }
  }

  /// What an answer means.
  ///
  /// - Source: RFC 9110, section 15, for what may pass; 409 while the first request with a key is
  ///   under way: draft-ietf-httpapi-idempotency-key-header; 425: RFC 8470; 429: RFC 6585.
  static func outcome(status: Int, retryAfter: Milliseconds?) -> DeliveryOutcome {
    switch status {
    case 200..<300: .delivered
    case 300..<400: .refused(reason: "status \(status): redirects are not followed")
    case 408, 409, 425, 429: .putOff(reason: "status \(status)", atLeast: retryAfter)
    // Neither becomes right by waiting.
    case 501, 505: .refused(reason: "status \(status)")
    case 500..<600: .putOff(reason: "status \(status)", atLeast: retryAfter)
    default: .refused(reason: "status \(status)")
    }
  }
}

/// A name for a sink that does not tell its address, which may hold a secret.
package func sinkName(_ kind: String, _ address: String) -> String {
  "\(kind)-\(FNV1a(address).text)"
}
