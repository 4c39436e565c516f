import Basics
import Geodesy
import Timeline
import Traces

/// Overland for iOS, as its release of 2024 behaves: every position in batches, at intervals.
///
/// A batch is taken when the answer's body says `{"result":"ok"}`; otherwise the whole of it is sent again at the
/// next interval.
package struct OverlandIOS: PhoneApp {
  /// How many features a batch has at most; its owner chooses from 50 to 1,000.
  package let batchSize: Int
  /// How often it sends.
  package let interval: Milliseconds
  /// How often the server's error was shown.
  package private(set) var errorCount = 0
  private let account: Account
  private var features: [(text: String, fix: Fix)] = []
  private var underWay = 0
  private var batch: (id: Int, count: Int)?
  private var made = 0
  private var nextSend: Timestamp?

  /// Makes one that has never run.
  package init(_ account: Account, batchSize: Int = 200, interval: Milliseconds = .minutes(5)) {
    self.account = account
    self.batchSize = min(max(batchSize, 50), 1_000)
    self.interval = interval
  }

  package var waitingCount: Int { features.count }
  package var nextInstant: Timestamp? { features.isEmpty ? nil : nextSend }

  package mutating func take(_ fix: Fix) {
    if nextSend == nil { nextSend = fix.at + interval }
    let told = Self.told(fix)
    let text = Self.feature(told, device: account.device)
    // The queue is kept by time in whole seconds: the later of two of a second takes the place.
    if let last = features.last, last.fix.at == told.at, features.count > underWay {
      features.removeLast()
    }
    features.append((text, told))
  }

  /// Whole seconds, meters a second and degrees; what is unknown is −1.
  private static func told(_ fix: Fix) -> Fix {
    Fix(
      at: Timestamp(seconds: Int64(seconds(fix.at))),
      coordinate: sixDigits(fix.coordinate),
      horizontalAccuracyMeters: Double(accuracy(fix)),
      speedMetersPerSecond: fix.speedMetersPerSecond.map { $0.rounded() },
      courseDegrees: fix.courseDegrees.map { $0.rounded() }
    )
  }

  private static func feature(_ fix: Fix, device: String) -> String {
    var properties = JSONText()
    properties.add("timestamp", RFC3339.format(fix.at))
    properties.add("altitude", -1)
    properties.add("speed", fix.speedMetersPerSecond.map { Int($0) } ?? -1)
    properties.add("course", fix.courseDegrees.map { Int($0) } ?? -1)
    properties.add("horizontal_accuracy", Int(fix.horizontalAccuracyMeters))
    properties.add("vertical_accuracy", -1)
    properties.add("speed_accuracy", -1)
    properties.add("motion", [String]())
    properties.add("battery_state", "unplugged")
    properties.add("battery_level", 0.8, digits: 2)
    properties.add("wifi", "")
    properties.add("device_id", device)
    let (latitude, longitude) = (fix.coordinate.latitude, fix.coordinate.longitude)
    var geometry = JSONText()
    geometry.add("type", "Point")
    geometry.add("coordinates", json: "[\(fixed(longitude, 6)),\(fixed(latitude, 6))]")
    var json = JSONText()
    json.add("type", "Feature")
    json.add("geometry", json: geometry.closed)
    json.add("properties", json: properties.closed)
    return json.closed
  }

  package mutating func nextRequests(at now: Timestamp) -> [OutgoingRequest] {
    guard let nextSend, nextSend <= now, !features.isEmpty else { return [] }
    let count = min(batchSize, features.count)
    if batch?.count != count {
      made += 1
      batch = (made, count)
    }
    underWay = count
    let sent = features.prefix(count)
    var json = JSONText()
    json.add("locations", json: JSONText.array(sent.map(\.text)))
    return [
      OutgoingRequest(
        id: batch?.id ?? made,
        method: "POST",
        path: account.path,
        headers: [
          .init("Content-Type", "application/json"), account.bearer,
          .init("User-Agent", "Overland/1.4.0 CFNetwork/3860.100.1 Darwin/25.0.0"),
        ],
        body: Array(json.closed.utf8),
        fixes: sent.map(\.fix)
      )
    ]
  }

  package mutating func answered(_ id: Int, _ answer: Answer, at now: Timestamp) {
    guard let batch, batch.id == id else { return }
    let said = answer.isSuccess ? try? JSONValue.parse(answer.text) : nil
    underWay = 0
    if said?["error"]?.text != nil { errorCount += 1 }
    guard said?["result"]?.text == "ok" else {
      nextSend = now + interval
      return
    }
    features.removeFirst(min(batch.count, features.count))
    self.batch = nil
    // While a whole batch is left the next one follows at once.
    if features.count < batchSize { nextSend = now + interval }
  }

  package mutating func restart(at now: Timestamp) {
    underWay = 0
    nextSend = now + interval
  }
}
