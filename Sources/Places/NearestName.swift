/// The name that a misspelled one was most likely meant to be.
///
/// - Returns: nil if none is near: more than a third of the letters would have to change.
/// - Complexity: O(letters²) a name.
package func nearestName(to text: String, among names: [String]) -> String? {
  let scored = names.map { (name: $0, distance: editDistance(text, $0)) }
  guard let best = scored.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else {
    return nil
  }
  return best.distance <= max(2, best.name.count / 3) ? best.name : nil
}

/// How many letters must be added, taken away or changed (Levenshtein).
private func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a.prefix(64)), Array(b.prefix(64)))
  var row = Array(0...b.count)
  for i in 0..<a.count {
    var diagonal = row[0]
    row[0] = i + 1
    for j in 0..<b.count {
      let above = row[j + 1]
      row[j + 1] = a[i] == b[j] ? diagonal : 1 + min(diagonal, above, row[j])
      diagonal = above
    }
  }
  return row[b.count]
}
