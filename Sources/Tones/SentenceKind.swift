/// What a sentence is about.
///
/// The names are part of the files.
public enum SentenceKind: String, Hashable, Sendable, CaseIterable {
  /// On the way to a place.
  case approach
  /// On arrival.
  case arrival
  /// Some time after it.
  case postArrival = "post_arrival"
  /// On leaving a place.
  case leave
  /// A time has come.
  case scheduled
  /// A time will come.
  case ahead
  /// A time has come before, and nobody has answered.
  case overdue
  /// The phone says something.
  case signal
  /// The headline over what was kept while nothing was to be told.
  case summary

  /// What may stand in braces in its templates.
  public var placeholders: [String] {
    switch self {
    case .approach: ["title", "place", "distance"]
    case .arrival, .postArrival, .leave: ["title", "place"]
    case .scheduled, .overdue, .signal: ["title"]
    case .ahead: ["title", "span"]
    case .summary: ["count"]
    }
  }

  /// What each of its templates must have: without it, one would not know what is meant.
  public var neededPlaceholder: String { self == .summary ? "count" : "title" }
}

/// What a sentence tells, as text of the user's own.
///
/// It is put into the sentence cleaned, with a capital where it begins one, and never read as a template: a title of
/// `{place}` stays one.
public struct SentenceValues: Hashable, Sendable {
  /// What there is to do.
  public var title: String
  /// Where.
  public var place: String
  /// How far it is, with its unit.
  public var distance: String
  /// How long it still is until then, with its unit.
  public var span: String
  /// How many.
  public var count: Int

  /// Makes values; those that a kind has no use for may be left out.
  public init(
    title: String = "",
    place: String = "",
    distance: String = "",
    span: String = "",
    count: Int = 0
  ) {
    self.title = title
    self.place = place
    self.distance = distance
    self.span = span
    self.count = count
  }

  func value(of placeholder: String, longest: Int) -> String {
    switch placeholder {
    case "title": cleaned(title, longest: longest)
    case "place": cleaned(place, longest: longest)
    case "distance": distance
    case "span": span
    default: "\(count)"
    }
  }
}

/// A name or title on one line, without control characters, with at most so many characters.
///
/// White space becomes a single blank; what could turn text around goes, joiners of emoji stay.
func cleaned(_ text: String, longest: Int) -> String {
  if isClean(text, longest: longest) { return text }
  var words = ""
  var count = 0
  var pendingSpace = false
  for character in text {
    if character.isWhitespace || character.unicodeScalars.allSatisfy(\.properties.isUnseen) {
      pendingSpace = count > 0
      continue
    }
    if pendingSpace {
      words.append(" ")
      count += 1
    }
    pendingSpace = false
    words.append(character)
    count += 1
    // Far more than is shown; a title of a megabyte is not read to its end.
    if count > longest { return words.prefix(max(0, longest - 1)) + "…" }
  }
  return words
}

/// Whether a text is plain ASCII, as most are, with single blanks between its words.
private func isClean(_ text: String, longest: Int) -> Bool {
  let blank = UInt8(ascii: " ")
  var last = blank
  for byte in text.utf8 {
    guard byte >= blank, byte < 0x7f, byte != blank || last != blank else { return false }
    last = byte
  }
  return (last != blank || text.isEmpty) && text.utf8.count <= longest
}

extension Unicode.Scalar.Properties {
  /// Whether nobody sees anything of a character; joiners of emoji are seen by what they join.
  package var isUnseen: Bool {
    generalCategory == .control || generalCategory == .format && !isJoinControl
  }
}
