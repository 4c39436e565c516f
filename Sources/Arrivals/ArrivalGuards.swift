/// What keeps a place that is probable enough from being arrived at.
package struct ArrivalGuards: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// It has been arrived at in this stay.
  package static let told = ArrivalGuards(rawValue: 1)
  /// It is one of the user's own places, and the person has not stopped.
  package static let passing = ArrivalGuards(rawValue: 2)
  /// Another place was arrived at less than ``DecisionSettings/nextPlaceAfter`` ago.
  package static let nextPlaceAfter = ArrivalGuards(rawValue: 4)
  /// It is nearer than ``DecisionSettings/nextPlaceMeters`` to where another place was arrived at.
  package static let nextPlaceWay = ArrivalGuards(rawValue: 8)
  /// Within one stay, another place must be more probable by ``DecisionSettings/nextPlaceMargin``.
  package static let nextPlaceMargin = ArrivalGuards(rawValue: 16)
  /// The person has hardly been seen in motion: ``DecisionSettings/leastMotionSeconds``.
  package static let leastMotion = ArrivalGuards(rawValue: 32)

  private static let named: [(ArrivalGuards, String)] = [
    (.told, "told: this stay had begun before, so that it is no arrival"),
    (.passing, "passing: one's own place is not arrived at without a stop"),
    (.nextPlaceAfter, "next_after: another place had been arrived at a short while before"),
    (.nextPlaceWay, "next_way: another place had been arrived at too near by"),
    (.nextPlaceMargin, "next_margin: in one stay, another place must be more probable"),
    (.leastMotion, "least_motion: nobody had been seen moving for long enough"),
  ]

  /// Each as a sentence that begins with its name, which is the policy's key where there is one.
  package var sentences: [String] { Self.named.filter { contains($0.0) }.map(\.1) }
}
