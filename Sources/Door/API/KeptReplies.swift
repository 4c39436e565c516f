import Basics
import Foundation
import HTTPTypes
import Timeline

/// Changes that clients may send again: each is done once, and answered each time as it was the first time.
struct KeptReplies: Sendable {
  let side: PersonSide

  /// Answers a change.
  ///
  /// What was refused is not kept: sent again, it may be taken. A change that was begun and not answered, because the
  /// door was killed, may have been done: it is handed on with when it was begun.
  func answer(
    _ call: APICall,
    key: Data,
    request: Data,
    _ body: (APICall) async throws -> APIReply
  ) async throws -> APIReply {
    let turnstile = side.turnstile(of: call.person)
    await turnstile.enter()
    defer { turnstile.leave() }
    var call = call
    switch try side.store.beginReply(key, request: request, of: call.person, at: call.now) {
    case .done(let kept): if let reply = Self.reply(kept) { return reply }
    case .other: throw APIRefusal.keyReused
    case .begun(let at): call.begunAt = at
    case .new: break
    }
    do {
      let reply = try await body(call)
      try side.store.endReply(key, of: call.person, Self.stored(reply))
      return reply
    } catch {
      try side.store.endReply(key, of: call.person, nil)
      throw error
    }
  }

  private struct Stored: Codable {
    let status: Int
    let json: String?
    let etag: String?
    let location: String?
  }

  private static func stored(_ reply: APIReply) throws -> Data {
    try JSONEncoder()
      .encode(
        Stored(
          status: reply.status.code,
          json: reply.json,
          etag: reply.headers[.eTag],
          location: reply.headers[.location]
        )
      )
  }

  private static func reply(_ data: Data) -> APIReply? {
    guard let stored = try? JSONDecoder().decode(Stored.self, from: data) else { return nil }
    var reply = APIReply(status: HTTPResponse.Status(code: stored.status), json: stored.json)
    reply.headers[.eTag] = stored.etag
    reply.headers[.location] = stored.location
    return reply
  }
}
