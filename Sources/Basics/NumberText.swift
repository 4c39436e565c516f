/// A number with so many digits after the point, by whole-number arithmetic.
///
/// The same on every machine.
///
/// - Precision: halves are rounded away from zero; for magnitudes below 9e15 / 10^digits.
package func fixed(_ value: Double, _ digits: Int) -> String {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: fixedTextLength) { bytes in
    let start = writeFixed(value, digits, into: bytes)
    guard start < bytes.count else { return plainText(value) }
    return String(decoding: bytes[start...], as: UTF8.self)
  }
}

/// Appends what ``fixed(_:_:)`` gives.
package func appendFixed(_ value: Double, _ digits: Int, to text: inout [UInt8]) {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: fixedTextLength) { bytes in
    let start = writeFixed(value, digits, into: bytes)
    if start < bytes.count {
      text.append(contentsOf: bytes[start...])
    } else {
      text.append(contentsOf: plainText(value).utf8)
    }
  }
}

/// A sign, a point, and no more than 19 digits.
private let fixedTextLength = 24

/// Writes a number at the end of some bytes.
///
/// - Returns: where it begins; the end of the bytes for one too large to have digits after the point.
private func writeFixed(
  _ value: Double,
  _ digits: Int,
  into bytes: UnsafeMutableBufferPointer<UInt8>
) -> Int {
  var scale: Int64 = 1
  for _ in 0..<digits { scale *= 10 }
  let scaled = (value.magnitude * Double(scale)).rounded()
  // Beyond what an integer holds there are no digits after the point to be written.
  guard scaled < 9e18 else { return bytes.count }
  let units = Int64(scaled)
  var left = UInt64(units)
  var at = bytes.count
  func write(_ byte: UInt8) {
    at -= 1
    bytes[at] = byte
  }
  for _ in 0..<digits {
    write(UInt8(truncatingIfNeeded: 0x30 &+ left % 10))
    left /= 10
  }
  if digits > 0 { write(UInt8(ascii: ".")) }
  repeat {
    write(UInt8(truncatingIfNeeded: 0x30 &+ left % 10))
    left /= 10
  } while left > 0
  if value < 0, units != 0 { write(UInt8(ascii: "-")) }
  return at
}

/// A number as the shortest text that reads back as the same one, without an exponent: `0.00001`.
///
/// - Parameter value: finite, or its name is what comes out.
package func plainText(_ value: Double) -> String {
  let text = "\(value)"
  guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...])
  else { return text }
  let parts = text[..<mark].split(separator: ".")
  let sign = text.hasPrefix("-") ? "-" : ""
  var digits = parts.joined().filter { $0 != "-" }
  // Where the point stands among the digits.
  let point = parts[0].filter { $0 != "-" }.count + exponent
  if point <= 0 {
    return sign + "0." + String(repeating: "0", count: -point) + digits
  }
  digits += String(repeating: "0", count: max(0, point - digits.count))
  let fraction = digits.dropFirst(point)
  return sign + digits.prefix(point) + (fraction.allSatisfy { $0 == "0" } ? "" : "." + fraction)
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
