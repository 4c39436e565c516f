import Timeline

/// A request.
package struct HTTPRequest: Hashable, Sendable {
  /// What is asked for.
  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// A line of its head.
  package struct Header: Hashable, Sendable {
    /// Its name.
    package let name: String
    /// What it says.
    package let value: String

    /// Makes a line.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// As libcurl is given it; nil for what would be more than one line, or another one.
    var line: String? {
      let isToken = name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D
      }
      let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
      return isToken && !name.isEmpty && isText && !value.isEmpty ? "\(name): \(value)" : nil
    }
  }

  /// What is asked for.
  package var method: Method
  /// Of whom.
  package var url: String
  /// What goes before the body.
  package var headers: [Header]
  /// The body; a GET has none.
  package var body: [UInt8]

  /// Makes a request.
  package init(_ method: Method, _ url: String, headers: [Header] = [], body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// An answer.
package struct HTTPAnswer: Hashable, Sendable {
  /// Its status.
  package let status: Int
  /// What `Retry-After` says, if it is there.
  package let retryAfter: String?
  /// The body, as far as it was wanted and came.
  package let body: [UInt8]
  /// Whether there is more of the body, or more should have come.
  package let isCut: Bool

  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// For how long the server wants to be left alone; nil where it does not say.
  package func wait(now: Timestamp) -> Milliseconds? {
    askedWait(retryAfter, now: now)
  }

  /// What the status means for a delivery, where the service has no rules of its own: 2xx is done; 408,
  /// 409, 425, 429 and 5xx but for 501 and 505 may pass; all else is final.
  package func outcome(now: Timestamp) -> DeliveryOutcome {
    WebhookSink.outcome(status: status, retryAfter: wait(now: now))
  }
}

/// What became of a request.
package enum HTTPResult: Hashable, Sendable {
  /// There is an answer.
  case answer(HTTPAnswer)
  /// There is none, for now; a sentence that names no address.
  case none(reason: String)
  /// It was not sent, and never will be.
  case unsendable(reason: String)
}
