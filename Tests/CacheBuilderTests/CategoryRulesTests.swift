import CacheBuilder
import Foundation
import Places
import TestSupport
import Testing

@Suite struct CategoryRulesTests {
  @Test func `NM-3.2: the compiled-in rules are those of the file`() throws {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    let path = folder.appendingPathComponent("data/categories.json").path
    #expect(try CategoryRules(path: path).categories == CategoryRules.standard.categories)
  }

  @Test func `a mark before the rules is passed over`() throws {
    let folder = try TemporaryFolder()
    let json = "{\"categories\":[{\"name\":\"x\",\"any\":[{\"a\":\"b\"}]}]}"
    try Data([0xEF, 0xBB, 0xBF] + Array(json.utf8))
      .write(to: URL(fileURLWithPath: folder.path("rules.json")))
    let rules = try CategoryRules(path: folder.path("rules.json"))
    #expect(rules.categories.map(\.id.name) == ["x"])
    #expect(rules.json == json)
  }

  @Test func `a misspelled key is named, with the one that was meant`() {
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

  private static func rules(any: String, except: String = "[]") throws -> CategoryRules {
    try CategoryRules(
      json: "{\"categories\":[{\"name\":\"x\",\"any\":\(any),\"except\":\(except)}]}",
      path: "f"
    )
  }

  @Test(arguments: [
    ("{\"*\":\"a\"}", "at the end of a key only"), ("{\"*:a\":\"b\"}", "at the end of a key only"),
    ("{\"a*b*\":\"b\"}", "at the end of a key only"), ("{\"a\":\"super*\"}", "stands alone"),
    ("{\"a\":[\"*\",\"b\"]}", "stands alone"), ("{\"a\":\"\"}", "no key or no value"),
  ])
  func `a * where it means nothing is refused with what it can mean`(tags: String, hint: String) {
    for (any, except) in [("[\(tags)]", "[]"), ("[{\"k\":\"v\"}]", "[\(tags)]")] {
      let error = #expect(throws: ImportError.self) {
        try Self.rules(any: any, except: except)
      }
      #expect(error?.description.contains(hint) == true, "\(String(describing: error))")
    }
  }

  @Test func `a * in a name is refused`() {
    let json = "{\"categories\":[{\"name\":\"x\",\"aliases\":[\"sh*\"],\"any\":[{\"a\":\"b\"}]}]}"
    let error = #expect(throws: ImportError.self) { try CategoryRules(json: json, path: "f") }
    #expect(error?.detail == "the alias `sh*` of x: a * has no meaning in a name")
  }

  /// The same element as XML, PBF, GeoJSON and CSV with tags as columns.
  private func isPlace(_ tags: [(String, String)], _ rules: CategoryRules) throws -> Set<Bool> {
    let node = PBFWriter.Node(id: 1, latitudeE7: 10_000_000, longitudeE7: 10_000_000, tags: tags)
    let xml = tags.map { "<tag k='\($0.0)' v='\($0.1)'/>" }.joined()
    let properties = tags.map { "\"\($0.0)\":\"\($0.1)\"" }.joined(separator: ",")
    var found: Set<Bool> = []
    for isDense in [true, false] {
      var writer = PBFWriter()
      writer.isDense = isDense
      let bytes = writer.file(nodes: [node])
      found.insert(try !readPlaces(bytes, rules: rules).places.isEmpty)
    }
    for text in [
      "<osm><node id='1' lat='1' lon='1'>\(xml)</node></osm>",
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,1]},"
        + "\"properties\":{\(properties)}}",
      "lat,lon,none,\(tags.map(\.0).joined(separator: ","))\n"
        + "1,1,,\(tags.map(\.1).joined(separator: ","))\n",
    ] {
      found.insert(try !readPlaces(text, rules: rules).places.isEmpty)
    }
    return found
  }

  @Test func `wildcards mean the same in every format`() throws {
    let prefix = try Self.rules(
      any: "[{\"healthcare:*\":[\"pharmacy\",\"chemist\"]}]",
      except: "[{\"was:*\":\"*\"},{\"atm\":\"only\"}]"
    )
    let anyValue = try Self.rules(
      any: "[{\"shop\":\"*\"}]",
      except: "[{\"shop\":[\"no\",\"vacant\"]}]"
    )
    let both = try Self.rules(any: "[{\"addr:*\":\"*\",\"shop\":\"*\",\"open\":\"yes\"}]")
    for (rules, tags, isWanted) in [
      (prefix, [("healthcare:kind", "pharmacy")], true),
      (prefix, [("healthcare", "pharmacy")], false),
      (prefix, [("healthcare:kind", "doctor")], false),
      (prefix, [("healthcare:a", "x"), ("healthcare:b", "chemist")], true),
      (prefix, [("healthcare:kind", "pharmacy"), ("was:shop", "butcher")], false),
      (prefix, [("healthcare:kind", "pharmacy"), ("was", "butcher")], true),
      (prefix, [("healthcare:kind", "pharmacy"), ("atm", "only")], false),
      (anyValue, [("shop", "never heard of")], true),
      (anyValue, [("shops", "many")], false),
      (anyValue, [("shop", "vacant")], false),
      (both, [("open", "yes"), ("shop", "bakery"), ("addr:city", "Bonn")], true),
      (both, [("open", "yes"), ("shop", "bakery")], false),
      (both, [("addr:city", "Bonn"), ("shop", "bakery"), ("open", "no")], false),
    ] {
      #expect(try isPlace(tags, rules) == [isWanted], "\(tags)")
    }
  }

  @Test func `what was here and is closed is no place, what was here before is`() throws {
    for (tags, isWanted) in [
      ([("amenity", "bank"), ("disused:amenity", "bank")], false),
      ([("amenity", "bank"), ("disused:amenity", "cafe")], true),
      ([("amenity", "bank"), ("abandoned:building:use", "bank")], false),
      ([("amenity", "bank"), ("disused", "yes")], false),
      ([("amenity", "bank"), ("disused", "no")], true),
      ([("amenity", "bank"), ("atm", "only")], false),
      ([("amenity", "bank"), ("atm", "yes")], true),
      ([("amenity", "fuel"), ("access", "private")], false),
      ([("amenity", "pharmacy"), ("disused:name", "murajo shoes")], true),
      ([("shop", "supermarket"), ("disused:shop", "convenience")], true),
      ([("shop", "supermarket"), ("disused:shop", "supermarket")], false),
      ([("amenity", "post_partner"), ("disused:amenity", "post_office")], true),
      ([("disused:amenity", "pharmacy")], false), ([("was:amenity", "pharmacy")], false),
    ] {
      #expect(try isPlace(tags, .standard) == [isWanted], "\(tags)")
    }
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
