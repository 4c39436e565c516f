import Geodesy

/// Ten-millionths of a degree as degrees.
package func degreesText(e7: Int32) -> String { decimalText(Double(e7) / 1e7, 7) }

/// A number rounded to so many digits after the point, as a reader of ``decimalText(_:_:)`` gets it.
package func rounded(_ value: Double, _ digits: Int) -> Double {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  return (value * scale).rounded() / scale
}
