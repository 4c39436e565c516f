import Timeline

/// How probable it was, all day long, to be at some place of a reminder's target.
///
/// Kept as steps: an instant is noted where the value, in hundredths, is another than before.
package struct PosteriorTrack: Sendable {
  /// From an instant on so many hundredths, 0 … 100; the first is not 0.
  package private(set) var steps: [(at: Timestamp, hundredths: Int)] = []

  package init() {}

  mutating func note(_ probability: Double, at now: Timestamp) {
    let hundredths = Int((probability * 100).rounded())
    guard hundredths != steps.last?.hundredths ?? 0 else { return }
    // What came before at the same instant was a look between two events.
    if steps.last?.at == now { steps.removeLast() }
    steps.append((now, hundredths))
  }
}
