import Basics
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
        try side.sessions.end(call.credential.session)
        return .done
      },
      APIRoute(
        method: .delete,
        path: "/sessions",
        scope: .write,
        needsSession: true,
        edits: "session"
      ) { call in
        // Of a phone that was lost nobody has the browser any more.
        for session in side.sessions.all(of: call.person, .session)
        where session.hash != call.credential.session.hash {
          try side.sessions.end(session)
        }
        return .done
      },
    ]
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
    var words = JSONText()
    for (key, text) in side.words { words.add(key, text) }
    json.add("words", json: words.closed)
    return json.closed
  }
}
