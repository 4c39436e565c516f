import CacheBuilder
import Foundation
import TestSupport
import Testing

@Suite struct CategoryRulesTests {
  @Test func `the compiled-in rules are those of the file`() throws {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    let path = folder.appendingPathComponent("data/categories.json").path
    #expect(try CategoryRules(path: path).categories == CategoryRules.standard.categories)
  }

  @Test func `a misspelt key is named, with the one that was meant`() {
    let json = "{\"categories\":[{\"name\":\"x\",\"any\":[{\"a\":\"b\"}],\"excpet\":[]}]}"
    let error = #expect(throws: ImportError.self) { try CategoryRules(json: json, path: "f") }
    #expect(error?.code == .badRules)
    #expect(error?.description == "f: unknown key `excpet` in a category; did you mean `except`?")
  }

  @Test(arguments: [
    "", "[]", "{\"categories\":[]}", "{\"categories\":[{\"name\":\"X\",\"any\":[{\"a\":\"b\"}]}]}",
    "{\"categories\":[{\"name\":\"x\"}]}", "{\"categories\":[{\"name\":\"x\",\"any\":[{}]}]}",
    "{\"categories\":[{\"name\":\"x\",\"any\":[{\"a\":1}]}]}",
    "{\"categories\":[{\"name\":\"x\",\"any\":[{\"a\":[]}]}]}",
    "{\"categories\":[{\"name\":\"x\",\"any\":[{\"a\":\"b\"}],\"aliases\":[\"x\"]}]}",
  ])
  func `wrong rules are refused`(json: String) {
    #expect(throws: ImportError.self) { try CategoryRules(json: json, path: "f") }
  }
}

@Suite struct InputFormatTests {
  @Test(arguments: [
    ("BZh91AY", ImportError.Code.truncated), ("hello\nworld", .unknownFormat), ("   \n", .empty),
    ("PK\u{3}\u{4}", .unsupported),
  ])
  func `what cannot be read is named`(text: String, code: ImportError.Code) {
    #expect(#expect(throws: ImportError.self) { try readPlaces(text) }?.code == code)
  }

  @Test func `no file, a folder, and an empty file`() throws {
    let folder = try TemporaryFolder()
    func code(_ path: String) -> ImportError.Code? {
      #expect(throws: ImportError.self) { try importPlaces(path: path) }?.code
    }
    #expect(code(folder.path("missing")) == .missing)
    #expect(code(folder.url.path) == .notAFile)
    try Data().write(to: URL(fileURLWithPath: folder.path("empty")))
    #expect(code(folder.path("empty")) == .empty)
  }
}
