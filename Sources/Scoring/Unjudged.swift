import NearMeEngine

/// What the truth of a day says too little for: it is left out of the scores, and a note says so.
struct Unjudged: Hashable, Sendable, Codable {
  /// A home or a place of work that is off the stays of its kind.
  struct FarPlace: Hashable, Sendable, Codable {
    /// Its id.
    let place: String
    /// How far the nearest of these stays is off.
    let meters: Double
  }

  /// Whether the truth says nothing of stays, and the person has reminders of places of one's own.
  let isWithoutStays: Bool
  /// How many words came before the day or after it, and fit no visit.
  let words: Int
  /// How many visits were not told, and had begun shortly before the day ended.
  let visits: Int
  /// Places whose arrivals count as untrue because no stay lies at them.
  let placesOffStays: [FarPlace]

  /// Nothing.
  static let none = Unjudged(isWithoutStays: false, words: 0, visits: 0, placesOffStays: [])
}

extension Unjudged {
  init(_ day: PersonDay, _ actual: JudgedRun) {
    self.init(
      isWithoutStays: day.isWithoutStays,
      words: actual.wordsOutside,
      visits: actual.visits.indices.count { i in
        let visit = actual.visits[i]
        return !visit.isInitial && actual.isCutOff(i)
          && day.person.expects(.arrival, of: visit.reminder)
      },
      placesOffStays: TargetVisit.placesOffStays(in: day.truth, of: day.person)
        .map { FarPlace(place: $0.place, meters: $0.meters) }
    )
  }
}

extension PersonDay {
  /// What is said of days whose truth has no stays; nil for none.
  package static func sentence(daysWithoutStays days: Int) -> String? {
    guard days > 0 else { return nil }
    return
      "the \(days == 1 ? "truth of 1 day has" : "truths of \(days) days have") no \"stays\": what was told "
      + "at home, at work and at other places of one's own is not judged there"
  }

  /// What is said of a home or a place of work that no stay of its kind lies at.
  package static func sentence(place: String, meters: Double, days: Int) -> String {
    "no stay of its kind lies at the place \"\(place)\" on \(days) \(days == 1 ? "day" : "days") "
      + "(the nearest is \(Int(meters.rounded())) m off), so its arrivals count as false: correct its position, or give it an "
      + "arrival_radius that reaches there"
  }

  /// What is said of words and visits that their day cuts off; nil for none.
  static func sentence(wordsOutside words: Int, visitsCutShort visits: Int) -> String? {
    let wordText =
      "\(words) \(words == 1 ? "word" : "words") told before start_utc or after end_utc"
    let visitText =
      "\(visits) \(visits == 1 ? "visit" : "visits") that began less than 5 min before end_utc and "
      + (visits == 1 ? "was not told" : "were not told")
    let parts = (words > 0 ? [wordText] : []) + (visits > 0 ? [visitText] : [])
    guard !parts.isEmpty else { return nil }
    return parts.joined(separator: " and ")
      + " \(words + visits == 1 ? "is" : "are") left out: the truth does not say "
      + "what was so then"
  }

  /// Adds up what lies off the stays of its kind, day by day: how far the nearest stay is, and on how many days.
  package static func sumsOffStays(
    _ places: [(place: String, meters: Double)]
  ) -> [(place: String, meters: Double, days: Int)] {
    Dictionary(grouping: places, by: \.place)
      .map { place, days in
        (place: place, meters: days.map(\.meters).min() ?? 0, days: days.count)
      }
      .sorted { $0.place < $1.place }
  }

  /// Homes and places of work that no stay of their kind lies at.
  package var placesOffStays: [(place: String, meters: Double)] {
    TargetVisit.placesOffStays(in: truth, of: person)
  }

  /// Whether the truth says nothing of stays, and the person has reminders of places of one's own.
  package var isWithoutStays: Bool { !truth.knowsStays && !ownReminders.isEmpty }
}
