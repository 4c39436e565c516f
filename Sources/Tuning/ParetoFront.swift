import Scoring

/// A score that a front looks at, and which way is better.
package struct FrontAxis: Hashable, Sendable {
  /// Which score.
  package let metric: Metric
  /// Whether more is better.
  package let isMoreBetter: Bool

  /// What people weigh against each other: false alarms, missed visits, delay, and the phone's work.
  package static func usual(_ goal: Goal) -> [FrontAxis] {
    var axes = [
      FrontAxis(metric: .falsePositiveRate, isMoreBetter: false),
      FrontAxis(metric: .recall5min, isMoreBetter: true),
      FrontAxis(metric: .delayMedian, isMoreBetter: false),
      FrontAxis(metric: .wakesPerHour, isMoreBetter: false),
    ]
    if !axes.contains(where: { $0.metric == goal.metric }) {
      axes.append(FrontAxis(metric: goal.metric, isMoreBetter: goal.isMost))
    }
    return axes
  }

  /// A value that is the smaller the better; infinite where there is none.
  ///
  /// Wakes are compared in whole ones an hour: what is less is the luck of a few timers, and would put
  /// on the front what is not worth choosing.
  func loss(_ value: Double?) -> Double {
    guard var value else { return .infinity }
    if metric == .wakesPerHour { value = value.rounded() }
    return isMoreBetter ? -value : value
  }
}

/// Which of some policies no other one beats in everything.
///
/// - Parameter losses: for each policy one number for each axis, the smaller the better.
/// - Returns: the places of those that are on the front, ascending. Of policies that are alike in
///   everything the first one stands for all.
/// - Complexity: O(n²).
package func paretoFront(_ losses: [[Double]]) -> [Int] {
  losses.indices.filter { i in
    !losses.indices.contains { j in
      guard j != i, zip(losses[j], losses[i]).allSatisfy({ $0 <= $1 }) else { return false }
      return losses[j] != losses[i] || j < i
    }
  }
}
