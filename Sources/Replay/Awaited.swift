import NearMeEngine
import Places
import Traces

/// What a person's reminders wait for, as far as it says why a replay told nothing.
public enum Awaited: Hashable, Sendable {
  /// There are no reminders.
  case nothing
  /// All reminders are muted or over from the beginning.
  case silenced
  /// Categories of which the cache has no place, and nothing else.
  case absentCategories
  /// Times and signals, and no place.
  case timesAndSignals
  /// Places, whatever else.
  case places

  /// Sorts reminders.
  ///
  /// - Parameter isKnown: whether the cache has places of a category.
  public init(_ reminders: [Reminder], isKnown: (CategoryID) -> Bool) {
    let triggers = reminders.filter(\.isLive).flatMap(\.triggers)
    let targets = triggers.compactMap(\.target)
    let canComeNear = targets.contains { target in
      if case .category(let category) = target { isKnown(category) } else { true }
    }
    self =
      if reminders.isEmpty {
        .nothing
      } else if !reminders.contains(where: \.isLive) {
        .silenced
      } else if canComeNear {
        .places
      } else {
        targets.count == triggers.count && !targets.isEmpty ? .absentCategories : .timesAndSignals
      }
  }

  /// Why nothing was told, in a few words.
  func whyNothing(_ summary: ReplaySummary) -> String {
    switch self {
    case .nothing: return "there is no reminder"
    case .silenced: return "every reminder is muted or over"
    case .absentCategories: return "the cache has no place of the categories asked for"
    case .timesAndSignals, .places: break
    }
    guard summary.fixes > 0 else {
      let reason = Self.commonest(FixRefusal.allCases, summary.refused)
      return "no fix was taken in" + (reason.map { ", most often \($0.rawValue)" } ?? "")
    }
    let held = summary.suppressed.merging(summary.deferred, uniquingKeysWith: +)
    if let silence = Self.commonest(Silence.allCases, held) {
      return "all that was due was held back, most often \(silence.rawValue)"
    }
    return self == .places
      ? "no place came within its outermost tier, or not for long enough" : "nothing was due"
  }

  /// The first of those that were counted most often.
  private static func commonest<Reason: Hashable>(
    _ order: [Reason],
    _ counts: [Reason: Int]
  ) -> Reason? {
    let most = counts.values.max() ?? 0
    return order.first { most > 0 && counts[$0] == most }
  }
}
