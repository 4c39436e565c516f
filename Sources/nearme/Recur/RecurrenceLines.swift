import Basics
import Recurrence

/// Answers requests that come as lines of JSON, one line for each.
struct RecurrenceLines {
  private let zones = ZoneShelf()
  private var number = 0

  /// The answer to a line: `{"id":…,"occurrences":[…]}` or `{"id":…,"error":"…"}`; nil to a blank one.
  mutating func answer(_ line: UnsafeRawBufferPointer) -> String? {
    number += 1
    if line.allSatisfy({ $0 <= 0x20 }) { return nil }
    var answer = JSONText()
    do throws(JSONError) {
      let value = try JSONValue.parse(line)
      do throws(RecurrenceError) {
        answer.add("id", json: try Self.id(value))
        let occurrences = try RecurrenceRequest(value, zones: zones).answer()
        var list = "["
        for (index, occurrence) in occurrences.enumerated() {
          list += index == 0 ? "\"" : ",\""
          list += occurrence.description + "\""
        }
        answer.add("occurrences", json: list + "]")
      } catch {
        if answer.isEmpty { answer.add("id", json: "null") }
        answer.add("error", error.description)
      }
    } catch {
      answer.add("id", json: "null")
      answer.add("error", "line \(number), byte \(error.offset + 1): no JSON: \(error.reason)")
    }
    return answer.closed
  }

  /// The id as it is to be written back.
  private static func id(_ line: JSONValue) throws(RecurrenceError) -> String {
    switch line["id"] {
    case nil, .null: return "null"
    case .string(let text): return JSONText.quoted(text)
    case .number(let text): return text
    case .bool(let value): return value ? "true" : "false"
    case .array, .object:
      throw RecurrenceError(part: "id", "it is no text or number: write one of these")
    }
  }
}
