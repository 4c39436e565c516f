import Geodesy
import Basics
import Timeline

/// How far one has come in the last seconds, for receivers that report no speed.
///
/// Positions are averaged over some seconds; a displacement is the way between two averages.
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

  /// Takes in a fix.
  ///
  /// - Returns: whether an average begins with it.
  @discardableResult
  mutating func add(
    _ position: PlanePoint,
    deviation: Double,
    at now: Timestamp,
    _ settings: MotionSettings
  ) -> Bool {
    let span = settings.displacementMeanSeconds
    if let newest = means.last, (now - newest.began).seconds < span {
      means[means.count - 1].sum = newest.sum + position
      means[means.count - 1].count += 1
      means[means.count - 1].last = now
      means[means.count - 1].deviation += (deviation - newest.deviation) / (newest.count + 1)
      return false
    }
    if means.count >= Int(settings.displacementSeconds / span) + 4 { means.removeFirst() }
    means.append(Mean(began: now, last: now, sum: position, count: 1, deviation: deviation))
    return true
  }

  /// The way and time from an average of about so many seconds ago to the newest, with the deviation
  /// per axis that noise alone would give it; nil where nothing is known that is not too old.
  func latest(
    errorTime: Double,
    _ settings: MotionSettings,
    _ decay: inout RememberedExponential
  ) -> (way: PlanePoint, seconds: Double, noise: Double)? {
    guard let newest = means.last else { return nil }
    let enough = settings.displacementLeastShare * settings.displacementSeconds
    // The youngest that is old enough, else the oldest there is; they get older from the end on.
    var choice: Int?
    for i in means.indices.dropLast().reversed() {
      let age = (newest.last - means[i].last).seconds
      guard age <= settings.displacementOldestSeconds else { break }
      choice = i
      if age >= enough { break }
    }
    guard let choice else { return nil }
    let chosen = means[choice]
    let age = max((newest.last - chosen.last).seconds, 1)
    let deviation = max(newest.deviation, chosen.deviation)
    let noise = deviation * (2 * (1 - decay(-age / errorTime))).squareRoot()
    return (newest.position - chosen.position, age, max(noise, 1))
  }

  /// Moves all positions by the same way, on to another plane.
  mutating func shift(by way: PlanePoint) {
    for i in means.indices { means[i].sum = means[i].sum + way * means[i].count }
  }
}
