import Fencing
import NearMeEngine
import OutputLines
import Places
import Replay
import Timeline
import Traces

/// The engine in this process, handed what the phone said: what the door must have told.
struct Reference {
  private var session: ReplaySession
  private let hasRegions: Bool
  private var fed: Set<Int> = []
  private(set) var lines: [String] = []
  private(set) var fixCount = 0

  init(_ day: Day, hasRegions: Bool) throws {
    let service: LocationService = hasRegions ? .ideal(slots: day.policy.monitor.slots) : .stream
    session = try ReplaySetup(policy: day.policy, catalog: day.catalog, service: service)
      .session(for: day.person)
    self.hasRegions = hasRegions
  }

  /// The regions that the phone must have now.
  var regions: [Region] { session.engine.state.currentRegions }

  /// Takes in what a message said, the first time it comes.
  mutating func take(_ id: Int, _ fixes: [Fix]) throws {
    guard fed.insert(id).inserted else { return }
    try take(fixes)
  }

  /// Takes in fixes in order.
  mutating func take(_ fixes: [Fix]) throws {
    for fix in fixes {
      if fixCount == 0 { keep(try session.take(Event(at: fix.at, .launched))) }
      fixCount += 1
      keep(
        try session.take(
          hasRegions
            ? Event(at: fix.at, .woken(by: fix, previous: nil)) : Event(at: fix.at, .fix(fix))
        )
      )
    }
  }

  /// What is due by the newest fix happens.
  mutating func finish() throws {
    guard let newest = session.engine.newestInstant else { return }
    while let timer = session.engine.nextTimer, timer <= newest {
      keep(try session.take(Event(at: timer, .timer)))
    }
  }

  private mutating func keep(_ news: [ReplayLine]) {
    for line in news {
      switch line {
      case .transition, .decision, .notification: lines.append(NDJSONFormat().text(line))
      default: break
      }
    }
  }

  /// What a plain replay of the day shows.
  static func replayed(_ day: Day, hasRegions: Bool) throws -> [String] {
    let service: LocationService = hasRegions ? .ideal(slots: day.policy.monitor.slots) : .stream
    var session = try ReplaySetup(policy: day.policy, catalog: day.catalog, service: service)
      .session(for: day.person)
    var lines: [String] = []
    for fix in day.fixes {
      for case .notification(let news, _) in try session.consume(fix) {
        lines.append("\(RFC3339.format(news.at)) \(news.text)")
      }
    }
    for case .notification(let news, _) in try session.finish() {
      lines.append("\(RFC3339.format(news.at)) \(news.text)")
    }
    return lines
  }
}
