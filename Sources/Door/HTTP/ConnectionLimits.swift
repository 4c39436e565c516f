import NIOCore
import NIOHTTPTypes

/// Ends connections that are held on to: a body that never comes to its end, a door that has said its last word to
/// somebody who goes on sending, and one that asks for nothing while others wait to be let in.
///
/// Hummingbird's own limit of idle time begins anew with each piece that comes in, and ends with the last answer.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// A body of 0.6 MB, the largest of an app, takes 2 min at 5 kB/s.
  private static let bodySpan = TimeAmount.seconds(120)
  /// After the last answer, so long may somebody take to read it.
  private static let lingerSpan = TimeAmount.seconds(5)

  private let line: ConnectionLine
  private var closing: Scheduled<Void>?

  init(_ line: ConnectionLine) {
    self.line = line
  }

  func handlerAdded(context: ChannelHandlerContext) {
    line.join(context.channel)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    line.leave(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .head: close(context.channel, in: Self.bodySpan)
    case .end:
      closing?.cancel()
      line.begin(context.channel)
    case .body: break
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = Self.unwrapOutboundIn(data) { line.finish(context.channel) }
    context.write(data, promise: promise)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if case .output = mode { close(context.channel, in: Self.lingerSpan) }
    context.close(mode: mode, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    closing?.cancel()
    context.fireChannelInactive()
  }

  private func close(_ channel: any Channel, in span: TimeAmount) {
    closing?.cancel()
    closing = channel.eventLoop.scheduleTask(in: span) { channel.close(promise: nil) }
  }
}
