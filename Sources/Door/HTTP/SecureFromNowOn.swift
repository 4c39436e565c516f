import HTTPTypes
import Hummingbird

/// Tells browsers that have come by https to come by nothing else: a first request in the clear would carry no cookie, but
/// somebody between could answer it.
///
/// - Source: RFC 6797: what is told in the clear, or under a certificate that is not good, they pass over.
struct SecureFromNowOn: RouterMiddleware {
  /// A day, anew with each answer: who gives up the certificate must be let in again.
  private static let rule = "max-age=86400"

  let side: PersonSide

  func handle(
    _ request: Request,
    context: DoorContext,
    next: (Request, DoorContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    // It would hold for all ports of the host: beside a door on another port than the usual one something else may
    // listen in the clear. Phones' apps keep no such rule.
    let hasUsualPort = !(request.head.authority?.contains(":") ?? false)
    if hasUsualPort, !request.uri.path.hasPrefix("/in/"), Visitor(request, context, side).isSecure {
      response.headers[.strictTransportSecurity] = Self.rule
    }
    return response
  }
}
