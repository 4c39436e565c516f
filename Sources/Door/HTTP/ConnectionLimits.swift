import Foundation
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends connections that are held on to: a body that never comes to its end, a door that has said its last word to
/// somebody who goes on sending, and one that asks for nothing while others wait to be let in.
///
/// Hummingbird's own limit of idle time begins anew with each piece that comes in, and ends with the last answer.
package final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  /// A body of 0.6 MB, the largest of an app, takes 2 min at 5 kB/s.
  private static let bodySpan = TimeAmount.seconds(120)
  /// A link or a press of a button is one packet.
  private static let strangersSpan = TimeAmount.seconds(10)
  /// After the last answer, so long may somebody take to read it.
  private static let lingerSpan = TimeAmount.seconds(5)

  private let line: ConnectionLine
  private var closing: Scheduled<Void>?
  /// Whether what is being answered is refused, with its connection.
  private var isRefused = false

  package init(_ line: ConnectionLine) {
    self.line = line
  }

  package func handlerAdded(context: ChannelHandlerContext) {
    line.join(context.channel)
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    line.leave(context.channel)
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .head(let head):
      close(context.channel, in: Self.isStrangers(head) ? Self.strangersSpan : Self.bodySpan)
    case .end:
      closing?.cancel()
      line.begin(context.channel)
    case .body: break
    }
    context.fireChannelRead(data)
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?)
  {
    switch Self.unwrapOutboundIn(data) {
    case .head(let head):
      isRefused = head.status.kind == .clientError && head.headerFields[.connection] == "close"
    case .end:
      line.finish(context.channel)
      // Nobody waits for the rest of a body that was refused; where it is whole by then, the next may come.
      if isRefused { close(context.channel, in: Self.lingerSpan) }
    case .body: break
    }
    context.write(data, promise: promise)
  }

  package func close(
    context: ChannelHandlerContext,
    mode: CloseMode,
    promise: EventLoopPromise<Void>?
  ) {
    if case .output = mode { close(context.channel, in: Self.lingerSpan) }
    context.close(mode: mode, promise: promise)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    closing?.cancel()
    context.fireChannelInactive()
  }

  /// Whether a request's body comes from somebody who does not even say who it is.
  ///
  /// What is said and is wrong is refused before the body is read, and then the connection is closed.
  private static func isStrangers(_ head: HTTPRequest) -> Bool {
    let path = (head.path ?? "").prefix { $0 != "?" }
    let parts = (String(path).removingPercentEncoding ?? "").split(separator: "/")
    // Who signs in has nothing to say yet that counts, whatever the headers are.
    if parts.suffix(3) == ["api", "v1", "session"], head.method == .post { return true }
    // Some apps have their secret in the address.
    if parts.first == "in", parts.count > 2 { return false }
    return head.headerFields[.authorization] == nil && head.headerFields[.cookie] == nil
  }

  private func close(_ channel: any Channel, in span: TimeAmount) {
    closing?.cancel()
    closing = channel.eventLoop.scheduleTask(in: span) { channel.close(promise: nil) }
  }
}
