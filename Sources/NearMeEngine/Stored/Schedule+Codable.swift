import Recurrence
import Timeline

/// A schedule as `{"start": "2026-03-02T07:00"}`, with an offset for an instant, and with `zone`, `rrule`,
/// `rdates`, `exdates`, `gap`, `anchor` and `before` as needed.
extension Schedule: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case start, zone, rrule, rdates, exdates, gap, anchor, before
  }

  /// The keys that a stored schedule may have.
  public static let keys = Key.allCases.map(\.rawValue)

  /// Reads a stored schedule.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    var rule: RecurrenceRule?
    if let text = try container.decodeIfPresent(String.self, forKey: .rrule) {
      do {
        rule = try RecurrenceRule(text)
      } catch {
        throw DecodingError.dataCorruptedError(
          forKey: .rrule,
          in: container,
          debugDescription: "\(error)"
        )
      }
    }
    self.init(
      start: try container.decode(WrittenTime.self, forKey: .start),
      zone: try container.decodeIfPresent(String.self, forKey: .zone),
      rule: rule,
      added: try container.decodeIfPresent([WrittenTime].self, forKey: .rdates) ?? [],
      excluded: try container.decodeIfPresent([WrittenTime].self, forKey: .exdates) ?? [],
      gap: try container.word(GapRule.self, .gap) ?? .shift,
      anchor: try container.word(Anchor.self, .anchor) ?? .catchUp,
      leads: try (container.decodeIfPresent([String].self, forKey: .before) ?? [])
        .map { text in
          guard let span = Milliseconds(text), span.value > 0 else {
            throw DecodingError.dataCorruptedError(
              forKey: .before,
              in: container,
              debugDescription: "\"\(text)\" is no span such as 10m or 1h"
            )
          }
          return span
        }
    )
  }

  /// Writes a schedule to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(start, forKey: .start)
    try container.encodeIfPresent(zone, forKey: .zone)
    try container.encodeIfPresent(rule.map { "\($0)" }, forKey: .rrule)
    if !added.isEmpty { try container.encode(added, forKey: .rdates) }
    if !excluded.isEmpty { try container.encode(excluded, forKey: .exdates) }
    if gap != .shift { try container.encode(gap.rawValue, forKey: .gap) }
    if anchor != .catchUp { try container.encode(anchor.rawValue, forKey: .anchor) }
    if !leads.isEmpty { try container.encode(leads.map(\.name), forKey: .before) }
  }
}

extension KeyedDecodingContainer {
  /// One of some words; nil where there is none.
  ///
  /// - Throws: an error that names them all.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ type: Word.Type,
    _ key: Key
  ) throws -> Word? {
    guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw DecodingError.dataCorruptedError(
        forKey: key,
        in: self,
        debugDescription: "\"\(text)\" is none of \(known)"
      )
    }
    return word
  }
}
