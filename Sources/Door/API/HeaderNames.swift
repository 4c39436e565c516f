import HTTPTypes

/// The names of headers that HTTPTypes has none for.
extension HTTPField.Name {
  static let fetchUser = known("Sec-Fetch-User")
  static let accelBuffering = known("X-Accel-Buffering")
  static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
  package static let csrfToken = known("X-CSRF-Token")
  package static let fetchSite = known("Sec-Fetch-Site")
  package static let forwardedFor = known("X-Forwarded-For")
  package static let forwardedProto = known("X-Forwarded-Proto")
  package static let idempotencyKey = known("Idempotency-Key")
  static let lastEventID = known("Last-Event-ID")
  package static let referrerPolicy = known("Referrer-Policy")
  package static let sentAt = known("X-Sent-At")

  private static func known(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a token") }
    return name
  }
}
