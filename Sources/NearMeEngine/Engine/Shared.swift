/// A value that never changes, held once: its holders are copied all the time, and it is large.
final class Shared<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
