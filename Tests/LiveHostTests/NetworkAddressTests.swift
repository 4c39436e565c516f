import Foundation
import LiveHost
import Testing

@Suite struct NetworkAddressTests {
  private func reach(_ text: String) throws -> NetworkReach {
    if text.contains(":") {
      var bytes = [UInt8](repeating: 0, count: 16)
      try #require(inet_pton(AF_INET6, text, &bytes) == 1)
      return NetworkReach(ipv6: bytes)
    }
    var bytes = [UInt8](repeating: 0, count: 4)
    try #require(inet_pton(AF_INET, text, &bytes) == 1)
    return NetworkReach(ipv4: (bytes[0], bytes[1], bytes[2], bytes[3]))
  }

  @Test func `numbers lead where the registries say`() throws {
    let expected: [(NetworkReach, String)] = [
      (.loopback, "127.0.0.1 127.255.255.255 ::1 ::ffff:127.0.0.1 64:ff9b::127.0.0.1"),
      (
        .privateNetwork,
        """
        10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 169.254.169.254 \
        100.64.0.0 100.127.255.255 fc00::1 fdff::1 fe80::1 febf::1 ::ffff:192.168.1.1 ::ffff:10.1.2.3
        """
      ),
      (
        .publicInternet,
        """
        1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 \
        169.253.255.255 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 \
        198.20.0.0 223.255.255.255 2001:4860::1 2606:4700::1 2a00::1 ::ffff:1.1.1.1 64:ff9b::1.1.1.1 \
        2001:200::1
        """
      ),
      (
        .unusable,
        """
        0.0.0.0 0.1.2.3 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 \
        239.255.255.255 240.0.0.1 255.255.255.255 :: ::7f00:1 ff02::1 fec0::1 2002:7f00:1::1 \
        2001:0:1::1 2001:db8::1 3fff:1::1 100::1 64:ff9b:1::1 4000::1 ::ffff:0.0.0.0
        """
      ),
    ]
    for (kind, list) in expected {
      for address in list.split(separator: " ") {
        #expect(try reach(String(address)) == kind, "\(address)")
      }
    }
    #expect(NetworkReach(ipv6: [1, 2, 3]) == .unusable)
  }

  @Test func `who named an address decides whom it may reach`() {
    let all: [NetworkReach] = [.loopback, .privateNetwork, .publicInternet, .unusable]
    let allowed = { (recipients: Recipients, isSecure: Bool) in
      all.filter { recipients.allow($0, isSecure: isSecure) }
    }
    #expect(allowed(.strangers, true) == [.publicInternet])
    #expect(allowed(.strangers, false) == [])
    #expect(allowed(.anyoneSecurely, false) == [.loopback])
    #expect(allowed(.homeInTheClear, false) == [.loopback, .privateNetwork])
    #expect(allowed(.homeInTheClear, true) == all)
  }
}
