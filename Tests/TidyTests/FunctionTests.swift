import Testing

/// What holds for every function: how many parameters are bare, and how long it is.
@Suite struct FunctionTests {
  static let mostBare = 3
  static let mostLines = 70

  /// A function or an initializer in a text.
  private struct Function {
    let name: String
    /// The line of its `func` or `init`, from 1.
    let line: Int
    /// How many parameters have no label.
    let bareCount: Int
    /// From its first line to its closing brace; 1 for one that has no body.
    let lineCount: Int
  }

  /// Finds functions in text that swift-format has laid out: a declaration begins a line, and a body of
  /// several lines ends with a brace below its beginning.
  private static func functions(in text: String) -> [Function] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.compactMap { i -> Function? in
      let indent = lines[i].prefix { $0 == " " }
      let declaration = lines[i].dropFirst(indent.count)
      // The pattern takes its time over each line.
      guard declaration.contains("func ") || declaration.contains("init") else { return nil }
      let head = declaration.prefixMatch(
        of: /(?:[@a-z][\w()]* )*(?:func (?<name>[^\s(]+?) ?|(?<initializer>init)[?!]?)(?=[(<])/
      )
      guard let head else { return nil }
      var lineCount = 1
      if !declaration.hasSuffix("}") {
        let rest = lines[(i + 1)...]
        let end = rest.firstIndex { $0 == indent + "}" || (!$0.isEmpty && !$0.hasPrefix(indent)) }
        if let end, lines[end] == indent + "}" { lineCount = end - i + 1 }
      }
      return Function(
        name: String(head.name ?? head.initializer ?? ""),
        line: i + 1,
        bareCount: bareCount(declaration[head.range.upperBound...], lines[(i + 1)...]),
        lineCount: lineCount
      )
    }
  }

  /// How many of the parameters begin with an underscore.
  ///
  /// - Parameter head: what stands on the first line after the name.
  private static func bareCount(_ head: Substring, _ rest: ArraySlice<Substring>) -> Int {
    var (count, depth, beginsParameter) = (0, 0, false)
    /// - Returns: whether the parameters have come to their end.
    func read(_ line: Substring) -> Bool {
      if line.drop(while: { $0 == " " }).hasPrefix("//") { return false }
      for character in line {
        switch character {
        case "(", "[", "{":
          depth += 1
          beginsParameter = depth == 1
        case ")", "]", "}":
          depth -= 1
          if depth == 0, character == ")" { return true }
        case ",": beginsParameter = depth == 1
        case " ": break
        case "_":
          if beginsParameter { count += 1 }
          beginsParameter = false
        default: beginsParameter = false
        }
      }
      return false
    }
    if !read(head) { _ = rest.first(where: read) }
    return count
  }

  private static func tooBare(_ text: String, _ path: String) -> [String] {
    functions(in: text).filter { $0.bareCount > mostBare }
      .map { "\(path):\($0.line): \($0.name) has \($0.bareCount) parameters without a label" }
  }

  private static func tooLong(_ text: String, _ path: String) -> [String] {
    functions(in: text).filter { $0.lineCount > mostLines }
      .map { "\(path):\($0.line): \($0.name) has \($0.lineCount) lines" }
  }

  @Test func `no function has more than three parameters without a label`() throws {
    var count = 0
    for path in try ["Sources", "Benchmarks", "Fuzz"]
      .flatMap({
        try Repository.paths(in: $0, ["swift"])
      })
    {
      let text = try Repository.text(path)
      count += Self.functions(in: text).count
      for finding in Self.tooBare(text, path) { Issue.record("\(finding)") }
    }
    #expect(count > 2_000)
  }

  @Test func `no function of the engine is longer than 70 lines`() throws {
    for path in try Repository.paths(in: "Sources/NearMeEngine", ["swift"]) {
      for finding in Self.tooLong(try Repository.text(path), path) { Issue.record("\(finding)") }
    }
  }

  @Test func `four bare parameters are found, on one line and on several`() {
    let sample = """
      protocol Sample {
        func few(_ a: Int, _ b: (_ x: Int, _ y: Int) -> Void, c: Int, _ d: Int)
        // func dropped(_ a: Int, _ b: Int, _ c: Int, _ d: Int)
        static func < (_ a: Self, _ b: Self) -> Bool
        static func ** (_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Int
        @inline(never) static func many<T>(_ a: T, _ b: (T, T), _ c: [Int] = [1, 2], _ d: Int) -> T
        public init?(
          _ a: Int,
          _ b: () throws -> Void,
          // Why it is there.
          _ c: Int,
          d: Int,
          _ e: inout Int,
          _ f: Int = max(1, 2)
        ) {
          e = a
        }
      }
      """
    #expect(
      Self.tooBare(sample, "Sample.swift") == [
        "Sample.swift:5: ** has 4 parameters without a label",
        "Sample.swift:6: many has 4 parameters without a label",
        "Sample.swift:7: init has 5 parameters without a label",
      ]
    )
  }

  @Test func `a function of 71 lines is found`() {
    func sample(_ lineCount: Int) -> String {
      let body = Array(repeating: "    step()", count: lineCount - 2)
      let lines = ["struct Sample {", "  func short() { step() }", "  mutating func run() {"]
      return (lines + body + ["  }", "", "  func end() {", "  }", "}"]).joined(separator: "\n")
    }
    #expect(Self.tooLong(sample(70), "Sample.swift") == [])
    #expect(Self.tooLong(sample(71), "Sample.swift") == ["Sample.swift:3: run has 71 lines"])
  }
}
