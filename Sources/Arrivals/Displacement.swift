import Timeline

/// How far one has come in the last seconds, for receivers that report no speed.
///
/// Positions are averaged over 5 s; a displacement is the way between two averages about 20 s
/// apart.
struct Displacement: Hashable, Sendable, Codable {
  private struct Mean: Hashable, Sendable, Codable {
    var began: Timestamp
    var last: Timestamp
    var sum: PlanePoint
    var count: Double
    var deviation: Double

    var position: PlanePoint { sum * (1 / count) }
  }

  private var means: [Mean] = []

  private static let meanSpan = Milliseconds(5_000)

  /// Takes in a fix.
  mutating func add(_ position: PlanePoint, deviation: Double, at now: Timestamp) {
    if let newest = means.last, now - newest.began < Self.meanSpan {
      means[means.count - 1].sum = newest.sum + position
      means[means.count - 1].count += 1
      means[means.count - 1].last = now
      means[means.count - 1].deviation += (deviation - newest.deviation) / (newest.count + 1)
      return
    }
    if means.count >= 8 { means.removeFirst() }
    means.append(Mean(began: now, last: now, sum: position, count: 1, deviation: deviation))
  }

  /// The way and time from an average of about so many seconds ago to the newest, with the deviation
  /// per axis that noise alone would give it; nil where nothing of the last two minutes is known.
  func latest(
    over seconds: Double,
    errorTime: Double
  ) -> (way: PlanePoint, seconds: Double, noise: Double)? {
    guard let newest = means.last else { return nil }
    var chosen: Mean?
    for mean in means.dropLast() {
      let age = (newest.last - mean.last).seconds
      guard age <= 120 else { continue }
      // The youngest that is old enough, else the oldest there is.
      if age >= 0.75 * seconds || chosen == nil { chosen = mean }
    }
    guard let chosen else { return nil }
    let age = max((newest.last - chosen.last).seconds, 1)
    let deviation = max(newest.deviation, chosen.deviation)
    let noise = deviation * (2 * (1 - exponential(-age / errorTime))).squareRoot()
    return (newest.position - chosen.position, age, max(noise, 1))
  }

  /// Moves all positions by the same way, on to another plane.
  mutating func shift(by way: PlanePoint) {
    for i in means.indices { means[i].sum = means[i].sum + way * means[i].count }
  }
}
