import Basics
import Foundation
import Testing

@Suite struct JSONTests {
  private static let texts = [
    "", "plain", "a \"quote\" and a \\ backslash", "line\nfeed, return\r, tab\t",
    "\u{0}\u{1F}\u{7F}",
    "é ß 語 \u{2028}", "🏴󠁧󠁢󠁳󠁣󠁴󠁿 and 👩‍👩‍👧", "e\u{301} stays two scalars", "</script>",
  ]

  @Test(arguments: texts, [true, false])
  func `what was quoted is read back`(text: String, short: Bool) throws {
    let quoted = JSONText.quoted(text, shortEscapes: short)
    let ours = try JSONValue.parse(quoted).text.map { Array($0.unicodeScalars) }
    #expect(ours == Array(text.unicodeScalars))
    let theirs = try JSONDecoder().decode(String.self, from: Data(quoted.utf8))
    #expect(Array(theirs.unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test func `control characters have their letters or their numbers`() {
    #expect(JSONText.quoted("\n\r\t\u{1}") == #""\n\r\t\u0001""#)
    #expect(JSONText.quoted("\n\r\t\u{1}", shortEscapes: false) == #""\u000a\u000d\u0009\u0001""#)
  }

  @Test func `an object keeps the order of its keys`() {
    var json = JSONText()
    json.add("b", "x")
    json.add("a", 3)
    json.add("none", nil as String?)
    json.add("list", json: JSONText.array(["1", "2"]))
    #expect(json.closed == #"{"b":"x","a":3,"none":null,"list":[1,2]}"#)
    #expect(JSONText().closed == "{}")
    #expect(JSONText().isEmpty && !json.isEmpty)
  }

  @Test func `lists of strings and of objects stand in the object itself`() {
    var json = JSONText()
    json.add("names", ["a", "b\"{"])
    json.add("none", [] as [String])
    json.add("objects", objects: [1.25, -3]) { number, item in
      item.add("x", number, digits: 1)
      item.add("parts", objects: [] as [Int]) { _, _ in }
    }
    json.add("far", 1e300, digits: 2)
    json.add("nothing", nil as Double?, digits: 2)
    let far = "1" + String(repeating: "0", count: 300)
    #expect(
      json.closed
        == #"{"names":["a","b\"{"],"none":[],"objects":[{"x":1.3,"parts":[]},{"x":-3.0,"parts":[]}],"#
        + #""far":"# + far + #","nothing":null}"#
    )
  }

  @Test(arguments: [(3, "3"), (-0.5, "-0.500000"), (1e14, "100000000000000"), (0, "0")])
  func `a number has six digits or none`(value: Double, text: String) {
    #expect(JSONText.number(value) == text)
  }

  @Test func `a document has a line for each entry of the upper two levels`() throws {
    let value = JSONValue.object([
      ("id", .string("a")), ("empty", .array([])),
      (
        "points", .array([.object([("x", .number(1.25, digits: 1)), ("y", .integer(-2))]), .null])
      ),
      ("deep", .object([("is", .bool(true))])),
    ])
    let document = """
      {
        "id": "a",
        "empty": [],
        "points": [
          {"x": 1.3, "y": -2},
          null
        ],
        "deep": {"is": true}
      }

      """
    #expect(value.document == document)
    #expect(try JSONValue.parse(document).document == document)
  }

  @Test func `numbers keep their spelling and keys their order`() throws {
    let value = try JSONValue.parse(#" {"id": 123456789012345678901, "a": 1e2, "a": -0.50} "#)
    #expect(value.members?.map(\.key) == ["id", "a", "a"])
    #expect(value["a"]?.double == -0.5)
    guard case .number("123456789012345678901") = value["id"] else {
      Issue.record("the long number has lost digits")
      return
    }
  }

  @Test func `escapes of JSON are characters`() throws {
    #expect(try JSONValue.parse(#""\ud83d\ude00 \/ \b\f\u00e9""#).text == "😀 / \u{8}\u{C}é")
  }

  @Test(arguments: [
    ("01", 0), ("-01", 0), ("+5", 0), (".5", 0), ("5.", 0), ("1e", 0), ("-", 0), ("[1.e2]", 1),
    ("\u{0B}1", 0), ("1\u{0C}", 1), (#""\u+041""#, 3), (#""\u-041""#, 3),
    ("", 0), ("{", 1), ("[1,]", 3), ("[1 2]", 3), ("{\"a\" 1}", 5), ("{a: 1}", 1), ("tru", 3),
    ("\"\\ud83d\"", 7), ("\"\\x\"", 3), ("\"a\nb\"", 2), ("\"a", 2), ("1.2.3", 0), ("[] []", 3),
  ])
  func `tells the byte at which a text goes wrong`(text: String, offset: Int) {
    do throws(JSONError) {
      _ = try JSONValue.parse(text)
      Issue.record("it was read")
    } catch {
      #expect(error.offset == offset)
    }
  }

  @Test func `refuses what is nested without end`() {
    #expect(throws: JSONError.self) {
      try JSONValue.parse(String(repeating: "[", count: 100_000))
    }
  }
}
