import Foundation
import HTTPTypes
import Hummingbird
import Timeline

/// Where a request comes from and how it came, as far as that can be believed.
struct Visitor: Sendable {
  /// The address whose failures are counted; a proxy's word is taken only from this machine.
  let address: String
  /// Whether it came by https, to the door or to the proxy before it.
  let isSecure: Bool
  /// The scheme and host by which it came.
  let origin: String

  init(_ request: Request, _ context: DoorContext, _ side: PersonSide) {
    let peer = context.peer
    // A Unix socket has no address: whoever may open it is on this machine.
    let isOurs = peer.map { $0 == "::1" || $0.hasPrefix("127.") } ?? true
    let isTrusted = side.trustsProxy && isOurs
    let forwarded = isTrusted ? request.headers[.forwardedFor] : nil
    // The last one is the proxy's own word; those before it are the client's.
    let last = forwarded?.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
    address = last ?? peer ?? "socket"
    isSecure =
      side.hasTLS
      || (isTrusted && request.headers[.forwardedProto]?.lowercased() == "https")
    let host = request.head.authority ?? "localhost"
    let isPlain = host.utf8.count <= 255 && host.utf8.allSatisfy { Self.hostBytes.contains($0) }
    origin = "\(isSecure ? "https" : "http")://\(isPlain && !host.isEmpty ? host : "localhost")"
  }

  /// The cookie's name; with https browsers take this one from no other host or path.
  ///
  /// - Source: RFC 6265bis, section 4.1.3.2.
  var cookieName: String { isSecure ? "__Host-nearme" : "nearme" }

  /// The session's secret in the cookies of a request.
  func cookie(in request: Request) -> String? {
    for header in request.headers[values: .cookie] {
      for part in header.split(separator: ";") {
        let pair = part.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces) == cookieName else {
          continue
        }
        return pair[1].trimmingCharacters(in: .whitespaces)
      }
    }
    return nil
  }

  /// What has the browser keep a session's secret, or forget it.
  func setCookie(_ secret: String?) -> String {
    let seconds = secret == nil ? 0 : Sessions.sessionSpan.value / 1_000
    return "\(cookieName)=\(secret ?? ""); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }

  private static let hostBytes = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]".utf8
  )
}
