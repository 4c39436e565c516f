import Basics
import Geodesy
import Timeline

extension IntakeReader {
  /// A message of OwnTracks, by its `_type`.
  ///
  /// - Source: owntracks.org/booklet/tech/json, and what the apps for iOS 26.3 and Android 2.6 send.
  mutating func readOwnTracks(_ kind: String, _ node: JSONValue) {
    switch kind {
    case "location": readLocation(node)
    case "transition": readTransition(node)
    case "waypoint":
      if let region = HeldRegion(node) { add(.heldOne(region)) } else { pass(over: .unknownType) }
    case "waypoints": readWaypoints(node)
    case "status": readStatus(node)
    case "encrypted": pass(over: .encrypted)
    case "lwt", "card", "steps", "beacon", "request", "cmd", "configuration", "dump", "response",
      "tour", "tours":
      pass(over: .otherMessage)
    default: pass(over: .unknownType)
    }
  }

  // MARK: - Positions

  private mutating func readLocation(_ node: JSONValue) {
    let (time, created) = (Self.ownTracksTime(node["tst"]), Self.ownTracksTime(node["created_at"]))
    let saidAt = created.instant ?? time.instant
    noteBattery(
      node["batt"]?.looseNumber,
      isCharging: Self.isCharging(node["bs"]),
      at: saidAt ?? body.receivedAt
    )
    if let mode = node["m"]?.looseNumber.flatMap(Self.modeName) {
      add(.status([StatusValue("mode", mode)]))
    }
    let trigger = Self.trigger(node["t"]?.text)
    if let since = time.instant, let saidAt {
      switch node["t"]?.text {
      case "p":
        pass(over: .ping)
        return add(.still(at: saidAt, since: since))
      // The last position, that may have been said or not: whoever knows the one before can tell.
      case "t" where saidAt - since > .minutes(1): add(.still(at: saidAt, since: since))
      default: break
      }
    }
    add(
      PositionFields(
        latitude: node["lat"]?.looseNumber,
        longitude: node["lon"]?.looseNumber,
        time: time,
        accuracyMeters: node["acc"]?.looseNumber,
        speedMetersPerSecond: speed(
          node["vel"]?.looseNumber,
          documented: isColota(node) ? .metersPerSecond : .kilometersPerHour
        ),
        courseDegrees: node.first(["cog", "bear"])?.looseNumber
      ),
      trigger
    )
  }

  /// Colota fills in the form of OwnTracks, but with m/s; its template has this fixed name and no topic.
  private func isColota(_ node: JSONValue) -> Bool {
    node["tid"]?.text == "AA" && node["topic"] == nil
      && !(body.userAgent?.lowercased().hasPrefix("owntracks") ?? false)
  }

  private static func trigger(_ text: String?) -> IntakeTrigger {
    switch text {
    case "c": .region
    case "C": .followRegion
    case "b": .beacon
    case "r": .asked
    case "u": .user
    case "t": .timer
    case "v": .visit
    case "m": .motion
    default: .ordinary
    }
  }

  private static func modeName(_ mode: Double) -> String? {
    switch mode {
    case -1: "quiet"
    case 0: "manual"
    case 1: "significant"
    case 2: "move"
    default: nil
    }
  }

  private static func isCharging(_ value: JSONValue?) -> Bool? {
    switch value?.looseNumber {
    case 1: false
    case 2, 3: true
    default: nil
    }
  }

  /// Overland's own OwnTracks form counts seconds from 2001 (Overland-iOS#196): what lies before 2010 was
  /// meant so.
  static func ownTracksTime(_ value: JSONValue?) -> PayloadTime {
    guard let number = value?.looseNumber, number >= 1, number < 1_262_304_000 else {
      return PayloadTime(value)
    }
    return PayloadTime(JSONValue.number(number + 978_307_200, digits: 3))
  }

  // MARK: - Regions

  private mutating func readTransition(_ node: JSONValue) {
    guard let event = node["event"]?.text, event == "enter" || event == "leave",
      let at = Self.ownTracksTime(node["tst"]).instant
    else { return pass(over: .badCrossing) }
    add(
      .crossing(
        region: node["desc"]?.word(most: HeldRegion.longestName),
        slotID: SlotPlan.slotID(rid: node["rid"]?.text, tst: node["wtst"]?.looseNumber),
        isEnter: event == "enter",
        at: at,
        isComputed: node["t"]?.text == "l"
      )
    )
  }

  private mutating func readWaypoints(_ node: JSONValue) {
    guard let elements = node["waypoints"]?.elements else { return pass(over: .unknownType) }
    var regions: [HeldRegion] = []
    for element in elements.prefix(HeldRegion.most) {
      if let region = HeldRegion(element) {
        regions.append(region)
      } else {
        pass(over: .unknownType)
      }
    }
    if elements.count > HeldRegion.most {
      pass(over: .tooMany, count: elements.count - HeldRegion.most)
    }
    add(.held(regions))
  }

  // MARK: - Status

  private mutating func readStatus(_ node: JSONValue) {
    let holders = [node["iOS"], node["android"], node].compactMap(\.self)
    let values = StatusValue.knownNames.compactMap { name -> StatusValue? in
      guard name != "mode" else { return nil }
      return holders.lazy.compactMap { $0[name]?.word(most: StatusValue.longestValue) }.first
        .map { StatusValue(name, $0) }
    }
    guard !values.isEmpty else { return pass(over: .otherMessage) }
    add(.status(values))
  }
}

extension HeldRegion {
  /// No longer name is taken, in bytes.
  static let longestName = 200
  /// More than a phone can hold: Android's limit is 100.
  static let most = 500

  /// A waypoint as a phone says it back; nil if it is none.
  init?(_ node: JSONValue) {
    guard node.members != nil, node["tst"] != nil || node["rid"] != nil || node["desc"] != nil
    else {
      return nil
    }
    var center: Coordinate?
    if let latitude = node["lat"]?.looseNumber, let longitude = node["lon"]?.looseNumber {
      center = try? Coordinate(latitude: latitude, longitude: longitude)
    }
    let radius = node["rad"]?.looseNumber ?? 0
    self.init(
      name: node["desc"]?.word(most: Self.longestName),
      slotID: SlotPlan.slotID(rid: node["rid"]?.text, tst: node["tst"]?.looseNumber),
      center: center,
      radiusMeters: (0...IntakeReader.mostAccuracyMeters).contains(radius) ? radius : 0
    )
  }
}
