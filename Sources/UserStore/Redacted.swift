/// A value that logs must not show: a title, a name, a coordinate.
///
/// Whatever prints it prints `<redacted>`. The value itself is there for code that asks by name.
public struct Redacted<Value>: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// What is hidden; nothing that is logged should ask for it.
  public let value: Value

  /// Hides a value.
  public init(_ value: Value) { self.value = value }

  /// The same for every value.
  public var description: String { "<redacted>" }
  /// The same for every value.
  public var debugDescription: String { "<redacted>" }
  /// Nothing to look into, for `dump` and the like.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}
extension Redacted: Hashable where Value: Hashable {}
