import Basics
import Arrivals
import Foundation
import Places
import Timeline
import Traces

/// Days to try settings on.
struct Bench {
  let days: [Day]
  let settings: ArrivalSettings
  var without: [String] = []

  func fold(of person: String, of folds: Int, salt: Int) -> Int {
    let persons = Array(Set(days.map(\.person))).sorted()
    // A fixed shuffle: the same on every machine.
    var state = UInt64(salt) &* 0x9E37_79B9_7F4A_7C15 &+ 12_345
    var order = Array(persons.indices)
    for i in order.indices.reversed() where i > 0 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      order.swapAt(i, Int((state >> 33) % UInt64(i + 1)))
    }
    return order[persons.firstIndex(of: person) ?? 0] % folds
  }

  func notices(_ day: Day, _ settings: ArrivalSettings) -> [Notice] {
    var detector = ArrivalDetector(settings: settings, catalog: day.catalog, places: day.places)
    var notices: [Notice] = []
    func take(_ findings: [ArrivalFinding]) {
      for case .arrived(let arrival) in findings {
        guard case .category(let category) = arrival.group,
          case .pointOfInterest(let id) = arrival.place
        else { continue }
        notices.append(Notice(at: arrival.at, category: category.name, poi: id))
      }
    }
    for step in day.steps {
      if let until = step.awakeUntil { take(detector.advance(to: min(until, step.fix.at))) }
      take(detector.observe(step.fix, at: step.point, afterSleep: step.isAfterSleep))
    }
    if let last = day.steps.last { take(detector.advance(to: last.fix.at + .minutes(20))) }
    return notices
  }

  func report(folds: Int, repeats: Int, thresholds: [Double], ledger: Bool) {
    let rowsOfDay = days.map { rows(of: $0, settings) }
    let isFree = ArrivalTerms.names.map { !without.contains($0) }
    let isStream = days.map { $0.sampling != "significant" }
    func weights(without fold: Int?, salt: Int) -> [Double] {
      var training: [Row] = []
      for (i, day) in days.enumerated() where isStream[i] {
        if let fold, self.fold(of: day.person, of: folds, salt: salt) == fold { continue }
        training += rowsOfDay[i]
      }
      return fit(training, isFree: isFree)
    }
    let fixes = days.reduce(0) { $0 + $1.fixes.count }
    print("\(days.count) days, \(isStream.count { $0 }) of them streams; \(fixes) fixes")
    print("weights fitted on all stream days:")
    for (name, value) in zip(ArrivalTerms.names, weights(without: nil, salt: 0)) {
      print("  \(padded(name, 12)) \(String(format: "%6.2f", value))")
    }
    print("\nout of fold: \(folds) groups of persons, \(repeats) ways of grouping them")
    print(header)
    for radius in [50.0, 150] {
      for dwell in [0, 60, 180] as [Int64] {
        let plain = RadiusAndDwell(radiusMeters: radius, dwellSeconds: dwell)
        var stream = Scores()
        var every = Scores()
        for (i, day) in days.enumerated() {
          let found = plain.notices(day)
          every.add(day, found)
          if isStream[i] { stream.add(day, found) }
        }
        print(row(plain.name, stream, every, repeats: 1))
      }
    }
    let sets = (0..<repeats)
      .map { salt in (0..<folds).map { weights(without: $0, salt: salt) } }
    for (t, threshold) in thresholds.enumerated() {
      var stream = Scores()
      var every = Scores()
      for salt in 0..<repeats {
        for (i, day) in days.enumerated() {
          var settings = settings
          settings.weights.values = sets[salt][fold(of: day.person, of: folds, salt: salt)]
          settings.decision.threshold = threshold
          let found = notices(day, settings)
          every.add(day, found)
          guard isStream[i] else { continue }
          let isListed = ledger && t == 0 && salt == 0
          stream.add(day, found, note: isListed ? { print(line(day, $0)) } : nil)
        }
      }
      print(row("posterior \(threshold)", stream, every, repeats: repeats))
    }
  }

  var header: String {
    """
    r5: visits of 5 min or more that were announced; fpr: encounters that were, by kind

                            |  stream days                                                        \
    |  all days
    detector                |    r5    fpr  drive-by  near stay    decoy  false/day  med s  p95 s  \
    named |    r5    fpr  false/day
    """
  }

  func row(_ name: String, _ s: Scores, _ all: Scores, repeats: Int) -> String {
    func part(_ hit: Int, _ all: Int) -> String {
      "\(Int((Double(hit) / Double(repeats)).rounded()))/\(all / repeats)"
    }
    return padded(name, 24)
      + String(format: "| %.3f %5.2f %%", s.r5, s.fpr * 100)
      + leading(part(s.driveBys.hit, s.driveBys.all), 10)
      + leading(part(s.nearStays.hit, s.nearStays.all), 9)
      + leading(part(s.decoys.hit, s.decoys.all), 9)
      + String(
        format: "%11.2f %6.0f %6.0f  %.3f | %.3f %5.2f %% %8.2f",
        s.falseADay,
        s.delay(0.5),
        s.delay(0.95),
        s.named,
        all.r5,
        all.fpr * 100,
        all.falseADay
      )
  }

  private func line(_ day: Day, _ line: Scores.Line) -> String {
    func stay(_ at: Timestamp) -> String {
      for stay in day.truth.stays
      where stay.arrive_utc.at <= at && at <= stay.leave_utc.at + .minutes(2) {
        return
          "\(stay.kind) \(stay.place_id ?? "") +\(Int((at - stay.arrive_utc.at).seconds)) of \(Int((stay.leave_utc.at - stay.arrive_utc.at).seconds)) s"
      }
      return "moving"
    }
    switch line {
    case .falseNotice(let notice):
      return
        "F \(day.id) \(day.sampling) \(day.speed) \(notice.at.milliseconds / 1000) \(notice.poi) \(notice.category): \(stay(notice.at))"
    case .missed(let visit):
      return
        "M \(day.id) \(day.sampling) \(day.speed) \(visit.arrive.milliseconds / 1000) \(visit.poi) \(visit.category) \(visit.mode) \(Int((visit.leave - visit.arrive).seconds)) s"
    case .wrongPlace(let notice, let visit):
      return
        "W \(day.id) \(day.sampling) \(day.speed) \(notice.at.milliseconds / 1000) \(notice.poi) for \(visit.poi)"
    }
  }
}
