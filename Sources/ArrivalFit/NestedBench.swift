import Arrivals

/// Scores for which nothing at all was chosen on the people they are of.
///
/// Each group of persons is judged by weights, and by fixed numbers and a threshold, that were best in
/// k-fold over the other groups alone.
struct NestedBench {
  let days: [Day]
  let variants: [(name: String, settings: ArrivalSettings)]
  let thresholds: [Double]
  let folds: Int

  /// What may be notified of all encounters when a choice is made.
  private static let rateAllowed = 0.015

  func report(repeats: Int) {
    let benches = variants.map { Bench(days: days, settings: $0.settings) }
    let rowsOfDay = variants.map { variant in days.map { rows(of: $0, variant.settings) } }
    let isFree = ArrivalTerms.names.map { _ in true }
    print(
      """
      \(folds) groups of persons, \(repeats) ways of grouping them; each group with what was best in
      k-fold over the others, of \(variants.count) settings and \(thresholds.count) thresholds

      """
    )
    print(benches[0].header)
    var stream = Scores()
    var every = Scores()
    var chosen: [String: Int] = [:]
    for salt in 0..<repeats {
      let foldOfDay = days.map { benches[0].fold(of: $0.person, of: folds, salt: salt) }
      func weights(_ variant: Int, without: Set<Int>) -> [Double] {
        var training: [Row] = []
        for i in days.indices
        where days[i].sampling != "significant" && !without.contains(foldOfDay[i]) {
          training += rowsOfDay[variant][i]
        }
        return fit(training, isFree: isFree)
      }
      func score(_ variant: Int, _ weights: [Double], _ threshold: Double, fold: Int) -> Scores {
        var settings = variants[variant].settings
        settings.weights.values = weights
        settings.decision.threshold = threshold
        var scores = Scores()
        for i in days.indices where foldOfDay[i] == fold && days[i].sampling != "significant" {
          scores.add(days[i], benches[variant].notices(days[i], settings))
        }
        return scores
      }
      // One fit for each pair of groups left out serves both of them.
      var inner: [[[[Scores]]]] = []
      for variant in variants.indices {
        var ofVariant = [[[Scores]]](
          repeating: [[Scores]](repeating: [], count: folds),
          count: folds
        )
        for a in 0..<folds {
          for b in 0..<a {
            let w = weights(variant, without: [a, b])
            ofVariant[a][b] = thresholds.map { score(variant, w, $0, fold: b) }
            ofVariant[b][a] = thresholds.map { score(variant, w, $0, fold: a) }
          }
        }
        inner.append(ofVariant)
      }
      for fold in 0..<folds {
        var best: (variant: Int, threshold: Int, r5: Double, fpr: Double)?
        for variant in variants.indices {
          for t in thresholds.indices {
            var sum = Scores()
            for other in 0..<folds where other != fold { sum.add(inner[variant][fold][other][t]) }
            let isAllowed = sum.fpr <= Self.rateAllowed
            let isBetter =
              best.map {
                if isAllowed != ($0.fpr <= Self.rateAllowed) { return isAllowed }
                return isAllowed ? (sum.r5, -sum.fpr) > ($0.r5, -$0.fpr) : sum.fpr < $0.fpr
              } ?? true
            if isBetter { best = (variant, t, sum.r5, sum.fpr) }
          }
        }
        guard let best else { continue }
        chosen["\(thresholds[best.threshold])\(variants[best.variant].name)", default: 0] += 1
        var settings = variants[best.variant].settings
        settings.weights.values = weights(best.variant, without: [fold])
        settings.decision.threshold = thresholds[best.threshold]
        for i in days.indices where foldOfDay[i] == fold {
          let notices = benches[best.variant].notices(days[i], settings)
          every.add(days[i], notices)
          if days[i].sampling != "significant" { stream.add(days[i], notices) }
        }
      }
    }
    print(benches[0].row("nested", stream, every, repeats: repeats))
    print("\nchosen, by the number of groups:")
    for (name, count) in chosen.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      print("  \(count)  threshold \(name)")
    }
  }
}
