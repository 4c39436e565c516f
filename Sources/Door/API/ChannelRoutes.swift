import Basics
import Channels
import Foundation
import HTTPTypes
import LiveHost
import Timeline

/// How a person's channels are, their secrets, an example; and browsers that take pushes.
struct ChannelRoutes: Sendable {
  let side: PersonSide

  private static let longestSecret = 1_000

  var routes: [APIRoute] {
    [
      APIRoute(method: .get, path: "/channels", scope: .read, handler: list),
      APIRoute(
        method: .put,
        path: "/channels/:id/secret",
        scope: .write,
        needsSession: true,
        hasBody: true,
        edits: "settings",
        handler: setSecret
      ),
      APIRoute(
        method: .post,
        path: "/channels/:id/test",
        scope: .write,
        needsSession: true,
        handler: test
      ),
      APIRoute(method: .get, path: "/daily-mail", scope: .read, handler: dailyMail),
      APIRoute(method: .get, path: "/push", scope: .read) { _ in
        guard let key = side.channels.publicKey else { throw Self.noPush }
        var json = JSONText()
        json.add("public_key", key)
        return APIReply(json: json.closed)
      },
      APIRoute(
        method: .post,
        path: "/push",
        scope: .write,
        needsSession: true,
        hasBody: true,
        edits: "settings",
        handler: addBrowser
      ),
      APIRoute(
        method: .delete,
        path: "/push",
        scope: .write,
        needsSession: true,
        hasBody: true,
        edits: "settings"
      ) { call in
        let body = try APIBody(call.body, keys: ["endpoint"])
        let endpoint = try body.needed("endpoint", most: 4_000)
        try side.store.removeBrowser(endpoint, of: call.person)
        try await side.household.desk(call.person).renew()
        try side.store.endAnswers(of: call.person, by: [.one(.webPush(endpoint))], at: call.now)
        return .done
      },
    ]
  }

  private static let noPush = APIRefusal(
    404,
    "not_found",
    "this door pushes to no browsers: its owner starts it with --push-contact"
  )

  private func list(_ call: APICall) async throws -> APIReply {
    let standings = try side.channels.standings(of: call.person)
    let items = standings.map { standing in
      var json = JSONText()
      json.add("id", standing.channel.id)
      json.add("has_secret", json: standing.hasSecret ? "true" : "false")
      json.add("trouble", standing.trouble)
      return json.closed
    }
    var json = JSONText()
    json.add("items", json: JSONText.array(items))
    json.add("next", nil as String?)
    json.add("offered", side.channels.offered)
    return APIReply(json: json.closed)
  }

  /// How the daily mail stands, and which reminders the page List folds away because they were in one.
  private func dailyMail(_ call: APICall) async throws -> APIReply {
    let settings = try side.settings(of: call.person)
    let (due, memory) = try side.store.dailyMail(of: call.person)
    let folds = settings.dailyMail?.mode == .freshStart
    var json = JSONText()
    json.add("offered", json: side.dailyMails.isOffered ? "true" : "false")
    let goesOut = side.dailyMails.isOffered && settings.dailyMail != nil
    json.add("next", goesOut ? due.map(RFC3339.format) : nil)
    json.add(
      "trouble",
      try isAsked(settings, call.person) ? AskedAddresses.trouble : memory.trouble
    )
    json.add("folded", folds ? memory.mailed.map(\.id) : [])
    return APIReply(json: json.closed)
  }

  /// Whether the address of the daily mail has not said yes yet.
  private func isAsked(_ settings: PersonSettings, _ person: DoorPerson) throws -> Bool {
    guard let mail = settings.dailyMail else { return false }
    return try side.store.unconfirmed(of: person).contains(AnswerWay.mail(mail.to).name)
  }

  /// Refuses the id of a channel that is not there.
  private func check(_ call: APICall) throws {
    let settings = try side.settings(of: call.person).channelSettings()
    guard settings.channels.contains(where: { $0.id == call.id }) else {
      throw APIRefusal.notFound(call.id)
    }
  }

  private func setSecret(_ call: APICall) async throws -> APIReply {
    let body = try APIBody(call.body, keys: ["secret"])
    try check(call)
    let secret = try body.text("secret", most: Self.longestSecret)
    guard secret?.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F }) ?? true else {
      throw APIRefusal.badMember("secret", "must be printable ASCII without blanks")
    }
    try side.store.setChannelSecret(secret, of: call.id, call.person)
    try await side.household.desk(call.person).renew()
    return .done
  }

  /// Tells an example, some an hour: a loop would have a mail provider refuse the door's news, too.
  private func test(_ call: APICall) async throws -> APIReply {
    try check(call)
    let (examples, person) = (side.examples, call.person.id)
    if let seconds = examples.ofChannel.take("\(person)/\(call.id)")
      ?? examples.ofPerson.take("\(person)")
    {
      throw APIRefusal.tooManyExamples(seconds: seconds)
    }
    var json = JSONText()
    let settings = try side.settings(of: call.person).channelSettings()
    if let kind = settings.channels.first(where: { $0.id == call.id })?.kind,
      let asked = try await AskedAddresses(side: side).askAgain(kind, of: call.person)
    {
      guard case .delivered = asked else { return APIReply(json: Self.json(asked).closed) }
      json.add("outcome", "put_off")
      json.add("reason", AskedAddresses.trouble)
      return APIReply(json: json.closed)
    }
    guard let outcome = try await side.channels.test(call.id, of: call.person) else {
      throw APIRefusal.notFound(call.id)
    }
    return APIReply(json: Self.json(outcome).closed)
  }

  private static func json(_ outcome: DeliveryOutcome) -> JSONText {
    var json = JSONText()
    switch outcome {
    case .delivered: json.add("outcome", "delivered")
    case .putOff(let reason, _):
      json.add("outcome", "put_off")
      json.add("reason", reason)
    case .waits: json.add("outcome", "put_off")
    case .refused(let reason):
      json.add("outcome", "refused")
      json.add("reason", reason)
    case .broken(let failure):
      json.add("outcome", "refused")
      json.add("reason", "broken: \(failure.code)")
    }
    return json
  }

  private func addBrowser(_ call: APICall) async throws -> APIReply {
    guard side.channels.publicKey != nil else { throw Self.noPush }
    let browser: PushSubscription
    do throws(PushSubscription.Refusal) {
      browser = try PushSubscription(json: [UInt8](call.body.compact.utf8))
    } catch {
      throw APIRefusal(422, "bad_member", "no push subscription of a browser: \(error.rawValue)")
    }
    let turnstile = side.turnstile(of: call.person)
    await turnstile.enter()
    defer { turnstile.leave() }
    let others = try side.store.addBrowser(
      browser,
      of: call.person,
      session: call.credential.session.hash,
      at: call.now
    )
    try addPushChannel(of: call.person)
    // Their news is not shown here from now on.
    for other in others { try? await side.household.desk(other).renew() }
    try await side.household.desk(call.person).renew()
    return .done
  }

  /// Who turns notifications on in a browser wants to be told there; nobody else sets anything meanwhile.
  private func addPushChannel(of person: DoorPerson) throws {
    var settings = try side.settings(of: person)
    let channels = try settings.channelSettings().channels
    let isThere = channels.contains { $0.kind == .webPush }
    guard !isThere, channels.count < ChannelSettings.mostChannels,
      !channels.contains(where: { $0.id == "browsers" })
    else { return }
    settings.setChannels(
      try ChannelSettings(channels + [ChannelSettings.Channel(id: "browsers", .webPush)])
    )
    try side.store.setSettings(Data(settings.json.utf8), of: person)
  }
}
