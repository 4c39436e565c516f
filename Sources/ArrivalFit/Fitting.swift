import Arrivals
import Foundation
import Places
import Timeline
import Traces

/// What was found of one place at one instant, and whether someone was visiting it.
struct Row {
  var terms: [Double]
  var isVisit: Bool
  var weight: Double
}

/// Later than this after stopping, in seconds, an arrival has been told or never will be: what speaks
/// for one then, at home or at work for hours, is not what the weights are for.
private let longestFittedStop = 1_200.0

/// The rows of a day: each passing or visiting of a place weighs 1, however many instants it has.
func rows(of day: Day, _ settings: ArrivalSettings) -> [Row] {
  var tracker = ArrivalTracker(settings: settings, catalog: day.catalog, places: day.places)
  var rows: [Row] = []
  struct Encounter {
    var rows: [Int]
    var last: Timestamp
    var isVisit: Bool
  }
  var open: [Int: Encounter] = [:]
  var closed: [[Int]] = []
  var sampledAt = Timestamp(milliseconds: .min / 2)
  let visits = mergedVisits(day.truth)
  func look(_ now: Timestamp) {
    guard tracker.motionSeconds >= settings.decision.leastMotionSeconds,
      !tracker.isClearlyMoving(at: now),
      (now - sampledAt).seconds >= 5
    else {
      return
    }
    sampledAt = now
    if let since = tracker.stoppedSince, (now - since).seconds > longestFittedStop { return }
    for candidate in tracker.look(at: now) where candidate.place.slot >= 0 {
      let key = candidate.place.index
      let id = day.catalog.points[key].sourceID
      let isVisit = visits.contains { $0.poi == id && $0.arrive <= now && now <= $0.leave }
      if let before = open[key],
        before.isVisit != isVisit || (now - before.last).seconds > 300
      {
        closed.append(before.rows)
        open[key] = nil
      }
      open[key, default: Encounter(rows: [], last: now, isVisit: isVisit)].rows.append(rows.count)
      open[key]?.last = now
      rows.append(Row(terms: candidate.terms.values, isVisit: isVisit, weight: 0))
    }
  }
  for step in day.steps {
    while let tick = tracker.nextTick, tick < step.fix.at,
      step.awakeUntil.map({ tick <= $0 }) ?? true
    {
      tracker.tick(at: tick)
      look(tick)
    }
    if step.isAfterSleep { tracker.resume(at: step.fix, step.point) }
    if tracker.observe(step.fix, at: step.point) { look(step.fix.at) }
  }
  for encounter in closed + open.keys.sorted().compactMap({ open[$0]?.rows }) {
    for row in encounter { rows[row].weight = 1 / Double(encounter.count).squareRoot() }
  }
  return rows.filter { $0.weight > 0 }
}

/// Logistic regression by Newton's method, with a ridge so that it always ends.
///
/// - Parameter isFree: which weights may differ from 0.
func fit(_ rows: [Row], isFree: [Bool], ridge: Double = 1) -> [Double] {
  let names = isFree.indices.filter { isFree[$0] }
  let n = names.count
  var w = [Double](repeating: 0, count: n)
  for _ in 0..<40 {
    var gradient = [Double](repeating: 0, count: n)
    var hessian = [[Double]](repeating: [Double](repeating: 0, count: n), count: n)
    for row in rows {
      var z = 0.0
      for (i, name) in names.enumerated() { z += w[i] * row.terms[name] }
      let p = 1 / (1 + exp(-z))
      let error = row.weight * ((row.isVisit ? 1 : 0) - p)
      let curvature = row.weight * p * (1 - p)
      for (i, a) in names.enumerated() {
        gradient[i] += error * row.terms[a]
        for (j, b) in names.enumerated() where j <= i {
          hessian[i][j] += curvature * row.terms[a] * row.terms[b]
        }
      }
    }
    for i in 0..<n {
      // The bias is not shrunk.
      let shrink = names[i] == 0 ? 1e-6 : ridge
      gradient[i] -= shrink * w[i]
      hessian[i][i] += shrink
      for j in 0..<i { hessian[j][i] = hessian[i][j] }
    }
    let step = solve(hessian, gradient)
    for i in 0..<n { w[i] += step[i] }
    if step.allSatisfy({ abs($0) < 1e-9 }) { break }
  }
  var all = [Double](repeating: 0, count: isFree.count)
  for (i, name) in names.enumerated() { all[name] = w[i] }
  return all
}

/// Solves a symmetric positive system by elimination with pivots.
private func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double] {
  var a = matrix
  var b = right
  let n = b.count
  for i in 0..<n {
    let pivot = (i..<n).max { abs(a[$0][i]) < abs(a[$1][i]) } ?? i
    a.swapAt(i, pivot)
    b.swapAt(i, pivot)
    for k in (i + 1)..<max(n, i + 1) {
      let factor = a[k][i] / a[i][i]
      for j in i..<n { a[k][j] -= factor * a[i][j] }
      b[k] -= factor * b[i]
    }
  }
  for i in stride(from: n - 1, through: 0, by: -1) {
    for j in (i + 1)..<max(n, i + 1) { b[i] -= a[i][j] * b[j] }
    b[i] /= a[i][i]
  }
  return b
}
