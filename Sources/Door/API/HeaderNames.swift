import HTTPTypes

/// The names of headers that HTTPTypes has none for.
extension HTTPField.Name {
  static let accelBuffering = known("X-Accel-Buffering")
  static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
  static let csrfToken = known("X-CSRF-Token")
  static let fetchSite = known("Sec-Fetch-Site")
  static let forwardedFor = known("X-Forwarded-For")
  static let forwardedProto = known("X-Forwarded-Proto")
  static let idempotencyKey = known("Idempotency-Key")
  static let lastEventID = known("Last-Event-ID")
  static let referrerPolicy = known("Referrer-Policy")

  private static func known(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a token") }
    return name
  }
}
