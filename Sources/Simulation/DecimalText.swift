/// A number with so many digits after the point, by whole-number arithmetic.
///
/// - Precision: halves are rounded away from zero.
package func decimalText(_ value: Double, _ digits: Int) -> String {
  var scale: Int64 = 1
  for _ in 0..<digits { scale *= 10 }
  let units = Int64((value.magnitude * Double(scale)).rounded())
  let sign = value < 0 && units != 0 ? "-" : ""
  guard digits > 0 else { return sign + String(units) }
  let fraction = String(units % scale)
  let zeros = String(repeating: "0", count: digits - fraction.count)
  return sign + String(units / scale) + "." + zeros + fraction
}

/// Ten-millionths of a degree as degrees.
package func degreesText(e7: Int32) -> String { decimalText(Double(e7) / 1e7, 7) }

/// A number rounded to so many digits after the point, as a reader of ``decimalText(_:_:)`` gets it.
package func rounded(_ value: Double, _ digits: Int) -> Double {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  return (value * scale).rounded() / scale
}
