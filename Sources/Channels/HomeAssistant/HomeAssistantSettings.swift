import LiveHost

/// A phone that Home Assistant can notify.
package struct HomeAssistantSettings: Hashable, Sendable {
  /// What kind of phone it is: it decides how many buttons there is room for.
  package enum Phone: String, Hashable, Sendable, Codable, CaseIterable {
    /// Three buttons.
    case android
    /// Ten buttons.
    case iPhone = "iphone"

    var mostButtons: Int {
      switch self {
      case .android: 3
      case .iPhone: 10
      }
    }
  }

  /// Home Assistant's address, such as `http://homeassistant.local:8123`.
  package let server: ServiceAddress
  /// The part behind `notify.` of the action's name, such as `mobile_app_annas_phone`.
  package let service: String
  /// A long-lived access token.
  package let token: String
  /// What kind of phone it is.
  package let phone: Phone

  /// Makes settings.
  ///
  /// - Throws: `.usage` for a name that no action has, and for no token.
  package init(
    server: ServiceAddress,
    service: String,
    token: String,
    phone: Phone
  ) throws(HostFailure) {
    let name = Self.name(ofService: service)
    guard (1...128).contains(name.utf8.count),
      name.utf8.allSatisfy({ isNameByte($0) && $0 != 0x2D && !(0x41...0x5A).contains($0) })
    else {
      throw HostFailure(
        .usage,
        "Home Assistant action \(service): one as notify.mobile_app_annas_phone is needed"
      )
    }
    guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw HostFailure(
        .usage,
        "Home Assistant: a long-lived access token is needed: make one on your profile's page there"
      )
    }
    self.server = server
    self.service = name
    self.token = token
    self.phone = phone
  }

  /// The part of an action's name behind `notify.`.
  static func name(ofService service: String) -> String {
    service.hasPrefix("notify.") ? String(service.dropFirst(7)) : service
  }
}
