/// A number with so many digits after the point, by whole-number arithmetic.
///
/// The same on every machine.
///
/// - Precision: halves are rounded away from zero; for magnitudes below 9e15 / 10^digits.
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
