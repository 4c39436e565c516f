import Basics

/// What each app is answered once what it sent is on the disk.
///
/// | road | status and body | why |
/// |---|---|---|
/// | `owntracks` | 200, commands or `[]` | Android resends for ever what is not answered in JSON |
/// | `overland` | 200, `{"result":"ok"}` | without it the app keeps the batch and sends it again |
/// | `traccar`, `osmand` | 200, `OK` | any 2xx; the body is not read |
/// | `gpslogger` | 200, `OK` | any 2xx; the body is not read |
/// | `fixes`, `signals` | 200, `{"result":"ok"}` | Colota reads the status alone, a shortcut the body |
package func shortAnswer(to source: IntakeSource) -> (body: String, contentType: String) {
  switch source {
  case .owntracks: ("[]", "application/json")
  case .overland, .fixes, .signals: (#"{"result":"ok"}"#, "application/json")
  case .traccar, .osmand, .gpslogger: ("OK", "text/plain; charset=utf-8")
  }
}

/// How often Overland is to look and to send.
///
/// The words are those that the app knows; it leaves alone what it does not.
package struct OverlandCadence: Hashable, Sendable {
  /// How it looks for positions.
  package enum Tracking: String, Hashable, Sendable, CaseIterable {
    /// Every position.
    case standard
    /// Moves of some 500 m.
    case significant
    /// Both.
    case both
  }

  /// How often it sends, in seconds.
  package enum SendInterval: Int, Hashable, Sendable, CaseIterable {
    case second = 1
    case tenSeconds = 10
    case halfMinute = 30
    case minute = 60
    case fiveMinutes = 300
    case halfHour = 1_800

    var word: String { rawValue < 60 ? "\(rawValue)s" : "\(rawValue / 60)m" }
  }

  /// How it looks for positions; nil leaves it as it is.
  package var tracking: Tracking?
  /// How often it sends; nil leaves it as it is.
  package var sendInterval: SendInterval?

  /// Makes a cadence.
  package init(tracking: Tracking? = nil, sendInterval: SendInterval? = nil) {
    self.tracking = tracking
    self.sendInterval = sendInterval
  }
}

/// What Overland is answered.
///
/// - Parameter cadence: nil where the owner has not allowed that we change the app's settings.
/// - Source: README of Overland for iOS, "API", and what its code of 2026 sets.
package func overlandAnswer(_ cadence: OverlandCadence? = nil) -> String {
  var json = JSONText()
  json.add("result", "ok")
  var set = JSONText()
  if let interval = cadence?.sendInterval { set.add("send_interval", interval.word) }
  if let tracking = cadence?.tracking {
    var main = JSONText()
    main.add("tracking_mode", tracking.rawValue)
    set.add("main", json: main.closed)
  }
  if !set.isEmpty { json.add("set", json: set.closed) }
  return json.closed
}
