import Geodesy

/// What is to be said of a length that was typed without a unit; nil where there is one.
///
/// A plain number is meters in our files and in what a cache recorded, but a person who types one may mean
/// miles.
func questionOfUnit(_ length: String) -> String? {
  guard parseLengthMeters(length) ?? 0 > 0, !length.contains(where: \.isLetter) else { return nil }
  let number = length.filter { !$0.isWhitespace }
  return "of what? Name the unit, such as \(number)m, \(number)km or \(number)mi"
}
