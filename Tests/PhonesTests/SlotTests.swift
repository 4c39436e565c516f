import Basics
import Fencing
import Foundation
import Geodesy
import Phones
import Testing
import Timeline

@Suite struct SlotTests {
  @Test func `a region that stays keeps its slot`() {
    var slots = SlotPlan()
    let changed1 = slots.place([region("a", 1, 1, 100), region("b", 2, 2, 100)])
    #expect(changed1 == [0, 1])
    let changed2 = slots.place([region("c", 3, 3, 100), region("b", 2, 2, 100)])
    #expect(changed2 == [0])
    #expect(slots.regions.prefix(3).map { $0?.id } == ["c", "b", nil])
    // Another id for the same circle is nothing to tell.
    let changed3 = slots.place([region("b", 2, 2, 100), region("d", 3, 3, 100)])
    #expect(changed3 == [])
    let changed4 = slots.place([region("d", 3, 3, 150)])
    #expect(changed4 == [0, 1])
    #expect(slots.count == 1)
    // One slot fewer, and more regions than fit.
    let many = (0..<25).map { region("r\($0)", Double($0), 1, 100) }
    _ = slots.place(many)
    #expect(slots.count == 20)
    let changed5 = slots.place(many, capacity: 19)
    #expect(changed5 == [19])
    let changed6 = slots.place(many + many, capacity: 19)
    #expect(changed6 == [])
    let emptied = slots.place([])
    #expect(emptied.count == 19 && slots.isEmpty)
  }

  @Test func `what is written wakes us rather too early`() {
    var slots = SlotPlan()
    let orders = PhoneOrders(regions: [
      region("in", 39.123_456_789, -76.5, 150.2), region("out", 39.2, -76.5, 150.9, .exit),
      region("safe", 1, 2, 0.2, .safe),
    ])
    var phone = PhoneModel(.iOS)
    let isTaken = phone.obey(ownTracksAnswer(kind: .iOS, orders: orders, slots: &slots))
    #expect(isTaken)
    #expect(
      phone.watched == [
        .init(name: "Near Me 01", latitude: 39.123_456_8, longitude: -76.5, radiusMeters: 151),
        .init(name: "Near Me 02", latitude: 39.2, longitude: -76.5, radiusMeters: 150),
        .init(name: "Near Me 03", latitude: 1, longitude: 2, radiusMeters: 1),
      ]
    )
  }

  @Test func `an answer to Android has nothing that it would throw away, and no more than changed`()
  {
    var slots = SlotPlan()
    let orders = PhoneOrders(regions: [
      region("a", 39.1, -76.5, 100), region("b", 39.2, -76.5, 100),
    ])
    _ = ownTracksAnswer(kind: .android, orders: orders, slots: &slots)
    let moved = PhoneOrders(regions: [region("b", 39.2, -76.5, 120)])
    #expect(
      ownTracksAnswer(kind: .android, orders: moved, slots: &slots)
        == #"[{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":["#
        + #"{"_type":"waypoint","desc":"Near Me 01","tst":946684801,"lat":-85,"lon":0,"rad":100},"#
        + #"{"_type":"waypoint","desc":"Near Me 02","tst":946684802,"lat":39.2000000,"lon":-76.5000000,"rad":120}]}}]"#
    )
    #expect(ownTracksAnswer(kind: .android, orders: moved, slots: &slots) == "[]")
  }

  @Test func `an iPhone is told the whole plan with each change, and so gets back what it lost`() {
    var slots = SlotPlan()
    var phone = PhoneModel(.iOS)
    var regions = (0..<4).map { region("r\($0)", 39 + Double($0) / 100, -76.5, 100) }
    let first = phone.obey(
      ownTracksAnswer(kind: .iOS, orders: PhoneOrders(regions: regions), slots: &slots)
    )
    phone.delete("nearme02")
    regions[3] = region("r3", 39.5, -76.5, 100)
    let second = phone.obey(
      ownTracksAnswer(kind: .iOS, orders: PhoneOrders(regions: regions), slots: &slots)
    )
    #expect(first && second)
    #expect(phone.watched.map(\.latitude).sorted() == [39, 39.01, 39.02, 39.5])
    // Two that were there are left alone by the app.
    #expect(phone.starts == 4 + 2)
  }

  @Test func `commands go where they are allowed and understood`() {
    func answer(_ kind: PhoneKind, _ options: AnswerOptions = AnswerOptions()) -> [String] {
      var slots = SlotPlan()
      let orders = PhoneOrders(
        regions: [region("a", 39.1, -76.5, 100)],
        wantsPosition: true,
        followUntil: noon,
        wantsHeldRegions: true,
        wantsStatus: true
      )
      var phone = PhoneModel(kind == .iOS ? .iOS : .android)
      let isTaken = phone.obey(
        ownTracksAnswer(kind: kind, orders: orders, slots: &slots, options: options)
      )
      #expect(isTaken)
      return phone.actions
    }
    let asking = ["reportLocation", "waypoints", "status"]
    #expect(answer(.iOS) == ["setWaypoints", "setConfiguration"] + asking)
    #expect(answer(.iOS, AnswerOptions(allowsConfiguration: false)) == asking)
    #expect(answer(.iOS, AnswerOptions(allowsCommands: false)) == [])
    #expect(
      answer(.android, AnswerOptions(allowsConfiguration: false)) == ["setWaypoints"] + asking
    )
    #expect(answer(.androidWithoutRegions) == ["setConfiguration"] + asking)
    #expect(answer(.unknown) == [])
  }

  @Test func `every position is asked for once, and given up once`() {
    var slots = SlotPlan()
    func mode(until: Timestamp?, said: String? = nil, message: UInt64 = 0) -> Int? {
      let answer = ownTracksAnswer(
        kind: .iOS,
        orders: PhoneOrders(regions: [], followUntil: until, mode: said),
        slots: &slots,
        options: AnswerOptions(message: message)
      )
      var phone = PhoneModel(.iOS)
      return phone.obey(answer) && phone.actions == ["setConfiguration"] ? phone.mode : nil
    }
    #expect(mode(until: nil) == nil)
    #expect(mode(until: noon, said: "significant", message: 1) == 2)
    // The answer was lost.
    #expect(mode(until: noon, said: "significant", message: 1) == 2)
    #expect(mode(until: noon, said: "significant", message: 2) == nil)
    #expect(mode(until: nil, said: "move", message: 3) == 1)
    #expect(mode(until: nil, message: 4) == nil)
    // A person who likes it so is left alone.
    var ofTheirs = SlotPlan()
    let orders = PhoneOrders(regions: [], followUntil: noon, mode: "move")
    #expect(ownTracksAnswer(kind: .iOS, orders: orders, slots: &ofTheirs) == "[]")
    #expect(ownTracksAnswer(kind: .iOS, orders: PhoneOrders(regions: []), slots: &ofTheirs) == "[]")
  }

  /// The regions that an answer speaks of, by the phone that obeyed nothing else.
  private func told(
    _ count: Int,
    _ slots: inout SlotPlan,
    _ message: UInt64,
    later: [UInt64] = []
  ) -> Int {
    let answer = ownTracksAnswer(
      kind: .android,
      orders: PhoneOrders(regions: (0..<count).map { region("r\($0)", 39, -76 - Double($0), 100) }),
      slots: &slots,
      options: AnswerOptions(message: message, later: later)
    )
    return answer.components(separatedBy: "\"_type\":\"waypoint\"").count - 1
  }

  @Test func `an old request that comes again is told what was told since, and nothing new`() {
    var slots = SlotPlan()
    #expect(told(1, &slots, 1) == 1)
    #expect(told(1, &slots, 2) == 0)
    #expect(told(3, &slots, 3) == 2)
    // The third one's answer was lost, and the app goes back to the second one.
    #expect(told(4, &slots, 2, later: [3]) == 2)
    #expect(slots.count == 3)
    #expect(told(4, &slots, 3) == 3)
    #expect(told(4, &slots, 4) == 0)
  }

  @Test func `where a last answer is not known, everything is told once`() throws {
    var slots = SlotPlan()
    #expect(told(2, &slots, 1) == 2)
    slots.doubt()
    slots = try JSONDecoder().decode(SlotPlan.self, from: JSONEncoder().encode(slots))
    #expect(told(2, &slots, 2) == SlotPlan.slotCount)
    #expect(told(2, &slots, 3) == 0)
  }

  @Test func `apps are known by what they call themselves`() {
    for (agent, kind) in [
      (iPhoneAgent, PhoneKind.iOS), (androidAgent, .android),
      ("Owntracks-Android/oss/420600005", .androidWithoutRegions),
      ("okhttp/4.12.0", .unknown), ("curl/8.5.0", .unknown), ("", .unknown),
      ("OwnTracks/1.0 (X11)", .unknown),
    ] {
      #expect(PhoneKind.kind(userAgent: agent) == kind, "\(agent)")
    }
    #expect(PhoneKind.kind(userAgent: nil) == .unknown)
  }

  @Test func `what a phone holds otherwise than asked is found`() throws {
    var slots = SlotPlan()
    var phone = PhoneModel(.iOS)
    let regions = (0..<20).map { region("r\($0)", 39 + Double($0) / 100, -76.5, 100) }
    _ = phone.obey(
      ownTracksAnswer(kind: .iOS, orders: PhoneOrders(regions: regions), slots: &slots)
    )
    func held() throws -> [HeldRegion] {
      guard case .held(let held)? = intake(.owntracks, phone.waypoints).items.first else {
        throw CancellationError()
      }
      return held
    }
    #expect(differences(asked: slots, held: try held()) == ([], 0))
    phone.delete("nearme03")
    phone.add(
      "nearme07",
      .init(name: "Near Me 07", latitude: 39.061, longitude: -76.5, radiusMeters: 100)
    )
    phone.add("6da9cf", .init(name: "home", latitude: 39.5, longitude: -76.6, radiusMeters: 80))
    phone.add("shop", .init(name: "shop", latitude: 39.5, longitude: -76.6, radiusMeters: 0))
    phone.add(
      "nearme05",
      .init(name: "Near Me 05", latitude: 39.04, longitude: -76.5, radiusMeters: 300)
    )
    #expect(differences(asked: slots, held: try held()) == (["r2", "r4", "r6"], 1))
    // Told at once, and held again.
    let orders = PhoneOrders(regions: regions)
    _ = phone.obey(
      ownTracksAnswer(kind: .iOS, orders: orders, slots: &slots, knownHeld: try held())
    )
    #expect(differences(asked: slots, held: try held()) == ([], 1))
    #expect(differences(asked: SlotPlan(), held: try held()) == ([], 21))
  }

  @Test func `a slot that is parked on Android is an empty one`() throws {
    var slots = SlotPlan()
    var phone = PhoneModel(.android)
    for count in [3, 1] {
      let regions = (0..<count).map { region("r\($0)", 39 + Double($0) / 100, -76.5, 100) }
      let answer = ownTracksAnswer(
        kind: .android,
        orders: PhoneOrders(regions: regions),
        slots: &slots
      )
      let isTaken = phone.obey(answer)
      #expect(isTaken)
    }
    #expect(phone.circles.count == 3 && phone.watched.count == 1)
    guard case .held(let held)? = intake(.owntracks, phone.waypoints).items.first else {
      Issue.record("the phone says nothing")
      return
    }
    #expect(differences(asked: slots, held: held) == ([], 0))
    let orders = PhoneOrders(regions: [region("r0", 39, -76.5, 100)])
    let answer = ownTracksAnswer(kind: .android, orders: orders, slots: &slots, knownHeld: held)
    #expect(answer == "[]")
  }

  @Test func `what is remembered is the same after it was stored`() throws {
    var slots = SlotPlan()
    let orders = PhoneOrders(regions: [region("a", 39.1, -76.5, 100)], followUntil: noon)
    _ = ownTracksAnswer(kind: .iOS, orders: orders, slots: &slots)
    let stored = try JSONValue(encoding: slots)
    #expect(try stored.decoded(SlotPlan.self) == slots)
    let short = #"{"regions":[null],"answers":[{"message":1,"slots":[0,99],"hasMode":false}]}"#
    let read = try JSONValue.parse(short).decoded(SlotPlan.self)
    #expect(read.regions.count == 20)
    #expect(!(try JSONValue(encoding: read).compact.contains("99")))
  }
}

/// Weeks of plans, with a network that loses answers: a phone ends up with exactly the plan.
@Suite struct SlotRandomTests {
  @Test(arguments: [PhoneModel.App.iOS, .android])
  func `a phone holds exactly what was planned last`(app: PhoneModel.App) throws {
    let start = UInt64.random(in: 0..<1 << 40)
    for seed in start..<start + 150 {
      var random = SplitMix64(seed: seed)
      var slots = SlotPlan()
      var phone = PhoneModel(app)
      let hasFollowRegion = random.index(below: 4) == 0
      var wanted: [Region] = []
      var wasLost = false
      var message: UInt64 = 0
      for step in 0..<60 {
        if !wasLost { message = UInt64(step) }
        if !wasLost { Self.change(&wanted, step, &random) }
        var knownHeld: [HeldRegion]?
        if !wasLost, random.index(below: 10) == 0 {
          // A person deletes one of ours; sooner or later the phone says what it has.
          if random.index(below: 2) == 0, let key = phone.circles.keys.sorted().first {
            phone.delete(key)
          }
          if case .held(let held)? = intake(.owntracks, phone.waypoints).items.first {
            knownHeld = held
          }
        }
        let answer = ownTracksAnswer(
          kind: app == .iOS ? .iOS : .android,
          orders: PhoneOrders(regions: wanted),
          slots: &slots,
          knownHeld: knownHeld,
          options: AnswerOptions(hasFollowRegion: hasFollowRegion, message: message)
        )
        // A copy of an older request comes late, and nobody reads its answer.
        if random.index(below: 8) == 0 {
          _ = ownTracksAnswer(
            kind: app == .iOS ? .iOS : .android,
            orders: PhoneOrders(regions: wanted),
            slots: &slots,
            options: AnswerOptions(
              hasFollowRegion: hasFollowRegion,
              message: UInt64(random.index(below: step + 1))
            )
          )
        }
        // What is lost is asked for again, with the same request.
        wasLost = random.index(below: 4) == 0
        if wasLost { continue }
        let startsBefore = phone.starts
        let isTaken = phone.obey(answer)
        #expect(isTaken, "seed \(seed), step \(step)")
        let expected = Set(
          wanted.prefix(hasFollowRegion ? 19 : 20)
            .map { "\($0.center.latitude) \($0.radiusMeters)" }
        )
        #expect(
          Set(phone.watched.map { "\($0.latitude) \($0.radiusMeters)" }) == expected,
          "seed \(seed), step \(step)"
        )
        #expect(phone.isSound, "seed \(seed), step \(step)")
        if answer == "[]" { #expect(phone.starts == startsBefore, "seed \(seed)") }
      }
    }
  }

  /// Some regions go, some come, one grows.
  private static func change(_ wanted: inout [Region], _ step: Int, _ random: inout SplitMix64) {
    wanted.removeAll { _ in random.index(below: 5) == 0 }
    for index in 0..<random.integer(0...6) {
      let latitude = rounded(random.uniform(-80...80), 7)
      wanted.append(
        region("s\(step)-\(index)", latitude, rounded(random.uniform(-180...180), 7), 100)
      )
    }
    if random.index(below: 20) == 0 { wanted = [] }
    // The planner never asks for more than there are slots.
    wanted = Array(wanted.prefix(20))
    if let first = wanted.first, random.index(below: 3) == 0 {
      wanted[0] = region(
        first.id,
        first.center.latitude,
        first.center.longitude,
        first.radiusMeters + 50
      )
    }
  }
}
