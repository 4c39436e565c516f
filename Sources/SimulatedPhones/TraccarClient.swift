import Basics
import Geodesy
import Timeline
import Traces

/// Traccar Client 10, as it behaves since July 2026: one position a request, as a form, one after the other.
///
/// A position is kept until it is answered 2xx. While nothing moves, a heartbeat without a position is sent.
package struct TraccarClient: PhoneApp {
  /// A position so far from the last one is sent: its default.
  static let distanceMeters = 75.0
  /// A position so long after the last one is sent: its default.
  static let interval = Milliseconds.minutes(5)
  /// Kilometers of a nautical mile: speeds are in knots.
  static let knot = 1_852.0 / 3_600

  private let account: Account
  private var outbox = Outbox(backoff: Outbox.Backoff(first: .seconds(5), most: .minutes(5)))
  private var last: Fix?
  private var nextHeartbeat: Timestamp?

  /// Makes one that has never run.
  package init(_ account: Account) { self.account = account }

  package var waitingCount: Int { outbox.count }
  package var nextInstant: Timestamp? {
    [outbox.nextAttempt, nextHeartbeat].compactMap(\.self).min()
  }

  package mutating func take(_ fix: Fix) {
    heartbeat(upTo: fix.at)
    if let last, fix.at - last.at < Self.interval,
      fix.coordinate.distanceMeters(to: last.coordinate) < Self.distanceMeters
    {
      return
    }
    last = fix
    nextHeartbeat = fix.at + Self.interval + Self.interval
    let knots = fix.speedMetersPerSecond.map { fixed($0 / Self.knot, 4) }
    let course = fix.courseDegrees.map { fixed($0, 1) }
    let form = [
      ("id", account.device), ("lat", fixed(fix.coordinate.latitude, 6)),
      ("lon", fixed(fix.coordinate.longitude, 6)), ("timestamp", "\(seconds(fix.at))"),
      ("accuracy", "\(accuracy(fix)).0"), ("speed", knots ?? "-1"), ("bearing", course ?? "-1"),
      ("altitude", "0.0"), ("batt", "64.0"), ("charge", "false"),
    ]
    let told = Fix(
      at: Timestamp(seconds: Int64(seconds(fix.at))),
      coordinate: sixDigits(fix.coordinate),
      horizontalAccuracyMeters: Double(accuracy(fix)),
      speedMetersPerSecond: knots.flatMap(Double.init).map { $0 * Self.knot },
      courseDegrees: course.flatMap(Double.init)
    )
    outbox.add(formText(form), fixes: [told])
  }

  private mutating func heartbeat(upTo now: Timestamp) {
    while let due = nextHeartbeat, due <= now {
      outbox.add(
        formText([("id", account.device), ("timestamp", "\(seconds(due))"), ("batt", "63.0")])
      )
      nextHeartbeat = due + Self.interval + Self.interval
    }
  }

  package mutating func nextRequests(at now: Timestamp) -> [OutgoingRequest] {
    heartbeat(upTo: now)
    guard let message = outbox.next(at: now) else { return [] }
    return [
      OutgoingRequest(
        id: message.id,
        method: "POST",
        path: account.path,
        headers: [
          .init("Content-Type", "application/x-www-form-urlencoded"),
          .init("User-Agent", "Dart/3.9 (dart:io)"),
        ],
        body: message.body,
        fixes: message.fixes
      )
    ]
  }

  package mutating func answered(_ id: Int, _ answer: Answer, at now: Timestamp) {
    answer.isSuccess ? outbox.drop(id) : outbox.keep(id, at: now)
  }

  package mutating func restart(at now: Timestamp) { outbox.restart() }
}

/// Names and values as a form or a query has them.
func formText(_ values: [(String, String)]) -> String {
  values.map { "\(escaped($0.0))=\(escaped($0.1))" }.joined(separator: "&")
}

private func escaped(_ text: String) -> String {
  var result = ""
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      result.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      result += "%" + (digits.count < 2 ? "0" : "") + digits
    }
  }
  return result
}
