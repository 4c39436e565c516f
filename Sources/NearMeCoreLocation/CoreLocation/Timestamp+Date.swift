// Linux: against the signatures in Tests/CoreLocation.
#if canImport(CoreLocation) && (os(iOS) || os(Linux))
import Foundation
import NearMe

extension Timestamp {
  /// Makes an instant of Foundation's, to the millisecond.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
  }

  /// The instant as Foundation has it, such as the earliest begin of a background task.
  public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
#endif
