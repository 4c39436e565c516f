import Timeline

/// A day of one person as data: everything that a page shows of it.
///
/// Its JSON is described in `docs/day-view.md`. Instants are milliseconds since 1970, lengths are meters.
package struct DayReport: Sendable, Codable {
  /// The version of the format; readers refuse newer ones.
  package static let formatVersion = 1

  /// The version of the format.
  package let formatVersion: Int
  /// What it is a day of, such as the name of the trace.
  package let title: String
  /// The location service, in a few words.
  package let service: String
  /// Where clocks are set, with the changes within the day only.
  package let zone: UTCOffsetTable
  /// The first instant of which anything is shown.
  package let start: Timestamp
  /// The last one.
  package let end: Timestamp
  /// Where the phone was.
  package let track: DayTrack
  /// The person's own places.
  package let places: [DayPlace]
  /// The points of interest that reminders are about, the nearest to the way first.
  package let points: [DayPoint]
  /// So many more are within reach of the way, and farther from it.
  package let pointsLeftOut: Int
  /// The reminders, in their order.
  package let reminders: [DayReminder]
  /// Spans of the whole day: quiet hours, focus, access to the position, gaps.
  package let bands: [DayBand]
  /// What happened, each the text of a line of `--format ndjson`; the summary is the last.
  package let lines: [String]
  /// Which regions woke the app: for each `wake` of ``lines``, in their order.
  package let wakes: [DayWake]
  /// How notifications came and went.
  package let screen: [DayScreenChange]
  /// What waited from an instant on for the reason of its silence to end.
  package let waiting: [DayWaiting]
  /// The questions that stand between news and the screen, in their order.
  package let gates: [DayGate]
  /// Why and why not, around instants of a reminder.
  package let moments: [DayMoment]
  /// What really happened; nil where nobody knows.
  package let truth: DayTruthMarks?
  /// Streets and shores under the map; nil where none was given.
  package var baseMap: BaseMap?
}

/// A place of the person's own.
package struct DayPlace: Sendable, Codable {
  package let id: String
  package let name: String
  package let kind: String
  package let latitude: Double
  package let longitude: Double
  /// The arrival radius.
  package let radiusMeters: Double
}

/// A point of interest.
package struct DayPoint: Sendable, Codable {
  package let id: String
  package let name: String?
  package let categories: [String]
  package let latitude: Double
  package let longitude: Double
  /// How far its outline reaches.
  package let footprintMeters: Double
}

/// A reminder, and what became of it over the day.
package struct DayReminder: Sendable, Codable {
  /// A ring around its target.
  package struct DayRing: Sendable, Codable {
    /// The tier's name.
    package let name: String
    package let radiusMeters: Double
  }

  /// From an instant on, a number.
  package struct Step: Sendable, Codable {
    package let at: Timestamp
    package let value: Int
  }

  package let id: String
  package let title: String
  /// The category that it aims at; nil for all else.
  package let category: String?
  /// The id of the place that it aims at; nil for all else.
  package let place: String?
  /// The rings around its first target, the outermost first.
  package let rings: [DayRing]
  /// How many rings deep the phone was believed to be.
  package let levels: [Step]
  /// How probable it was to be there, in hundredths; empty where arrivals are not weighed.
  package let posterior: [Step]
  /// Its windows, snoozes, times of silence and waiting.
  package let bands: [DayBand]
}

/// A span in which something was so.
package struct DayBand: Sendable, Codable {
  /// What: `quiet_hours`, `focus`, `access`, `gap`, `window`, `snooze`, `mute`, `done`, `waiting`.
  package let kind: String
  package let from: Timestamp
  package let until: Timestamp
  /// In a few words.
  package let text: String
}

/// A wake.
package struct DayWake: Sendable, Codable {
  package let at: Timestamp
  package let cause: String
  /// The ids of the regions that were crossed; empty where it was something else.
  package let regions: [String]
}

/// A change of what is on the screen.
package struct DayScreenChange: Sendable, Codable {
  /// A line of a notification.
  package struct Line: Sendable, Codable {
    package let reminder: String
    /// What it is about: a tier, a time, a signal.
    package let tier: String
    package let text: String
    /// The id of the point; nil for places and all else.
    package let poi: String?
    /// How far it was; nil where no place is meant.
    package let meters: Double?
  }

  package let at: Timestamp
  /// The notification's id.
  package let id: String
  /// `came` with a sound, `changed` without one, `went`.
  package let change: String
  /// The kind of its most pressing news; nil for one that went.
  package let kind: String?
  /// The line over the others, if there is one.
  package let headline: String?
  /// What stands there now; none for one that went.
  package let lines: [Line]
}

/// What waits from an instant on.
package struct DayWaiting: Sendable, Codable {
  /// Something that waits.
  package struct Item: Sendable, Codable, Hashable {
    package let reminder: String
    package let tier: String
    /// The silence's name; nil where only a position is missing.
    package let reason: String?
    /// Until when; nil where that is not known.
    package let until: Timestamp?
  }

  package let at: Timestamp
  package let items: [Item]
}

/// A question between news and the screen.
package struct DayGate: Sendable, Codable {
  package let question: String
  /// The silences that it may answer with.
  package let objections: [String]
}

/// Why a reminder spoke or did not, as `nearme explain` says it.
package struct DayMoment: Sendable, Codable {
  /// A word and a sentence.
  package struct Evidence: Sendable, Codable {
    package let label: String
    package let text: String
  }

  package let reminder: String
  package let at: Timestamp
  /// What there was to explain: `decision`, `visit`, `encounter`, `pass`, `hour`.
  package let about: String
  /// The id of the point or place that was near; nil for all else.
  package let spot: String?
  /// How near the way came to it; only for a `pass`.
  package let meters: Double?
  package let outcome: String
  package let causes: [String]
  package let evidence: [Evidence]
}

/// What really happened, beside what was told.
package struct DayTruthMarks: Sendable, Codable {
  /// A visit that a reminder should have spoken of.
  package struct Visit: Sendable, Codable {
    package let reminder: String
    /// The id of the point; nil for places of one's own.
    package let poi: String?
    package let from: Timestamp
    package let until: Timestamp
    /// Whether it had begun before the day did, so that there is no arrival.
    package let isInitial: Bool
    /// Whether it was told.
    package let isTold: Bool
    /// Why it was told as it was, or not at all; nil where no arrival is due: of an initial one, and of a reminder that
    /// speaks on the way only.
    package let cause: String?
    /// How long after it began it was told; nil if never.
    package let delaySeconds: Double?
  }

  /// An announcement, judged by the truth.
  package struct Verdict: Sendable, Codable {
    package let reminder: String
    /// `arrival`, `post_arrival`, `approach`.
    package let subject: String
    package let poi: String?
    package let at: Timestamp
    /// Whether something true was told for the first time.
    package let isHit: Bool
    package let cause: String
  }

  /// A place that was come near to, and not visited.
  package struct Encounter: Sendable, Codable {
    package let kind: String
    package let poi: String
    package let category: String
    package let from: Timestamp
    package let until: Timestamp
  }

  package let visits: [Visit]
  package let verdicts: [Verdict]
  package let encounters: [Encounter]
  /// Stays and gaps, as the truth names them.
  package let stays: [DayBand]
}
