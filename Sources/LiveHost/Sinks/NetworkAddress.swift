/// Where a number of the Internet Protocol leads.
///
/// - Source: the special-purpose registries of IANA (RFC 6890 and its updates); RFC 6598 for the shared
///   space of carriers, RFC 4193 and RFC 4291 for IPv6, RFC 6052 for numbers that carry another.
package enum NetworkReach: Hashable, Sendable {
  /// This machine.
  case loopback
  /// A network of a home, a firm or a carrier, or the link itself.
  case privateNetwork
  /// The Internet.
  case publicInternet
  /// Nobody whom a request could reach: multicast, documentation, reserved, transition relays.
  case unusable

  /// Where four bytes lead.
  package init(ipv4 b: (UInt8, UInt8, UInt8, UInt8)) {
    self =
      switch (b.0, b.1, b.2) {
      case (127, _, _): .loopback
      case (10, _, _), (172, 16...31, _), (192, 168, _), (169, 254, _), (100, 64...127, _):
        .privateNetwork
      case (0, _, _), (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 18...19, _), (198, 51, 100),
        (203, 0, 113), (224..., _, _):
        .unusable
      default: .publicInternet
      }
  }

  /// Where sixteen bytes lead; any other number of bytes is unusable.
  package init(ipv6 bytes: [UInt8]) {
    guard bytes.count == 16 else {
      self = .unusable
      return
    }
    func embedded(at i: Int) -> NetworkReach {
      NetworkReach(ipv4: (bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]))
    }
    let isZero = { (range: Range<Int>) in bytes[range].allSatisfy { $0 == 0 } }
    switch (bytes[0], bytes[1]) {
    case (0, 0) where isZero(0..<15) && bytes[15] == 1: self = .loopback
    // ::ffff:a.b.c.d is the older number under another form.
    case (0, 0) where isZero(0..<10) && bytes[10] == 0xFF && bytes[11] == 0xFF:
      self = embedded(at: 12)
    // The translator of a network without IPv4 (RFC 6052); that of RFC 8215 is local.
    case (0, 0x64) where bytes[2] == 0xFF && bytes[3] == 0x9B && isZero(4..<12):
      self = embedded(at: 12)
    case (0xFC...0xFD, _): self = .privateNetwork
    case (0xFE, 0x80...0xBF): self = .privateNetwork
    case (0x20, 0x02): self = .unusable
    // Teredo and the rest of RFC 2928; documentation (RFC 3849, RFC 9637).
    case (0x20, 0x01) where bytes[2] < 2 || bytes[2] == 0x0D && bytes[3] == 0xB8: self = .unusable
    case (0x3F, 0xFF) where bytes[2] < 0x10: self = .unusable
    case (0x20...0x3F, _): self = .publicInternet
    default: self = .unusable
    }
  }
}

/// Whom a request may be sent to: the more others had a say in its address, the fewer.
package enum Recipients: Hashable, Sendable {
  /// The owner named the address: https to anyone, http to this machine.
  case anyoneSecurely
  /// The owner named the address and allowed http at home: https to anyone, http to this machine and to
  /// private networks.
  case homeInTheClear
  /// Somebody else named the address: https to the Internet only, so that nobody looks around in the
  /// owner's network by way of us.
  case strangers

  /// Whether a connection may be opened.
  package func allow(_ reach: NetworkReach, isSecure: Bool) -> Bool {
    switch (self, isSecure) {
    case (.strangers, true): reach == .publicInternet
    case (.strangers, false): false
    case (_, true): true
    case (.homeInTheClear, false): reach == .loopback || reach == .privateNetwork
    case (.anyoneSecurely, false): reach == .loopback
    }
  }

  /// Whether proxies of the environment are used: not where the address that is connected to has to be
  /// looked at, and not for what goes in the clear.
  func useProxies(isSecure: Bool) -> Bool { isSecure && self != .strangers }
}
