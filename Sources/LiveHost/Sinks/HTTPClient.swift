import CCurl
import Foundation
import Timeline

/// Sends requests by libcurl, one at a time: no redirects, TLS from 1.2 on, time limits.
///
/// Unchecked: the handle is touched on the queue only.
package final class HTTPClient: @unchecked Sendable {
  /// Whom to talk to, for how long, and how much of an answer is wanted.
  package struct Settings: Hashable, Sendable {
    /// Whom a request may reach.
    package var recipients: Recipients
    /// How long a request may take, connecting included.
    package var timeout: Milliseconds
    /// How long connecting may take, the TLS handshake included.
    package var connectTimeout: Milliseconds
    /// How much of a body is read, in bytes; with none, an answer ends with its head.
    package var bodyLimitBytes: Int

    /// Makes them; the defaults are 15 s, of these 10 s for connecting, and bodies of 64 kB.
    package init(
      recipients: Recipients = .anyoneSecurely,
      timeout: Milliseconds = .seconds(15),
      connectTimeout: Milliseconds = .seconds(10),
      bodyLimitBytes: Int = 65_536
    ) {
      self.recipients = recipients
      self.timeout = timeout
      self.connectTimeout = connectTimeout
      self.bodyLimitBytes = bodyLimitBytes
    }
  }

  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  private let settings: Settings
  private let queue = DispatchQueue(label: "http")
  private let handle: UnsafeMutableRawPointer?

  /// Makes a client; nothing is connected yet.
  package init(_ settings: Settings = Settings()) {
    self.settings = settings
    handle = Self.isReady ? curl_easy_init() : nil
  }

  deinit { curl_easy_cleanup(handle) }

  /// Sends a request and waits for its answer; ends early, without one, when the task is canceled.
  package func send(_ request: HTTPRequest) async -> HTTPResult {
    let exchange = HTTPExchange(bodyLimitBytes: settings.bodyLimitBytes, settings.recipients)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { [self] in continuation.resume(returning: perform(request, exchange)) }
      }
    } onCancel: {
      exchange.cancel()
    }
  }

  private func perform(_ request: HTTPRequest, _ exchange: HTTPExchange) -> HTTPResult {
    guard let handle else { return .none(reason: "libcurl cannot start") }
    guard let address = CurlAddress(request.url), ["http", "https"].contains(address.scheme) else {
      return .unsendable(reason: "bad_address")
    }
    exchange.isSecure = address.scheme == "https"
    guard exchange.isSecure || settings.recipients != .strangers, !address.hasUser else {
      return .unsendable(reason: "bad_address")
    }
    curl_easy_reset(handle)
    var list: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(list) }
    for header in request.headers {
      guard let line = header.line else { return .unsendable(reason: "bad_header") }
      list = curl_slist_append(list, line)
    }
    // Without `Expect`, so that no round trip goes before the body.
    list = curl_slist_append(list, "Expect:")
    let code = withExtendedLifetime(exchange) { () -> CURLcode? in
      guard setUp(handle, request, list), setUp(handle, exchange) else { return nil }
      return curl_easy_perform(handle)
    }
    guard let code else { return .none(reason: "libcurl refuses a setting") }
    // The rest of an answer whose head is there is not waited for.
    if let answer = exchange.answer(isWhole: code == CURLE_OK) { return .answer(answer) }
    if exchange.isCanceled { return .none(reason: "canceled") }
    if exchange.refusedAddress { return .unsendable(reason: "address_not_allowed") }
    return .none(
      reason: code == CURLE_OK
        ? "an answer without a status" : String(cString: curl_easy_strerror(code))
    )
  }

  /// What is the request's.
  private func setUp(
    _ handle: UnsafeMutableRawPointer,
    _ request: HTTPRequest,
    _ headers: UnsafeMutablePointer<curl_slist>?
  ) -> Bool {
    var codes = [
      nearme_curl_set_text(handle, CURLOPT_URL, request.url),
      nearme_curl_set_list(handle, CURLOPT_HTTPHEADER, headers),
    ]
    if request.method == .get {
      codes.append(nearme_curl_set_long(handle, CURLOPT_HTTPGET, 1))
    } else {
      codes.append(nearme_curl_set_long(handle, CURLOPT_POST, 1))
      codes.append(nearme_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue))
      codes.append(
        nearme_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
      )
      // Copied with the size above, zeros included.
      codes.append(
        request.body.withUnsafeBytes { bytes in
          nearme_curl_set_bytes(handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
        }
      )
    }
    return codes.allSatisfy { $0 == CURLE_OK }
  }

  /// What holds for every request, and where its answer goes.
  private func setUp(_ handle: UnsafeMutableRawPointer, _ exchange: HTTPExchange) -> Bool {
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
      (CURLOPT_NOPROGRESS, 0),
    ]
    let isSecure = exchange.isSecure
    let context = Unmanaged.passUnretained(exchange).toOpaque()
    var codes = numbers.map { nearme_curl_set_long(handle, $0.0, $0.1) }
    codes.append(nearme_curl_set_protocol(handle, isSecure ? 1 : 0))
    if !settings.recipients.useProxies(isSecure: isSecure) {
      codes.append(nearme_curl_set_text(handle, CURLOPT_NOPROXY, "*"))
      codes.append(nearme_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, context))
      codes.append(nearme_curl_set_opener(handle, openSocket))
    }
    codes.append(nearme_curl_set_pointer(handle, CURLOPT_HEADERDATA, context))
    codes.append(nearme_curl_set_callback(handle, CURLOPT_HEADERFUNCTION, takeHeader))
    codes.append(nearme_curl_set_pointer(handle, CURLOPT_WRITEDATA, context))
    codes.append(nearme_curl_set_callback(handle, CURLOPT_WRITEFUNCTION, takeBody))
    codes.append(nearme_curl_set_pointer(handle, CURLOPT_XFERINFODATA, context))
    codes.append(nearme_curl_set_progress(handle, lookForCancellation))
    return codes.allSatisfy { $0 == CURLE_OK }
  }
}

private func exchange(_ context: UnsafeMutableRawPointer) -> HTTPExchange {
  Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
}

private func takeHeader(
  _ bytes: UnsafeMutablePointer<CChar>?,
  size: Int,
  count: Int,
  context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return exchange(context).takeHeader(String(decoding: line, as: UTF8.self)) ? size * count : 0
}

private func takeBody(
  _ bytes: UnsafeMutablePointer<CChar>?,
  size: Int,
  count: Int,
  context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  return exchange(context).takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

/// Looks whether the request is still wanted; libcurl asks at least once a second.
private func lookForCancellation(
  _ context: UnsafeMutableRawPointer?,
  toReceive: curl_off_t,
  received: curl_off_t,
  toSend: curl_off_t,
  sent: curl_off_t
) -> Int32 {
  guard let context else { return 0 }
  return exchange(context).isCanceled ? 1 : 0
}

/// Opens a socket, if it may lead where libcurl wants to connect to: the number is looked at here, after
/// the name was looked up, so that no second look-up can say something else.
private func openSocket(
  _ context: UnsafeMutableRawPointer?,
  _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address, exchange(context).mayConnect(to: nearme_curl_address(address))
  else { return -1 }
  let kind = address.pointee
  #if canImport(Darwin)
  let descriptor = socket(kind.family, kind.socktype, kind.protocol)
  if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  return descriptor
  #else
  return socket(kind.family, kind.socktype | Int32(SOCK_CLOEXEC.rawValue), kind.protocol)
  #endif
}

/// The parts of an address as libcurl takes it apart, which is whom it will talk to.
struct CurlAddress {
  let scheme: String
  let host: String
  /// The port; where the address names none, that of its scheme, and nil for a scheme without one.
  let port: String?
  let hasUser: Bool

  /// Takes an address apart.
  ///
  /// - Returns: nil if libcurl takes it for none.
  init?(_ text: String) {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    guard curl_url_set(parts, CURLUPART_URL, text, 0) == CURLUE_OK else { return nil }
    func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
      var bytes: UnsafeMutablePointer<CChar>?
      guard curl_url_get(parts, part, &bytes, flags) == CURLUE_OK, let bytes else { return nil }
      defer { curl_free(bytes) }
      return String(cString: bytes)
    }
    guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST) else { return nil }
    self.scheme = scheme.lowercased()
    self.host = host
    port = part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
    hasUser = part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil
  }
}
