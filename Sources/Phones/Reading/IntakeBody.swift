import Timeline

/// The roads on which phones send something.
package enum IntakeSource: String, Hashable, Sendable, CaseIterable {
  /// OwnTracks, and what speaks its language.
  case owntracks
  /// Overland for iOS, and what speaks its language.
  case overland
  /// Traccar Client.
  case traccar
  /// The query of OsmAnd, which many apps have taken over.
  case osmand
  /// GPSLogger for Android, whose words its owner chooses.
  case gpslogger
  /// Our own lines, Home Assistant, Colota, Shortcuts.
  case fixes
  /// What happens on a phone beside its way: an unlocking, a cable, a car.
  case signals
}

/// What a number for a speed counts.
package enum SpeedUnit: String, Hashable, Sendable, Codable, CaseIterable {
  /// What the documents of the app say.
  case asDocumented
  /// Meters a second.
  case metersPerSecond
  /// Nautical miles an hour.
  case knots
  /// Kilometers an hour.
  case kilometersPerHour
}

/// What the owner of a phone says of what it sends.
package struct SourceSettings: Hashable, Sendable, Codable {
  /// The unit of its speeds: one form is filled in with different units by different apps.
  package var speedUnit: SpeedUnit

  /// Makes the settings; the default believes the documents.
  package init(speedUnit: SpeedUnit = .asDocumented) { self.speedUnit = speedUnit }
}

/// One request of a phone, as far as its reading depends on it.
package struct IntakeBody: Sendable {
  /// The road that it came on.
  package var source: IntakeSource
  /// The body.
  package var bytes: [UInt8]
  /// The query of the address, percent-decoded, in its order.
  package var query: [(name: String, value: String)]
  /// The header `Content-Type`.
  package var contentType: String?
  /// The header `User-Agent`.
  package var userAgent: String?
  /// The header `X-Limit-D`, in which OwnTracks names the phone.
  package var limitDevice: String?
  /// When it came in: stands for a time where an app sends none by design.
  package var receivedAt: Timestamp
  /// What the owner says of it.
  package var settings: SourceSettings

  /// No longer body is read, in bytes: a thousand features of Overland take 600,000.
  package static let mostBytes = 4 << 20

  /// Makes a body.
  package init(
    source: IntakeSource,
    bytes: [UInt8],
    query: [(name: String, value: String)] = [],
    contentType: String? = nil,
    userAgent: String? = nil,
    limitDevice: String? = nil,
    receivedAt: Timestamp,
    settings: SourceSettings = SourceSettings()
  ) {
    self.source = source
    self.bytes = bytes
    self.query = query
    self.contentType = contentType
    self.userAgent = userAgent
    self.limitDevice = limitDevice
    self.receivedAt = receivedAt
    self.settings = settings
  }
}
