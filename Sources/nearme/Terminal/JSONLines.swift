import Basics
import Foundation

/// Values as lines of JSON, handed from one nearme to another.
enum JSONLines {
  /// The line of a value, its keys in order.
  static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// The value of a line; nil if it is none.
  static func value<Value: Decodable>(_ line: Substring, as type: Value.Type) -> Value? {
    try? JSONDecoder().decode(type, from: Data(line.utf8))
  }

  /// The lines of a file.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be read.
  static func lines(of path: String) throws -> [Substring] {
    guard let text = String(ifUTF8: try contents(ofFile: path)) else {
      throw CommandFailure(.badInput, "\(path): is no text in UTF-8: name another file")
    }
    return text.split(separator: "\n")
  }
}
