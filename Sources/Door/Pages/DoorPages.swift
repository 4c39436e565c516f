import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Everything that people and programs look at: pages, the API, answers, and what the door counts.
struct DoorPages: Sendable {
  private let side: PersonSide
  /// SHA-256 of what its owner reads the counts with; nil: nobody does.
  private let metricsToken: Data?

  init(_ side: PersonSide, metricsToken: String?) {
    self.side = side
    self.metricsToken = metricsToken.map { Secret.hash($0) }
  }

  func add(to router: Router<DoorContext>) {
    PageAssets().add(to: router)
    AnswerPages(side).add(to: router)
    let routes = APIRoutes(side)
    routes.add(to: router)
    router.get("/metrics") { request, context in metrics(routes, request, context) }
  }

  /// What the door counts of everybody, for its owner: from the counts one person could guess what another does.
  private func metrics(
    _ routes: APIRoutes,
    _ request: Request,
    _ context: DoorContext
  ) -> Response {
    var headers = PageHeaders.usual
    headers[.cacheControl] = "no-store"
    guard let metricsToken else { return Response(status: .notFound, headers: headers) }
    let given = request.headers[.authorization].flatMap { APIRoutes.bearer($0) }
    guard let given, Secret.areEqual(Secret.hash(given), metricsToken) else {
      do throws(APIRefusal) {
        if given != nil { try routes.countFailure(Visitor(request, context, side)) }
      } catch {
        headers[.retryAfter] = error.retryAfterSeconds.map { "\($0)" }
        return Response(status: HTTPResponse.Status(code: error.status), headers: headers)
      }
      headers[.wwwAuthenticate] = "Bearer realm=\"Near Me\""
      return Response(status: .unauthorized, headers: headers)
    }
    let sessions = side.sessions.counts(at: side.now)
    headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
    let text = side.counts.text([
      ("open_pages", "Pages that are told events now.", side.hub.count),
      ("people_awake", "People whose desks are open.", side.household.openCount),
      ("sessions", "Browsers that are signed in.", sessions.sessions),
      ("tokens", "Tokens of programs that are good.", sessions.tokens),
    ])
    return Response(
      status: .ok,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
  }
}
