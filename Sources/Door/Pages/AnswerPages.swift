import Channels
import Foundation
import HTTPTypes
import Hummingbird
import LiveHost
import Logging
import NIOCore
import NearMeEngine
import Timeline
import UserStore

/// Where the buttons of notifications lead: a small page on GET, which machines may fetch, and the answer on POST.
///
/// No script and no session is needed: the token in the address is worth one press. A notification's own page has all
/// of its buttons, and is pressed through theirs.
package struct AnswerPages: Sendable {
  private let side: PersonSide

  init(_ side: PersonSide) { self.side = side }

  func add(to router: Router<DoorContext>) {
    for prefix in ["/a", "/n"] {
      router.get(RouterPath(prefix + "/:token")) { request, context in
        await answer(request, context, acts: false)
      }
    }
    router.post("/a/:token") { request, context in await answer(request, context, acts: true) }
    router.post("/n/:token") { _, _ in page(AnswerPage(Self.onlyShows)) }
    router.get("/c/:token") { await confirm($0, $1, acts: false) }
    router.post("/c/:token") { await confirm($0, $1, acts: true) }
  }

  private func answer(
    _ request: Request,
    _ context: DoorContext,
    acts: Bool
  ) async -> Response {
    do {
      let visitor = Visitor(request, context, side)
      guard let hash = Self.hash(context.parameters.get("token")) else {
        return try unknown(visitor)
      }
      let known = try side.store.lookAnswer(hash, at: side.now)
      switch known {
      case .unknown: return try unknown(visitor)
      case .fresh where acts: return page(try await act(hash))
      case .fresh(let person, let answer):
        if Self.isPerson(request.headers) {
          let now = side.now
          try side.channels.heard.note(answer.notification, of: person, at: now) {
            $0.seenAt = $0.isSeen(since: answer.shownAt) ?? now
          }
        }
        return page(try await shown(person, answer))
      case .alreadyDone: return page(.alreadyDone)
      case .expired: return page(.expired)
      }
    } catch let refusal as APIRefusal {
      return page(AnswerPage(refusal), retryAfter: refusal.retryAfterSeconds)
    } catch {
      side.log.error("an answer failed", metadata: ["error": "\(type(of: error))"])
      return page(.busy, retryAfter: 5)
    }
  }

  /// A token that nobody made counts as a failed credential.
  private func unknown(_ visitor: Visitor) throws(APIRefusal) -> Response {
    if let seconds = side.failures.take(visitor.address) { throw .tooMany(seconds: seconds) }
    return page(.unknown)
  }

  /// What is kept of a token; nil for what no token looks like.
  package static func hash(_ token: String?) -> Data? {
    token.flatMap(AnswerToken.init)?.stored
  }

  /// Whether a person's own press has opened it, and not a program that looks links up.
  ///
  /// - Source: W3C Fetch Metadata: `Sec-Fetch-User` is sent for presses alone.
  private static func isPerson(_ headers: HTTPFields) -> Bool { headers[.fetchUser] == "?1" }

  // MARK: Showing

  private func shown(_ person: DoorPerson, _ answer: AnswerSubject) async throws -> AnswerPage {
    let text = try await told(person, answer)
    guard answer.action == .open else {
      return AnswerPage(
        title: "Near Me",
        text: text,
        buttons: [.init(label: answer.action.label)]
      )
    }
    let (buttons, pressed) = try besides(answer)
    let note =
      pressed.isEmpty
      ? buttons.isEmpty ? "Answer it in Near Me." : ""
      : "Answered before: \(pressed.map(\.label).joined(separator: ", "))."
    return AnswerPage(
      title: "Near Me",
      text: text,
      note: note,
      buttons: buttons,
      maps: [("Map", answer.mapLink), ("Map on openstreetmap.org", answer.mapPage)]
        .compactMap { label, address in address.map { .init(label: label, address: $0) } }
    )
  }

  /// What the notification said when the button went out.
  ///
  /// What its reminders are called by now is nobody's who has only the link.
  private func told(_ person: DoorPerson, _ answer: AnswerSubject) async throws -> String {
    if let text = answer.text { return text }
    let id = answer.notification
    return try await side.household.desk(person)
      .look { _, state, _ in state.shownNow.first { $0.id == id }?.text } ?? "This is over."
  }

  /// The buttons that went out with a notification's page, and which of them have been pressed.
  private func besides(
    _ page: AnswerSubject
  ) throws -> (buttons: [AnswerPage.Button], pressed: [AnswerAction]) {
    var buttons: [AnswerPage.Button] = []
    var pressed: [AnswerAction] = []
    for (action, token) in side.channels.tokens(beside: page) {
      switch try side.store.lookAnswer(token.stored, at: side.now) {
      case .fresh:
        // Seen from the page, which may lie behind a proxy's path.
        buttons.append(.init(label: action.label, address: "../a/\(token.text)"))
      case .alreadyDone: pressed.append(action)
      case .expired, .unknown: break
      }
    }
    return (buttons, pressed)
  }

  // MARK: Saying yes

  /// Whoever reads at an address says that a person's news may come there: shown on GET, done on POST.
  private func confirm(_ request: Request, _ context: DoorContext, acts: Bool) async -> Response {
    do {
      let (link, now) = (Secret.hash(context.parameters.get("token") ?? ""), side.now)
      guard
        let person = acts
          ? try side.store.confirm(link, at: now) : try side.store.asker(link, at: now)
      else { return try unknown(Visitor(request, context, side)) }
      guard acts else { return page(.asks(person.name)) }
      side.hub.publishEdit(of: "settings", to: person)
      // Where it cannot now, the desk tries again by itself.
      try? await side.household.desk(person).renew()
      return page(.saysYes)
    } catch let refusal as APIRefusal {
      return page(AnswerPage(refusal), retryAfter: refusal.retryAfterSeconds)
    } catch {
      return page(.busy, retryAfter: 5)
    }
  }

  // MARK: Acting

  private static let onlyShows = APIRefusal(
    405,
    "not_allowed",
    "this page only shows: press one of its buttons"
  )

  /// Does what a button says.
  private func act(_ hash: Data) async throws -> AnswerPage {
    switch try await AnswerPresses(side: side).press(hash) {
    case .done(let action): AnswerPage(title: action.label, text: action.outcome)
    case .alreadyDone: .alreadyDone
    case .expired: .expired
    case .unknown: .unknown
    case .onlyShows: AnswerPage(Self.onlyShows)
    case .refused(let refusal): AnswerPage(APIRefusal(refusal))
    }
  }

  private func page(_ page: AnswerPage, retryAfter: Int? = nil) -> Response {
    var headers = PageHeaders.usual
    headers[.cacheControl] = "no-store"
    headers[.retryAfter] = retryAfter.map { "\($0)" }
    headers[.contentType] = "text/html; charset=utf-8"
    return Response(
      status: HTTPResponse.Status(code: page.status),
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: page.html))
    )
  }
}

/// A small page without a script.
struct AnswerPage: Hashable, Sendable {
  var title: String
  var text: String
  var note = ""
  var buttons: [Button] = []
  /// Where the place is seen; they lead away from here, and to nobody by themselves.
  var maps: [Button] = []
  var status = 200

  /// A button, and where a press goes; nil: to the address that the page was fetched from.
  struct Button: Hashable, Sendable {
    let label: String
    var address: String?
  }

  init(
    title: String,
    text: String,
    note: String = "",
    buttons: [Button] = [],
    maps: [Button] = [],
    status: Int = 200
  ) {
    self.title = title
    self.text = text
    self.note = note
    self.buttons = buttons
    self.maps = maps
    self.status = status
  }

  init(_ refusal: APIRefusal) {
    self.init(title: "That did not work", text: refusal.detail, status: refusal.status)
  }

  /// Asks whoever reads at an address.
  static func asks(_ name: String) -> AnswerPage {
    AnswerPage(
      title: "Reminders for you?",
      text: "\(name) wants the reminders of Near Me to be sent to this address.",
      note: "If you know nothing of it, close this page: nothing more will come.",
      buttons: [.init(label: "Yes, send them here")]
    )
  }
  static let saysYes = AnswerPage(title: "Thank you", text: "Reminders come here from now on.")
  static let alreadyDone = AnswerPage(
    title: "Already done",
    text: "This was answered before; nothing more is to be done."
  )
  static let expired = AnswerPage(
    title: "Too late",
    text: "This button is too old. Answer in Near Me.",
    status: 410
  )
  static let unknown = AnswerPage(
    title: "Not known",
    text: "Nothing is known of this button.",
    status: 404
  )
  static let busy = AnswerPage(
    title: "Later",
    text: "It cannot be done now, and nothing was done. Press again in a while.",
    status: 503
  )

  /// The page.
  var html: String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(Self.escaped(title))</title>
    <link rel="stylesheet" href="/app.css"></head>
    <body><main id="main"><h1>\(Self.escaped(title))</h1>
    \(lines)\(forms)\(mapLinks)\(note.isEmpty ? "" : "<p class=\"hint\">\(Self.escaped(note))</p>")
    <p><a href="/">Near Me</a></p></main></body></html>

    """
  }

  private var lines: String {
    text.split(separator: "\n").map { "<p>\(Self.escaped(String($0)))</p>\n" }.joined()
  }

  private var forms: String {
    buttons.enumerated()
      .map { index, button in
        let action = button.address.map { " action=\"\(Self.escaped($0))\"" } ?? ""
        let look = index == 0 ? " class=\"first\"" : ""
        return "<form method=\"post\"\(action)><button\(look) type=\"submit\">"
          + "\(Self.escaped(button.label))</button></form>\n"
      }
      .joined()
  }

  /// The address of this page is worth presses, so nobody is told where a visitor comes from.
  private var mapLinks: String {
    maps.map { map in
      "<p><a class=\"button\" rel=\"noreferrer\" href=\"\(Self.escaped(map.address ?? ""))\">"
        + "\(Self.escaped(map.label))</a></p>\n"
    }
    .joined()
  }

  /// A text as it may stand in HTML.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
