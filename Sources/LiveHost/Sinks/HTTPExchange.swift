import Foundation

/// One request's answer as it comes in.
///
/// Unchecked: all but the mark of cancellation is touched on the client's queue only.
final class HTTPExchange: @unchecked Sendable {
  /// Whether it goes by https.
  var isSecure = true
  /// Whether an address was refused for where it leads.
  private(set) var refusedAddress = false

  private let bodyLimitBytes: Int
  private let recipients: Recipients
  private var status: Int?
  private var retryAfter: String?
  private var isComplete = false
  private var hasBody = true
  private var body: [UInt8] = []
  private var isOverlong = false
  private let lock = NSLock()
  private var wasCanceled = false

  init(bodyLimitBytes: Int, _ recipients: Recipients) {
    self.bodyLimitBytes = bodyLimitBytes
    self.recipients = recipients
  }

  var isCanceled: Bool { lock.withLock { wasCanceled } }

  /// Has it end soon.
  func cancel() { lock.withLock { wasCanceled = true } }

  /// What came.
  ///
  /// - Parameter isWhole: whether the transfer came to its own end.
  /// - Returns: nil if the head did not come to its end.
  func answer(isWhole: Bool) -> HTTPAnswer? {
    guard let status, isComplete else { return nil }
    return HTTPAnswer(
      status: status,
      retryAfter: retryAfter,
      body: body,
      isCut: hasBody && (isOverlong || !isWhole)
    )
  }

  /// Takes a line of the head, its end included.
  ///
  /// - Returns: whether there is anything more to wait for.
  func takeHeader(_ text: String) -> Bool {
    let line = text.prefix { $0 != "\r\n" && $0 != "\r" && $0 != "\n" }
    if line.hasPrefix("HTTP/") {
      // A head of its own: 100 and 103 come before that of the answer.
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      (retryAfter, isComplete, hasBody) = (nil, false, status != 204 && status != 304)
      return true
    }
    guard line.isEmpty else {
      note(line)
      return true
    }
    guard let status, !(100..<200).contains(status) else { return true }
    isComplete = true
    return !hasBody || bodyLimitBytes > 0
  }

  /// Takes a piece of the body.
  ///
  /// - Returns: how much of it was taken; less than all ends the transfer.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = min(bytes.count, bodyLimitBytes - body.count)
    body += bytes.prefix(taken)
    isOverlong = isOverlong || taken < bytes.count
    return taken
  }

  /// Whether a connection may be opened to an address.
  func mayConnect(to address: UnsafePointer<sockaddr>) -> Bool {
    let isAllowed = recipients.allow(Self.reach(address), isSecure: isSecure)
    refusedAddress = refusedAddress || !isAllowed
    return isAllowed
  }

  private static func reach(_ address: UnsafePointer<sockaddr>) -> NetworkReach {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let b = withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) }
      return NetworkReach(ipv4: (b[0], b[1], b[2], b[3]))
    case AF_INET6:
      return NetworkReach(
        ipv6: withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
      )
    default: return .unusable
    }
  }

  private func note(_ line: Substring) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return }
    let value = String(parts[1]).trimmed
    switch parts[0].lowercased() {
    case "retry-after": retryAfter = retryAfter ?? value
    case "content-length": if value == "0" { hasBody = false }
    default: break
    }
  }
}
