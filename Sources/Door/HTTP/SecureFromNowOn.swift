import HTTPTypes
import Hummingbird

/// Tells browsers that have come by https to come by nothing else: a first request in the clear would carry no cookie, but
/// somebody between could answer it.
///
/// - Source: RFC 6797: what is told in the clear, or under a certificate that is not good, they pass over.
struct SecureFromNowOn: RouterMiddleware {
  /// Half a year, anew with each answer.
  private static let rule = "max-age=15552000"

  let side: PersonSide

  func handle(
    _ request: Request,
    context: DoorContext,
    next: (Request, DoorContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    // Phones' apps keep no such rule.
    if !request.uri.path.hasPrefix("/in/"), Visitor(request, context, side).isSecure {
      response.headers[.strictTransportSecurity] = Self.rule
    }
    return response
  }
}
