/// The name that a misspelled one was most likely meant to be.
///
/// - Returns: nil if none is near: more than a third of the letters would have to change.
/// - Complexity: O(letters²) a name.
package func nearestName(to text: String, among names: [String]) -> String? {
  let scored = names.map { (name: $0, distance: editDistance(text, $0)) }
  guard let best = scored.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else {
    return nil
  }
  // Where half of the letters differ, something else is meant: of r9 that it is r1 is no guess.
  let isClose = best.distance * 2 < max(text.count, best.name.count)
  return isClose && best.distance <= max(2, best.name.count / 3) ? best.name : nil
}

/// The category that a misspelled one, or one in the plural, was most likely meant to be; nil if none is near.
package func nearestCategory(to text: String, among names: [String]) -> String? {
  let singulars = [("ies", "y"), ("es", ""), ("s", "")]
    .filter { text.hasSuffix($0.0) }
    .map { String(text.dropLast($0.0.count)) + $0.1 }
  if let singular = singulars.first(where: { names.contains($0) }) { return singular }
  return ([text] + singulars).lazy.compactMap { nearestName(to: $0, among: names) }.first
}

/// How many letters must be added, taken away or changed, or change places with the next one (optimal string alignment).
private func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a.prefix(64)), Array(b.prefix(64)))
  var (before, row) = ([Int](), Array(0...b.count))
  for i in a.indices {
    var next = [i + 1]
    for j in b.indices {
      var distance = a[i] == b[j] ? row[j] : 1 + min(row[j], row[j + 1], next[j])
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        distance = min(distance, before[j - 1] + 1)
      }
      next.append(distance)
    }
    (before, row) = (row, next)
  }
  return row[b.count]
}
