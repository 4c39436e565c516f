/// Why a recurrence is refused: the part that is wrong, what is wrong with it, what to write instead.
public struct RecurrenceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What sort of trouble it is.
  public enum Kind: String, Hashable, Sendable {
    /// A part that cannot be read, is unknown, or stands where it must not.
    case malformed
    /// A rule that no date fits.
    case neverFires
    /// An answer that takes more steps than ``RecurrenceSet/maximumSteps``.
    case tooManySteps
    /// What the other form cannot say.
    case inexpressible
  }

  /// What sort of trouble it is.
  public let kind: Kind
  /// The part that is wrong, such as `BYMONTHDAY`, `start` or `zone`.
  public let part: String
  /// What is wrong with it, and what to write instead.
  public let reason: String

  /// Makes an error.
  public init(_ kind: Kind = .malformed, part: String, _ reason: String) {
    self.kind = kind
    self.part = part
    self.reason = reason
  }

  /// A sentence such as `BYMONTHDAY: 32 is no day of a month: write 1 to 31, or -1 to -31 …`.
  public var description: String { "\(part): \(reason)" }
}
