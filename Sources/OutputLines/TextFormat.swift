import Basics
import NearMeEngine
import Timeline

/// What is on the screen, for people.
public struct TextFormat: Sendable {
  /// The zone of the times.
  public let zone: UTCOffsetTable

  /// Makes the format; times are told in a zone.
  public init(zone: UTCOffsetTable) { self.zone = zone }

  /// A line of output, or nil for what people need not see.
  public func text(_ line: ReplayLine) -> String? {
    if case .actionRefused(let at, let reminder, let refusal) = line {
      return "\(clock(at)) \(padded(" refused", 10))  \(reminder): \(refusal.label)"
    }
    if case .access(let at, let access) = line {
      return "\(clock(at)) \(padded(" location", 10))  \(access.sentence)"
    }
    guard case .notification(let notification, let isUpdate) = line else { return nil }
    let kind = (isUpdate ? "+" : " ") + name(notification.kind)
    let label = "\(clock(notification.at)) \(padded(kind, 10))  "
    let indent = String(repeating: " ", count: label.count)
    return label + notification.lines.joined(separator: "\n" + indent)
  }

  private func name(_ kind: NotificationKind) -> String {
    switch kind {
    case .approach: "near"
    case .arrival: "arriving"
    case .postArrival: "still"
    case .scheduled: "due"
    case .leave: "leaving"
    case .signal: "now"
    case .summary: "meanwhile"
    }
  }

  private func clock(_ instant: Timestamp) -> String {
    let (date, minute) = zone.local(at: instant)
    return "\(date.year)-\(twoDigits(date.month))-\(twoDigits(date.day)) "
      + timeOfDay(minute: minute)
  }
}
