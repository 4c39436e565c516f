/// What the same days score under one draw of chance after another.
///
/// Chance is how late a phone is. One draw says little: it can be three points of visits from the next.
public struct ScoreDraws: Sendable {
  /// The seeds of the draws, in order.
  public let seeds: [UInt64]
  private let totals: [Tally]

  /// Makes it.
  ///
  /// - Parameter days: each day's scores, in the order of the seeds.
  public init(_ days: [[DayScore]], seeds: [UInt64]) {
    self.seeds = seeds
    totals = seeds.indices.map { draw in total(days.compactMap { $0[draw].tallies[.all] }) }
  }

  /// A score of each draw that has it.
  public func values(_ metric: Metric) -> [Double] { totals.compactMap { metric.value(of: $0) } }

  /// The scores of a draw, by its place; nil where nothing was to be scored.
  func value(_ metric: Metric, ofDraw draw: Int) -> Double? { metric.value(of: totals[draw]) }
}
