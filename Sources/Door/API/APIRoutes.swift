import Basics
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import LiveHost
import Logging
import NIOCore
import Timeline
import UserStore

/// One thing that can be asked.
package struct APIRoute: Sendable {
  typealias Handler = @Sendable (APICall) async throws -> APIReply

  /// How.
  package let method: HTTPRequest.Method
  /// Where, behind `/api/v1`, with `:id`.
  package let path: String
  /// What the credential must be good for.
  package let scope: SessionScope
  /// Whether only a browser that is signed in may ask.
  package var needsSession = false
  /// Whether it has a body.
  package var hasBody = false
  /// Whether it can be sent again under an Idempotency-Key.
  package var isKept = false
  /// What is said to have changed, to the person's open pages.
  package var edits: String?
  /// What is done.
  let handler: Handler
}

/// Lets requests in, has them done, and answers them.
package struct APIRoutes: Sendable {
  static let root = "/api/v1"

  private let side: PersonSide

  package init(_ side: PersonSide) { self.side = side }

  /// All that can be asked, but for signing in.
  package var routes: [APIRoute] {
    SessionRoutes(side: side).routes + ReminderRoutes(side: side).routes
      + SentenceRoutes(side: side).routes + PlaceRoutes(side: side).routes
      + HappeningRoutes(side: side).routes + PhoneRoutes(side: side).routes
      + DayRoutes(side: side).routes + PersonRoutes(side: side).routes
      + ChannelRoutes(side: side).routes
  }

  func add(to router: Router<DoorContext>) {
    var byPath: [String: [APIRoute]] = [:]
    for route in routes { byPath[route.path, default: []].append(route) }
    for (path, routes) in byPath.sorted(by: { $0.key < $1.key }) {
      let signsIn = path == "/session"
      let allowed =
        Set(
          routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
            + (signsIn ? ["POST"] : [])
        )
        .sorted()
      for method in Self.methods {
        let route = routes.first { $0.method == (method == .head ? .get : method) }
        router.on(RouterPath(Self.root + path), method: method) { request, context in
          if signsIn, method == .post { return await signIn(request, context) }
          guard let route else { return notAllowed(allowed) }
          return await answer(route, request, context)
        }
      }
    }
    // Of what is the beginning of other addresses the router looks for nothing else.
    for path in ["/api", RouterPath(Self.root), "/api/**"] {
      for method in Self.methods { router.on(path, method: method) { _, _ in response(.noRoute) } }
    }
  }

  /// - Source: draft-ietf-httpbis-safe-method-w-body.
  private static let query = HTTPRequest.Method(rawValue: "QUERY") ?? .trace
  private static let methods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .delete, .patch, .options, .trace, .connect, query,
  ]

  // MARK: Letting in

  private func answer(
    _ route: APIRoute,
    _ request: Request,
    _ context: DoorContext
  ) async -> Response {
    do {
      let visitor = Visitor(request, context, side)
      let credential = try letIn(route, request, visitor)
      if let seconds = side.requests.take(credential.session.id) {
        throw APIRefusal.tooMany(seconds: seconds)
      }
      let id = (context.parameters.get("id") ?? "").removingPercentEncoding ?? ""
      // No more does any id have.
      guard id.unicodeScalars.count <= UserStore.longestID else { throw APIRefusal.notFound("…") }
      let bytes = route.hasBody ? try await body(of: request, most: APIBody.longestBytes) : []
      let call = APICall(
        credential: credential,
        now: side.now,
        id: id,
        query: request.uri.queryParameters.map { (String($0.key), String($0.value)) },
        headers: request.headers,
        body: route.hasBody ? try APIBody.parse(bytes) : .null,
        origin: visitor.origin
      )
      var reply = try await done(route, call, request, bytes: bytes)
      if route.path == "/session" {
        reply.headers[.setCookie] = cookie(after: route, credential, request, visitor)
      }
      return response(reply, route, isHead: request.method == .head)
    } catch {
      return response(refusal(of: error), route)
    }
  }

  /// What the browser is to keep of its session once it was asked for, or ended; nil: what it has.
  ///
  /// Each page asks for it at its start. The browser's own time for the cookie begins anew with that, as the session's
  /// does with each use: or somebody who comes every day would be signed out all the same.
  private func cookie(
    after route: APIRoute,
    _ credential: APICall.Credential,
    _ request: Request,
    _ visitor: Visitor
  ) -> String? {
    if route.method == .delete { return visitor.setCookie(nil) }
    // A program has none.
    guard credential.csrf != nil, let secret = visitor.cookie(in: request) else { return nil }
    return visitor.setCookie(secret)
  }

  /// Who it is, and whether it may.
  private func letIn(
    _ route: APIRoute,
    _ request: Request,
    _ visitor: Visitor
  ) throws -> APICall.Credential {
    guard let credential = try credential(of: request, visitor) else {
      throw APIRefusal.unauthorized
    }
    if credential.csrf != nil, route.method != .get {
      try checkOrigin(of: request, credential)
    }
    if route.needsSession, credential.session.kind != .session { throw APIRefusal.sessionOnly }
    guard credential.session.scopes.contains(route.scope) else {
      throw APIRefusal.wrongScope(route.scope)
    }
    return credential
  }

  /// Whether a page of ours has sent it: cookies come along by themselves.
  private func checkOrigin(of request: Request, _ credential: APICall.Credential) throws(APIRefusal)
  {
    let site = request.headers[.fetchSite]
    guard site == nil || site == "same-origin" || site == "none",
      let sent = request.headers[.csrfToken], let wanted = credential.csrf,
      Secret.areEqual(Data(sent.utf8), Data(wanted.utf8))
    else { throw .csrf }
  }

  /// What a request came in with, if it is good.
  func credential(of request: Request, _ visitor: Visitor) throws -> APICall.Credential? {
    let header = request.headers[.authorization]
    // Whoever brings a header means it, whatever the browser adds.
    let secret = header.map { Self.bearer($0) ?? "" } ?? visitor.cookie(in: request)
    guard let secret else { return nil }
    guard let session = try side.sessions.session(of: secret, at: side.now),
      session.kind == (header == nil ? .session : .token)
    else {
      try countFailure(visitor)
      return nil
    }
    let csrf = header == nil ? SessionSecret.csrf(of: secret) : nil
    return APICall.Credential(session: session, csrf: csrf)
  }

  /// Nobody guesses 260 random bits: this keeps whoever tries from keeping the door busy.
  func countFailure(_ visitor: Visitor) throws(APIRefusal) {
    side.counts.note("failed_credential")
    if let seconds = side.failures.take(visitor.address) { throw .tooMany(seconds: seconds) }
  }

  static func bearer(_ header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }

  // MARK: Signing in

  private func signIn(_ request: Request, _ context: DoorContext) async -> Response {
    do {
      let visitor = Visitor(request, context, side)
      let most = APIBody.longestOfStrangers
      // So many who have nothing to show are listened to, and no more: what they send fills no memory.
      guard side.strangers.take(most) else { throw APIRefusal.busy }
      defer { side.strangers.give(most) }
      let value = try APIBody.parse(try await body(of: request, most: most))
      let body = try APIBody(value, keys: ["token", "label"])
      try body.refuseNull("token", "label")
      let token = try body.needed("token", most: 200)
      let label =
        try body.text("label", most: 60) ?? BrowserName.name(userAgent: request.headers[.userAgent])
      let made = try side.sessions.signIn(link: token, label: label, at: side.now)
      guard let made else {
        try countFailure(visitor)
        throw APIRefusal.badLink
      }
      let credential = APICall.Credential(
        session: made.session,
        csrf: SessionSecret.csrf(of: made.secret)
      )
      var reply = APIReply(json: try SessionRoutes(side: side).json(credential))
      reply.headers[.setCookie] = visitor.setCookie(made.secret)
      side.counts.note("signed_in")
      return response(reply, nil)
    } catch {
      return response(refusal(of: error))
    }
  }

  /// - Parameter most: so many bytes are taken at most.
  private func body(of request: Request, most: Int) async throws -> [UInt8] {
    let form = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
    guard form?.trimmingCharacters(in: .whitespaces) == "application/json" else {
      throw APIRefusal.wrongType
    }
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    guard length <= most else { throw APIRefusal.tooLarge(most: most) }
    do {
      return [UInt8](buffer: try await request.body.collect(upTo: most))
    } catch is NIOTooManyBytesError {
      throw APIRefusal.tooLarge(most: most)
    } catch {
      // Whoever sends it has gone, or writes no HTTP: nothing of the door's has failed.
      side.log.debug("a body broke off", metadata: ["error": "\(type(of: error))"])
      throw APIRefusal.brokenBody
    }
  }

  // MARK: Doing

  /// Does it, once for an Idempotency-Key.
  private func done(
    _ route: APIRoute,
    _ call: APICall,
    _ request: Request,
    bytes: [UInt8]
  ) async throws -> APIReply {
    var reply: APIReply
    if route.isKept, let key = request.headers[.idempotencyKey] {
      let known = Set("-._~".utf8)
      guard (8...100).contains(key.utf8.count),
        key.utf8.allSatisfy({ known.contains($0) || isLetterOrDigit($0) })
      else {
        throw APIRefusal(400, "bad_key", "Idempotency-Key: 8 to 100 of A-Z, a-z, 0-9, -, ., _, ~")
      }
      let body = Data("\(route.method.rawValue) \(request.uri.string)\n".utf8) + Data(bytes)
      reply = try await KeptReplies(side: side)
        .answer(call, key: Secret.hash(key), request: Data(SHA256.hash(data: body))) {
          try await route.handler($0)
        }
    } else {
      reply = try await route.handler(call)
    }
    if let what = route.edits { side.hub.publishEdit(of: what, to: call.person) }
    return reply
  }

  private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  // MARK: Answering

  private func refusal(of error: any Error) -> APIRefusal {
    switch error {
    case let refusal as APIRefusal: return refusal
    case let refusal as EditRefusal: return APIRefusal(refusal)
    // Said once, by the file that is held.
    case let failure as HostFailure where failure.code == .held: return .busy
    default:
      side.log.error(
        "a request failed",
        metadata: ["error": "\((error as? HostFailure)?.description ?? "\(type(of: error))")"]
      )
      return .busy
    }
  }

  private func notAllowed(_ methods: [String]) -> Response {
    var refused = response(
      APIRefusal(405, "not_allowed", "this address takes \(methods.joined(separator: ", "))")
    )
    refused.headers[.allow] = methods.joined(separator: ", ")
    return refused
  }

  private func response(_ refusal: APIRefusal, _ route: APIRoute? = nil) -> Response {
    side.counts.note(status: refusal.status, route?.path ?? "/")
    side.counts.note("refused_\(refusal.name)")
    var headers = Self.usual
    headers[.contentType] = "application/problem+json"
    if refusal.status == 401 { headers[.wwwAuthenticate] = "Bearer realm=\"Near Me\"" }
    // The rest of the body is not read, nor waited for.
    if [401, 413].contains(refusal.status) || refusal == .brokenBody {
      headers[.connection] = "close"
    }
    headers[.retryAfter] = refusal.retryAfterSeconds.map { "\($0)" }
    return Response(
      status: HTTPResponse.Status(code: refusal.status),
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: refusal.json))
    )
  }

  private func response(_ reply: APIReply, _ route: APIRoute?, isHead: Bool = false) -> Response {
    side.counts.note(status: reply.status.code, route?.path ?? "/session")
    var headers = Self.usual
    for field in reply.headers { headers[field.name] = field.value }
    if let stream = reply.stream {
      guard isHead else { return Response(status: reply.status, headers: headers, body: stream) }
      return Response(status: reply.status, headers: headers)
    }
    guard let json = reply.json else { return Response(status: reply.status, headers: headers) }
    if headers[.contentType] == nil { headers[.contentType] = "application/json" }
    let buffer = ByteBuffer(string: json)
    guard !isHead else {
      headers[.contentLength] = "\(buffer.readableBytes)"
      return Response(status: reply.status, headers: headers)
    }
    return Response(
      status: reply.status,
      headers: headers,
      body: ResponseBody(byteBuffer: buffer)
    )
  }

  /// What every answer has.
  private static let usual: HTTPFields = {
    var headers = HTTPFields()
    headers[.cacheControl] = "no-store"
    headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    headers[.xContentTypeOptions] = "nosniff"
    headers[.referrerPolicy] = "no-referrer"
    return headers
  }()
}
