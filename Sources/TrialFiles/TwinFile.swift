import Geodesy
import NearMeEngine
import Replay
import SettingsFiles
import Timeline

/// A model of a phone's location service as a file: every number by name, with its source.
package enum TwinFile: SettingsFileKind {
  package typealias Settings = TwinSettings

  /// Reads a twin file, YAML or JSON; keys that are not there keep the values of `twin`.
  package static func read(
    path: String,
    over twin: TwinSettings
  ) throws(SettingsError) -> TwinSettings {
    var twin = twin
    try table.read(StrictDocument(path: path).root, into: &twin)
    return twin
  }

  /// Reads a twin file's text.
  package static func read(
    text: String,
    file: String,
    over twin: TwinSettings
  ) throws(SettingsError) -> TwinSettings {
    var twin = twin
    try table.read(StrictDocument(text: text, file: file).root, into: &twin)
    return twin
  }

  /// The complete twin as YAML, with the meaning and the source of every key.
  package static func show(_ twin: TwinSettings) -> String { table.show(twin) }

  private static let table = SettingsTable<TwinSettings>(
    title: "Near Me twin: what a phone's location service does, and where each number comes from.",
    groups: [limit, crossing, latency, changes, visits, motion]
  )

  private static let limit = Group(
    name: "limit",
    comment: "How many regions it takes.",
    keys: [
      integer(
        "regions",
        \.regions,
        in: 1...10_000,
        "One more is refused, and the app learns of it.",
        "ios 20: Apple, CLLocationManager.startMonitoring(for:).",
        "android 100: Google, \"Create and monitor geofences\" (for each app and user)."
      )
    ]
  )

  private static let crossing = Group(
    name: "crossing",
    comment: "When a crossing counts.",
    keys: [
      length(
        "smallest_radius",
        \.crossing.smallestRadiusMeters,
        "No region acts smaller than this.",
        "ios 100 m: home-assistant/iOS #784, regions enter at about 100 m whatever their radius.",
        "android 100 m: Google recommends 100 to 150 m as the least."
      ),
      length(
        "cushion",
        \.crossing.cushionMeters,
        "So far beyond the boundary one must be; coming in never needs more than smallest_radius.",
        "ios 100 m: Apple (\"Region Monitoring\") speaks of a minimum distance and tests with 200 m;",
        "owntracks/ios #675 and #719 saw exits at 1.5 radii or 200 m outside.",
        "android 0: see cushion_per_accuracy."
      ),
      number(
        "cushion_per_accuracy",
        \.crossing.cushionPerAccuracy,
        in: 0...100,
        "The cushion is at least this share of the fix's accuracy.",
        "ios 1: judgment; Apple says that hardware and technology set the threshold.",
        "android 0.7: an overlap of 85 % of the accuracy disc to come in, 15 % to go out",
        "(ProximityKitGeofenceNotifier, 2013)."
      ),
      duration(
        "enter_hold",
        \.crossing.enterHold,
        "So long one must stay inside before it counts; on Android the loitering delay, if one is",
        "asked for.",
        "ios 20 s: Apple, \"Location and Maps Programming Guide\", \"Region Monitoring\".",
        "android 0: without a loitering delay."
      ),
      duration(
        "exit_hold",
        \.crossing.exitHold,
        "So long one must stay outside before it counts.",
        "ios 20 s: as for enter_hold.",
        "android 0: none is documented."
      ),
      bool(
        "tells_initial",
        \.crossing.tellsInitial,
        "Whether coming in is told of a region that one is inside of when it is registered.",
        "ios false: Apple, the boundary must be crossed; radarlabs/radar-sdk-ios PR #634.",
        "android true: Google, INITIAL_TRIGGER_ENTER."
      ),
      bool(
        "keeps_noticed",
        \.crossing.keepsNoticed,
        "Whether a crossing that was noticed is told although its region was taken away or put back",
        "before.",
        "ios and android false: radarlabs/radar-sdk-ios PR #634."
      ),
      bool(
        "tells_passing",
        \.crossing.tellsPassing,
        "Whether a region that was only passed through between two fixes is told.",
        "ios and android false: nobody does."
      ),
      bool(
        "tells_previous",
        \.crossing.tellsPrevious,
        "Whether the fix before the present one comes with it.",
        "ios and android false: the app has slept."
      ),
    ]
  )

  private static let latency = Group(
    name: "latency",
    comment:
      "How late a crossing is told once it counts: quantiles of the spans, lines between them.",
    keys: [
      quantiles(
        "moving",
        \.latency.moving,
        "In motion.",
        "ios: nearly all within 30 s (Radius Networks, \"Geofence Performance Testing\", 2015);",
        "3 to 5 min on average (Apple). The tail between is judgment.",
        "android: usually less than 2 min, 2 to 3 min in the background (Google)."
      ),
      quantiles(
        "still",
        \.latency.still,
        "In the first two minutes of motion after a long rest.",
        "ios: no source tells them apart.",
        "android: up to 6 min when the device has not moved for a long time (Google)."
      ),
      Key(
        name: "still_after",
        comments: [
          "A rest of at least this is long; 0: the second distribution is never used.",
          "android 10 min: judgment; Google says \"a significant period of time\".",
        ]
      ) {
        "\"\(($0.latency.stillAfter ?? Milliseconds(0)).name)\""
      } read: { (twin, node) throws(SettingsError) in
        let span = try node.duration()
        twin.latency.stillAfter = span.value > 0 ? span : nil
      },
      duration(
        "batch",
        \.latency.batch,
        "Between two wakes by regions lies at least this: what comes in between comes together.",
        "ios 0: none is documented.",
        "android 40 s: customerio-android #894 saw 3 batches in 120 s; notification",
        "responsiveness, if an app sets one, makes it longer."
      ),
    ]
  )

  private static let motion = Group(
    name: "motion",
    comment: "What the phone notices of its own motion.",
    keys: [
      bool(
        "is_felt",
        \.feelsMotion,
        "Whether a sensor tells of a walk or a ride: a receiver that may rest (monitor: ease) is then on.",
        "ios and android true: judgment; it is as good as the recorded speeds, and 5 s late."
      )
    ]
  )

  private static let changes = Group(
    name: "significant_changes",
    comment: "Wakes by larger moves.",
    keys: [
      bool(
        "on",
        \.changes.isOn,
        "Whether the app asks for them all the time. Ours does only while a position is awaited: most cross nothing.",
        "android: Play services have no such service."
      ),
      length(
        "distance",
        \.changes.distanceMeters,
        "So far from the last one.",
        "500 m: Apple, startMonitoringSignificantLocationChanges()."
      ),
      duration(
        "interval",
        \.changes.interval,
        "And so long after it.",
        "5 min: Apple, startMonitoringSignificantLocationChanges()."
      ),
    ]
  )

  private static let visits = Group(
    name: "visits",
    comment: "Arrivals and departures that the system notices by itself.",
    keys: [
      bool(
        "on",
        \.visits.isOn,
        "Whether the app asks for them all the time. Ours does only while a position is awaited.",
        "android: Play services have no such service."
      ),
      length(
        "radius",
        \.visits.radiusMeters,
        "Within this distance one has not left.",
        "100 m: judgment; Apple gives no number."
      ),
      duration(
        "stay",
        \.visits.stay,
        "So long one must be there.",
        "3 min: judgment; stops are found after 2 to 5 min elsewhere (Radar 140 s, Polyfence 300 s)."
      ),
      duration(
        "arrival_delay",
        \.visits.arrivalDelay,
        "How late an arrival is told after that.",
        "2 min: judgment; visits come minutes late."
      ),
      duration(
        "departure_delay",
        \.visits.departureDelay,
        "How late a departure is told.",
        "3 min: judgment; visits come minutes late."
      ),
    ]
  )

  private static func quantiles(
    _ name: String,
    _ field: Field<TwinSettings.Quantiles>,
    _ comments: String...
  ) -> Key {
    let names = TwinSettings.Quantiles.shares.map { "p\(Int(($0 * 100).rounded()))" }
    return Key(name: name, comments: comments) { twin in
      let spans = zip(names, twin[keyPath: field].spans)
        .map { "\($0): \"\($1.name)\"" }
      return "{" + spans.joined(separator: ", ") + "}"
    } read: { (twin, node) throws(SettingsError) in
      let keys = try node.mapping(keys: names)
      var spans = twin[keyPath: field].spans
      for (i, name) in names.enumerated() {
        if let value = keys[name] { spans[i] = try value.duration() }
      }
      guard zip(spans, spans.dropFirst()).allSatisfy({ $0 <= $1 }) else {
        let list = zip(names, spans).map { "\($0) \($1.name)" }.joined(separator: ", ")
        throw node.failure("the spans must not shrink, and they are \(list)")
      }
      twin[keyPath: field] = TwinSettings.Quantiles(spans)
    }
  }
}
