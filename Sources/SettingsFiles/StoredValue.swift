import Basics
import Yams

/// A value of JSON of which nobody knows yet what it is.
package enum StoredValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case list([StoredValue])
  case table([String: StoredValue])

  /// It as JSON, keys in order.
  package var json: String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .integer(let value): return "\(value)"
    case .number(let value): return "\(value)"
    case .text(let text): return JSONText.quoted(text)
    case .list(let values): return JSONText.array(values.map(\.json))
    case .table(let values):
      var object = JSONText()
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        object.add(key, json: value.json)
      }
      return object.closed
    }
  }

  /// It laid over another value: keys that only the other one has keep their values.
  package func laid(over other: StoredValue) -> StoredValue {
    guard case .table(let values) = self, case .table(let others) = other else { return self }
    return .table(
      others.merging(values) { below, above in above.laid(over: below) }
    )
  }
}

extension StoredValue: Codable {
  /// Reads any value.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let values = try? container.decode([StoredValue].self) {
      self = .list(values)
    } else {
      self = .table(try container.decode([String: StoredValue].self))
    }
  }

  /// Writes the value.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let text): try container.encode(text)
    case .list(let values): try container.encode(values)
    case .table(let values): try container.encode(values)
    }
  }
}

extension StrictNode {
  /// A scalar or a list as it is stored: what YAML takes for a number or a truth is one.
  var stored: StoredValue {
    if let sequence = node.sequence {
      return .list(sequence.map { StrictNode(node: $0, file: file, path: path).stored })
    }
    let text = node.scalar?.string ?? ""
    switch node.tag {
    case Tag(.bool): return .bool(text == "true")
    case Tag(.int): return Int64(text).map { .integer($0) } ?? .text(text)
    case Tag(.float): return Double(text).map { .number($0) } ?? .text(text)
    default: return .text(text)
    }
  }
}
