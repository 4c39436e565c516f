import Basics
import Foundation
import Timeline

/// The members of an object of a body, read strictly: what is not known is refused, with its path.
package struct APIBody {
  /// A body has at most so many bytes: notes of 10,000 characters in any script, and room.
  static let longestBytes = 128 << 10
  /// One of somebody who is not signed in: a link's secret and the browser's name.
  package static let longestOfStrangers = 4 << 10

  private let value: JSONValue
  private let path: String

  /// Reads a body's bytes.
  static func parse(_ bytes: [UInt8]) throws(APIRefusal) -> JSONValue {
    let result = bytes.withUnsafeBytes { buffer -> Result<JSONValue, JSONError> in
      do throws(JSONError) { return .success(try JSONValue.parse(buffer)) } catch {
        return .failure(error)
      }
    }
    do throws(JSONError) { return try result.get() } catch {
      throw APIRefusal(400, "bad_json", "byte \(error.offset + 1): no JSON: \(error.reason)")
    }
  }

  /// Looks at an object.
  ///
  /// - Parameter keys: those that it may have.
  init(_ value: JSONValue, path: String = "", keys: [String]) throws(APIRefusal) {
    guard let members = value.members else {
      throw .badMember(path.isEmpty ? "the body" : path, "must be an object")
    }
    var seen: Set<String> = []
    for (key, _) in members {
      guard keys.contains(key) else {
        throw .badMember(
          path.isEmpty ? key : "\(path).\(key)",
          "there is no such member: there are \(keys.joined(separator: ", "))"
        )
      }
      guard seen.insert(key).inserted else { throw .badMember(key, "is there twice") }
    }
    self.value = value
    self.path = path
  }

  private func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// The value of a key; null counts as none.
  subscript(key: String) -> JSONValue? {
    guard let value = value[key] else { return nil }
    if case .null = value { return nil }
    return value
  }

  /// Refuses null where only a value or nothing is right.
  func refuseNull(_ keys: String...) throws(APIRefusal) {
    for key in keys {
      if case .null? = value[key] { throw .badMember(name(key), "must not be null") }
    }
  }

  /// A text.
  func text(_ key: String, most: Int) throws(APIRefusal) -> String? {
    guard let value = self[key] else { return nil }
    guard let text = value.text, (1...most).contains(text.unicodeScalars.count) else {
      throw .badMember(name(key), "must be a text of 1 to \(most) characters")
    }
    return text
  }

  /// A text that must be there.
  func needed(_ key: String, most: Int) throws(APIRefusal) -> String {
    guard let text = try text(key, most: most) else { throw .badMember(name(key), "is missing") }
    return text
  }

  /// A number.
  func number(_ key: String, in range: ClosedRange<Double>) throws(APIRefusal) -> Double? {
    guard let value = self[key] else { return nil }
    guard let number = value.double, range.contains(number) else {
      throw .badMember(
        name(key),
        "must be a number of \(plainText(range.lowerBound)) to \(plainText(range.upperBound))"
      )
    }
    return number
  }

  /// A number that must be there.
  func needed(_ key: String, in range: ClosedRange<Double>) throws(APIRefusal) -> Double {
    guard let number = try number(key, in: range) else {
      throw .badMember(name(key), "is missing")
    }
    return number
  }

  /// A whole number.
  func integer(_ key: String, in range: ClosedRange<Int>) throws(APIRefusal) -> Int? {
    guard let value = self[key] else { return nil }
    guard let number = value.double, number == number.rounded(), number.magnitude < 1e15,
      range.contains(Int(number))
    else {
      throw .badMember(
        name(key),
        "must be a whole number of \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return Int(number)
  }

  /// True or false.
  func bool(_ key: String) throws(APIRefusal) -> Bool? {
    guard let value = self[key] else { return nil }
    guard case .bool(let isSo) = value else { throw .badMember(name(key), "must be true or false") }
    return isSo
  }

  /// One of some words.
  func word(_ key: String, of words: [String]) throws(APIRefusal) -> String? {
    guard let value = self[key] else { return nil }
    guard let text = value.text, words.contains(text) else {
      throw .badMember(name(key), "must be one of \(words.joined(separator: ", "))")
    }
    return text
  }

  /// An instant.
  func instant(_ key: String) throws(APIRefusal) -> Timestamp? {
    guard let value = self[key] else { return nil }
    guard let instant = value.text.flatMap({ RFC3339.parse($0) }) else {
      throw .badMember(name(key), "must be an instant such as 2026-11-23T09:00:00Z")
    }
    return instant
  }

  /// An object within.
  func object(_ key: String, keys: [String]) throws(APIRefusal) -> APIBody? {
    guard let value = self[key] else { return nil }
    return try APIBody(value, path: name(key), keys: keys)
  }

  /// A list.
  func list(_ key: String, most: Int) throws(APIRefusal) -> [JSONValue]? {
    guard let value = self[key] else { return nil }
    guard let elements = value.elements, elements.count <= most else {
      throw .badMember(name(key), "must be a list of at most \(most)")
    }
    return elements
  }
}
