import Timeline

/// The sentences that are ever said; those of places byte for byte (NM-5.1 – 5.3).
struct Wording {
  let policy: Policy.Text

  /// The sentence on the way: `You're {distance} from {place_or_category} — {title}?`.
  func approach(
    ringMeters: Double,
    distanceMeters: Double,
    target: String,
    title: String
  ) -> String {
    "You're \(distance(ringMeters: ringMeters, distanceMeters)) from \(clean(target)) "
      + "— \(clean(title))?"
  }

  /// The sentence on arrival: `Arriving at {place} — {title} now?`.
  func arrival(place: String, title: String) -> String {
    "Arriving at \(clean(place)) — \(clean(title)) now?"
  }

  /// The sentence after arrival: `Still need to {title}?`.
  func postArrival(title: String) -> String {
    "Still need to \(clean(title))?"
  }

  /// The sentence when a time has come, `Time to {title}.`.
  func scheduled(title: String) -> String { "Time to \(clean(title))." }

  /// The sentence before a time: `In {span}: {title}.`.
  func ahead(_ span: Milliseconds, title: String) -> String {
    "In \(Self.words(span)): \(clean(title))."
  }

  /// The sentence on leaving: `Leaving {place} — {title}?`.
  func leaving(place: String, title: String) -> String {
    "Leaving \(clean(place)) — \(clean(title))?"
  }

  /// A span in its largest whole unit: `10 minutes`, `1 hour`, `2 days`.
  private static func words(_ span: Milliseconds) -> String {
    let units: [(Int64, String)] = [
      (86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1_000, "second"),
    ]
    let unit = units.first { span.value % $0.0 == 0 } ?? (1_000, "second")
    let count = max(1, span.value / unit.0)
    return "\(count) \(unit.1)" + (count == 1 ? "" : "s")
  }

  /// The sentence when the phone says something, `Don't forget: {title}.`.
  func signal(title: String) -> String { "Don't forget: \(clean(title))." }

  /// The tier's own distance or, when one is told late, the real one.
  private func distance(ringMeters: Double, _ distanceMeters: Double) -> String {
    let isLate = distanceMeters < ringMeters * (1 - policy.lateShare)
    let meters = isLate ? distanceMeters : ringMeters
    let (unitMeters, one, many) =
      switch policy.distanceUnit {
      case .miles: (Tier.metersPerMile, "mile", "miles")
      case .kilometers: (1_000, "kilometer", "kilometers")
      }
    // Nobody is 0 miles from where they have not arrived.
    let tenths = max(1, Int((meters / unitMeters * 10).rounded()))
    return decimal(tenths: tenths) + " " + (tenths == 10 ? one : many)
  }

  /// A name or title on one line, without control characters, not too long.
  private func clean(_ text: String) -> String {
    if isClean(text) { return text }
    var words = ""
    var pendingSpace = false
    for character in text {
      if character.isWhitespace || character.unicodeScalars.allSatisfy(\.properties.isControl) {
        pendingSpace = !words.isEmpty
      } else {
        if pendingSpace { words.append(" ") }
        pendingSpace = false
        words.append(character)
      }
    }
    guard words.count > policy.longestName else { return words }
    return words.prefix(policy.longestName - 1) + "…"
  }

  /// Whether a text is plain ASCII, as most are, with single spaces between its words.
  private func isClean(_ text: String) -> Bool {
    let space = UInt8(ascii: " ")
    var last = space
    for byte in text.utf8 {
      guard byte >= space, byte < 0x7f, byte != space || last != space else { return false }
      last = byte
    }
    return (last != space || text.isEmpty) && text.utf8.count <= policy.longestName
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isControl: Bool {
    generalCategory == .control || generalCategory == .format && !isEmojiJoiner
  }

  /// Joins the parts of one emoji; everything else of its class could turn text around.
  private var isEmojiJoiner: Bool { isJoinControl }
}
