import Basics
import Channels
import HTTPTypes
import Timeline

/// Who is signed in.
struct SessionRoutes: Sendable {
  let side: PersonSide

  var routes: [APIRoute] {
    [
      APIRoute(method: .get, path: "/session", scope: .read) { call in
        APIReply(json: try json(call.credential))
      },
      APIRoute(method: .delete, path: "/session", scope: .read, edits: "session") { call in
        try await end(call.credential.session)
        return .done
      },
      APIRoute(
        method: .delete,
        path: "/sessions",
        scope: .write,
        needsSession: true,
        edits: "session",
        handler: endOthers
      ),
    ]
  }

  /// Ends a credential with all that it has open.
  func end(_ session: StoredSession) async throws {
    let browsers = try side.sessions.end(session)
    side.hub.end([session.hash], of: session.person)
    guard !browsers.isEmpty else { return }
    // Where it cannot now, the desk tries again by itself.
    try? await side.household.desk(session.person).renew()
    // Its notifications are there still, and a press needs no session.
    let ways = browsers.map { EndedWay.one(.webPush($0.endpoint)) }
    try side.store.endAnswers(of: session.person, by: Set(ways), at: side.now)
  }

  /// Of a phone that was lost nobody has the browser any more, nor its notifications, nor a link that waits in its mail.
  private func endOthers(_ call: APICall) async throws -> APIReply {
    let withTokens = try call.bool("tokens") ?? false
    let session = call.credential.session
    let ended = try side.sessions.endOthers(than: session, withTokens: withTokens)
    side.hub.end(Set(ended.map(\.hash)), of: call.person)
    try? await side.household.desk(call.person).renew()
    // Its notifications are there, and a press needs no session.
    let here = try side.store.browsers(of: call.person).map { AnswerWay.webPush($0.endpoint) }
    let ways: Set<EndedWay> = [.all(.webPush, but: Set(here))]
    try side.store.endAnswers(of: call.person, by: ways, at: call.now)
    let tokens = side.sessions.all(of: call.person, .token).count { $0.expires > call.now }
    var json = JSONText()
    json.add("sessions_ended", ended.count { $0.kind == .session })
    json.add("tokens_left", tokens)
    return APIReply(json: json.closed)
  }

  /// A credential as it is told to whoever came in with it.
  func json(_ credential: APICall.Credential) throws -> String {
    let session = credential.session
    var person = JSONText()
    person.add("id", session.person.name)
    person.add("name", session.person.name)
    var json = JSONText()
    json.add("person", json: person.closed)
    json.add("kind", session.kind.rawValue)
    json.add("scopes", session.scopes.sorted().map(\.rawValue))
    json.add("csrf", credential.csrf)
    json.add("expires", RFC3339.format(session.expires))
    let settings = try side.settings(of: session.person)
    json.add("onboarded", json: settings.isOnboarded ? "true" : "false")
    json.add("zone", side.zone(settings).identifier)
    json.add("locale", settings.locale ?? Languages.usual)
    json.add("locales", Languages.offered)
    var words = JSONText()
    for (key, text) in side.words { words.add(key, text) }
    json.add("words", json: words.closed)
    return json.closed
  }
}
