import CCurl
import Foundation
import Timeline

/// Posts bytes to one address by libcurl, one request at a time.
///
/// Unchecked: the handle is touched on the queue only.
final class HTTPPost: @unchecked Sendable {
  /// What the server said, or why there is no answer.
  enum Answer: Hashable, Sendable {
    /// The status, and the value of `Retry-After`.
    case status(Int, retryAfter: String?)
    /// A sentence of libcurl, which names no address.
    case none(reason: String)
  }

  /// Whom to post to and for how long.
  struct Settings: Sendable {
    /// The address.
    var url: String
    /// Whether it is https.
    var isSecure: Bool
    /// How long a request may take, connecting included.
    var timeout: Milliseconds
    /// How long connecting may take, the TLS handshake included.
    var connectTimeout: Milliseconds
  }

  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  private let settings: Settings
  private let queue = DispatchQueue(label: "webhook")
  private let handle: UnsafeMutableRawPointer?

  init(_ settings: Settings) {
    self.settings = settings
    handle = Self.isReady ? curl_easy_init() : nil
  }

  deinit { curl_easy_cleanup(handle) }

  /// Posts.
  ///
  /// - Parameter headers: lines such as `Content-Type: application/json`.
  func post(_ body: String, headers: [String]) async -> Answer {
    await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: perform(body, headers)) }
    }
  }

  private func perform(_ body: String, _ headers: [String]) -> Answer {
    guard let handle else { return .none(reason: "libcurl cannot start") }
    curl_easy_reset(handle)
    var list: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(list) }
    // Without `Expect`, so that no round trip goes before the body.
    for line in headers + ["Expect:"] { list = curl_slist_append(list, line) }
    let head = ResponseHead()
    let reason = withExtendedLifetime(head) { () -> String? in
      guard setUp(handle, body, headers: list, head: head) else {
        return "libcurl refuses a setting"
      }
      let code = curl_easy_perform(handle)
      // The rest of an answer whose head is there is not waited for.
      if head.status != nil, head.isComplete { return nil }
      return code == CURLE_OK
        ? "an answer without a status" : String(cString: curl_easy_strerror(code))
    }
    if let reason { return .none(reason: reason) }
    return .status(head.status ?? 0, retryAfter: head.retryAfter)
  }

  private func setUp(
    _ handle: UnsafeMutableRawPointer,
    _ body: String,
    headers: UnsafeMutablePointer<curl_slist>?,
    head: ResponseHead
  ) -> Bool {
    let numbers: [(CURLoption, Int)] = [
      // A signal handler for time limits belongs to no library.
      (CURLOPT_NOSIGNAL, 1),
      (CURLOPT_TIMEOUT_MS, Int(settings.timeout.value)),
      (CURLOPT_CONNECTTIMEOUT_MS, Int(settings.connectTimeout.value)),
      // A redirect could lead out of https, or to another server.
      (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
      // A connection for each: on one that is used again and found closed, libcurl would send a second
      // time by itself, and attempts are counted here.
      (CURLOPT_FRESH_CONNECT, 1), (CURLOPT_FORBID_REUSE, 1),
      (CURLOPT_POST, 1),
    ]
    var codes = numbers.map { nearme_curl_set_long(handle, $0.0, $0.1) }
    codes.append(nearme_curl_set_protocol(handle, settings.isSecure ? 1 : 0))
    codes.append(nearme_curl_set_text(handle, CURLOPT_URL, settings.url))
    // What goes to this machine in the clear is not handed to a proxy, whatever the environment says.
    if !settings.isSecure { codes.append(nearme_curl_set_text(handle, CURLOPT_NOPROXY, "*")) }
    codes.append(nearme_curl_set_list(handle, CURLOPT_HTTPHEADER, headers))
    codes.append(
      nearme_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.utf8.count))
    )
    codes.append(nearme_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, body))
    let context = Unmanaged.passUnretained(head).toOpaque()
    codes.append(nearme_curl_set_pointer(handle, CURLOPT_HEADERDATA, context))
    codes.append(
      nearme_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let head = Unmanaged<ResponseHead>.fromOpaque(context).takeUnretainedValue()
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return head.take(String(decoding: line, as: UTF8.self)) ? size * count : 0
      }
    )
    // No byte of a body is wanted: to have taken none ends the transfer.
    codes.append(nearme_curl_set_callback(handle, CURLOPT_WRITEFUNCTION) { _, _, _, _ in 0 })
    return codes.allSatisfy { $0 == CURLE_OK }
  }
}

/// The head of an answer, line by line.
private final class ResponseHead {
  private(set) var status: Int?
  private(set) var retryAfter: String?
  private(set) var isComplete = false
  private var hasBody = true

  /// Takes a line, its end included.
  ///
  /// - Returns: whether there is anything more to wait for.
  func take(_ text: String) -> Bool {
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
    return !hasBody
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

/// The parts of an address as libcurl takes it apart, which is whom it will talk to.
struct CurlAddress {
  let scheme: String
  let host: String
  let hasUser: Bool

  /// Takes an address apart.
  ///
  /// - Returns: nil if libcurl takes it for none.
  init?(_ text: String) {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    guard curl_url_set(parts, CURLUPART_URL, text, 0) == CURLUE_OK else { return nil }
    func part(_ part: CURLUPart) -> String? {
      var bytes: UnsafeMutablePointer<CChar>?
      guard curl_url_get(parts, part, &bytes, 0) == CURLUE_OK, let bytes else { return nil }
      defer { curl_free(bytes) }
      return String(cString: bytes)
    }
    guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST) else { return nil }
    self.scheme = scheme.lowercased()
    self.host = host
    hasUser = part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil
  }
}
