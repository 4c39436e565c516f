import Basics
import Foundation
import HTTPTypes
import LiveHost
import NearMeEngine
import Timeline
import UserStore

/// Settings, tokens, everything out and everything gone.
struct PersonRoutes: Sendable {
  let side: PersonSide

  /// What has to be written out before everything is erased.
  static let eraseWord = "ERASE"
  private static let mostTokens = 100
  private static let day = Milliseconds.minutes(24 * 60)

  var routes: [APIRoute] {
    [
      APIRoute(method: .get, path: "/settings", scope: .read) { call in
        let json = try side.settings(of: call.person).json(for: call.credential)
        // Of what is told alone: of a short topic a number that stands for all of it would tell.
        return .thing(json, etag: etagOf(json))
      },
      APIRoute(
        method: .put,
        path: "/settings",
        scope: .write,
        needsSession: true,
        hasBody: true,
        edits: "settings",
        handler: setSettings
      ),
      APIRoute(method: .get, path: "/tokens", scope: .read) { call in
        let tokens = side.sessions.all(of: call.person, .token).filter { $0.expires > call.now }
        let page = try call.page(tokens, id: \.id)
        return .page(page.items.map { Self.json($0).closed }, next: page.next)
      },
      APIRoute(
        method: .post,
        path: "/tokens",
        scope: .write,
        needsSession: true,
        hasBody: true,
        edits: "tokens",
        handler: addToken
      ),
      APIRoute(
        method: .delete,
        path: "/tokens/:id",
        scope: .write,
        needsSession: true,
        edits: "tokens"
      ) { call in
        let token = side.sessions.all(of: call.person, .token).first { $0.id == call.id }
        guard let token else { throw APIRefusal.notFound(call.id) }
        try await SessionRoutes(side: side).end(token)
        return .done
      },
      APIRoute(method: .get, path: "/export", scope: .read, handler: export),
      APIRoute(
        method: .post,
        path: "/erase",
        scope: .write,
        needsSession: true,
        hasBody: true,
        handler: erase
      ),
    ]
  }

  // MARK: Settings

  private func setSettings(_ call: APICall) async throws -> APIReply {
    try call.ifMatch(isNeeded: true)
    let new = try PersonSettings(call.body)
    if let hours = new.quietHours, hours.startMinute == hours.endMinute {
      throw APIRefusal.badMember(
        "quiet_hours",
        "must not end when they begin: send null for none, or 00:00 to 23:59 for the whole day"
      )
    }
    let turnstile = side.turnstile(of: call.person)
    await turnstile.enter()
    defer { turnstile.leave() }
    let old = try side.settings(of: call.person)
    try call.match(old.etag, isNeeded: true)
    if let channel = new.reachesIn(beyond: old) {
      throw APIRefusal.badMember(
        "channels",
        "\(channel): plain_http reaches into the network of the door: its owner sets it, with `nearme person channels`"
      )
    }
    guard new.dailyMail == old.dailyMail || new.dailyMail == nil || side.dailyMails.isOffered
    else {
      throw APIRefusal.badMember(
        "daily_mail",
        "this door sends no mail: its owner starts it with --mail-from"
      )
    }
    let addresses = AskedAddresses(side: side)
    let asked = try addresses.note(new, insteadOf: old, of: call.person)
    let ended = try side.store.set(new, insteadOf: old, of: call.person, at: call.now)
    try addresses.forget(allBut: new, of: call.person)
    try side.dailyMails.plan(call.person, from: old, to: new)
    // The engine goes on with the new hours, zone and channels; where it cannot now, the desk tries again by itself.
    if (old.quietHours, old.zone, old.channels) != (new.quietHours, new.zone, new.channels) {
      try? await side.household.desk(call.person).renew()
      // What was on its way meanwhile.
      try side.store.endAnswers(of: call.person, by: ended, at: call.now)
    }
    // A mail program takes its time.
    let person = call.person
    for (kind, secret) in asked {
      Task { await addresses.ask(kind, secret: secret, of: person) }
    }
    return .thing(new.json, etag: new.etag)
  }

  // MARK: Tokens

  private static func json(_ token: StoredSession) -> JSONText {
    var json = JSONText()
    json.add("id", token.id)
    json.add("name", token.label)
    json.add("scopes", token.scopes.sorted().map(\.rawValue))
    json.add("created", RFC3339.format(token.created))
    json.add("made_by", token.maker)
    json.add("expires", RFC3339.format(token.expires))
    json.add("last_used", token.used.map(RFC3339.format))
    return json
  }

  private func addToken(_ call: APICall) async throws -> APIReply {
    let body = try APIBody(call.body, keys: ["name", "scopes", "days"])
    try body.refuseNull("name", "scopes", "days")
    let name = try body.needed("name", most: 60)
    guard !name.allSatisfy(\.isWhitespace) else {
      throw APIRefusal.badMember("name", "needs at least one letter")
    }
    let words = try body.list("scopes", most: SessionScope.allCases.count) ?? []
    var scopes: Set<SessionScope> = []
    for word in words {
      guard let scope = word.text.flatMap(SessionScope.init) else {
        throw APIRefusal.badMember(
          "scopes",
          "there are \(SessionScope.allCases.map(\.rawValue).joined(separator: ", "))"
        )
      }
      guard scopes.insert(scope).inserted else {
        throw APIRefusal.badMember("scopes", "name each once")
      }
    }
    guard !scopes.isEmpty else { throw APIRefusal.badMember("scopes", "name at least one") }
    let days = try body.integer("days", in: 1...3_650) ?? 365
    guard side.sessions.all(of: call.person, .token).count < Self.mostTokens else {
      throw APIRefusal(409, "too_many_tokens", "take one back first: there are \(Self.mostTokens)")
    }
    let made = try side.sessions.addToken(
      of: call.person,
      label: name,
      scopes: scopes,
      by: call.credential.session.label,
      at: call.now,
      until: call.now + Milliseconds(Self.day.value * Int64(days))
    )
    var json = Self.json(made.session)
    json.add("token", made.secret)
    return APIReply(status: .created, json: json.closed)
  }

  // MARK: Everything

  private func export(_ call: APICall) async throws -> APIReply {
    let settings = try side.settings(of: call.person)
    let (setup, zone, now) = (side.setup, side.zone(settings), call.now)
    let phones = PhoneRoutes(side: side)
    let tokens = side.sessions.all(of: call.person, .token).map { Self.json($0).closed }
    let person = call.person
    let text = try await side.household.desk(call.person)
      .look { store, state, memory in
        let reminders = try store.everyReminder()
        let picture = try ReminderPicture(store, state, setup, zone: zone, words: nil, at: now)
        let decisions = try store.decisions(
          before: nil,
          of: nil,
          limit: UserStore.mostDecisions
        )
        let titles = Dictionary(
          reminders.map { ($0.id, $0.title) },
          uniquingKeysWith: { one, _ in one }
        )
        var json = JSONText()
        json.add("person", person.name)
        json.add("at", RFC3339.format(now))
        json.add("settings", json: settings.json(for: call.credential))
        json.add("reminders", json: JSONText.array(try reminders.map(picture.json)))
        json.add(
          "places",
          json: JSONText.array(try store.places().map { PlaceRoutes.json($0, reminders) })
        )
        json.add("history", json: JSONText.array(try Self.history(store)))
        json.add(
          "decisions",
          json: JSONText.array(
            decisions.map { HappeningRoutes.json($0.serial, $0.decision, titles) }
          )
        )
        json.add(
          "notifications",
          json: JSONText.array(state.shownNow.map(HappeningRoutes.json))
        )
        json.add("phones", json: JSONText.array(try phones.all(of: person, memory, at: now)))
        json.add("tokens", json: JSONText.array(tokens))
        return json.closed
      }
    var reply = APIReply(json: text)
    reply.headers[.contentDisposition] = "attachment; filename=\"near-me.json\""
    return reply
  }

  private static func history(_ store: UserStore) throws -> [String] {
    try store.history(limit: 100_000)
      .map { past in
        var json = JSONText()
        json.add("at", RFC3339.format(past.at))
        json.add("reminder", past.id)
        json.add("due", past.due.map(RFC3339.format))
        return json.closed
      }
  }

  private func erase(_ call: APICall) async throws -> APIReply {
    let body = try APIBody(call.body, keys: ["confirm"])
    guard body["confirm"]?.text == Self.eraseWord else {
      throw APIRefusal.badMember(
        "confirm",
        "write \(Self.eraseWord), and everything is gone for good"
      )
    }
    let person = call.person
    // First nobody comes in any more, then it goes.
    try side.store.removePerson(person)
    side.sessions.endAll(of: person)
    side.setup.credentials.followChange()
    side.hub.end(person)
    try await side.household.erase(person)
    // What was on its way in meanwhile goes, too.
    try side.store.removePerson(person)
    side.counts.note("erased")
    return .done
  }
}
