import Foundation
import SettingsFiles
import TestSupport
import Testing
import Tones

/// The packs that come with the command, and which of their sentences is said.
@Suite struct ToneTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "data/tones").path

  private static func pack(_ name: String) throws -> TonePack {
    try ToneFile.read(path: "\(folder)/\(name).yaml")
  }

  private static let names = ["chaotic", "plain", "sassy", "sweet"]
  private static let voices = ["chaotic", "sassy", "sweet"]

  @Test func `plain needs no file, and its file says the same`() throws {
    #expect(try Self.pack("plain") == .plain)
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted()
    #expect(files == Self.names.map { "\($0).yaml" })
  }

  @Test(arguments: voices)
  func `MOM-6, MOM-14: every tone has eight different templates or more for every kind`(
    _ name: String
  ) throws {
    let pack = try Self.pack(name)
    #expect(pack.name == name)
    for kind in SentenceKind.allCases {
      let texts = pack.texts(of: kind)
      #expect(texts.count >= 8, "\(kind)")
      #expect(Set(texts).count == texts.count, "\(kind)")
    }
  }

  /// What iOS shows of a notification's body before it cuts it off on a locked screen: four lines, about 178
  /// characters (as app makers have measured it; Android shows about 240 of an opened one).
  private static let longestLine = 178

  @Test(arguments: names)
  func `MOM-14: the longest sentence fits on a locked screen, with long names`(
    _ name: String
  ) throws {
    let pack = try Self.pack(name)
    // Half of where names are cut: as long as nearly all real ones are.
    let values = SentenceValues(
      title: String(repeating: "t", count: 40),
      place: String(repeating: "p", count: 40),
      distance: "10.5 kilometers",
      count: 1_000
    )
    for kind in SentenceKind.allCases {
      for number in pack.texts(of: kind).indices {
        let text = try Self.said(pack, kind, number, values)
        #expect(text.count <= Self.longestLine, "\(text)")
      }
    }
  }

  private struct NeverSaid: Error {
    let kind: SentenceKind
    let number: Int
  }

  /// The sentence that a template makes, found by asking until it comes.
  private static func said(
    _ pack: TonePack,
    _ kind: SentenceKind,
    _ number: Int,
    _ values: SentenceValues
  ) throws -> String {
    for occurrence in 0..<1_000 {
      let sentence = pack.sentence(kind, values, reminder: "r", occurrence: "\(occurrence)")
      if sentence.template == number { return sentence.text }
    }
    throw NeverSaid(kind: kind, number: number)
  }

  /// Words, and beginnings of words, that blame, belittle or make one feel guilty.
  private static let shaming = [
    "asham", "bad child", "blame", "burden", "careless", "disappoint", "disgrace",
    "dumb",
    "embarrass", "fail", "fat ", "finally", "forgetful", "guilt", "hate", "hopeless",
    "how could you",
    "idiot", "incompetent", "irresponsible", "last chance", "lazy", "let me down", "loser", "messy",
    "moron", "nag", "never listen", "of course you", "other kids", "pathetic", "should have",
    "slob",
    "sloppy", "selfish", "shame", "stupid", "typical", "ugly", "ungrateful", "useless", "waste",
    "weak", "what is wrong with you", "what's wrong with you", "why can't you", "why didn't you",
    "worthless", "you always", "you forgot", "you never", "your sister", "your brother",
  ]

  /// Those of the list that a text has at the beginning of a word.
  private static func shamingWords(in text: String) -> [String] {
    let words = " " + String(text.lowercased().map { $0.isLetter || $0 == "'" ? $0 : " " })
    return shaming.filter { words.contains(" \($0)") }
  }

  @Test(arguments: names)
  func `MOM-19: no sentence has a word that shames`(_ name: String) throws {
    let pack = try Self.pack(name)
    for kind in SentenceKind.allCases {
      for text in pack.texts(of: kind) {
        #expect(Self.shamingWords(in: text).isEmpty, "\(text)")
      }
    }
  }

  @Test func `a shaming word is found where there is one`() {
    #expect(Self.shamingWords(in: "You forgot again? How lazy.") == ["lazy", "you forgot"])
    // "closer" is no loser.
    #expect(Self.shamingWords(in: "You're closer.") == [])
  }

  @Test(arguments: voices)
  func `MOM-14: the same occasion says the same, others vary, and none is said twice in a row`(
    _ name: String
  ) throws {
    let pack = try Self.pack(name)
    let values = SentenceValues(title: "call mum", place: "home", distance: "3 miles", count: 2)
    for kind in SentenceKind.allCases {
      let count = pack.texts(of: kind).count
      var last: Int?
      var said = Array(repeating: 0, count: count)
      for occurrence in 0..<4_000 {
        func sentence(_ seed: UInt64) -> TonePack.Sentence {
          pack.sentence(
            kind,
            values,
            reminder: "r1",
            occurrence: "\(occurrence)",
            last: last,
            seed: seed
          )
        }
        let now = sentence(1)
        #expect(now == sentence(1))
        #expect(now.template != last, "\(kind) \(occurrence)")
        last = now.template
        said[now.template] += 1
      }
      // Every template has its turn, about as often as the others: six standard deviations.
      let expected = 4_000 / count
      #expect(said.allSatisfy { abs($0 - expected) < expected / 3 }, "\(kind) \(said)")
    }
  }

  @Test func `reminders, occurrences and seeds make different choices, on every machine the same`()
    throws
  {
    let pack = try Self.pack("sassy")
    func choices(_ reminder: String, _ seed: UInt64) -> [Int] {
      (0..<16)
        .map {
          pack.sentence(
            .scheduled,
            SentenceValues(title: "t"),
            reminder: reminder,
            occurrence: "\($0)",
            seed: seed
          )
          .template
        }
    }
    #expect(choices("a", 0) != choices("b", 0))
    #expect(choices("a", 0) != choices("a", 1))
    // Written down when the draw was made, and found again by the formula in another language.
    #expect(choices("a", 0) == Self.knownChoices)
  }

  static let knownChoices = [2, 7, 0, 7, 6, 0, 4, 3, 5, 3, 7, 6, 5, 2, 7, 2]

  @Test(arguments: [
    ("{place}", "{place}."), ("a{title}b", "A{title}b."),
    ("{", "{."), ("two\nlines\tand\u{7}", "Two lines and."),
    ("\u{202E}turned", "Turned."), ("  spaces   within ", "Spaces within."),
    ("call 👩‍👧", "Call 👩‍👧."), ("", "."), ("Call Bob!", "Call Bob!"), ("dentist?", "Dentist?"),
    ("%@ \\(x) %s", "%@ \\(x) %s."),
  ])
  func `MOM-14: titles are cleaned, and never read as a template`(
    _ title: String,
    _ text: String
  ) {
    let sentence = TonePack.plain.sentence(
      .scheduled,
      SentenceValues(title: title, place: "PLACE"),
      reminder: "r",
      occurrence: "1"
    )
    #expect(sentence.text == text)
  }

  @Test func `a word in small letters gets a capital where it begins a sentence`() throws {
    let pack = try TonePack(name: "t") { kind throws(ToneError) in
      kind == .summary ? ["{count}"] : ["{title}. {title}, {title}! {title}"]
    }
    func said(_ title: String) -> String {
      pack.sentence(.signal, SentenceValues(title: title), reminder: "r", occurrence: "1").text
    }
    #expect(said("call mum") == "Call mum. Call mum, call mum! Call mum")
    #expect(said("iPhone") == "iPhone. iPhone, iPhone! iPhone")
    #expect(said("éclairs") == "Éclairs. Éclairs, éclairs! Éclairs")
    #expect(said("2 eggs") == "2 eggs. 2 eggs, 2 eggs! 2 eggs")
    #expect(said("{title}") == "{title}. {title}, {title}! {title}")
  }

  @Test func `MOM-14: a long title is cut, and one of a megabyte soon`() {
    func said(_ title: String, _ longest: Int) -> String {
      TonePack.plain
        .sentence(
          .postArrival,
          SentenceValues(title: title),
          reminder: "r",
          occurrence: "1",
          longestName: longest
        )
        .text
    }
    #expect(said("12345678", 8) == "Still need to 12345678?")
    #expect(said("123456789", 8) == "Still need to 1234567…?")
    #expect(said("1234567 ", 8) == "Still need to 1234567?")
    let long = String(repeating: "ab ", count: 400_000)
    #expect(said(long, 80).count == "Still need to ?".count + 80)
  }

  @Test
  func
    `a pack without a kind, with an unknown placeholder or without its title is refused by line`()
  {
    func wrong(_ text: String) -> String {
      let error = #expect(throws: SettingsError.self) { try ToneFile.read(text: text, file: "t") }
      return error?.description ?? ""
    }
    func file(_ scheduled: String) -> String {
      """
      name: mine
      templates:
        approach: ["{title}"]
        arrival: ["{title}"]
        post_arrival: ["{title}"]
        leave: ["{title}"]
        scheduled:
          - "{title}"
          - "\(scheduled)"
        overdue: ["{title}"]
        signal: ["{title}"]
        summary: ["{count}"]
      """
    }
    #expect(
      wrong("name: mine\ntemplates: {arrival: [\"{title}\"]}").contains("approach has no template")
    )
    #expect(
      wrong(file("{place}: {title}"))
        == "t:9: templates.scheduled[1]: has an unknown placeholder {place} (known here: title)"
    )
    #expect(wrong(file("Now!")) == "t:9: templates.scheduled[1]: does not say {title}")
    #expect(wrong(file("{title} }")).hasSuffix("has a brace without its partner"))
    #expect(wrong(file("{title")).hasSuffix("has a brace without its partner"))
    #expect(wrong(file("{title}\\nmore")).hasSuffix("is more than one line"))
    #expect(wrong("name: mine\ntemplates: {arival: []}").contains("did you mean \"arrival\"?"))
  }

  /// Each sentence of each tone about one title, said about another one.
  @Test(arguments: names) func `a sentence about a title is as one about its new one`(
    _ name: String
  ) throws {
    let pack = try Self.pack(name)
    let titles = ["call Bob", "Call Ann!", "iPhone charge", "home", "milk?", "sit"]
    for kind in SentenceKind.allCases where kind != .summary {
      for number in pack.texts(of: kind).indices {
        for (old, new) in zip(titles, titles.dropFirst() + titles.prefix(1)) {
          func said(_ title: String) throws -> String {
            let values = SentenceValues(
              title: title,
              place: "Homemade Bread House",
              distance: "2 miles",
              span: "10 minutes"
            )
            return try Self.said(pack, kind, number, values)
          }
          let renewed = pack.retitled(try said(old), from: old, to: new, longestName: 80)
          #expect(try renewed == said(new), "\(kind) \(number)")
        }
      }
    }
    #expect(pack.retitled("Nobody says so.", from: "it", to: "that", longestName: 80) == nil)
  }

  /// Each sentence of each tone that names a place, with another name of the place.
  @Test(arguments: names) func `a sentence about a place is as one about its new name`(
    _ name: String
  ) throws {
    let pack = try Self.pack(name)
    let places = ["Hut", "2 miles", "the cabin", "Hut — hut", "call Bob"]
    for kind in SentenceKind.allCases where kind != .summary {
      for number in pack.texts(of: kind).indices {
        for (old, new) in zip(places, places.dropFirst() + places.prefix(1)) {
          func said(_ place: String) throws -> String {
            let values = SentenceValues(
              title: "call Bob",
              place: place,
              distance: "2 miles",
              span: "10 minutes"
            )
            return try Self.said(pack, kind, number, values)
          }
          let renewed = pack.renamed(
            try said(old),
            title: "call Bob",
            placeFrom: old,
            to: new,
            longestName: 80
          )
          let namesPlace = pack.texts(of: kind)[number].contains("{place}")
          #expect(try renewed == (namesPlace ? said(new) : nil), "\(kind) \(number)")
        }
      }
    }
  }
}
