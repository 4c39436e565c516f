import Geodesy
import Timeline
import Traces

/// What made an app send a fix.
package enum IntakeTrigger: String, Hashable, Sendable, CaseIterable {
  /// It moved, or the app does not say.
  case ordinary
  /// A region was crossed.
  case region
  /// The region that follows the phone was left: OwnTracks for iOS, `+follow`.
  case followRegion = "follow_region"
  /// A beacon came near or was lost.
  case beacon
  /// We had asked for it.
  case asked
  /// The person pressed a button.
  case user
  /// A timer: the position itself may be older.
  case timer
  /// The system found that the phone stays, or stayed, somewhere.
  case visit
  /// The motion sensor.
  case motion
  /// The phone is on a Wi-Fi network whose place the person has set: no measured position.
  case zone
}

/// What a request says, one thing at a time.
package enum IntakeItem: Hashable, Sendable {
  /// A position.
  case fix(Fix, IntakeTrigger)
  /// The phone is still where its last fix was: no new position.
  case still(at: Timestamp, since: Timestamp)
  /// Something happened on the phone.
  case signal(IntakeSignal)
  /// The phone says that it crossed a region; `slotID` is set for one of our slots, and `isComputed` says
  /// that the app reckoned it from a fix and its accuracy, which is weak evidence.
  case crossing(region: String?, slotID: String?, isEnter: Bool, at: Timestamp, isComputed: Bool)
  /// All regions that the phone says it holds.
  case held([HeldRegion])
  /// One region that the phone holds: a person edited it, or it was just set.
  case heldOne(HeldRegion)
  /// What the app says of itself and of its permissions: known names, in a fixed order.
  case status([StatusValue])
  /// How full the battery is; nil for what is not said.
  case battery(percent: Double?, isCharging: Bool?, at: Timestamp)

  /// When it was so; nil for what has no time of its own.
  package var at: Timestamp? {
    switch self {
    case .fix(let fix, _): fix.at
    case .still(let at, _), .crossing(_, _, _, let at, _), .battery(_, _, let at): at
    case .signal(let signal): signal.at
    case .held, .heldOne, .status: nil
    }
  }
}

/// Something that happens on a phone, such as `unlock`, or `charging` with a level.
package struct IntakeSignal: Hashable, Sendable {
  /// Its name.
  package let name: String
  /// The level that begins; nil if it has none.
  package let level: String?
  /// Which happening it is; nil if nobody said.
  package let id: String?
  /// When; nil if nobody said.
  package let at: Timestamp?

  /// No word of it is longer, in bytes; as lines of a live feed have it.
  package static let longestWord = 200

  /// Makes one.
  package init(name: String, level: String? = nil, id: String? = nil, at: Timestamp? = nil) {
    self.name = name
    self.level = level
    self.id = id
    self.at = at
  }
}

/// A region as a phone says it back.
package struct HeldRegion: Hashable, Sendable {
  /// Its name on the phone; nil if it has none.
  package let name: String?
  /// Which of our slots it is; nil for a region of the person's own.
  package let slotID: String?
  /// The middle; nil for one that is off the globe, which iOS does not watch.
  package let center: Coordinate?
  /// The radius in meters; 0 for a place that is not watched.
  package let radiusMeters: Double

  /// Makes one.
  package init(name: String?, slotID: String?, center: Coordinate?, radiusMeters: Double) {
    self.name = name
    self.slotID = slotID
    self.center = center
    self.radiusMeters = radiusMeters
  }
}

/// One thing that an app says of itself.
package struct StatusValue: Hashable, Sendable, Codable {
  /// One of ``knownNames``.
  package let name: String
  /// What it says, at most ``longestValue`` bytes.
  package let value: String

  /// Makes one.
  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// No longer value is taken, in bytes.
  package static let longestValue = 100

  /// The names that are taken, in the order in which they are given out.
  ///
  /// `mode` is ours, for the `m` of a location; the others are as OwnTracks for iOS 26.3 and Android 2.6 have
  /// them.
  package static let knownNames = [
    "mode", "version", "deviceModel", "deviceSystemVersion", "locationManagerAuthorizationStatus",
    "backgroundRefreshStatus", "bo", "hib", "loc", "ps", "wifi",
  ]
}
