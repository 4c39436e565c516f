import Foundation
import HTTPTypes
import Hummingbird
import LiveHost
import NIOCore
import Phones
import Timeline

/// Where phones post.
///
/// What an app cannot mend is answered as taken and counted: a 4xx makes OwnTracks for iOS delete the message and OwnTracks
/// for Android send it for ever. Only a wrong credential is 401; too much at once is 503, which every app takes for "later".
struct IntakeRoutes: Sendable {
  let household: Household
  let clock: any HostClock
  private var setup: DoorSetup { household.setup }

  init(_ household: Household) {
    self.household = household
    clock = household.setup.clock
  }

  func add(to router: Router<DoorContext>) {
    for (path, source) in [
      ("owntracks", IntakeSource.owntracks), ("overland", .overland), ("gpslogger", .gpslogger),
      ("fixes", .fixes), ("signals", .signals),
    ] {
      router.post("/in/\(path)") { try await take(source, $0, $1) }
    }
    // GPSLogger's template and old clients send the position in the address.
    router.get("/in/gpslogger") { try await take(.gpslogger, $0, $1) }
    for (path, source) in [("traccar", IntakeSource.traccar), ("osmand", .osmand)] {
      router.post("/in/\(path)/:secret") { try await take(source, $0, $1) }
      router.get("/in/\(path)/:secret") { try await take(source, $0, $1) }
    }
  }

  private func take(
    _ source: IntakeSource,
    _ request: Request,
    _ context: DoorContext
  ) async throws -> Response {
    guard let device = device(of: request, context) else { return refusal() }
    guard let bytes = try await bytes(of: request, atMost: context.maxUploadSize) else {
      setup.ledger.note("too_large", of: device, at: clock.now())
      var response = said(source, text: nil)
      // The rest is not read.
      response.headers[.connection] = "close"
      return response
    }
    let body = IntakeBody(
      source: source,
      bytes: bytes,
      query: request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) },
      contentType: request.headers[.contentType],
      userAgent: request.headers[.userAgent],
      limitDevice: HTTPField.Name("X-Limit-D").flatMap { request.headers[$0] },
      receivedAt: clock.now(),
      settings: device.settings.source
    )
    let reading = Phones.read(body)
    setup.ledger.note(reading, body, of: device)
    guard !reading.items.isEmpty else { return said(source, text: nil) }
    // Where it fails it is in the log, or it is not: the app sends it again, and what was taken before is no news.
    guard let answer = try? await household.take(body, reading, of: device) else { return busy() }
    return said(source, text: answer.text)
  }

  /// - Returns: nil for more than any app sends.
  private func bytes(of request: Request, atMost limit: Int) async throws -> [UInt8]? {
    do {
      return [UInt8](buffer: try await request.body.collect(upTo: limit))
    } catch let error as NIOTooManyBytesError {
      _ = error
      return nil
    }
  }

  // MARK: Who

  private func device(of request: Request, _ context: DoorContext) -> DoorDevice? {
    if let secret = context.parameters.get("secret") {
      return setup.credentials.device(path: secret)
    }
    guard let header = request.headers[.authorization] else { return nil }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    switch parts[0].lowercased() {
    case "bearer":
      return setup.credentials.device(secret: parts[1], user: nil as Substring?)
    case "basic":
      guard let data = Data(base64Encoded: String(parts[1])) else { return nil }
      let text = String(decoding: data, as: UTF8.self)
      guard let colon = text.firstIndex(of: ":") else { return nil }
      let user = text[..<colon]
      if let device = setup.credentials.device(
        secret: text[text.index(after: colon)...],
        user: user
      ) {
        return device
      }
      // Its owner sees it; whoever asked is told no more than anybody.
      if let device = setup.credentials.device(user: user) {
        setup.ledger.note("bad_credential", of: device, at: clock.now())
      }
      return nil
    default: return nil
    }
  }

  // MARK: Answers

  /// What the app is told, or its own word for "taken".
  private func said(_ source: IntakeSource, text: String?) -> Response {
    let taken = shortAnswer(to: source)
    return Response(
      status: .ok,
      headers: [.contentType: taken.contentType, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text ?? taken.body))
    )
  }

  private func refusal() -> Response {
    Response(
      status: .unauthorized,
      headers: [.wwwAuthenticate: "Basic realm=\"Near Me\", charset=\"UTF-8\""]
    )
  }

  private func busy() -> Response {
    Response(status: .serviceUnavailable, headers: [.retryAfter: "5"])
  }
}
