import Basics

/// JSON that keeps the order of its keys.
package indirect enum JSONNode: Sendable {
  case text(String)
  case number(Double, digits: Int)
  case bool(Bool)
  case null
  case list([JSONNode])
  case object([(String, JSONNode)])

  package static func integer(_ value: Int) -> JSONNode { .number(Double(value), digits: 0) }

  /// A document with a line for each entry of the upper two levels.
  package var document: String { render(depth: 0) + "\n" }

  private func render(depth: Int) -> String {
    switch self {
    case .list(let items):
      guard depth < 2, !items.isEmpty else {
        return "[" + items.map { $0.render(depth: depth + 1) }.joined(separator: ", ") + "]"
      }
      return block("[", items.map { $0.render(depth: depth + 1) }, "]", depth)
    case .object(let members):
      let lines = members.map { "\(Self.quoted($0.0)): \($0.1.render(depth: depth + 1))" }
      guard depth < 1 else { return "{" + lines.joined(separator: ", ") + "}" }
      return block("{", lines, "}", depth)
    case .text(let text): return Self.quoted(text)
    case .number(let value, let digits): return fixed(value, digits)
    case .bool(let value): return value ? "true" : "false"
    case .null: return "null"
    }
  }

  private func block(_ open: String, _ lines: [String], _ close: String, _ depth: Int) -> String {
    let indent = String(repeating: "  ", count: depth)
    return "\(open)\n\(indent)  " + lines.joined(separator: ",\n\(indent)  ")
      + "\n\(indent)\(close)"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
