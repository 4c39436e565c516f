import Foundation

/// A server of HTTP/1.1 on this machine that answers as it is told, and remembers what it was asked.
///
/// Unchecked: everything is touched under the lock only.
package final class SmallServer: @unchecked Sendable {
  /// What it does with a request.
  package enum Answer: Sendable {
    /// A status, with headers.
    case status(Int, [String: String] = [:])
    /// A status with a body, and headers.
    case body(Int, String, [String: String] = [:])
    /// Nothing, for so long; then it closes.
    case stall(seconds: Double)
    /// Closes after having read the request.
    case hangUp
    /// Half of a head, then it closes.
    case halfAnHead
    /// Something that is no HTTP.
    case garbage
    /// A head that promises a body which does not come.
    case head(Int, thenStallSeconds: Double)
  }

  /// A request as it came.
  package struct Request: Sendable {
    package let line: String
    /// By their names in small letters.
    package let headers: [String: String]
    package let bytes: [UInt8]

    package var body: String { String(decoding: bytes, as: UTF8.self) }
  }

  package let port: UInt16
  private let listener: Int32
  private let lock = NSLock()
  private var answers: [Answer]
  private var seen: [Request] = []
  private var accepted = 0

  /// Starts it.
  ///
  /// - Parameter answers: one for each request; after them every request is accepted with 204.
  package init(_ answers: [Answer] = []) throws {
    self.answers = answers
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard result else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in serve() }
  }

  deinit { close(listener) }

  /// Its address without a path.
  package var origin: String { "http://127.0.0.1:\(port)" }

  package var address: String { "http://127.0.0.1:\(port)/hook" }

  package var requests: [Request] {
    lock.lock()
    defer { lock.unlock() }
    return seen
  }

  /// How often somebody has connected, whatever they said then.
  package var connectionCount: Int { lock.withLock { accepted } }

  /// Ends it; what is under way ends by itself.
  package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve() {
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { return }
      lock.withLock { accepted += 1 }
      Thread.detachNewThread { [self] in
        while answer(connection) {}
        close(connection)
      }
    }
  }

  /// - Returns: whether the connection stays open.
  private func answer(_ connection: Int32) -> Bool {
    var bytes: [UInt8] = []
    var head: (text: String, end: Int)?
    var piece = [UInt8](repeating: 0, count: 4_096)
    while head == nil || bytes.count < (head?.end ?? 0) + length(head?.text) {
      let count = recv(connection, &piece, piece.count, 0)
      guard count > 0 else { return false }
      bytes += piece.prefix(count)
      // Bodies need not be text.
      if head == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
        let headText = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        head = (headText, headText.utf8.count + 4)
      }
    }
    guard let head else { return false }
    let lines = head.text.components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    lock.lock()
    seen.append(Request(line: lines[0], headers: headers, bytes: Array(bytes[head.end...])))
    let answer = answers.isEmpty ? .status(204) : answers.removeFirst()
    lock.unlock()
    return perform(answer, connection)
  }

  private func length(_ head: String?) -> Int {
    let line = head?.lowercased().components(separatedBy: "\r\n")
      .first { $0.hasPrefix("content-length:") }
    return line.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
  }

  private func perform(_ answer: Answer, _ connection: Int32) -> Bool {
    func say(_ text: String) {
      _ = Array(text.utf8)
        .withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
    switch answer {
    case .status(let status, let headers):
      let lines = headers.map { "\($0): \($1)\r\n" }.sorted().joined()
      say("HTTP/1.1 \(status) Some Words\r\n\(lines)Content-Length: 0\r\n\r\n")
      return true
    case .body(let status, let body, let headers):
      let lines = headers.map { "\($0): \($1)\r\n" }.sorted().joined()
      say(
        "HTTP/1.1 \(status) Some Words\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      return true
    case .stall(let seconds): Thread.sleep(forTimeInterval: seconds)
    case .hangUp: break
    case .halfAnHead: say("HTTP/1.1 20")
    case .garbage: say("I speak no HTTP\r\n\r\n")
    case .head(let status, let seconds):
      say("HTTP/1.1 \(status) Some Words\r\nContent-Length: 1000\r\n\r\nabc")
      Thread.sleep(forTimeInterval: seconds)
    }
    return false
  }
}
