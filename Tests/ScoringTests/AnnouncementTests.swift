import Fencing
import Geodesy
import NearMeEngine
import OutputLines
import Places
import Replay
import Scoring
import Testing
import Timeline
import Traces

@Suite struct AnnouncementTests {
  private static let milesPerDegree = 69.0

  @Test func `what is told at one instant in two notifications is two announcements`() throws {
    func point(_ id: Int, _ category: String, mile: Double) -> PointOfInterest {
      PointOfInterest(
        sourceID: "node/\(id)",
        categories: [CategoryID(category)],
        name: category,
        coordinate: Coordinate(uncheckedLatitude: 38 + mile / Self.milesPerDegree, longitude: -76)
      )
    }
    var policy = Policy()
    policy.fencing.arrivalDetection = .radius
    var engine = Engine(
      policy: policy,
      zone: .utc,
      catalog: POICatalog([point(1, "bank", mile: 0), point(2, "post_office", mile: 2)]),
      monitoring: .everyFix
    )
    var post = Reminder(id: "post", title: "p", target: .category(CategoryID("post_office")))
    post.tiers = [.approach(meters: Tier.metersPerMile)]
    let bank = Reminder(id: "bank", title: "b", target: .category(CategoryID("bank")))
    try engine.load(places: [], reminders: [bank, post])
    var collector = AnnouncementCollector()
    let start = Timestamp(seconds: 1_772_524_800)
    for (mile, minute) in [(7.0, 0), (4.9, 4), (2.9, 12)] {
      let at = start + .minutes(Int64(minute))
      let fix = Fix(
        at: at,
        coordinate: point(0, "none", mile: mile).coordinate,
        horizontalAccuracyMeters: 5,
        speedMetersPerSecond: 10
      )
      for effect in engine.handle(Event(at: at, .fix(fix))) {
        switch effect {
        case .record(.decision(let decision)): collector.add(.decision(decision))
        case .post(let news): collector.add(.notification(news, isUpdate: false))
        case .replace(let news): collector.add(.notification(news, isUpdate: true))
        default: break
        }
      }
    }
    #expect(
      collector.announcements.map { "\($0.reminder) \($0.tier.name)\($0.isUpdate ? " again" : "")" }
        == ["bank approach:5mi", "bank approach:3mi again", "post approach:1mi"]
    )
  }
}
