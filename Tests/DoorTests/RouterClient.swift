import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded

import Door

/// Asks the routes of a door without a network.
///
/// Hummingbird has such a client, in a module that brings a client for HTTP/2 along, which takes longer to compile
/// than all else of the tests of the door (docs/performance.md).
struct RouterClient: Sendable {
  /// What came back.
  struct Reply: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let body: ByteBuffer
  }

  private let responder: RouterResponder<DoorContext>

  init(_ server: DoorServer) { responder = server.router().buildResponder() }

  /// What a connection says that is closed in the middle of a body.
  private struct BrokenOff: Error {}

  /// Sends a request, its body in pieces as they come through a network, and waits for the whole answer.
  ///
  /// - Parameter breaksOff: whether the body has no end.
  func execute(
    uri: String,
    method: HTTPRequest.Method,
    headers: HTTPFields = HTTPFields(),
    body: ByteBuffer? = nil,
    breaksOff: Bool = false
  ) async throws -> Reply {
    var headers = headers
    if let body { headers[.contentLength] = String(body.readableBytes) }
    let pieces = AsyncThrowingStream<ByteBuffer, any Error> { stream in
      var rest = body ?? ByteBuffer()
      while let piece = rest.readSlice(length: min(32 << 10, rest.readableBytes)),
        piece.readableBytes > 0
      {
        stream.yield(piece)
      }
      stream.finish(throwing: breaksOff ? BrokenOff() : nil)
    }
    let response = try await responder.respond(
      to: Request(
        head: HTTPRequest(
          method: method,
          scheme: "http",
          authority: "localhost",
          path: uri,
          headerFields: headers
        ),
        body: RequestBody(asyncSequence: pieces)
      ),
      context: DoorContext(
        source: ApplicationRequestContextSource(
          channel: NIOAsyncTestingChannel(),
          logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
      )
    )
    let whole = WholeBody()
    try await response.body.write(whole)
    return Reply(status: response.status, headers: response.headers, body: whole.bytes)
  }
}

/// Keeps what is written.
private final class WholeBody: ResponseBodyWriter {
  private(set) var bytes = ByteBuffer()

  func write(_ buffer: ByteBuffer) async throws { bytes.writeImmutableBuffer(buffer) }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
