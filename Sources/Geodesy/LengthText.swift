/// Reads a length such as `3mi`, `500m`, `2.5 km`, `200ft` or a bare number of meters.
///
/// White space around the number and the unit is allowed; the unit may be in capitals. Exponents
/// are not: they are a typing error far more often than a length.
///
/// - Returns: meters, finite and not negative; nil if the text is anything else.
/// - Complexity: O(bytes).
/// - Source: international mile and foot, 1 609.344 m and 0.3048 m; nautical mile, 1 852 m.
public func parseLengthMeters(_ text: String) -> Double? {
  let trimmed = text.drop(while: isBlank)
  let number = trimmed.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
  guard number.contains(where: { $0.isNumber }), let value = Double(number) else { return nil }
  var unit = trimmed.dropFirst(number.count).drop(while: isBlank)
  while let last = unit.last, isBlank(last) { unit.removeLast() }
  guard let metersPerUnit = metersPerUnit(named: unit.lowercased()) else { return nil }
  let meters = value * metersPerUnit
  return meters.isFinite ? meters : nil
}

private func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

private func metersPerUnit(named unit: String) -> Double? {
  switch unit {
  case "", "m", "meter", "meters", "metre", "metres": 1
  case "km": 1_000
  case "mi", "mile", "miles": 1_609.344
  case "ft", "feet": 0.3048
  case "yd": 0.9144
  case "nmi": 1_852
  default: nil
  }
}
