import Timeline

/// A day's score as JSON, from which it is read again to the bit: what is scored on one machine can be
/// added up on another.
extension DayScore: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, person, ledger
    case parts
    case absentPOIs = "absent"
    case unaskedCategories = "unasked"
    case fixesOutside = "outside"
    case unjudged
  }

  private struct Part: Codable {
    let dimension: String
    let name: String
    let tally: String
  }

  /// Writes the sums in order of parts.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(person, forKey: .person)
    let parts = tallies.keys.sorted()
      .map { slice in
        Part(
          dimension: slice.dimension.name,
          name: slice.name,
          tally: (tallies[slice] ?? Tally()).text
        )
      }
    try container.encode(parts, forKey: .parts)
    try container.encode(ledger, forKey: .ledger)
    try container.encode(absentPOIs, forKey: .absentPOIs)
    if !unaskedCategories.isEmpty {
      try container.encode(unaskedCategories, forKey: .unaskedCategories)
    }
    if unjudged != .none { try container.encode(unjudged, forKey: .unjudged) }
    if fixesOutside > 0 { try container.encode(fixesOutside, forKey: .fixesOutside) }
  }

  /// Reads what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    person = try container.decode(String.self, forKey: .person)
    var tallies: [Slice: Tally] = [:]
    for part in try container.decode([Part].self, forKey: .parts) {
      guard let dimension = Slice.Dimension.allCases.first(where: { $0.name == part.dimension }),
        let tally = Tally(text: Substring(part.tally))
      else {
        throw DecodingError.dataCorruptedError(
          forKey: .parts,
          in: container,
          debugDescription: "no part of a score: \(part.dimension)"
        )
      }
      tallies[Slice(dimension, part.name)] = tally
    }
    self.tallies = tallies
    draws = 1
    ledger = try container.decode([LedgerEntry].self, forKey: .ledger)
    absentPOIs = try container.decode([String].self, forKey: .absentPOIs)
    unaskedCategories =
      try container.decodeIfPresent([String].self, forKey: .unaskedCategories) ?? []
    unjudged = try container.decodeIfPresent(Unjudged.self, forKey: .unjudged) ?? .none
    fixesOutside = try container.decodeIfPresent(Int.self, forKey: .fixesOutside) ?? 0
  }
}

extension LedgerEntry: Codable {
  private enum CodingKeys: String, CodingKey {
    case subject, day, reminder, poi, cause
    case at = "at_ms"
    case delaySeconds = "delay_s"
  }

  /// Writes instants as milliseconds since 1970.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(subject.rawValue, forKey: .subject)
    try container.encode(day, forKey: .day)
    try container.encode(reminder, forKey: .reminder)
    try container.encodeIfPresent(poi, forKey: .poi)
    try container.encode(at.milliseconds, forKey: .at)
    try container.encode(cause.rawValue, forKey: .cause)
    try container.encodeIfPresent(delaySeconds, forKey: .delaySeconds)
  }

  /// Reads what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard
      let subject = Subject(rawValue: try container.decode(String.self, forKey: .subject)),
      let cause = Cause(rawValue: try container.decode(Cause.RawValue.self, forKey: .cause))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .cause,
        in: container,
        debugDescription: "no cause or subject of this version"
      )
    }
    self.init(
      subject: subject,
      day: try container.decode(String.self, forKey: .day),
      reminder: try container.decode(String.self, forKey: .reminder),
      poi: try container.decodeIfPresent(String.self, forKey: .poi),
      at: Timestamp(milliseconds: try container.decode(Int64.self, forKey: .at)),
      cause: cause,
      delaySeconds: try container.decodeIfPresent(Double.self, forKey: .delaySeconds)
    )
  }
}
