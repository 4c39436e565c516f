import Foundation
import SimulatedPhones

/// A connection of HTTP/1.1 to this machine, blocking, kept alive from one request to the next.
final class Wire {
  /// No answer of the door takes so long, in seconds.
  private static let patienceSeconds = 60
  private static let longestHead = 64 << 10

  let port: UInt16
  private var descriptor: Int32 = -1

  init(port: UInt16) { self.port = port }

  deinit { close() }

  /// Sends a request and waits for the answer.
  func exchange(_ request: OutgoingRequest) -> Answer {
    guard send(request), let answer = receive() else {
      close()
      return .none
    }
    return answer
  }

  /// Sends a request and hangs up before the answer.
  func sendAndHangUp(_ request: OutgoingRequest) {
    _ = send(request)
    close()
  }

  /// What a request comes to that something happens to.
  func outcome(of request: OutgoingRequest, _ fate: Fate) -> Outcome {
    switch fate {
    case .lostRequest: return Outcome(answer: .none, isTaken: false)
    case .cut:
      sendAndHangUp(request)
      return Outcome(answer: .none, isTaken: false)
    case .passes, .lostAnswer, .doubled:
      if fate == .doubled { _ = exchange(request) }
      let answer = exchange(request)
      return Outcome(answer: fate == .lostAnswer ? .none : answer, isTaken: answer.isSuccess)
    }
  }

  /// Hangs up; the next request connects anew.
  func close() {
    if descriptor >= 0 { Foundation.close(descriptor) }
    descriptor = -1
  }

  private func connectIfNeeded() -> Bool {
    guard descriptor < 0 else { return true }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_RCVTIMEO,
      &patience,
      socklen_t(MemoryLayout<timeval>.size)
    )
    var isOn: Int32 = 1
    setsockopt(
      descriptor,
      Int32(IPPROTO_TCP),
      TCP_NODELAY,
      &isOn,
      socklen_t(MemoryLayout<Int32>.size)
    )
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if outcome != 0 { close() }
    return outcome == 0
  }

  private func send(_ request: OutgoingRequest) -> Bool {
    guard connectIfNeeded() else { return false }
    var head = "\(request.method) \(request.path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for header in request.headers { head += "\(header.name): \(header.value)\r\n" }
    head += "Content-Length: \(request.body.count)\r\n\r\n"
    var rest = (Array(head.utf8) + request.body)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func receive() -> Answer? {
    var bytes: [UInt8] = []
    var end: Int?
    while end == nil {
      guard bytes.count < Self.longestHead, read(into: &bytes) else { return nil }
      end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound
    }
    guard let end else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count >= 2, let status = Int(words[1]) else { return nil }
    let length = Self.value("content-length", lines).flatMap(Int.init) ?? 0
    while bytes.count < end + 4 + length {
      guard read(into: &bytes) else { return nil }
    }
    if Self.value("connection", lines)?.lowercased() == "close" { close() }
    return .status(status, body: Array(bytes[(end + 4)..<(end + 4 + length)]))
  }

  private func read(into bytes: inout [UInt8]) -> Bool {
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &piece, piece.count, 0)
    guard count > 0 else { return false }
    bytes += piece[..<count]
    return true
  }

  private static func value(_ name: String, _ lines: [String]) -> String? {
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else {
        continue
      }
      return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    return nil
  }
}
