import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Testing
import Timeline
import Traces

/// What is stored is a format: the JSON of every case is pinned, and reads back as the same value.
@Suite struct StoredFormTests {
  private static let at = Timestamp(seconds: 1_767_600_000)
  private static let instant = "2026-01-05T08:00:00Z"
  private static let fix = Fix(
    at: at + Milliseconds(250),
    coordinate: Coordinate(uncheckedLatitude: 39.25, longitude: -76.5),
    horizontalAccuracyMeters: 7.5,
    speedMetersPerSecond: 1.5,
    courseDegrees: 90
  )
  private static let fixText =
    #"{"accuracy":7.5,"at":"2026-01-05T08:00:00.250Z","course":90,"lat":39.25,"lon":-76.5,"speed":1.5}"#

  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func expect<Value: Codable & Equatable>(_ value: Value, _ text: String) throws {
    let written = try json(value)
    #expect(written == text)
    #expect(try JSONDecoder().decode(Value.self, from: Data(text.utf8)) == value, "\(text)")
  }

  private func expectEvent(_ kind: Event.Kind, _ rest: String) throws {
    try expect(Event(at: Self.at, kind), #"{"at":"\#(Self.instant)",\#(rest)}"#)
  }

  @Test func `every event reads back as it was written`() throws {
    let plain = Fix(
      at: Self.at,
      coordinate: Self.fix.coordinate,
      horizontalAccuracyMeters: 20
    )
    try expectEvent(.launched, #""event":"launched""#)
    try expectEvent(.timer, #""event":"timer""#)
    try expectEvent(.fix(Self.fix), #""event":"fix","fix":\#(Self.fixText)"#)
    try expectEvent(.woken(by: Self.fix, previous: nil), #""event":"woken","fix":\#(Self.fixText)"#)
    try expectEvent(
      .woken(by: Self.fix, previous: plain),
      #""event":"woken","fix":\#(Self.fixText),"previous":"#
        + #"{"accuracy":20,"at":"\#(Self.instant)","lat":39.25,"lon":-76.5}"#
    )
    try expectEvent(.focus(true), #""event":"focus","on":true"#)
    try expectEvent(
      .reminderReopened(Reminder(id: "r1", title: "call", triggers: [.signal("unlock")])),
      #""event":"reminder_reopened","reminder":{"id":"r1","status":"active","title":"call","#
        + #""triggers":[{"signal":"unlock"}]}"#
    )
    try expectEvent(.reminderDeleted("meds"), #""event":"reminder_deleted","id":"meds""#)
    try expect(
      Event(at: Self.at, .reminderAnswered("meds", ReminderAnswer(due: Self.at, at: Self.at))),
      #"{"answer":{"at":"\#(Self.instant)","due":"\#(Self.instant)"},"at":"\#(Self.instant)","#
        + #""event":"reminder_answered","id":"meds"}"#
    )
    try expectEvent(.placeDeleted("home"), #""event":"place_deleted","id":"home""#)
    try expectEvent(
      .placeSaved(
        Place(
          id: "home",
          name: "Home",
          kind: .home,
          coordinate: Self.fix.coordinate,
          arrivalRadiusMeters: 200
        )
      ),
      #""event":"place_saved","place":{"arrival_radius":200,"id":"home","kind":"home","lat":39.25,"#
        + #""lon":-76.5,"name":"Home"}"#
    )
    try expect(
      Event(at: Self.at, .locationAccess(.whileInUse)),
      #"{"access":"while_in_use","at":"\#(Self.instant)","event":"location_access"}"#
    )
    try expectEvent(
      .signal(Signal(name: "charging", id: "7", level: "full")),
      #""event":"signal","signal":{"id":"7","level":"full","name":"charging"}"#
    )
    try expectEvent(.regionsRefused(["a", "b"]), #""event":"regions_refused","ids":["a","b"]"#)
    try expectEvent(.entitlement(.free), #""entitlement":"free","event":"entitlement""#)
    try expectEvent(.analytics(true), #""event":"analytics","on":true"#)
    try expectEvent(
      .clockChanged(by: .minutes(-60)),
      #""event":"clock_changed","milliseconds":-3600000"#
    )
    try expectEvent(
      .written([Event(at: Self.at, .analytics(true)), Event(at: Self.at, .reminderDeleted("a"))]),
      #""event":"written","events":[{"at":"\#(Self.instant)","event":"analytics","on":true},"#
        + #"{"at":"\#(Self.instant)","event":"reminder_deleted","id":"a"}]"#
    )
    let timer = #"{"at":"\#(Self.instant)","event":"timer"}"#
    let refused = #"{"at":"\#(Self.instant)","event":"written","events":[\#(timer)]}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Event.self, from: Data(refused.utf8))
    }
    try expect(
      Event(at: Self.at, .analytics(true), madeAt: Self.at),
      #"{"at":"\#(Self.instant)","event":"analytics","made_at":"\#(Self.instant)","on":true}"#
    )
    let zone = UTCOffsetTable(
      identifier: "Europe/Berlin",
      initialOffsetSeconds: 3_600,
      eras: [UTCOffsetTable.Era(start: Self.at, offsetSeconds: 7_200)]
    )
    try expectEvent(.zoneChanged(.utc), #""event":"zone_changed","zone":{"name":"UTC","offset":0}"#)
    try expectEvent(
      .zoneChanged(zone),
      #""event":"zone_changed","zone":{"changes":[{"at":1767600000000,"offset":7200}],"#
        + #""name":"Europe/Berlin","offset":3600}"#
    )
  }

  /// A journal outlives what a broken receiver or app hands over, and the engine refuses it once more.
  @Test(arguments: [
    (Double.nan, 10.0), (39, .infinity), (-Double.infinity, .nan), (91, 10), (0, 181),
  ])
  func `a position that there is not is kept as none`(
    _ latitude: Double,
    _ longitude: Double
  ) throws {
    let nowhere = Coordinate(uncheckedLatitude: latitude, longitude: longitude)
    let fix = Fix(at: Self.at, coordinate: nowhere, horizontalAccuracyMeters: .nan)
    let place = Place(id: "hut", name: "Hut", kind: .other, coordinate: nowhere)
    for kind in [
      Event.Kind.fix(fix), .woken(by: fix, previous: fix), .placeSaved(place),
    ] {
      let data = try JSONEncoder().encode(Event(at: Self.at, kind))
      let event = try JSONDecoder().decode(Event.self, from: data)
      var engine = Engine(
        policy: Policy(),
        zone: .utc,
        catalog: POICatalog([]),
        monitoring: .everyFix
      )
      let refusals = engine.handle(event)
        .filter { effect in
          switch effect {
          case .record(.fixRefused), .record(.placeRefused): true
          default: false
          }
        }
      #expect(refusals.count == 1, "\(String(decoding: data, as: UTF8.self))")
    }
  }

  @Test func `every action reads back as it was written`() throws {
    let actions: [(ReminderAction, String, String)] = [
      (.complete, "complete", ""), (.snoozeToday, "snooze_today", ""),
      (.snoozeUntilNextArrival, "snooze_next_arrival", ""), (.mute, "mute", ""),
      (.unmute, "unmute", ""), (.dismiss, "dismiss", ""),
      (.snoozeFor(.minutes(15)), "snooze", #","milliseconds":900000"#),
    ]
    for (action, name, rest) in actions {
      try expect(
        Event(at: Self.at, .action(reminder: "meds", action)),
        #"{"action":"\#(name)","at":"\#(Self.instant)","event":"action","id":"meds"\#(rest)}"#
      )
    }
  }

  @Test func `CTX-2.4: a saved reminder keeps all that it has`() throws {
    try expectEvent(
      .reminderSaved(Reminder(id: "a", title: "rest", target: .place("home"))),
      #""event":"reminder_saved","reminder":{"id":"a","status":"active","#
        + #""target":{"place":"home"},"title":"rest"}"#
    )
    try expectEvent(
      .reminderSaved(
        Reminder(
          id: "meds",
          title: "fetch meds",
          notes: "blue card",
          target: .category(CategoryID("pharmacy")),
          status: .completed,
          isMuted: true,
          snooze: .until(Self.at),
          tiers: [.approach(miles: 3), .arrival, .postArrival(delay: .minutes(5))],
          priority: 2,
          window: WeeklyWindow(days: [.friday, .monday], startMinute: 1_320, endMinute: 60)
        )
      ),
      #""event":"reminder_saved","reminder":{"id":"meds","muted":true,"#
        + #""notes":"blue card","priority":2,"snoozed_until":"\#(Self.instant)","#
        + #""status":"completed","target":{"category":"pharmacy"},"#
        + #""tiers":["approach:3mi","arrival","post_arrival:5m"],"title":"fetch meds","#
        + #""window":{"days":["mon","fri"],"end":"01:00","start":"22:00"}}"#
    )
    try expect(
      Reminder(id: "a", title: "b", target: .place("c"), snooze: .untilNextArrival),
      #"{"id":"a","snoozed_until":"next_arrival","status":"active","target":{"place":"c"},"#
        + #""title":"b"}"#
    )
    let window = try #require(WeeklyWindow(startMinute: 0, endMinute: 720))
    let late = try #require(WeeklyWindow(days: [.sunday], startMinute: 1_080))
    try expect(
      Reminder(
        id: "a",
        title: "b",
        triggers: [
          .place(.place("c"), tiers: [.arrival]), .place(.category(CategoryID("bank"))),
          .schedule(.local(CivilDate(daysSinceEpoch: 20_514), minuteOfDay: 420)),
          .schedule(.instant(Self.at)), .signal("unlock"),
        ],
        conditions: [.window(window), .window(late)]
      ),
      #"{"conditions":[{"window":{"end":"12:00","start":"00:00"}},"#
        + #"{"window":{"days":["sun"],"end":"24:00","start":"18:00"}}],"id":"a","#
        + #""status":"active","title":"b","triggers":[{"place":"c","tiers":["arrival"]},"#
        + #"{"category":"bank"},{"schedule":{"start":"2026-03-02T07:00"}},"#
        + #"{"schedule":{"start":"2026-01-05T08:00:00Z"}},{"signal":"unlock"}]}"#
    )
  }

  @Test func `reminders of earlier journals are read`() throws {
    let text =
      #"{"category":"pharmacy","id":"a","status":"active","tiers":["arrival"],"title":"b","#
      + #""window":{"days":["mon"],"end":60,"start":1320}}"#
    let reminder = try JSONDecoder().decode(Reminder.self, from: Data(text.utf8))
    #expect(
      reminder
        == Reminder(
          id: "a",
          title: "b",
          target: .category(CategoryID("pharmacy")),
          tiers: [.arrival],
          window: WeeklyWindow(days: [.monday], startMinute: 1_320, endMinute: 60)
        )
    )
    let place = #"{"id":"a","place":"c","status":"active","title":"b"}"#
    #expect(
      try JSONDecoder().decode(Reminder.self, from: Data(place.utf8))
        == Reminder(id: "a", title: "b", target: .place("c"))
    )
  }

  @Test func `what no calendar and no JSON can say reads back as well as it can`() throws {
    let far = Event(at: Timestamp(milliseconds: 8_640_000_000_000_000), .timer)
    try expect(far, #"{"at":8640000000000000,"event":"timer"}"#)
    var broken = Self.fix
    broken.horizontalAccuracyMeters = .nan
    broken.speedMetersPerSecond = .infinity
    let text = try json(Event(at: Self.at, .fix(broken)))
    let back = try JSONDecoder().decode(Event.self, from: Data(text.utf8))
    guard case .fix(let fix) = back.kind else { return #expect(Bool(false), "\(text)") }
    #expect(fix.horizontalAccuracyMeters == -1)
    #expect(fix.speedMetersPerSecond == nil)
  }

  @Test func `events that cannot be are refused with a sentence`() throws {
    let cases: [(String, String)] = [
      (#"{"at":"2026-01-05T08:00:00Z","event":"dance"}"#, "\"dance\" is not known"),
      (#"{"at":"yesterday","event":"timer"}"#, "\"yesterday\" is no instant"),
      (#"{"at":8640000000000001,"event":"timer"}"#, "too far from 1970"),
      (
        #"{"at":0,"event":"zone_changed","zone":{"name":"x","offset":100000}}"#,
        "by a day at most"
      ),
      (
        #"{"at":0,"event":"reminder_saved","reminder":{"id":"a","title":"b","place":"c","#
          + #""status":"active","window":{"start":60,"end":60}}}"#, "the window never opens"
      ),
      (
        #"{"at":0,"event":"fix","fix":{"at":0,"lat":91,"lon":0,"accuracy":5}}"#,
        "latitude 91.0 is not between"
      ),
      (
        #"{"at":0,"event":"reminder_saved","reminder":{"id":"a","title":"b","status":"active"}}"#,
        "needs one target, or triggers"
      ),
    ]
    for (text, reason) in cases {
      let error = #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(Event.self, from: Data(text.utf8))
      }
      guard case .dataCorrupted(let context)? = error else {
        #expect(Bool(false), "\(text): \(String(describing: error))")
        continue
      }
      #expect(context.debugDescription.contains(reason), "\(context.debugDescription)")
    }
  }

  // MARK: Effects and records

  private static let notificationText =
    #"{"at":1767600000000,"id":"n1","kind":"approach","members":[{"coordinate":{"lat":39.25,"#
    + #""lon":-76.5},"distanceMeters":4800,"poi":"node/1","reminder":"meds","#
    + #""text":"You're 3 miles from pharmacy — fetch meds?","tier":"approach:3mi"}]}"#

  private func expectEffect(_ text: String, _ isIt: (Effect) -> Bool) throws {
    let effect = try JSONDecoder().decode(Effect.self, from: Data(text.utf8))
    #expect(isIt(effect), "\(text): \(effect)")
    #expect(try json(effect) == text)
  }

  @Test func `every effect reads back as it was written`() throws {
    let note = Self.notificationText
    let news = try JSONDecoder().decode(ReminderNotification.self, from: Data(note.utf8))
    try expectEffect(
      #"{"change":{"certificate":{"atRisk":[],"covered":["a"],"marginMeters":0},"held":1,"#
        + #""start":[{"centre":{"lat":39.25,"lon":-76.5},"id":"a","kind":"enter","#
        + #""radiusMeters":150}],"stop":["b"]},"effect":"monitor"}"#
    ) {
      guard case .monitor(let change) = $0 else { return false }
      return change.stop == ["b"] && change.start.map(\.id) == ["a"] && change.held == 1
    }
    try expect(Effect.listen(to: ["car"]), #"{"effect":"listen","names":["car"]}"#)
    try expect(
      Effect.archive(Reminder(id: "r1", title: "call", triggers: [.signal("unlock")])),
      #"{"effect":"archive","reminder":{"id":"r1","status":"active","title":"call","#
        + #""triggers":[{"signal":"unlock"}]}}"#
    )
    try expect(Effect.locate, #"{"effect":"locate"}"#)
    try expect(
      Effect.ease(from: Self.at, every: .seconds(120)),
      #"{"effect":"ease","every":120000,"from":1767600000000}"#
    )
    try expect(Effect.follow(until: nil), #"{"effect":"follow"}"#)
    try expect(Effect.follow(until: Self.at), #"{"effect":"follow","until":1767600000000}"#)
    try expect(Effect.post(news), #"{"effect":"post","notification":\#(note)}"#)
    try expect(Effect.replace(news), #"{"effect":"replace","notification":\#(note)}"#)
    try expect(Effect.withdraw(id: "n1"), #"{"effect":"withdraw","id":"n1"}"#)
    try expect(
      Effect.schedule(news, at: Self.at),
      #"{"at":1767600000000,"effect":"schedule","notification":\#(note)}"#
    )
    try expect(Effect.unschedule(id: "n1"), #"{"effect":"unschedule","id":"n1"}"#)
    try expect(Effect.wakeAt(nil), #"{"effect":"wake_at"}"#)
    try expect(Effect.wakeAt(Self.at), #"{"at":1767600000000,"effect":"wake_at"}"#)
    try expect(
      Effect.record(.presented(news)),
      #"{"effect":"record","record":{"notification":\#(note),"type":"presented"}}"#
    )
  }

  @Test func `a notification that tells nothing is not read`() throws {
    let text = #"{"at":0,"id":"n1","kind":"approach","members":[]}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ReminderNotification.self, from: Data(text.utf8))
    }
  }

  @Test func `every record reads back as it was written`() throws {
    let at = #""at":"\#(Self.instant)""#
    try expect(
      Record.fixRefused(at: Self.at, .late),
      #"{\#(at),"reason":"late","type":"fix_refused"}"#
    )
    try expect(
      Record.placeRefused(at: Self.at, PlaceRefusal(place: "hut", reason: "it lies nowhere")),
      #"{\#(at),"place":"hut","reason":"it lies nowhere","type":"place_refused"}"#
    )
    try expect(
      Record.emptyCatalogRefused(at: Self.at),
      #"{\#(at),"type":"empty_catalog_refused"}"#
    )
    try expect(
      Record.locationAccess(at: Self.at, .servicesOff),
      #"{"access":"services_off",\#(at),"type":"location_access"}"#
    )
    try expect(
      Record.powerLevel(at: Self.at, .saving),
      #"{\#(at),"level":"saving","type":"power_level"}"#
    )
    try expect(
      Record.regionsRefused(at: Self.at, ids: ["a"], slots: 3),
      #"{\#(at),"ids":["a"],"slots":3,"type":"regions_refused"}"#
    )
    try expect(
      Record.transition(
        TransitionRecord(
          at: Self.at,
          reminder: "meds",
          step: .tier(.approach(miles: 3)),
          kind: .enter,
          poi: "node/1",
          distanceMeters: 4_800
        )
      ),
      #"{\#(at),"distance":4800,"kind":"enter","poi":"node/1","reminder":"meds","#
        + #""tier":"approach:3mi","type":"transition"}"#
    )
    try expect(
      Record.canceled(
        CancelRecord(at: Self.at, reminder: "meds", tier: .arrival, poi: "node/1", reason: .left)
      ),
      #"{\#(at),"poi":"node/1","reason":"left","reminder":"meds","tier":"arrival","#
        + #""type":"cancelled"}"#
    )
    try expect(
      Record.actionRefused(at: Self.at, reminder: "meds", .snoozeOutOfRange),
      #"{\#(at),"reason":"snooze_out_of_range","reminder":"meds","type":"action_refused"}"#
    )
    try expect(
      Record.signalRefused(at: Self.at, Signal(name: "unlock", id: "1"), .repeated),
      #"{\#(at),"reason":"repeated","signal":{"id":"1","name":"unlock"},"#
        + #""type":"signal_refused"}"#
    )
    try expect(
      Record.transition(
        TransitionRecord(at: Self.at, reminder: "a", step: .schedule(Self.at), kind: .due)
      ),
      #"{\#(at),"kind":"due","reminder":"a","tier":"schedule:2026-01-05T08:00:00Z","#
        + #""type":"transition"}"#
    )
    try expect(
      Record.entitlement(at: Self.at, .free, live: ["a"]),
      #"{\#(at),"entitlement":"free","live":["a"],"type":"entitlement"}"#
    )
    try expect(
      Record.analyticsConsent(at: Self.at, isOn: false),
      #"{\#(at),"on":false,"type":"analytics_consent"}"#
    )
    try expect(
      Record.analytics(at: Self.at, .nudgeShown),
      #"{\#(at),"event":"nudge_shown","type":"analytics"}"#
    )
    let text =
      #"{\#(at),"outcome":"deferred","reason":"quiet_hours","reminder":"meds","tier":"arrival","#
      + #""type":"decision","until":"\#(Self.instant)"}"#
    let record = try JSONDecoder().decode(Record.self, from: Data(text.utf8))
    guard case .decision(let read) = record else { return #expect(Bool(false), "\(record)") }
    #expect(read.outcome == .deferred(.quietHours, until: Self.at))
    #expect(try json(record) == text)
  }

  @Test func `records of earlier versions are read`() throws {
    let ms = "1767600000000"
    let transition = TransitionRecord(
      at: Self.at,
      reminder: "meds",
      step: .tier(.arrival),
      kind: .enter,
      distanceMeters: 4_800
    )
    let canceled = CancelRecord(
      at: Self.at,
      reminder: "meds",
      tier: .arrival,
      poi: nil,
      reason: .left
    )
    let records: [(Record, String)] = [
      (.fixRefused(at: Self.at, .late), #"{"at":\#(ms),"reason":"late","record":"fix_refused"}"#),
      (
        .transition(transition),
        #"{"record":"transition","transition":{"at":\#(ms),"distance":4800,"kind":"enter","#
          + #""reminder":"meds","tier":"arrival"}}"#
      ),
      (
        .canceled(canceled),
        #"{"cancelled":{"at":\#(ms),"reason":"left","reminder":"meds","tier":"arrival"},"#
          + #""record":"cancelled"}"#
      ),
      (
        .actionRefused(at: Self.at, reminder: "meds", .snoozeOutOfRange),
        #"{"at":\#(ms),"id":"meds","reason":"snooze_out_of_range","record":"action_refused"}"#
      ),
    ]
    for (record, text) in records {
      #expect(try JSONDecoder().decode(Record.self, from: Data(text.utf8)) == record, "\(text)")
    }
    let refused =
      #"{"at":\#(ms),"error":{"name":"two_post_arrivals"},"id":"meds","record":"reminder_refused"}"#
    #expect(
      try json(JSONDecoder().decode(Record.self, from: Data(refused.utf8)))
        == #"{"at":"\#(Self.instant)","error":{"name":"two_post_arrivals"},"reminder":"meds","#
        + #""type":"reminder_refused"}"#
    )
    let decision =
      #"{"decision":{"at":\#(ms),"outcome":"deferred","reason":"quiet_hours","reminder":"meds","#
      + #""tier":"arrival","until":\#(ms)},"record":"decision"}"#
    guard
      case .decision(let read) = try JSONDecoder().decode(Record.self, from: Data(decision.utf8))
    else { return #expect(Bool(false), "\(decision)") }
    #expect(read.at == Self.at)
    #expect(read.outcome == .deferred(.quietHours, until: Self.at))
  }

  @Test func `every reason of a refused reminder reads back as it was written`() throws {
    let reasons: [(ReminderError, String)] = [
      (.badTiers(.empty), #"{"name":"no_tier"}"#),
      (.badTiers(.arrivalNotLast), #"{"name":"arrival_not_last"}"#),
      (
        .badTiers(.notNested(outer: 100, inner: 150)),
        #"{"inner":150,"name":"not_nested","outer":100}"#
      ),
      (.twoPostArrivals, #"{"name":"two_post_arrivals"}"#),
      (.postArrivalWithoutArrival, #"{"name":"post_arrival_without_arrival"}"#),
      (.unknownPlace("hut"), #"{"name":"unknown_place","place":"hut"}"#),
    ]
    for (reason, text) in reasons { try expect(reason, text) }
  }
}
