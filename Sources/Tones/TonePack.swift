import Basics

/// A way of saying things: templates for every kind of sentence.
public struct TonePack: Hashable, Sendable {
  /// Its name.
  public let name: String
  /// For each kind, in the order of ``SentenceKind``, its templates; none is empty.
  private let templates: [[Template]]

  /// A sentence, and which template made it.
  public struct Sentence: Hashable, Sendable {
    /// The sentence, on one line.
    public let text: String
    /// The template's number among those of its kind: the engine keeps it for the next choice.
    public let template: Int
  }

  struct Template: Hashable, Sendable {
    let text: String
    let parts: [Part]

    enum Part: Hashable, Sendable {
      case literal(String)
      /// A value; where it begins a sentence, a word in small letters gets a capital.
      case placeholder(String, beginsSentence: Bool)

      /// What it says behind a text; nil where it stands for a value that is not known.
      func text(
        behind text: String,
        _ value: (_ name: String, _ beginsSentence: Bool) -> String?
      ) -> String? {
        switch self {
        case .literal(let literal): String(literal.dropFirst(endsAlready(text, literal) ? 1 : 0))
        case .placeholder(let name, let beginsSentence): value(name, beginsSentence)
        }
      }
    }
  }

  /// Makes a pack.
  ///
  /// - Parameter templates: the templates of a kind, from 1 on.
  public init(
    name: String,
    templates: (SentenceKind) throws(ToneError) -> [String]
  ) throws(ToneError) {
    var all: [[Template]] = []
    for kind in SentenceKind.allCases {
      let texts = try templates(kind)
      guard !texts.isEmpty else {
        throw ToneError(kind: kind, number: nil, reason: "has no template")
      }
      var ofKind: [Template] = []
      for (i, text) in texts.enumerated() {
        do throws(TemplateFault) {
          ofKind.append(Template(text: text, parts: try Self.parts(of: text, kind)))
        } catch {
          throw ToneError(kind: kind, number: i, reason: error.reason)
        }
      }
      all.append(ofKind)
    }
    self.name = name
    self.templates = all
  }

  private init(plain templates: [[Template]]) {
    name = "plain"
    self.templates = templates
  }

  /// The engine's own sentences, which need no file (NM-5.1 to NM-5.3).
  public static let plain: TonePack = {
    let texts: [(SentenceKind, String)] = SentenceKind.allCases.map { kind in
      switch kind {
      case .approach: (kind, "You're {distance} from {place} — {title}?")
      case .arrival: (kind, "Arriving at {place} — {title} now?")
      case .postArrival: (kind, "Still need to {title}?")
      case .leave: (kind, "Leaving {place} — {title}?")
      case .scheduled: (kind, "{title}.")
      case .ahead: (kind, "In {span}: {title}.")
      case .overdue: (kind, "Still open: {title}.")
      case .signal: (kind, "Don't forget: {title}.")
      case .summary: (kind, "Meanwhile: {count}")
      }
    }
    return TonePack(
      plain: texts.map { kind, text in
        [Template(text: text, parts: (try? parts(of: text, kind)) ?? [.literal(text)])]
      }
    )
  }()

  /// The templates of a kind, as they are written.
  public func texts(of kind: SentenceKind) -> [String] { ofKind(kind).map(\.text) }

  /// Whether a kind has several templates, so that it matters which was said last.
  public func hasChoice(of kind: SentenceKind) -> Bool { ofKind(kind).count > 1 }

  func ofKind(_ kind: SentenceKind) -> [Template] {
    templates[SentenceKind.allCases.firstIndex(of: kind) ?? 0]
  }

  // MARK: - The sentence

  /// The sentence for an occurrence of a reminder: a function of its arguments and of nothing else.
  ///
  /// - Parameters:
  ///   - reminder: the reminder's id.
  ///   - occurrence: what tells this occasion of it from others.
  ///   - last: the number of the template that was said last of this kind; it is not said again at once, unless there
  ///     is no other.
  ///   - seed: makes other choices for the same occasions.
  ///   - longestName: titles and names are cut to so many characters (`Policy.Text.longestName`).
  /// - Complexity: O(length of the texts).
  /// - Source: the draw is SplitMix64's first number below the number of templates, seeded with FNV-1a of ids, kind
  ///   and seed (see `Basics`): the same on every machine.
  public func sentence(
    _ kind: SentenceKind,
    _ values: SentenceValues,
    reminder: String,
    occurrence: String,
    last: Int? = nil,
    seed: UInt64 = 0,
    longestName: Int = 80
  ) -> Sentence {
    let ofKind = ofKind(kind)
    let number =
      ofKind.count == 1
      ? 0
      : Self.draw(
        below: ofKind.count,
        but: last,
        seed: Self.fingerprint([kind.rawValue, reminder, occurrence], seed: seed)
      )
    var text = ""
    for part in ofKind[number].parts {
      let said = part.text(behind: text) { name, beginsSentence in
        let value = values.value(of: name, longest: longestName)
        return beginsSentence ? capitalized(value) : value
      }
      text += said ?? ""
    }
    return Sentence(text: text, template: number)
  }

  private static func fingerprint(_ texts: [String], seed: UInt64) -> UInt64 {
    var print = FNV1a()
    for text in texts {
      print.add(text.utf8)
      // No byte of UTF-8: "a" and "bc" are not "ab" and "c".
      print.add(0xFF)
    }
    print.add(bits: seed)
    return print.hash
  }

  private static func draw(below count: Int, but last: Int?, seed: UInt64) -> Int {
    var numbers = SplitMix64(seed: seed)
    guard let last, count > 1, (0..<count).contains(last) else {
      return numbers.index(below: count)
    }
    let number = numbers.index(below: count - 1)
    return number < last ? number : number + 1
  }

  // MARK: - Templates

  private struct TemplateFault: Error {
    let reason: String
  }

  private static func parts(
    of text: String,
    _ kind: SentenceKind
  ) throws(TemplateFault) -> [Template.Part] {
    guard !text.contains(where: \.isNewline) else {
      throw TemplateFault(reason: "is more than one line")
    }
    var parts: [Template.Part] = []
    var rest = text[...]
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
        throw TemplateFault(reason: "has a brace without its partner")
      }
      if brace > rest.startIndex { parts.append(.literal(String(rest[..<brace]))) }
      let name = String(rest[rest.index(after: brace)..<end])
      guard kind.placeholders.contains(name) else {
        throw TemplateFault(
          reason: "has an unknown placeholder {\(name)} "
            + "(known here: \(kind.placeholders.joined(separator: ", ")))"
        )
      }
      parts.append(.placeholder(name, beginsSentence: beginsSentence(text[..<brace])))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.literal(String(rest))) }
    let saysIt = parts.contains {
      if case .placeholder(kind.neededPlaceholder, _) = $0 { true } else { false }
    }
    guard saysIt else {
      throw TemplateFault(reason: "does not say {\(kind.neededPlaceholder)}")
    }
    return parts
  }
}

/// Whether what follows a text begins a sentence: it is empty, or ends with a mark and a blank.
private func beginsSentence(_ text: Substring) -> Bool {
  text.isEmpty || [". ", "! ", "? "].contains { text.hasSuffix($0) }
}

/// Whether a text brings the mark that a literal begins with: "Call Bob!" has no period behind it.
private func endsAlready(_ text: String, _ literal: String) -> Bool {
  switch literal.first {
  case ".": text.last.map(".!?…".contains) ?? false
  case "?", "!": text.last == literal.first
  default: false
  }
}

/// A text with a capital at its beginning, if its first word is in small letters; `iPhone` stays.
func capitalized(_ text: String) -> String {
  let word = text.prefix { $0.isLetter }
  guard let first = word.first, word.allSatisfy({ $0.isLowercase }) else { return text }
  return first.uppercased() + text.dropFirst()
}

/// What is wrong with a pack.
public struct ToneError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of sentence.
  public let kind: SentenceKind
  /// The template's number, from 0; nil where the whole kind is meant.
  public let number: Int?
  /// What is wrong with it.
  public let reason: String

  /// The kind, the template and what is wrong with it.
  public var description: String {
    let place = number.map { "\(kind.rawValue)[\($0)]" } ?? kind.rawValue
    return "\(place) \(reason)"
  }
}
