import NearMeEngine
import Timeline

/// What a reminder had to say around an instant that no tier of a place says: times, departures, signals.
struct OtherNews {
  /// One that was told.
  struct Told {
    let at: Timestamp
    /// Its step, by name.
    let name: String
    /// Why it was told then.
    let cause: String
  }

  /// In the order in which they were told.
  let told: [Told]
  /// Why the nearest of those that were not told was not; nil if there was none.
  let silent: String?

  init(_ reminder: Reminder, _ run: DayRun, within reach: Milliseconds, of at: Timestamp) {
    let own = run.decisions.filter { $0.reminder == reminder.id && $0.tier == nil }
    let near = own.indices.filter { isWithin(reach, own[$0].at, at) }
    told =
      near.filter { own[$0].outcome == .delivered }
      .map { i in
        let said = own[i]
        let before = own[..<i].last { $0.step == said.step }
        return Told(at: said.at, name: said.step.name, cause: Self.cause(of: said, after: before))
      }
    silent =
      near.filter { own[$0].outcome != .delivered }
      .min { own[$0].isNearer(own[$1], to: at) }
      .flatMap { Explanation.silence(of: own[$0]) }
  }

  private static func cause(of said: DecisionRecord, after before: DecisionRecord?) -> String {
    if case .deferred(let silence, _)? = before?.outcome {
      return "it had waited for \(silence.rawValue) to end"
    }
    let news =
      switch said.step {
      case .schedule where said.step.isAhead: "it was so long before its time"
      case .schedule: "its time had come"
      case .leave: "the place was left"
      case .signal(let name): "the phone gave the signal \(name)"
      default: "it happened"
      }
    return news + ", and nothing spoke against it"
  }

  /// Why a reminder could say nothing any more, if it had ended by itself before an instant.
  static func end(
    of reminder: Reminder,
    _ run: DayRun,
    in zone: UTCOffsetTable,
    by at: Timestamp
  ) -> String? {
    if let end = reminder.end(in: zone), end <= at {
      return "\(Cause(.expired).label): its days were over at \(Explanation.clock(end))"
    }
    guard reminder.endsBy == .once,
      let first = run.decisions.first(where: {
        $0.reminder == reminder.id && $0.outcome == .delivered && !$0.step.isAhead
      }), first.at <= at
    else { return nil }
    return "\(Cause(.fired).label): it was to speak once, and did at "
      + "\(Explanation.clock(first.at)) (\(first.step.name))"
  }
}

/// How far apart two instants are.
func distance(_ a: Timestamp, _ b: Timestamp) -> Milliseconds { a < b ? b - a : a - b }
