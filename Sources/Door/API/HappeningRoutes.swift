import Basics
import Channels
import Foundation
import Geodesy
import HTTPTypes
import Hummingbird
import NIOCore
import NearMeEngine
import ServiceLifecycle
import Timeline
import UserStore

/// What is on the screen, what was decided, and what happens now.
struct HappeningRoutes: Sendable {
  let side: PersonSide

  var routes: [APIRoute] {
    [
      APIRoute(method: .get, path: "/notifications", scope: .read) { call in
        let shown = try await desk(call).look { _, state, _ in state.shownNow }
        var json = JSONText()
        json.add("items", json: JSONText.array(shown.reversed().map(Self.json)))
        return APIReply(json: json.closed)
      },
      APIRoute(
        method: .post,
        path: "/notifications/:id/answers",
        scope: .write,
        hasBody: true,
        isKept: true,
        edits: "notifications",
        handler: answer
      ),
      APIRoute(method: .get, path: "/decisions", scope: .read, handler: decisions),
      APIRoute(method: .get, path: "/events", scope: .read, handler: events),
    ]
  }

  private func desk(_ call: APICall) -> Desk { side.household.desk(call.person) }

  // MARK: The screen

  /// A notification as it stands on the screen.
  static func json(_ notification: ReminderNotification) -> String {
    var json = JSONText()
    json.add("id", notification.id)
    json.add("kind", notification.kind.rawValue)
    json.add("at", RFC3339.format(notification.at))
    if let headline = notification.headline { json.add("headline", headline) }
    json.add("text", notification.text)
    json.add("reminders", notification.members.map(\.reminder))
    json.add("lines", objects: notification.members) { member, line in
      line.add("reminder", member.reminder)
      line.add("text", member.text)
      if let tier = member.tier { line.add("tier", tier.name) }
      if let coordinate = member.coordinate {
        line.add(
          "position",
          json:
            "{\"lat\":\(plainText(coordinate.latitude)),\"lon\":\(plainText(coordinate.longitude))}"
        )
      }
      if let meters = member.distanceMeters { line.add("distance_m", Int(meters.rounded())) }
    }
    if let link = notification.mapLink { json.add("map", link) }
    if let page = notification.mapPage { json.add("map_page", page) }
    json.add("actions", actions(of: notification))
    return json.closed
  }

  /// What its buttons do on every channel, and that it is taken away.
  static func actions(of notification: ReminderNotification) -> [String] {
    (AnswerAction.offered(for: notification) + [.dismiss]).map(\.name)
  }

  private func answer(_ call: APICall) async throws -> APIReply {
    let answer = try AnswerForm(call.body, actions: AnswerForm.ofNotifications)
    let id = call.id
    let desk = desk(call)
    let shown = try await desk.look { _, state, _ in state.shownNow.first { $0.id == id } }
    guard let shown else {
      if call.begunAt != nil { return Self.left(nil) }
      throw APIRefusal(410, "gone", "it is no longer on the screen: it was answered, or is over")
    }
    let lines = shown.members.map(\.reminder)
    guard answer.reminder.map(lines.contains) ?? true else {
      if call.begunAt != nil { return Self.left(shown) }
      throw APIRefusal(410, "gone", "this line is no longer on the screen")
    }
    guard answer.reminder != nil || lines.count == 1 || answer.isForSeveral else {
      throw APIRefusal.badMember("reminder", "say which line is meant: it has several")
    }
    let meant = answer.reminder.map { [$0] } ?? lines
    let (now, zone) = (call.now, side.zone(try side.settings(of: call.person)))
    try await desk.edit { store in
      try Self.apply(answer, to: meant, in: store, at: now, zone: zone)
    }
    return Self.left(try await desk.look { _, state, _ in state.shownNow.first { $0.id == id } })
  }

  private static func left(_ notification: ReminderNotification?) -> APIReply {
    APIReply(json: "{\"notification\":\(notification.map(json) ?? "null")}")
  }

  /// Answers some reminders.
  ///
  /// Of several, those that are so already are passed over; one alone says so.
  static func apply(
    _ answer: AnswerForm,
    to reminders: [String],
    in store: UserStore,
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws {
    var refusal: EditRefusal?
    var count = 0
    for id in reminders {
      do {
        try answer.apply(to: id, in: store, at: now, zone: zone)
        count += 1
      } catch let error as EditRefusal {
        refusal = refusal ?? error
      }
    }
    if count == 0, let refusal { throw refusal }
  }

  // MARK: Decisions

  private func decisions(_ call: APICall) async throws -> APIReply {
    let limit = try call.limit
    let reminder = try call.text("reminder", most: UserStore.longestID)
    var before: Int64?
    if let after = try call.text("after", most: 300) {
      guard let serial = Int64(after), serial > 0 else {
        throw APIRefusal.badQuery("after", "send the next of the page before")
      }
      before = serial
    }
    let last = before
    return try await desk(call)
      .look { store, _, _ in
        let rows = try store.decisions(before: last, of: reminder, limit: limit + 1)
        let page = rows.prefix(limit)
        let titles = Dictionary(
          try store.reminders(withIDs: Set(page.map(\.decision.reminder)).sorted())
            .map { ($0.id, $0.title) },
          uniquingKeysWith: { one, _ in one }
        )
        return .page(
          page.map { Self.json($0.serial, $0.decision, titles) },
          next: rows.count > limit ? page.last.map { "\($0.serial)" } : nil
        )
      }
  }

  static func json(
    _ serial: Int64,
    _ decision: StoredDecision,
    _ titles: [String: String]
  ) -> String {
    var json = JSONText()
    json.add("id", "\(serial)")
    json.add("at", RFC3339.format(decision.at))
    json.add("reminder", decision.reminder)
    json.add("title", titles[decision.reminder])
    if let tier = decision.tier { json.add("tier", tier) }
    json.add("outcome", decision.outcome)
    if let reason = decision.reason {
      json.add("reason", reason)
      if let text = words(for: reason) { json.add("reason_text", text) }
    }
    if let until = decision.until { json.add("until", RFC3339.format(until)) }
    return json.closed
  }

  private static func words(for reason: String) -> String? {
    Silence(rawValue: reason)?.sentence ?? CancelRecord.Reason(rawValue: reason)?.sentence
  }

  // MARK: Live

  /// So often is it said that the way is open; proxies close what is silent for a minute.
  private static let beat = Duration.seconds(15)
  /// So often is it looked whether commands have changed something, or something was decided.
  private static let look = Duration.seconds(2)

  private func events(_ call: APICall) async throws -> APIReply {
    let (person, session) = (call.person, call.credential.session)
    let lastID = call.headers[.lastEventID]
    if let lastID, lastID.utf8.count > 64 {
      throw APIRefusal(400, "bad_event_id", "Last-Event-ID: send an id of this stream")
    }
    let most = side.limits.streamsPerPerson
    guard side.hub.count(of: person) < most else { throw APIRefusal.tooMany(seconds: 30) }
    let side = side
    var reply = APIReply()
    reply.headers[.contentType] = "text/event-stream; charset=utf-8"
    reply.headers[.accelBuffering] = "no"
    reply.stream = ResponseBody { writer in
      // Not before: of a client that is gone by now nobody would let go.
      let heard = side.hub.listen(person, after: lastID, most: most, session: session.hash)
      guard let (number, events) = heard else { return try await writer.finish(nil) }
      defer { side.hub.leave(number, of: person) }
      // It may have been ended after it was let in, and before anybody could tell its page so.
      guard side.sessions.isGood(session, at: side.now) else { return try await writer.finish(nil) }
      let beats = Task { await keepOpen(number, person, session) }
      defer { beats.cancel() }
      try await withGracefulShutdownHandler {
        for await text in events { try await writer.write(ByteBuffer(string: text)) }
        try await writer.finish(nil)
      } onGracefulShutdown: {
        side.hub.close()
      }
    }
    return reply
  }

  /// Says that the way is open, looks for what is told by nobody, and ends what is not allowed any more.
  private func keepOpen(_ number: Int, _ person: DoorPerson, _ session: StoredSession) async {
    var last = try? await stamp(of: person)
    var beat = ContinuousClock.now + Self.beat
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.look)
      guard !Task.isCancelled else { return }
      if ContinuousClock.now >= beat {
        beat = .now + Self.beat
        guard side.sessions.isGood(session, at: side.now) else {
          return side.hub.leave(number, of: person)
        }
        side.hub.comment(to: number, of: person)
      }
      // One of a person's pages looks for all of them.
      guard side.hub.isFirst(number, of: person), let now = try? await stamp(of: person) else {
        continue
      }
      if let last, last.decision != now.decision {
        side.hub.publish("decision", "{}", to: person)
      }
      if let last, last.way != now.way { side.hub.publishEdit(of: "day", to: person) }
      if let last, last.version != now.version {
        side.hub.publishEdit(of: "reminders", to: person)
      }
      last = now
    }
  }

  private struct Stamp: Hashable {
    let decision: Int64
    /// It changes with what other processes do.
    let version: Int
    /// When the way ends.
    let way: Timestamp?
  }

  private func stamp(of person: DoorPerson) async throws -> Stamp {
    let desk = side.household.desk(person)
    let way = await desk.way.points.last?.at
    return try await desk.look { store, _, _ in
      Stamp(
        decision: try store.newestDecision(),
        version: try store.dataVersion(),
        way: way
      )
    }
  }
}
