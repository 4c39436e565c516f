/// A number with so many digits after the point, by whole-number arithmetic.
///
/// The same on every machine.
///
/// - Precision: halves are rounded away from zero; for magnitudes below 9e15 / 10^digits.
package func fixed(_ value: Double, _ digits: Int) -> String {
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
package func degreesText(e7: Int32) -> String { fixed(Double(e7) / 1e7, 7) }

/// A number rounded to so many digits after the point, as a reader of ``fixed(_:_:)`` gets it.
package func rounded(_ value: Double, _ digits: Int) -> Double {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  return (value * scale).rounded() / scale
}

/// A number of two digits, as clocks and calendars have it.
package func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// A minute of the day as clocks show it: `07:05`.
package func timeOfDay(minute: Int) -> String {
  twoDigits(minute / 60) + ":" + twoDigits(minute % 60)
}
