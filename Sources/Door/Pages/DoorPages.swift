import HTTPTypes
import Hummingbird
import NIOCore

/// Everything that people and programs look at: pages, the API, answers, and what the door counts.
struct DoorPages: Sendable {
  private let side: PersonSide

  init(_ side: PersonSide) { self.side = side }

  func add(to router: Router<DoorContext>) {
    PageAssets().add(to: router)
    AnswerPages(side).add(to: router)
    let routes = APIRoutes(side)
    routes.add(to: router)
    router.get("/metrics") { request, context in metrics(routes, request, context) }
  }

  /// What the door counts, for whoever has a session or a token of the scope metrics.
  private func metrics(
    _ routes: APIRoutes,
    _ request: Request,
    _ context: DoorContext
  ) -> Response {
    var headers = PageHeaders.usual
    headers[.cacheControl] = "no-store"
    let visitor = Visitor(request, context, side)
    do {
      let credential = try routes.credential(of: request, visitor)
      guard let credential else {
        headers[.wwwAuthenticate] = "Bearer realm=\"Near Me\""
        return Response(status: .unauthorized, headers: headers)
      }
      guard credential.session.scopes.contains(.metrics) else {
        return Response(status: .forbidden, headers: headers)
      }
    } catch let refusal as APIRefusal {
      headers[.retryAfter] = refusal.retryAfterSeconds.map { "\($0)" }
      return Response(status: HTTPResponse.Status(code: refusal.status), headers: headers)
    } catch {
      return Response(status: .serviceUnavailable, headers: headers)
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
