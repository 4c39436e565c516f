import Arrivals
import Timeline

/// A notification of an arrival, as a person would see it.
struct Notice: Sendable {
  var at: Timestamp
  var category: String
  var poi: String
}

/// One true visit; two to the same place less than two minutes apart are one.
struct MergedVisit {
  var poi: String
  var category: String
  var mode: String
  var arrive: Timestamp
  var leave: Timestamp
  var isLong: Bool { (leave - arrive).seconds >= 300 }
}

func mergedVisits(_ truth: Truth) -> [MergedVisit] {
  var merged: [MergedVisit] = []
  for visit in truth.visits.sorted(by: { $0.arrive_utc.at < $1.arrive_utc.at }) {
    if let last = merged.lastIndex(where: { $0.poi == visit.place_id }),
      (visit.arrive_utc.at - merged[last].leave).seconds < 120
    {
      merged[last].leave = max(merged[last].leave, visit.leave_utc.at)
      continue
    }
    merged.append(
      MergedVisit(
        poi: visit.place_id,
        category: visit.category,
        mode: visit.mode_in,
        arrive: visit.arrive_utc.at,
        leave: visit.leave_utc.at
      )
    )
  }
  return merged
}

/// What the scores of `replay-and-tuning` count, for arrivals of categories.
struct Scores {
  var days = 0
  var visits = 0
  var longVisits = 0
  var found = 0
  var longFound = 0
  var rightPlace = 0
  var repeats = 0
  var falseNotices = 0
  var delays: [Double] = []
  /// Notified and all, of drive-bys, near stays and decoy stops.
  var driveBys = (hit: 0, all: 0)
  var nearStays = (hit: 0, all: 0)
  var decoys = (hit: 0, all: 0)

  var r5: Double { Double(longFound) / Double(max(longVisits, 1)) }
  var encounters: Int { driveBys.all + nearStays.all + decoys.all }
  var hits: Int { driveBys.hit + nearStays.hit + decoys.hit }
  var fpr: Double { Double(hits) / Double(max(encounters, 1)) }
  var falseADay: Double { Double(falseNotices) / Double(max(days, 1)) }
  var named: Double { Double(rightPlace) / Double(max(found, 1)) }

  /// Adds the counts of other days.
  mutating func add(_ other: Scores) {
    days += other.days
    visits += other.visits
    longVisits += other.longVisits
    found += other.found
    longFound += other.longFound
    rightPlace += other.rightPlace
    repeats += other.repeats
    falseNotices += other.falseNotices
    delays += other.delays
    driveBys = (driveBys.hit + other.driveBys.hit, driveBys.all + other.driveBys.all)
    nearStays = (nearStays.hit + other.nearStays.hit, nearStays.all + other.nearStays.all)
    decoys = (decoys.hit + other.decoys.hit, decoys.all + other.decoys.all)
  }

  func delay(_ share: Double) -> Double {
    guard !delays.isEmpty else { return .nan }
    let sorted = delays.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  /// What became of a notice or of a visit, for finding causes.
  enum Line {
    case falseNotice(Notice)
    case missed(MergedVisit)
    case wrongPlace(Notice, MergedVisit)
  }

  /// Counts a day.
  ///
  /// - Parameter note: called for everything that is not as it should be.
  mutating func add(_ day: Day, _ notices: [Notice], note: ((Line) -> Void)? = nil) {
    days += 1
    let visits = mergedVisits(day.truth)
    var usedBy = [Notice?](repeating: nil, count: visits.count)
    for notice in notices {
      // Of the visits that it may mean, the one to the named place, else the nearest in time.
      var best: (Int, Double)?
      var isRepeat = false
      for (i, visit) in visits.enumerated() where visit.category == notice.category {
        guard visit.arrive - .minutes(3) <= notice.at, notice.at <= visit.leave + .minutes(2)
        else { continue }
        if usedBy[i] != nil {
          isRepeat = true
          continue
        }
        let gap =
          notice.at < visit.arrive
          ? (visit.arrive - notice.at).seconds
          : (notice.at > visit.leave ? (notice.at - visit.leave).seconds : 0)
        let cost = gap + (visit.poi == notice.poi ? 0 : 1_000)
        if best.map({ cost < $0.1 }) ?? true { best = (i, cost) }
      }
      if let (i, _) = best {
        usedBy[i] = notice
        if visits[i].poi != notice.poi { note?(.wrongPlace(notice, visits[i])) }
      } else if isRepeat {
        repeats += 1
      } else {
        falseNotices += 1
        note?(.falseNotice(notice))
      }
    }
    for (visit, notice) in zip(visits, usedBy) {
      self.visits += 1
      if visit.isLong { longVisits += 1 }
      guard let notice else {
        if visit.isLong { note?(.missed(visit)) }
        continue
      }
      found += 1
      if visit.isLong { longFound += 1 }
      if notice.poi == visit.poi { rightPlace += 1 }
      delays.append((notice.at - visit.arrive).seconds)
    }
    // A notice tells of what it lies in: a wait at the curb, which may be a near stay, too, or else one
    // passing. Where it lies in nothing, of the nearest in time.
    struct Encounter {
      var kind: Int
      var poi: String
      var from: Timestamp
      var to: Timestamp
      var isHit = false
    }
    var encounters =
      day.truth.decoy_stops.map {
        Encounter(kind: 0, poi: $0.near_place_id, from: $0.arrive_utc.at, to: $0.leave_utc.at)
      }
      + day.truth.near_stays.map {
        Encounter(
          kind: 1,
          poi: $0.place_id,
          from: $0.within_100m_from_utc.at,
          to: $0.within_100m_to_utc.at
        )
      }
      + day.truth.drive_bys.map {
        Encounter(
          kind: 2,
          poi: $0.place_id,
          from: $0.within_100m_from_utc.at,
          to: $0.within_100m_to_utc.at
        )
      }
    for notice in notices
    where !visits.contains(where: { $0.poi == notice.poi && covers($0, notice.at) }) {
      let isTrueOfAnother = visits.contains {
        $0.category == notice.category && covers($0, notice.at)
      }
      let latest: Double = isTrueOfAnother ? 120 : 3_600
      var stops: [Int: Int] = [:]
      var nearest: (index: Int, gap: Double)?
      for (i, e) in encounters.enumerated() where e.poi == notice.poi {
        if e.from <= notice.at, notice.at <= e.to, stops[e.kind] == nil { stops[e.kind] = i }
        let before = (e.from - notice.at).seconds
        let after = (notice.at - e.to).seconds
        guard before <= 180, after <= latest else { continue }
        let gap = max(before, after, 0)
        if nearest.map({ gap < $0.gap }) ?? true { nearest = (i, gap) }
      }
      let told = stops.filter { $0.key != 2 }
      for index in told.values.sorted() { encounters[index].isHit = true }
      if told.isEmpty, let index = stops[2] ?? nearest?.index { encounters[index].isHit = true }
    }
    for e in encounters {
      switch e.kind {
      case 0:
        decoys.all += 1
        if e.isHit { decoys.hit += 1 }
      case 1:
        nearStays.all += 1
        if e.isHit { nearStays.hit += 1 }
      default:
        driveBys.all += 1
        if e.isHit { driveBys.hit += 1 }
      }
    }
  }

  /// Whether a visit excuses a notice at an instant.
  private func covers(_ visit: MergedVisit, _ at: Timestamp) -> Bool {
    visit.arrive - .minutes(3) <= at && at <= visit.leave + .minutes(2)
  }
}
