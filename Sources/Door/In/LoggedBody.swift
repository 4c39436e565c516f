import Crypto
import Foundation
import Phones
import Timeline

/// A body as it came in, which is on the disk before it is answered.
struct LoggedBody: Sendable {
  /// Its place among all bodies; never used again.
  let serial: Int64
  /// Whose phone sent it.
  let device: DoorDevice
  /// What is in it.
  let reading: IntakeReading
  /// The app's road in.
  let source: IntakeSource
  /// What the app calls itself.
  let userAgent: String?
  /// The same when it is sent again.
  let message: UInt64
  /// When it came in.
  let receivedAt: Timestamp

  init(
    _ body: IntakeBody,
    _ reading: IntakeReading,
    serial: Int64,
    message: UInt64,
    of device: DoorDevice
  ) {
    self.serial = serial
    self.device = device
    self.reading = reading
    self.message = message
    source = body.source
    userAgent = body.userAgent
    receivedAt = body.receivedAt
  }
}

extension [LoggedBody] {
  /// Those of the log as they were taken in when they came, in its order: one by one, but after one whose app sends
  /// in any order all that came within the hold were put in order together.
  ///
  /// Put in order all together, a late one that was refused would count after a kill.
  func groups(within hold: Milliseconds, isHeld: (LoggedBody) -> Bool) -> [[LoggedBody]] {
    var groups: [[LoggedBody]] = []
    for body in self {
      if let first = groups.last?.first, isHeld(first), body.receivedAt - first.receivedAt <= hold {
        groups[groups.count - 1].append(body)
      } else {
        groups.append([body])
      }
    }
    return groups
  }
}

/// The head of a stored body; the bytes follow after a line feed.
private struct StoredHead: Codable {
  var source: String
  var query: [[String]]
  var contentType: String?
  var userAgent: String?
  var limitDevice: String?
}

extension IntakeBody {
  /// Its number, the same for the same body: the beginning of its SHA-256.
  var message: UInt64 {
    var hash = SHA256()
    hash.update(data: Data(source.rawValue.utf8))
    for (name, value) in query { hash.update(data: Data("\0\(name)=\(value)".utf8)) }
    hash.update(data: bytes)
    return hash.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// As it is sealed.
  var stored: Data {
    let head = StoredHead(
      source: source.rawValue,
      query: query.map { [$0.name, $0.value] },
      contentType: contentType,
      userAgent: userAgent,
      limitDevice: limitDevice
    )
    guard var data = try? JSONEncoder().encode(head) else {
      preconditionFailure("words can be written as JSON")
    }
    data.append(0x0A)
    data.append(contentsOf: bytes)
    return data
  }

  /// A body as it was sealed; nil if it is none.
  init?(stored data: Data, receivedAt: Timestamp, settings: SourceSettings) {
    guard let end = data.firstIndex(of: 0x0A),
      let head = try? JSONDecoder().decode(StoredHead.self, from: data[..<end]),
      let source = IntakeSource(rawValue: head.source)
    else { return nil }
    self.init(
      source: source,
      bytes: [UInt8](data[(end + 1)...]),
      query: head.query.compactMap { $0.count == 2 ? (name: $0[0], value: $0[1]) : nil },
      contentType: head.contentType,
      userAgent: head.userAgent,
      limitDevice: head.limitDevice,
      receivedAt: receivedAt,
      settings: settings
    )
  }
}

extension DeviceSettings {
  /// What the reader of its bodies goes by.
  var source: SourceSettings {
    var settings = SourceSettings()
    if let speedUnit, let unit = SpeedUnit(rawValue: speedUnit) { settings.speedUnit = unit }
    return settings
  }
}
