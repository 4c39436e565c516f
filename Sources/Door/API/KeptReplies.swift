import Basics
import Foundation
import HTTPTypes
import LiveHost
import Timeline
import UserStore

/// Changes that clients may send again: each is done once, and answered each time as it was the first time.
struct KeptReplies: Sendable {
  let side: PersonSide

  /// Answers a change.
  ///
  /// What was refused is not kept: sent again, it may be taken. A change that was begun and not answered, because the
  /// door was killed or a file failed, may have been done: it is handed on with when it was begun.
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
    case .done(let kept):
      guard let reply = Self.reply(kept) else {
        throw HostFailure(.badInput, "the answer that was kept for a change cannot be read")
      }
      return reply
    case .other: throw APIRefusal.keyReused
    case .begun(let at): call.begunAt = at
    case .new: break
    }
    let reply: APIReply
    do {
      reply = try await body(call)
    } catch {
      // What failed otherwise may have been done.
      let isRefused = error is APIRefusal || error is EditRefusal
      if isRefused { try side.store.endReply(key, of: call.person, nil) }
      throw error
    }
    // It is done; where that cannot be noted, it is found to have been begun when it is sent again.
    try? side.store.endReply(key, of: call.person, Self.stored(reply))
    return reply
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
