import Hummingbird
import Logging
import NIOCore

/// What a request carries along: where it comes from.
package struct DoorContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The address of whoever is connected; nil on a Unix socket.
  let peer: String?

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    peer = source.channel.remoteAddress?.ipAddress
  }

  /// No app sends more in one body: a thousand features of Overland are 0.6 MB.
  package var maxUploadSize: Int { 4 << 20 }
}
