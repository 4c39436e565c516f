import Timeline

/// What is known of a phone, gathered by the door.
package struct PhoneFacts: Hashable, Sendable {
  /// When its last request came; nil if none ever has.
  package var lastSeen: Timestamp?
  /// When its newest position was measured; nil if it has sent none.
  package var newestFix: Timestamp?
  /// What its app is.
  package var kind: PhoneKind
  /// What the app has said of itself, the last word on each name.
  package var status: [StatusValue]
  /// What of it was not used, lately, by name.
  package var passedOver: [IntakeRefusal: Int]
  /// How many regions it was asked to watch.
  package var askedRegions: Int
  /// How many of them it did not hold when it last said what it holds.
  package var missingRegions: Int
  /// How many others it watches.
  package var strangeRegions: Int
  /// How many requests it has sent since regions were asked of it, without showing that it has any.
  package var requestsWithoutRegions: Int

  /// Makes facts.
  package init(
    lastSeen: Timestamp? = nil,
    newestFix: Timestamp? = nil,
    kind: PhoneKind = .unknown,
    status: [StatusValue] = [],
    passedOver: [IntakeRefusal: Int] = [:],
    askedRegions: Int = 0,
    missingRegions: Int = 0,
    strangeRegions: Int = 0,
    requestsWithoutRegions: Int = 0
  ) {
    self.lastSeen = lastSeen
    self.newestFix = newestFix
    self.kind = kind
    self.status = status
    self.passedOver = passedOver
    self.askedRegions = askedRegions
    self.missingRegions = missingRegions
    self.strangeRegions = strangeRegions
    self.requestsWithoutRegions = requestsWithoutRegions
  }
}

/// Why a phone is silent, or knows less than it could; the most severe first.
///
/// The names are part of the output.
package enum PhoneTrouble: String, Hashable, Sendable, CaseIterable {
  /// Nothing has ever come.
  case neverSeen = "never_seen"
  /// Nothing has come for a long time.
  case silent
  /// The app may not see where the phone is.
  case locationDenied = "location_denied"
  /// It may not see it in the background, or not precisely.
  case locationLimited = "location_limited"
  /// Requests come, and no position has come for a long time.
  case noFixes = "no_fixes"
  /// What comes is encrypted.
  case encrypted
  /// Most of what comes cannot be read.
  case unreadable
  /// The app is set to send nothing by itself.
  case quietMode = "quiet_mode"
  /// The system does not wake the app in the background.
  case backgroundRefreshOff = "background_refresh_off"
  /// Android stops the app to save the battery.
  case batteryOptimized = "battery_optimized"
  /// Android takes permissions away from an app that is seldom opened.
  case hibernation
  /// The phone saves power at the moment.
  case powerSave = "power_save"
  /// The app has not shown any region of ours, though it was asked.
  case regionsNotTaken = "regions_not_taken"
  /// The phone does not hold some of the regions that it was asked to hold.
  case regionsMissing = "regions_missing"
  /// Regions of the person's own take up room.
  case otherRegions = "other_regions"
  /// This edition of the app has no regions.
  case noRegions = "no_regions"

  /// What to do about it, as a sentence.
  package var advice: String {
    switch self {
    case .neverSeen: "Open the setup link on the phone, and then send a position from the app once."
    case .silent: "Open the app on the phone: if it sends at once, the system had stopped it."
    case .locationDenied:
      "Allow the app to use the location in the phone's settings, always and precisely."
    case .locationLimited:
      "Set the app's location permission to \u{201C}Always\u{201D} and precise in the phone's settings."
    case .noFixes:
      "Look whether location is switched on for the whole phone, and open the app once outdoors."
    case .encrypted:
      "Remove the encryption key in the app's settings: the connection is encrypted already."
    case .unreadable:
      "Compare the app's template or form with the setup page; the last bodies are kept for some days."
    case .quietMode: "Set the app's mode to \u{201C}significant\u{201D} or \u{201C}move\u{201D}."
    case .backgroundRefreshOff: "Switch on background refresh for the app in the phone's settings."
    case .batteryOptimized: "Take the app out of the battery optimization in Android's settings."
    case .hibernation:
      "Switch off \u{201C}Pause app activity if unused\u{201D} for the app in Android's settings."
    case .powerSave: "Charge the phone or end its power saving: until then positions come late."
    case .regionsNotTaken:
      "Switch on remote commands and remote configuration in the app, as on the setup page."
    case .regionsMissing:
      "Delete regions in the app that are no longer needed: the phone watches twenty in all."
    case .otherRegions:
      "Delete regions of your own in the app if notifications come late: all share twenty."
    case .noRegions:
      "Install the app from Google Play, or let it send often: this edition has no geofences."
    }
  }
}

/// How a phone is doing.
package struct PhoneHealth: Hashable, Sendable {
  /// What is wrong, the most severe first; empty if all is well.
  package let troubles: [PhoneTrouble]

  /// How long nothing may come before that means something.
  ///
  /// Android pings every 15 min: eight of them have not come. An iPhone says nothing while it lies still, so
  /// that a day at home is no sign.
  package static func silence(of kind: PhoneKind) -> Milliseconds {
    switch kind {
    case .android, .androidWithoutRegions: .minutes(2 * 60)
    case .iOS, .unknown: .minutes(24 * 60)
    }
  }

  /// So many requests in a row without a sign of a region are no chance.
  package static let fewRequests = 5

  /// Looks at what is known of a phone.
  package init(_ facts: PhoneFacts, at now: Timestamp) {
    troubles = PhoneTrouble.allCases.filter { facts.has($0, at: now) }
  }
}

extension PhoneFacts {
  fileprivate func has(_ trouble: PhoneTrouble, at now: Timestamp) -> Bool {
    switch trouble {
    case .neverSeen: lastSeen == nil
    case .silent: lastSeen.map { now - $0 > PhoneHealth.silence(of: kind) } ?? false
    case .noFixes:
      isTalking(at: now) && (newestFix.map { now - $0 > PhoneHealth.silence(of: kind) } ?? true)
    case .locationDenied: isLocationDenied
    case .locationLimited: isLocationLimited
    case .encrypted: passedOver[.encrypted] != nil
    case .unreadable:
      unreadableCount > 0 && (newestFix.map { now - $0 > PhoneHealth.silence(of: kind) } ?? true)
    case .quietMode: said("mode") == "quiet" || said("mode") == "manual"
    case .backgroundRefreshOff:
      said("backgroundRefreshStatus").map { !$0.hasSuffix("Available") } ?? false
    case .batteryOptimized: said("bo") == "1"
    case .hibernation: said("hib") == "1"
    case .powerSave: said("ps") == "1"
    case .regionsNotTaken:
      kind.hasRegions && askedRegions > 0
        && (requestsWithoutRegions >= PhoneHealth.fewRequests || missingRegions >= askedRegions)
    // Where it holds none at all, room is not what it lacks.
    case .regionsMissing: missingRegions > 0 && missingRegions < askedRegions
    case .otherRegions: kind == .iOS && strangeRegions > 0
    case .noRegions: kind == .androidWithoutRegions
    }
  }

  private func said(_ name: String) -> String? { status.last { $0.name == name }?.value }

  private func isTalking(at now: Timestamp) -> Bool {
    lastSeen.map { now - $0 <= PhoneHealth.silence(of: kind) } ?? false
  }

  private var isLocationDenied: Bool {
    let words = said("locationManagerAuthorizationStatus") ?? ""
    return ["Denied", "Restricted", "NotDetermined"].contains { words.hasSuffix($0) }
  }

  /// Android says 0 where all is as the app needs it; what its other numbers lack is not told apart here.
  private var isLocationLimited: Bool {
    if let number = said("loc") { return number != "0" }
    return said("locationManagerAuthorizationStatus")?.hasSuffix("WhenInUse") ?? false
  }

  private var unreadableCount: Int {
    passedOver.reduce(0) { sum, entry in
      entry.key.isHarmless || entry.key == .encrypted || entry.key == .tooMany
        ? sum : sum + entry.value
    }
  }
}
