import Profiles
import Recurrence
import SettingsFiles
import Testing

/// Which plan has what (and who is told why not).
@Suite struct GateTests {
  struct Case: Sendable, CustomStringConvertible {
    let row: String
    let profile: String
    let feature: Feature
    let free: Bool
    let paid: Bool
    var description: String { "\(row) \(profile) \(feature.rawValue)" }

    init(_ row: String, _ profile: String, _ feature: Feature, free: Bool, paid: Bool) {
      (self.row, self.profile, self.feature, self.free, self.paid) = (
        row, profile, feature, free, paid
      )
    }
  }

  static let contextRows: [Case] = [
    Case("CTX-P3", "context", .windowTrigger, free: true, paid: true),
    Case("CTX-P3", "context", .unlockTrigger, free: true, paid: true),
    Case("CTX-P4", "context", .placeTrigger, free: false, paid: true),
    Case("CTX-P4", "context", .chargingTrigger, free: false, paid: true),
    Case("CTX-P4", "context", .appOpenedTrigger, free: false, paid: true),
    Case("CTX-P5", "context", .compoundConditions, free: false, paid: true),
    Case("CTX-P5", "context", .timeSensitive, free: false, paid: true),
  ]

  @Test(arguments: contextRows)
  func `CTX-P3, CTX-P4, CTX-P5: free has two triggers, and what is locked says what would open it`(
    _ row: Case
  ) throws {
    try check(row)
  }

  static let yomoRows: [Case] = [
    Case("YOMO-5.1a", "yomo", .sentenceCapture, free: true, paid: true),
    Case("YOMO-5.1a", "yomo", .dailyRecurrence, free: true, paid: true),
    Case("YOMO-5.1a", "yomo", .weeklyRecurrence, free: true, paid: true),
    Case("YOMO-5.1a", "yomo", .minuteSnooze, free: false, paid: true),
    Case("YOMO-5.1a", "yomo", .customRecurrence, free: false, paid: true),
    Case("YOMO-5.1a", "yomo", .deviceSync, free: false, paid: true),
    Case("YOMO-5.1a", "yomo", .themes, free: false, paid: true),
  ]

  @Test(arguments: yomoRows)
  func `YOMO-5.1a, YOMO-4.1f: the eight rows of free and pro`(_ row: Case) throws {
    try check(row)
    // The eighth and the first: making, editing, deleting and single-device notifications have no gate at all.
    let profile = try Shipped.profile("yomo")
    let many = Counts(active: 100_000, open: 100_000, createdThisMonth: 100_000, created: 100_000)
    #expect(profile.verdict(onCreatingWith: many, access: .free) == .allowed)
  }

  static let otherRows: [Case] = [
    Case("NM-7.3", "nearme", .customSound, free: false, paid: true),
    Case("NM-7.4", "nearme", .advancedSettings, free: false, paid: true),
    Case("NM-7.3", "nearme", .fixedSnooze, free: true, paid: true),
    // Conflict 8: a place is the free core of one product, is sold by another, and out of scope in a third.
    Case("conflict 8", "nearme", .placeTrigger, free: true, paid: true),
    Case("conflict 8", "context", .placeTrigger, free: false, paid: true),
    Case("conflict 8", "yomo", .placeTrigger, free: false, paid: false),
    // Conflict 17: priority and search are in the model and shown where the product has them.
    Case("conflict 17", "morning", .priority, free: true, paid: true),
    Case("conflict 17", "yomo", .priority, free: false, paid: false),
    Case("conflict 17", "yourmom", .search, free: true, paid: true),
    Case("conflict 17", "yomo", .search, free: false, paid: false),
    // Conflict 18: so is taking back an answer.
    Case("conflict 18", "yomo", .undo, free: false, paid: false),
    Case("conflict 18", "unified", .undo, free: true, paid: true),
    // Conflict 21: snoozing by the minute is sold by one, fixed choices are free in another.
    Case("conflict 21", "yomo", .minuteSnooze, free: false, paid: true),
    Case("conflict 21", "nearme", .fixedSnooze, free: true, paid: true),
    // Conflict 23: sounds are sold by one and out of scope in another.
    Case("conflict 23", "nearme", .customSound, free: false, paid: true),
    Case("conflict 23", "yomo", .customSound, free: false, paid: false),
  ]

  @Test(arguments: otherRows)
  func `NM-7.3, NM-7.4, YOMO-10, conflicts 8, 17, 18, 21 and 23: each product has its own gates`(
    _ row: Case
  ) throws {
    try check(row)
  }

  private func check(_ row: Case) throws {
    let profile = try Shipped.profile(row.profile)
    #expect(profile.has(row.feature, access: .free) == row.free, "\(row)")
    #expect(profile.has(row.feature, access: .paid) == row.paid, "\(row)")
    // Trials have what is paid for (NM-7.4, CTX-P9), and so has who never has to pay.
    #expect(profile.has(row.feature, access: .trial) == row.paid, "\(row)")
    #expect(profile.has(row.feature, access: .grandfathered) == row.paid, "\(row)")
    let shape = ReminderShape(triggers: [], extras: [row.feature])
    let refusal = profile.refusal(of: shape, access: .free)
    let expected: ShapeRefusal? =
      row.free ? nil : row.paid ? .needsEntitlement(row.feature) : .absent(row.feature)
    #expect(refusal == expected, "\(row)")
    #expect(profile.refusal(of: shape, access: .paid) == (row.paid ? nil : expected), "\(row)")
  }

  @Test(arguments: [
    ("FREQ=DAILY", Anchor.schedule, Feature.dailyRecurrence),
    ("FREQ=DAILY", .catchUp, .dailyRecurrence),
    ("FREQ=DAILY", .completion, .customRecurrence),
    ("FREQ=DAILY;INTERVAL=3", .schedule, .customRecurrence),
    ("FREQ=DAILY;COUNT=5", .schedule, .customRecurrence),
    ("FREQ=DAILY;BYHOUR=9,12,15,18", .schedule, .customRecurrence),
    ("FREQ=DAILY;BYDAY=MO", .schedule, .customRecurrence),
    ("FREQ=WEEKLY", .schedule, .weeklyRecurrence),
    ("FREQ=WEEKLY;BYDAY=MO,WE,FR", .schedule, .weeklyRecurrence),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", .schedule, .customRecurrence),
    ("FREQ=WEEKLY;UNTIL=20270101", .schedule, .customRecurrence),
    ("FREQ=MONTHLY;BYDAY=2TU", .schedule, .customRecurrence),
    ("FREQ=HOURLY;INTERVAL=3", .schedule, .customRecurrence),
    ("FREQ=YEARLY", .schedule, .customRecurrence),
  ])
  func `YOMO-4.4.2a: custom recurrence is pro, at save and when it comes from another device`(
    _ rule: String,
    _ anchor: Anchor,
    _ feature: Feature
  ) throws {
    let profile = try Shipped.profile("yomo")
    #expect(Feature.recurrence(try RecurrenceRule(rule), anchor: anchor) == feature)
    let shape = ReminderShape(triggers: [.scheduleTrigger], extras: [feature])
    let isFree = feature != .customRecurrence
    #expect((profile.refusal(of: shape, access: .free) == nil) == isFree)
    #expect(profile.refusal(of: shape, access: .paid) == nil)
    // What another device sends is never lost: it waits.
    let imported = profile.verdict(onImported: shape, access: .free)
    #expect(imported == (isFree ? .live : .waiting(.needsEntitlement(.customRecurrence))))
  }

  @Test(arguments: [
    (ReminderShape.Logic?.none, ShapeRefusal?.none),
    (.one(.windowCondition), nil),
    (.all([.one(.windowCondition)]), nil),
    (.all([.one(.windowCondition), .one(.signalCondition)]), nil),
    (.any([.one(.windowCondition), .one(.signalCondition)]), .logic),
    (.not(.one(.windowCondition)), .logic),
    (.all([.one(.windowCondition), .any([.one(.signalCondition)])]), .logic),
    (.all([.all([.one(.windowCondition)])]), .logic),
  ])
  func `CTX-1.10, conflict 5: one flat list of conditions, and no other logic`(
    _ conditions: ReminderShape.Logic?,
    _ refusal: ShapeRefusal?
  ) throws {
    // Two triggers: any of them wakes it; that is no "or" of conditions.
    let shape = ReminderShape(triggers: [.unlockTrigger, .windowTrigger], conditions: conditions)
    #expect(try Shipped.profile("context").refusal(of: shape, access: .paid) == refusal)
    #expect(try Shipped.profile("unified").refusal(of: shape, access: .free) == nil)
  }

  @Test func `CTX-P5, conflict 5: two conditions or more are compound`() throws {
    let context = try Shipped.profile("context")
    let one = ReminderShape(triggers: [.unlockTrigger], conditions: .one(.windowCondition))
    let two = ReminderShape(
      triggers: [.unlockTrigger],
      conditions: .all([.one(.windowCondition), .one(.signalCondition)])
    )
    #expect(context.refusal(of: one, access: .free) == nil)
    #expect(context.refusal(of: two, access: .free) == .needsEntitlement(.compoundConditions))
    #expect(context.refusal(of: two, access: .trial) == nil)
  }

  @Test(arguments: [
    ([Feature.windowTrigger], true), ([.windowTrigger, .unlockTrigger], false),
    ([.windowTrigger, .chargingTrigger], false), ([.unlockTrigger], false), ([], false),
  ])
  func `CTX-7.4, conflict 6: a window that nothing wakes is warned of where there are no timers`(
    _ triggers: [Feature],
    _ warns: Bool
  ) throws {
    let shape = ReminderShape(triggers: triggers)
    #expect(try Shipped.profile("context").warnings(for: shape) == (warns ? [.noWakeSource] : []))
    #expect(try Shipped.profile("unified").warnings(for: shape) == [])
  }

  @Test func `conflict 21: no plan of any product makes notifications less reliable`() throws {
    for name in Shipped.names {
      let profile = try Shipped.profile(name)
      for feature in Feature.allCases where feature.rawValue.hasPrefix("delivery.") {
        // What may be sold is the level at which it interrupts, and nothing else of delivery.
        #expect(feature == .timeSensitive)
      }
      // Approved triggers speak in each plan that has them: a free account's reminder is live whole.
      let free = Feature.allCases.filter { profile.has($0, access: .free) }
      let candidate = LiveCandidate(id: "a", madeAt: 0, features: free)
      #expect(profile.live(among: [candidate], access: .free).live == ["a"], "\(name)")
    }
  }

  @Test
  func `conflict 22: export and erasure are no features, so that no profile can take them away`() {
    let names = Feature.allCases.map(\.rawValue)
    #expect(!names.contains { $0.contains("export") || $0.contains("erase") })
    #expect(throws: SettingsError.self) {
      try ProfileFile.read(text: "name: mine\nfeatures: {data.export: paid}", file: "p")
    }
  }
}
