import CacheBuilder
import Fencing
import Foundation
import NearMeEngine
import OutputLines
import Places
import Replay
import SampleWorld
import SettingsFiles
import Timeline
import TrialFiles

/// The committed files, and a replay of the day that they describe.
struct SampleDay {
  static let samples = SampleFiles()

  /// The root of the checkout.
  static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  static func path(_ path: String) -> String { root.appendingPathComponent(path).path }

  let zone: UTCOffsetTable
  private(set) var notifications: [ReminderNotification] = []
  private(set) var transitions: [TransitionRecord] = []
  private(set) var decisions: [DecisionRecord] = []
  private(set) var summary = ReplaySummary()

  /// Replays the day; actions that `skips` names are not taken.
  init(skips: (ReplayAction) -> Bool = { _ in false }) throws {
    var person = try RemindersFile(path: Self.path(SampleFiles.remindersPath)).person
    person.actions.removeAll(where: skips)
    let map = try importPlaces(path: Self.path(SampleFiles.mapPath))
    zone = person.zone
    let setup = ReplaySetup(
      policy: try PolicyFile.read(path: Self.path(SampleFiles.policyPath)),
      catalog: POICatalog(map.places),
      service: .ideal(slots: 20)
    )
    var session = try setup.session(for: person)
    for fix in Self.samples.fixes { keep(try session.consume(fix)) }
    keep(try session.finish())
    summary = session.summary
  }

  private mutating func keep(_ lines: [ReplayLine]) {
    for line in lines {
      switch line {
      case .notification(let notification, _): notifications.append(notification)
      case .transition(let transition): transitions.append(transition)
      case .decision(let decision): decisions.append(decision)
      default: break
      }
    }
  }

  /// The wall clock as `HH:MM`.
  func clock(_ instant: Timestamp) -> String {
    let minute = zone.local(at: instant).minuteOfDay
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }

  /// When a reminder's tier was told, as wall clock times; a notification that grows counts once.
  func told(_ reminder: String, _ tier: String) -> [String] {
    var ids: [String] = []
    var clocks: [String] = []
    for notification in notifications where !ids.contains(notification.id) {
      let isThere = notification.members.contains {
        $0.reminder == reminder && $0.step.name == tier
      }
      guard isThere else { continue }
      ids.append(notification.id)
      clocks.append(clock(notification.at))
    }
    return clocks
  }
}

extension SampleDay {
  /// When a reminder's target was reached.
  func arrivals(_ reminder: String) -> [Timestamp] {
    transitions
      .filter { $0.reminder == reminder && $0.tier == .arrival && $0.kind == .enter }
      .map(\.at)
  }
}
