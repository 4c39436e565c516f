import Geodesy
import NearMeEngine
import Places
import Replay
import Timeline

/// A visit that a reminder should have spoken of.
public struct TargetVisit: Hashable, Sendable {
  /// The reminder whose target it is.
  public let reminder: String
  /// The category, or the id of the place.
  public let target: String
  /// Whether the target is a category.
  public let isCategory: Bool
  /// Which point of the category; nil for places.
  public let poi: String?
  /// When it began.
  public let arrive: Timestamp
  /// When it ended.
  public internal(set) var leave: Timestamp
  /// How the person came.
  public let mode: String
  /// Whether it had begun before the day did: then there is no arrival.
  public let isInitial: Bool
  /// Whether the day ends so soon after it began that its word may come too late to be heard of.
  public let isCutShort: Bool
  /// Whether it is to a place of one's own, and had begun with the day: no word on it is news.
  var isOwnFromBegin: Bool { isInitial && !isCategory }
  /// Whether the cache has the point.
  public let isInCache: Bool

  /// From coming to going.
  public var duration: Milliseconds { leave - arrive }
  /// Whether it lasted five minutes or more: what post-arrivals are for.
  public var isLong: Bool { duration >= .minutes(5) }

  /// A visit that begins less than this before the end of the day, and lasts until then, may be told of after it: nine
  /// of ten words come earlier.
  public static let latestWord = Milliseconds.minutes(5)

  /// Two visits to one point that are less than this apart are one.
  public static let mergeGap = Milliseconds.minutes(2)

  /// The visits of a day to the targets of a person's reminders, in order of time.
  ///
  /// A visit to a category is one to any of its points. A visit to a place of the person's own is a
  /// stay at it: one of its kind at home and at work, any stay but a stop at a curb or for parking
  /// elsewhere. What comes after the reminder was done does not count.
  public static func all(
    in truth: DayTruth,
    of person: Person,
    catalog: POICatalog
  ) -> [TargetVisit] {
    var visits: [TargetVisit] = []
    for reminder in person.reminders {
      let own: [TargetVisit]
      switch reminder.target {
      case .category(let category):
        own = merged(
          truth.visits.filter { $0.category == category }
            .map { visit in
              TargetVisit(
                reminder: reminder.id,
                target: category.name,
                isCategory: true,
                poi: visit.poi,
                arrive: visit.arrive,
                leave: visit.leave,
                mode: visit.mode,
                isInitial: visit.arrive <= truth.start,
                isCutShort: truth.cutsShort(from: visit.arrive, to: visit.leave),
                isInCache: isPoint(visit.poi, of: category, in: catalog)
              )
            }
        )
      case .place(let id):
        guard let place = person.places.first(where: { $0.id == id }) else { continue }
        own = merged(
          truth.stays.filter { isStay($0, at: place) }
            .map { stay in
              TargetVisit(
                reminder: reminder.id,
                target: id,
                isCategory: false,
                poi: nil,
                arrive: stay.arrive,
                leave: stay.leave,
                mode: truth.mode(at: stay.arrive),
                isInitial: stay.arrive <= truth.start,
                isCutShort: truth.cutsShort(from: stay.arrive, to: stay.leave),
                isInCache: true
              )
            }
        )
      case nil: continue
      }
      let done = person.completion(of: reminder.id)
      visits += own.filter { visit in done.map { visit.arrive < $0 } ?? true }
    }
    return visits.sorted {
      ($0.arrive, $0.reminder, $0.poi ?? "") < ($1.arrive, $1.reminder, $1.poi ?? "")
    }
  }

  static func isPoint(_ poi: String, of category: CategoryID, in catalog: POICatalog) -> Bool {
    catalog.index(ofSourceID: poi).map { catalog.points[$0].categories.contains(category) } ?? false
  }

  /// Within so many meters of a place of one's own one is at it, whatever its arrival radius is.
  ///
  /// - Source: assumed: half the length of a large garden, and of a position taken at the door. Simulated people stay at
  ///   the very point.
  static let placeMeters = 50.0

  private static func isStay(_ stay: DayTruth.Stay, at place: Place) -> Bool {
    let isOfKind =
      switch place.kind {
      case .home, .work: stay.kind == place.kind.rawValue
      case .other: !["parking", "kerb_wait", "poi"].contains(stay.kind)
      }
    return isOfKind && isNear(stay, place)
  }

  /// Whether a stay is at a place: as near as its owner says that one has arrived, where that is farther than ``placeMeters``.
  private static func isNear(_ stay: DayTruth.Stay, _ place: Place) -> Bool {
    stay.coordinate.distanceMeters(to: place.coordinate)
      <= max(placeMeters, place.arrivalRadiusMeters ?? 0)
  }

  /// Homes and places of work with a reminder that no stay of their kind lies at, though there are some.
  static func placesOffStays(
    in truth: DayTruth,
    of person: Person
  ) -> [(place: String, meters: Double)] {
    person.places.compactMap { place in
      guard place.kind != .other,
        person.reminders.contains(where: { $0.target == .place(place.id) })
      else { return nil }
      let stays = truth.stays.filter { $0.kind == place.kind.rawValue }
      guard !stays.contains(where: { isNear($0, place) }),
        let nearest = stays.map({ $0.coordinate.distanceMeters(to: place.coordinate) }).min()
      else { return nil }
      return (place.id, nearest)
    }
  }

  /// Joins visits to one point that are hardly apart.
  private static func merged(_ visits: [TargetVisit]) -> [TargetVisit] {
    var kept: [TargetVisit] = []
    for visit in visits {
      if let i = kept.lastIndex(where: { $0.poi == visit.poi }),
        visit.arrive - kept[i].leave < mergeGap
      {
        kept[i].leave = max(kept[i].leave, visit.leave)
      } else {
        kept.append(visit)
      }
    }
    return kept
  }
}
