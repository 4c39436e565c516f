import Foundation
import NearMeCoreLocation
import Testing

/// Days of phones: a road along a meridian, a pharmacy at 39.29, others far to the north.
@MainActor
@Suite struct PhoneHostTests {
  private static let start = Timestamp(seconds: 1_772_550_000)
  private static let pharmacy = 39.29
  private static let home = 39.17

  private static let catalog: POICatalog = {
    func point(_ id: Int, _ name: String, _ latitude: Double, _ east: Double) -> PointOfInterest {
      PointOfInterest(
        sourceID: "node/\(id)",
        categories: [CategoryID("pharmacy")],
        name: name,
        coordinate: Coordinate(uncheckedLatitude: latitude, longitude: -76.61 + east)
      )
    }
    let others = (0..<60)
      .map { point(2 + $0, "Far \($0)", 39.55 + 0.01 * Double($0 / 10), 0.02 * Double($0 % 10)) }
    return POICatalog([point(1, "Corner Pharmacy", pharmacy, 0)] + others)
  }()

  private static func system(_ change: (inout Policy) -> Void = { _ in }) -> FakeSystem {
    var settings = PhoneSettings(catalog: catalog)
    change(&settings.policy)
    return FakeSystem(at: start, settings)
  }

  private static let meds = Reminder(
    id: "meds",
    title: "pick up the prescription",
    target: .category(CategoryID("pharmacy"))
  )

  /// A launched host with the reminder, at home, with its first position.
  private static func atHome() -> FakeSystem {
    let system = system()
    system.launch().save(meds)
    system.pass(.seconds(2), at: home)
    system.pass(.minutes(10), at: home)
    return system
  }

  /// Drives at 20 m/s, a position every 5 s.
  private static func drive(_ system: FakeSystem, from: Double, to: Double) {
    let steps = Int(abs(to - from) * 111_000 / 100)
    for step in 1...steps {
      system.pass(.seconds(5), at: from + (to - from) * Double(step) / Double(steps))
    }
  }

  private static func stay(_ system: FakeSystem, at latitude: Double, minutes: Int) {
    for i in 0..<(minutes * 12) {
      system.pass(.seconds(5), at: latitude + (i % 2 == 0 ? 0.00001 : -0.00001))
    }
  }

  @Test func `a day with regions is told, and the receiver rests for most of it`() throws {
    let system = Self.atHome()
    #expect(!system.regions.isEmpty)
    Self.stay(system, at: Self.home, minutes: 240)
    #expect(system.measured < .minutes(1), "at home: \(system.measured.name)")
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 15)
    Self.drive(system, from: Self.pharmacy, to: Self.home)
    Self.stay(system, at: Self.home, minutes: 240)
    let told = system.heard.joined(separator: "\n")
    #expect(told.contains("miles from"), "\(told)")
    #expect(told.contains("Arriving at Corner Pharmacy — pick up the prescription now?"), "\(told)")
    #expect(told.contains("Still need to pick up the prescription?"), "\(told)")
    #expect(system.mostWatched <= 20)
    #expect(system.measured < .minutes(45), "\(system.measured.name)")
    #expect(system.launches == 1)
    #expect(system.host?.failure == nil)
  }

  @Test func `a receiver that may rest is on for little of a stop, and again on the way`() {
    func day(_ easing: Policy.Monitor.Easing) -> FakeSystem {
      let system = Self.system {
        $0.monitor.easing = easing
        // Who waits 120 m away is looked at for twelve minutes.
        $0.arrival.asleep.givesUpBelow = 0
      }
      system.launch().save(Self.meds)
      system.pass(.seconds(2), at: Self.home)
      system.pass(.minutes(10), at: Self.home)
      Self.drive(system, from: Self.home, to: Self.pharmacy - 0.00108)
      Self.stay(system, at: Self.pharmacy - 0.00108, minutes: 10)
      return system
    }
    let (never, always) = (day(.never), day(.always))
    #expect(never.eased == .seconds(0))
    #expect(always.heard == never.heard)
    // It rests three minutes after the last motion, but for 10 s of each two minutes.
    #expect(always.eased > .minutes(5), "\(always.eased.name) of \(always.measured.name)")
    #expect(always.eased < .minutes(7), "\(always.eased.name) of \(always.measured.name)")
    #expect(always.process?.isMeasuring == true)
    Self.drive(always, from: Self.pharmacy - 0.00108, to: Self.pharmacy + 0.01)
    #expect(always.process?.isEased == false)
    #expect(always.host?.failure == nil)
  }

  /// A host with thirty places around, each with a reminder.
  private static func amidPlaces(_ system: FakeSystem) {
    let host = system.launch()
    for i in 0..<30 {
      let (north, east) = (Double(i / 6) - 2, Double(i % 6) - 2.5)
      let coordinate = Coordinate(
        uncheckedLatitude: 38.5 + 0.013 * north,
        longitude: -76.61 + 0.017 * east
      )
      host.save(Place(id: "p\(i)", name: "Place \(i)", kind: .other, coordinate: coordinate))
      host.save(Reminder(id: "r\(i)", title: "do \(i)", target: .place("p\(i)")))
    }
    for _ in 0..<6 { system.pass(.seconds(5), at: 38.5) }
  }

  @Test func `of sixty lines twenty are watched at most`() {
    let system = Self.system()
    Self.amidPlaces(system)
    #expect((4...20).contains(system.mostWatched), "\(system.mostWatched)")
    #expect(system.app.records.allSatisfy { if case .regionsRefused = $0 { false } else { true } })
  }

  @Test func `regions that the system refuses are planned without`() {
    let system = Self.system()
    system.mostRegions = 3
    Self.amidPlaces(system)
    let refusals = system.app.records.compactMap { record -> Int? in
      if case .regionsRefused(_, _, let slots) = record { slots } else { nil }
    }
    // Once: afterward, no more are asked for than are taken.
    #expect(refusals == [3])
    #expect((1...3).contains(system.regions.count))
    // Another launch may ask for all of them again.
    system.mostRegions = 20
    system.kill()
    system.launch()
    for _ in 0..<6 { system.pass(.seconds(5), at: 38.5) }
    #expect(system.regions.count > 3)
  }

  @Test func `no region is larger than the system watches, or the policy says`() {
    for (policy, most) in [(0.0, 4_000.0), (100_000, 4_000), (3_000, 4_000)] {
      let system = Self.system { $0.monitor.largestRegionMeters = policy }
      system.largestRegionMeters = most
      system.launch().save(Self.meds)
      for i in 0..<20 {
        let far = Coordinate(uncheckedLatitude: 10 + Double(i), longitude: 20)
        system.host?.save(Place(id: "p\(i)", name: "Far \(i)", kind: .other, coordinate: far))
        system.host?.save(Reminder(id: "r\(i)", title: "go \(i)", target: .place("p\(i)")))
      }
      system.pass(.seconds(2), at: Self.home)
      let least = policy > 0 ? min(policy, most) : most
      #expect(!system.regions.isEmpty)
      #expect(system.regions.allSatisfy { $0.radiusMeters <= least }, "\(system.regions)")
      Self.drive(system, from: Self.home, to: Self.pharmacy)
      Self.stay(system, at: Self.pharmacy, minutes: 15)
      #expect(system.heard.contains { $0.hasPrefix("Arriving at Corner") }, "\(system.heard)")
    }
    #expect(PhoneSettings.forPhones.monitor.largestRegionMeters == 100_000)
    #expect(LocationManager().largestRegionMeters == 400_000)
  }

  @Test func `a system that takes no region is asked ever less often, and moves wake the app`() {
    let system = Self.system()
    system.mostRegions = 0
    let host = system.launch()
    host.save(Self.meds)
    func refusals() -> Int {
      system.app.records.count { if case .regionsRefused = $0 { true } else { false } }
    }
    for _ in 0..<60 {
      Self.stay(system, at: Self.home, minutes: 1)
      host.tick()
    }
    // At once, and after 1, 2, 4, 8, 16 minutes and 16 more.
    #expect((4...8).contains(refusals()), "\(refusals())")
    #expect(system.measured < .minutes(2), "\(system.measured.name)")
    #expect(system.wakesOnMove && system.process?.isMeasuring == false)
    #expect(system.app.failures == [.regionsRefused] && host.failure == .regionsRefused)
    // A process that sleeps or was ended is woken by the next move.
    system.kill()
    system.pass(.minutes(6), at: Self.home)
    Self.drive(system, from: Self.home, to: Self.home + 0.02)
    #expect(system.launches == 2 && system.wakesOnMove && refusals() > 1)
    // Some day there is room for it.
    system.mostRegions = 20
    for _ in 0..<20 {
      Self.stay(system, at: Self.home + 0.02, minutes: 1)
      system.host?.tick()
    }
    #expect(!system.regions.isEmpty && !system.wakesOnMove)
    #expect(system.host?.failure == nil)
    Self.drive(system, from: Self.home + 0.02, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 15)
    #expect(system.heard.contains { $0.hasPrefix("Arriving at Corner") }, "\(system.heard)")
  }

  @Test func `an app that was ended is launched by a region and goes on`() {
    let system = Self.atHome()
    system.kill()
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 15)
    #expect(system.launches == 2)
    #expect(
      system.heard.contains { $0.hasPrefix("Arriving at Corner Pharmacy") },
      "\(system.heard)"
    )
    #expect(system.host?.reminders.map(\.id) == ["meds"])
  }

  @Test func `a kill after any save loses nothing and sounds nothing twice`() {
    func day(killAt save: Int?) -> (heard: [String], saves: Int) {
      let system = Self.atHome()
      for step in 0..<60 {
        if let save, system.saves == save { system.killsAfterSave = true }
        Self.drive(
          system,
          from: Self.home + 0.002 * Double(step),
          to: Self.home + 0.002 * Double(step + 1)
        )
      }
      Self.stay(system, at: Self.pharmacy, minutes: 15)
      return (system.heard, system.saves)
    }
    let whole = day(killAt: nil)
    #expect(whole.heard.count >= 3, "\(whole.heard)")
    #expect(whole.saves > 20, "\(whole.saves)")
    for save in 4..<whole.saves {
      let heard = day(killAt: save).heard
      #expect(Set(heard).count == heard.count, "killed at save \(save): \(heard)")
      #expect(
        heard.contains { $0.hasPrefix("Arriving at Corner") || $0.hasPrefix("Still need") },
        "killed at save \(save): \(heard)"
      )
    }
  }

  @Test func `news that was kept and not told is told at the next launch, once`() {
    let system = Self.atHome()
    Self.drive(system, from: Self.home, to: Self.pharmacy - 0.08)
    let before = system.heard.count
    system.isWithinReach = false
    Self.drive(system, from: Self.pharmacy - 0.08, to: Self.pharmacy - 0.03)
    #expect(system.heard.count == before)
    let refusals = system.app.failures
      .count { if case .notificationRefused = $0 { true } else { false } }
    // Offered again, and not with every position.
    #expect((1...20).contains(refusals), "\(refusals)")
    system.kill()
    system.isWithinReach = true
    system.launch()
    let after = system.heard
    #expect(after.count > before)
    system.kill()
    system.launch()
    #expect(system.heard == after)
  }

  @Test func `what was told and not noted is shown again without a sound`() {
    let system = Self.atHome()
    system.losesReceipts = true
    Self.drive(system, from: Self.home, to: Self.pharmacy - 0.03)
    let heard = system.heard
    #expect(!heard.isEmpty)
    system.kill()
    system.losesReceipts = false
    system.launch()
    #expect(system.heard == heard)
    #expect(!system.shown.isEmpty)
  }

  @Test func `without the permission for always nothing is measured, and with it again it goes on`()
  {
    let system = Self.atHome()
    system.access = .servicesOff
    system.process?.listener?.take(.accessMayHaveChanged)
    Self.drive(system, from: Self.home, to: Self.pharmacy - 0.02)
    #expect(system.heard.isEmpty)
    #expect(system.process?.isMeasuring == false)
    system.access = .always
    system.process?.listener?.take(.accessMayHaveChanged)
    #expect(system.process?.isMeasuring == true)
    Self.drive(system, from: Self.pharmacy - 0.02, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 15)
    #expect(
      system.heard.contains { $0.hasPrefix("Arriving at Corner Pharmacy") },
      "\(system.heard)"
    )
    let accesses = system.app.records.compactMap { record -> LocationAccess? in
      if case .locationAccess(_, let access) = record { access } else { nil }
    }
    #expect(accesses == [.servicesOff, .always])
  }

  @Test func `a position that does not come is given up in favor of the next move`() {
    let system = Self.atHome()
    system.hasPosition = false
    Self.drive(system, from: Self.home, to: Self.home + 0.12)
    #expect(system.app.failures.contains(.noPosition))
    #expect(system.process?.isMeasuring == false)
    #expect(system.wakesOnMove)
    #expect(system.heard.isEmpty)
    // The process is gone, too; the next move launches the app.
    system.kill()
    system.hasPosition = true
    system.pass(.minutes(6), at: Self.pharmacy)
    #expect(system.launches == 2)
    Self.stay(system, at: Self.pharmacy, minutes: 15)
    #expect(system.heard.contains { $0.hasPrefix("Still need to pick up") }, "\(system.heard)")
    #expect(!system.wakesOnMove)
    #expect(system.host?.failure == nil)
  }

  private static func pill(_ i: Int) -> Reminder {
    let at = start + .minutes(Int64(10 + 10 * i))
    let (date, minute) = UTCOffsetTable.utc.local(at: at)
    return Reminder(
      id: "pill\(i)",
      title: "take pill \(i)",
      triggers: [
        .schedule(Schedule(start: WrittenTime(local: LocalDateTime(date, minuteOfDay: minute))))
      ]
    )
  }

  @Test func `of ninety times the system holds the soonest 64, and all are heard`() {
    let system = Self.system()
    let host = system.launch()
    for i in 0..<90 { host.save(Self.pill(i)) }
    #expect(system.pending.count == 64)
    #expect(system.app.records.contains { if case .schedulesLeftOut = $0 { true } else { false } })
    // The app never runs in between, but for one look in the afternoon.
    for _ in 0..<30 { system.pass(.minutes(10), at: Self.home) }
    #expect(system.heard.count == 30, "\(system.heard.count)")
    system.kill()
    for _ in 0..<20 { system.pass(.minutes(10), at: Self.home) }
    system.launch()
    for _ in 0..<45 { system.pass(.minutes(10), at: Self.home) }
    #expect(system.mostPending == 64)
    #expect(Set(system.heard).count == system.heard.count)
    #expect(system.heard.count == 90, "\(system.heard.count)")
  }

  @Test func `schedules that were kept and never reached the system do so at the next launch`() {
    let system = Self.system()
    let host = system.launch()
    host.save(Self.pill(0))
    host.save(Self.pill(1))
    system.pending = [:]
    system.kill()
    system.launch()
    #expect(system.pending.count == 2)
    // And one that nobody wants goes.
    let stray = PhoneNotification(system.pending.values.map(\.notification)[0], id: "n99")
    system.schedule(stray, at: Self.start + .minutes(50))
    system.kill()
    system.launch()
    #expect(system.pending.keys.contains("n99") == false)
    #expect(system.pending.count == 2)
  }

  @Test func `answers in a notification end, snooze and dismiss`() {
    let system = Self.atHome()
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 3)
    #expect(system.shown.values.contains { $0.buttons == .place })
    system.answer("pick up", .button("open_map"))
    #expect(system.app.maps.first?.hasPrefix("geo:39.29") == true, "\(system.app.maps)")
    #expect(system.shown.isEmpty)
    Self.stay(system, at: Self.pharmacy, minutes: 5)
    system.answer("pick up", .opened)
    #expect(system.app.opened == [["meds"]])
    system.host?.act(on: "meds", .snoozeFor(.minutes(15)))
    #expect(system.shown.isEmpty)
    let heard = system.heard.count
    Self.stay(system, at: Self.pharmacy, minutes: 10)
    #expect(system.heard.count == heard)
    Self.stay(system, at: Self.pharmacy, minutes: 10)
    #expect(system.heard.count > heard, "after the snooze")
    // The app is not running when the last answer comes.
    system.kill()
    system.answer("pick up", .button("complete"))
    #expect(system.shown.isEmpty)
    #expect(system.host?.reminders.isEmpty == true)
    #expect(system.app.archived == ["meds"])
    #expect(system.host?.ended.map(\.id) == ["meds"])
    #expect(system.regions.isEmpty)
    system.host?.reopen("meds")
    #expect(system.host?.reminders.map(\.id) == ["meds"])
    #expect(system.host?.ended.isEmpty == true)
  }

  @Test
  func `a reminder that cannot be brought back is kept as it was, and one that was taken over can`()
  {
    let system = Self.system()
    var late = Self.meds
    late.expires = WrittenTime("2026-03-03T16:00")
    system.launch().save(late)
    system.pass(.minutes(600), at: Self.home)
    #expect(system.host?.ended.map(\.id) == ["meds"])
    system.host?.reopen("meds")
    #expect(system.host?.ended.map(\.id) == ["meds"], "its days are over")
    #expect(system.host?.reminders.isEmpty == true)
    var again = late
    again.expires = nil
    system.host?.takeOver(ended: ["meds"])
    system.host?.save(again)
    #expect(system.host?.reminders.isEmpty == true, "an id that has ended")
    system.host?.reopen(again)
    #expect(system.host?.reminders.map(\.id) == ["meds"])
  }

  @Test func `an id of one that has ended is refused, and free when that is deleted`() {
    let system = Self.atHome()
    let host = system.host
    host?.act(on: "meds", .complete)
    // Of more than the engine remembers.
    for number in 1...70 {
      let other = Reminder(id: "r\(number)", title: "it", triggers: [.signal("unlock")])
      host?.save(other)
      host?.act(on: other.id, .complete)
    }
    host?.save(Self.meds)
    host?.save([Self.meds])
    #expect(host?.reminders.isEmpty == true && host?.ended.count == 71)
    let refused = system.app.records
      .count {
        if case .reminderRefused(_, let why) = $0 { why.reason == .hasEnded } else { false }
      }
    #expect(refused == 2)
    for id in ["meds", "r70"] { host?.deleteReminder(id) }
    #expect(host?.ended.count == 69)
    host?.save(Self.meds)
    host?.save(Reminder(id: "r70", title: "it", triggers: [.signal("unlock")]))
    #expect(host?.reminders.map(\.id) == ["meds", "r70"])
  }

  @Test func `what was refused and is not to be told any more asks for no time`() {
    let system = Self.atHome()
    system.isWithinReach = false
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 3)
    #expect(system.offers > 0)
    system.host?.act(on: "meds", .complete)
    system.pass(.minutes(2), at: Self.pharmacy)
    system.host?.tick()
    #expect(system.process?.wakesAt.map { $0 > system.now } ?? true)
  }

  @Test func `what the system shows no longer is dismissed, though nobody said so`() {
    let system = Self.system()
    var once = Reminder(id: "call", title: "call Ann", triggers: [.signal("unlock")])
    once.persistence = .once
    let host = system.launch()
    host.save(once)
    host.signal(Signal(name: "unlock", id: "1"))
    #expect(system.shown.count == 1 && host.reminders.map(\.id) == ["call"])
    // It is there when it is looked for.
    system.pass(.minutes(1), at: Self.home)
    host.take(.becameActive)
    #expect(host.reminders.map(\.id) == ["call"])
    system.remove(Array(system.shown.keys))
    host.take(.becameActive)
    #expect(host.reminders.map(\.id) == ["call"], "an answer may be on its way")
    system.pass(.minutes(1), at: Self.home)
    host.take(.becameActive)
    #expect(host.reminders.isEmpty && host.ended.map(\.id) == ["call"])
  }

  @Test
  func `before the first unlock the next move is asked for, and what is crossed then is known`() {
    let system = Self.atHome()
    system.kill()
    system.canRead = false
    // A region launches the app; what was kept cannot be read yet.
    Self.drive(system, from: Self.home, to: Self.home + 0.05)
    #expect(system.host?.isReady == false)
    #expect(system.wakesOnMove)
    system.canRead = true
    Self.drive(system, from: Self.home + 0.05, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 10)
    #expect(system.host?.isReady == true)
    #expect(system.heard.contains { $0.contains("Arriving at Corner Pharmacy") }, "\(system.heard)")
  }

  @Test func `a reminder that the app has taken over is forgotten for good`() {
    let system = Self.atHome()
    system.host?.act(on: "meds", .complete)
    system.host?.takeOver(ended: ["meds"])
    system.kill()
    #expect(system.launch().ended.isEmpty)
  }

  @Test func `a state that cannot be read is waited for, and never taken for an empty one`() {
    let system = Self.atHome()
    system.kill()
    system.canRead = false
    let host = system.launch()
    #expect(!host.isReady)
    #expect(system.app.failures.contains { if case .stateUnreadable = $0 { true } else { false } })
    host.save(Reminder(id: "milk", title: "buy milk", target: .category(CategoryID("pharmacy"))))
    #expect(host.reminders.isEmpty)
    system.canRead = true
    system.pass(.minutes(1), at: Self.home)
    #expect(host.reminders.map(\.id) == ["meds", "milk"])
    #expect(host.failure == nil)
  }

  @Test func `a state that is damaged is put aside when the app says so, and not before`() throws {
    let system = Self.atHome()
    system.kill()
    system.isDamaged = true
    let host = system.launch()
    #expect(!host.isReady)
    host.save(Self.meds)
    system.pass(.minutes(10), at: Self.home)
    let kept = try #require(system.file)
    #expect(system.app.failures.last == .stateDamaged("not JSON"))
    try host.beginAnew()
    #expect(host.isReady && host.failure == nil)
    #expect(system.aside == kept && system.file != kept)
    // What the user made meanwhile is there.
    #expect(host.reminders == [Self.meds])
    try host.beginAnew()
    #expect(host.reminders == [Self.meds])
    // One that is only locked is not put aside.
    system.kill()
    system.canRead = false
    let locked = system.launch()
    try locked.beginAnew()
    #expect(!locked.isReady && system.aside == kept)
  }

  @Test func `nothing is told that could not be kept`() {
    let system = Self.atHome()
    system.canWrite = false
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 1)
    #expect(system.heard.isEmpty)
    #expect(system.app.failures.contains { if case .stateNotSaved = $0 { true } else { false } })
    system.canWrite = true
    Self.stay(system, at: Self.pharmacy, minutes: 1)
    #expect(!system.heard.isEmpty)
    #expect(system.host?.failure == nil)
  }

  @Test func `a clock that was set moves spans, and a zone local times`() {
    let system = Self.system()
    let host = system.launch()
    host.save(Self.pill(0))
    let before = system.pending.values.map(\.at)
    system.now = system.now + .minutes(3)
    system.process?.listener?.take(.clockMayHaveChanged)
    #expect(system.pending.values.map(\.at) == before, "a time of the clock stays")
    system.zone = UTCOffsetTable(identifier: "Test/West", initialOffsetSeconds: -3_600, eras: [])
    system.process?.listener?.take(.clockMayHaveChanged)
    #expect(system.pending.values.map(\.at) == before.map { $0 + .minutes(60) })
    // A zone that was changed while the app was dead is noticed by the next launch.
    system.kill()
    system.zone = .utc
    system.launch()
    #expect(system.pending.values.map(\.at) == before)
  }

  /// Whoever flies west comes to the same hour twice.
  @Test(arguments: [false, true])
  func `what the system has shown does not come again in another zone`(wasDead: Bool) {
    let system = Self.system()
    system.launch().save(Self.pill(0))
    if wasDead { system.kill() }
    // The app sleeps, or is dead, when the system shows it.
    system.zone = UTCOffsetTable(identifier: "Test/West", initialOffsetSeconds: -3_600, eras: [])
    system.pass(.minutes(20), at: Self.home)
    if wasDead { system.launch() } else { system.process?.listener?.take(.clockMayHaveChanged) }
    #expect(system.heard.count == 1)
    #expect(system.pending.isEmpty)
  }

  @Test func `positions from before they were asked for say nothing`() {
    let system = Self.system()
    let host = system.launch()
    host.save(Self.meds)
    let old = Fix(
      at: system.now - .minutes(1),
      coordinate: Coordinate(uncheckedLatitude: Self.home, longitude: -76.61),
      horizontalAccuracyMeters: 10
    )
    host.take(.positions([old]))
    #expect(system.regions.isEmpty)
    #expect(system.process?.isMeasuring == true)
    system.pass(.seconds(2), at: Self.home)
    #expect(!system.regions.isEmpty)
  }

  @Test func `a region that was crossed by mistake is armed again`() {
    for dies in [false, true] {
      let system = Self.atHome()
      system.mistake()
      // A position says that nothing was crossed, in this process or in the next.
      if dies { system.kill() }
      if dies { system.launch() }
      system.pass(.seconds(2), at: Self.home)
      Self.stay(system, at: Self.home, minutes: 2)
      Self.drive(system, from: Self.home, to: Self.pharmacy)
      Self.stay(system, at: Self.pharmacy, minutes: 10)
      #expect(system.heard.contains { $0.hasPrefix("Arriving at Corner") }, "\(system.heard)")
    }
  }

  @Test func `a region that waits to be armed again leaves the next move to wake the app`() {
    let system = Self.atHome()
    for _ in 0..<2 {
      system.mistake()
      system.pass(.seconds(2), at: Self.home)
      system.pass(.seconds(2), at: Self.home)
    }
    #expect(system.process?.isMeasuring == false && system.wakesOnMove)
    system.pass(.minutes(20), at: Self.home)
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 10)
    #expect(system.heard.contains { $0.hasPrefix("Arriving at Corner") }, "\(system.heard)")
    #expect(!system.wakesOnMove)
  }

  @Test func `a system that goes on being mistaken is asked ever less often`() {
    let system = Self.atHome()
    let before = system.registrations
    for _ in 0..<120 {
      system.mistake()
      Self.stay(system, at: Self.home, minutes: 1)
    }
    // Two hours: after 1, 2, 4, 8, 16 minutes, and then every 16.
    #expect((6...16).contains((system.registrations - before) / system.regions.count))
  }

  @Test func `a clock that was set back while the app was dead does not stop it`() {
    let system = Self.atHome()
    system.now = system.now + .minutes(24 * 60)
    system.process?.listener?.take(.clockMayHaveChanged)
    system.pass(.seconds(5), at: Self.home)
    system.kill()
    system.now = system.now - .minutes(24 * 60)
    system.launch()
    system.pass(.seconds(2), at: Self.home)
    #expect(system.process?.isMeasuring == false)
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 10)
    #expect(system.heard.contains { $0.hasPrefix("Arriving at Corner") }, "\(system.heard)")
  }

  @Test func `a clock that is set before the state can be read moves nothing`() {
    let system = Self.atHome()
    system.host?.act(on: "meds", .snoozeFor(.minutes(30)))
    let snooze = system.host?.reminders.first?.snooze
    system.kill()
    system.canRead = false
    system.now = system.now - .minutes(24 * 60)
    let host = system.launch()
    system.now = system.now + .minutes(24 * 60)
    system.canRead = true
    system.pass(.minutes(1), at: Self.home)
    #expect(host.isReady)
    #expect(snooze != nil && host.reminders.first?.snooze == snooze)
  }

  @Test func `positions that stay poor are given up, too`() {
    let system = Self.atHome()
    system.mistake()
    let before = system.measured
    for _ in 0..<120 { system.pass(.seconds(5), at: Self.home, accuracyMeters: 1_500) }
    #expect(system.measured < before + .minutes(2))
    #expect(system.process?.isMeasuring == false)
    #expect(system.wakesOnMove && system.host?.failure == .noPosition)
    system.pass(.minutes(6), at: Self.home + 0.01)
    Self.stay(system, at: Self.home + 0.01, minutes: 1)
    #expect(!system.wakesOnMove && system.host?.failure == nil)
  }

  @Test func `the receiver goes on until the system watches the new regions`() {
    let system = Self.atHome()
    system.isSlow = true
    for settles in [true, false] {
      system.mistake()
      system.pass(.seconds(2), at: Self.home)
      #expect(system.process?.isMeasuring == true && system.wakesOnMove)
      // A system that never says so is not waited for.
      if settles { system.process?.settle() } else { Self.stay(system, at: Self.home, minutes: 1) }
      #expect(system.process?.isMeasuring == false && !system.wakesOnMove)
      Self.stay(system, at: Self.home, minutes: 5)
    }
  }

  @Test func `every process is asked to listen, also where the app is set later`() {
    let system = Self.system()
    let backup = Reminder(id: "backup", title: "back up", triggers: [.signal("charging")])
    system.launch().save(backup)
    #expect(system.app.signals == ["charging"])
    system.app.signals = []
    system.kill()
    let host = system.launch()
    #expect(system.app.signals == ["charging"] && host.signals == ["charging"])
    let late = FakeApp()
    host.app = late
    #expect(late.signals == ["charging"])
  }

  @Test
  func `what was not taken is offered again when the app comes to the screen, old news silently`() {
    let system = Self.atHome()
    system.isWithinReach = false
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 3)
    system.isWithinReach = true
    system.process?.listener?.take(.becameActive)
    #expect(!system.heard.isEmpty)
    // Days later it is news no more.
    let other = Self.atHome()
    other.isWithinReach = false
    Self.drive(other, from: Self.home, to: Self.pharmacy)
    Self.stay(other, at: Self.pharmacy, minutes: 3)
    other.kill()
    other.now = other.now + .minutes(3 * 24 * 60)
    other.uptime = other.uptime + .minutes(3 * 24 * 60)
    other.isWithinReach = true
    other.launch()
    #expect(!other.shown.isEmpty)
    #expect(other.heard.isEmpty, "\(other.heard) of \(other.shown.values.map(\.text))")
  }

  @Test func `an answer that launches the app is done when what follows is the system's`() throws {
    let system = Self.atHome()
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 10)
    let told = try #require(system.shown.values.first)
    system.kill()
    system.answersLater = true
    let host = system.launch()
    let done = Box(false)
    let before = Set(system.pending.keys)
    host.take(
      .answered(
        PhoneAnswer(
          notification: told.id,
          reminders: told.reminders,
          mapLink: told.mapLink,
          choice: .button("snooze:15m")
        )
      )
    )
    host.whenTold { done.value = true }
    #expect(!done.value && Set(system.pending.keys) == before)
    for answer in system.late { answer() }
    #expect(done.value && Set(system.pending.keys) != before)
  }

  @Test func `with the permission for while in use positions come as long as the app is seen`() {
    let system = Self.atHome()
    system.access = .whileInUse
    system.process?.listener?.take(.accessMayHaveChanged)
    system.process?.listener?.take(.becameActive)
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    #expect(system.process?.isMeasuring == true)
    Self.stay(system, at: Self.pharmacy, minutes: 3)
    #expect(!system.heard.isEmpty)
    system.process?.listener?.take(.leftScreen)
    Self.drive(system, from: Self.pharmacy, to: Self.home)
    Self.stay(system, at: Self.home, minutes: 30)
    #expect(system.process?.isMeasuring == false)
  }

  @Test func `while in use, nothing is measured for nobody`() {
    let system = Self.system()
    system.access = .whileInUse
    let host = system.launch()
    host.save(Self.pill(0))
    system.process?.listener?.take(.becameActive)
    Self.stay(system, at: Self.home, minutes: 2)
    #expect(system.process?.isMeasuring == false && system.measured == .seconds(0))
    host.save(Self.meds)
    Self.stay(system, at: Self.home, minutes: 2)
    #expect(system.process?.isMeasuring == true)
    for change in [ReminderAction.mute, .unmute] {
      host.act(on: "meds", change)
      Self.stay(system, at: Self.home, minutes: 2)
      #expect(system.process?.isMeasuring == (change == .unmute), "\(change)")
    }
    host.deleteReminder("meds")
    #expect(system.process?.isMeasuring == false)
  }

  @Test func `a host that is made on the screen learns of it from the app`() {
    let system = Self.atHome()
    system.access = .whileInUse
    for isOnScreen in [false, true] {
      system.kill()
      system.launch(isOnScreen: isOnScreen)
      Self.stay(system, at: Self.home, minutes: 5)
      #expect(system.process?.isMeasuring == isOnScreen)
    }
  }

  @Test func `a catalog that is read after the launch costs no regions and no news`() {
    let system = Self.atHome()
    func entries() -> [String] { system.regions.filter { $0.kind == .enter }.map(\.id) }
    let before = entries()
    system.kill()
    system.settings.catalog = POICatalog([])
    let host = system.launch()
    system.pass(.seconds(2), at: Self.home)
    #expect(!before.isEmpty && entries() == before)
    host.replaceCatalog(Self.catalog)
    Self.stay(system, at: Self.home, minutes: 1)
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 10)
    #expect(system.heard.contains { $0.hasPrefix("Arriving at Corner") }, "\(system.heard)")
  }

  @Test func `until a catalog is there, moves wake an app that looks for places of a kind`() {
    let system = Self.system { $0.monitor.slots = 1 }
    system.launch().save(Self.meds)
    system.pass(.seconds(2), at: Self.home)
    #expect(system.regions.map(\.kind) == [.safe])
    system.kill()
    system.settings.catalog = POICatalog([])
    system.pass(.minutes(10), at: Self.home)
    // The launch that the circle brings ends before the places are read.
    Self.drive(system, from: Self.home, to: Self.pharmacy - 0.06)
    #expect(system.launches == 2 && system.wakesOnMove)
    system.kill()
    // The system tells of a move no more often than every five minutes.
    system.pass(.minutes(6), at: Self.pharmacy - 0.06)
    Self.drive(system, from: Self.pharmacy - 0.06, to: Self.pharmacy - 0.03)
    #expect(system.launches == 3)
    system.host?.replaceCatalog(Self.catalog)
    Self.stay(system, at: Self.pharmacy - 0.03, minutes: 1)
    #expect(!system.regions.isEmpty && !system.wakesOnMove)
    Self.drive(system, from: Self.pharmacy - 0.03, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 10)
    #expect(system.heard.contains { $0.hasPrefix("Arriving at Corner") }, "\(system.heard)")
  }

  @Test func `an app that waits for no catalog is not woken by moves`() {
    let system = Self.system()
    system.settings.catalog = POICatalog([])
    let host = system.launch()
    host.save(
      Place(
        id: "home",
        name: "Home",
        kind: .home,
        coordinate: Coordinate(uncheckedLatitude: Self.home, longitude: -76.61)
      )
    )
    host.save(Reminder(id: "trash", title: "take out the trash", target: .place("home")))
    system.pass(.seconds(2), at: Self.home)
    Self.stay(system, at: Self.home, minutes: 20)
    #expect(!system.wakesOnMove)
    host.save(Self.meds)
    system.pass(.seconds(2), at: Self.home)
    #expect(system.wakesOnMove)
  }

  @Test func `a place that lies nowhere is refused and said to be so, and the state can be read`()
    throws
  {
    let system = Self.atHome()
    let host = try #require(system.host)
    let places = host.places
    for latitude in [999, .nan] as [Double] {
      host.save(
        Place(
          id: "work",
          name: "Work",
          kind: .work,
          coordinate: Coordinate(uncheckedLatitude: latitude, longitude: -76.61)
        )
      )
    }
    #expect(host.places == places && host.failure == nil)
    let refused = system.app.failures.count {
      if case .placeRefused("work", _) = $0 { true } else { false }
    }
    #expect(refused == 2, "\(system.app.failures)")
    #expect(system.launch().reminders.map(\.id) == ["meds"])
  }

  @Test func `a reminder that is refused is said to be so, and why`() throws {
    let system = Self.system()
    let host = system.launch()
    host.save(Reminder(id: "trash", title: "take out the trash", target: .place("home")))
    #expect(host.reminders.isEmpty && host.failure == nil)
    let failure = try #require(system.app.failures.first)
    guard case .reminderRefused("trash", let why) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(why.contains("home"), "\(why)")
    host.save(Self.meds)
    host.act(on: "meds", .complete)
    host.save(Self.meds)
    #expect(system.app.failures.count == 2)
    #expect("\(system.app.failures[1])".hasPrefix("the reminder meds was not taken: "))
  }

  /// Notes how often the state was kept when it was told something.
  @MainActor
  private final class Watcher: PhoneApp {
    let system: FakeSystem
    var told: [(what: String, saves: Int)] = []

    init(_ system: FakeSystem) { self.system = system }

    func open(reminders: [String]) { told.append(("open", system.saves)) }
    func openMap(_ link: String) { told.append(("map", system.saves)) }
    func listen(to signals: [String]) { told.append(("listen", system.saves)) }
    func note(_ record: Record) { told.append(("note", system.saves)) }
  }

  @Test func `the app is told when the state has been kept`() throws {
    let system = Self.system()
    let watcher = Watcher(system)
    let host = system.launch()
    host.app = watcher
    func saves(of what: String, _ body: () -> Void) throws -> Bool {
      watcher.told = []
      let before = system.saves
      body()
      return try #require(watcher.told.first { $0.what == what }).saves > before
    }
    host.save(Self.meds)
    let nowhere = Reminder(id: "trash", title: "take out the trash", target: .place("home"))
    #expect(try saves(of: "note") { host.save(nowhere) })
    let backup = Reminder(id: "backup", title: "back up", triggers: [.signal("charging")])
    #expect(try saves(of: "listen") { host.save(backup) })
    system.pass(.seconds(2), at: Self.home)
    for (i, choice) in [PhoneAnswer.Choice.opened, .button("open_map")].enumerated() {
      let answer = PhoneAnswer(
        notification: "n\(i)",
        reminders: ["meds"],
        mapLink: "geo:1,2",
        choice: choice
      )
      #expect(try saves(of: i == 0 ? "open" : "map") { host.take(.answered(answer)) })
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a background task ends when it is canceled, and when what is due is told`() async {
    let system = Self.atHome()
    system.kill()
    system.hasPosition = false
    let host = system.launch()
    let task = Task { await host.refresh() }
    let isDone = Box(false)
    let waiting = Task {
      await task.value
      isDone.value = true
    }
    for _ in 0..<20 { await Task.yield() }
    // The launch has asked for a position, which does not come.
    #expect(!isDone.value)
    task.cancel()
    await waiting.value
    #expect(isDone.value)
    system.hasPosition = true
    system.pass(.seconds(2), at: Self.home)
    await host.refresh()
  }

  @Test func `visits that this host has not begun are the app's, and left on`() throws {
    let system = Self.system()
    let host = system.launch()
    host.take(.visited)
    #expect(system.moves.isEmpty && system.process?.isMeasuring == false)
    host.save(Self.meds)
    system.pass(.seconds(2), at: Self.home)
    #expect(system.moves == [true, false])
    host.take(.visited)
    #expect(system.process?.isMeasuring == false)
    system.kill()
    system.access = .servicesOff
    system.launch()
    #expect(system.moves == [true, false])
    // What an earlier process has begun is ended by the next one that does not need it.
    system.access = .always
    system.process?.listener?.take(.accessMayHaveChanged)
    #expect(system.moves == [true, false, true])
    system.kill()
    system.access = .servicesOff
    system.launch()
    #expect(system.moves == [true, false, true, false])
    system.kill()
    system.launch()
    #expect(system.moves.count == 4)
  }

  @Test func `a file from before moves were noted is read`() throws {
    let system = Self.system()
    system.launch().save(Self.meds)
    let file = try #require(system.file)
    var fields = try #require(
      try JSONSerialization.jsonObject(with: file) as? [String: Any]
    )
    #expect(fields.removeValue(forKey: "wakesOnMove") as? Bool == true)
    let older = try JSONDecoder()
      .decode(PhoneMemory.self, from: JSONSerialization.data(withJSONObject: fields))
    #expect(older.state == (try JSONDecoder().decode(PhoneMemory.self, from: file)).state)
  }

  @Test func `notifications that are not allowed are said to be so once, and offered once`() {
    let system = Self.atHome()
    system.allowsNotifications = false
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 10)
    #expect(system.app.failures == [.notificationsNotAllowed])
    #expect(system.host?.failure == .notificationsNotAllowed)
    #expect((1...20).contains(system.offers), "\(system.offers)")
    system.process?.listener?.take(.becameActive)
    let offers = system.offers
    Self.stay(system, at: Self.pharmacy, minutes: 2)
    #expect(system.offers == offers)
    #expect(system.app.failures.count == 1 && system.heard.isEmpty)
    system.allowsNotifications = true
    system.process?.listener?.take(.becameActive)
    #expect(!system.heard.isEmpty)
    #expect(system.host?.failure == nil)
  }

  @Test func `news that is taken again brings along what was not allowed before`() {
    let system = Self.system()
    let host = system.launch()
    system.allowsNotifications = false
    host.save(Self.pill(0))
    #expect(system.pending.isEmpty && system.app.failures == [.notificationsNotAllowed])
    system.allowsNotifications = true
    system.pass(.minutes(1), at: Self.home)
    #expect(system.pending.isEmpty)
    host.save(Self.pill(1))
    #expect(system.pending.count == 2 && host.failure == nil)
  }

  @Test func `the app hears once of whatever changes what it shows`() {
    let system = Self.system()
    let host = system.launch()
    #expect(system.app.changes == 1 && host.access == .always)
    host.save([Self.meds, Self.pill(0)])
    #expect(system.app.changes == 2)
    system.pass(.seconds(2), at: Self.home)
    system.pass(.minutes(1), at: Self.home)
    #expect(system.app.changes == 2)
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 1)
    // "Done" on the lock screen.
    let before = system.app.changes
    system.answer("pick up", .button("complete"))
    #expect(system.app.changes == before + 1)
    #expect(host.ended.map(\.id) == ["meds"])
    system.access = .servicesOff
    system.process?.listener?.take(.accessMayHaveChanged)
    #expect(system.app.changes == before + 2 && host.access == .servicesOff)
  }

  @Test func `a background task is done when what is due is told`() {
    let system = Self.atHome()
    system.isWithinReach = false
    Self.drive(system, from: Self.home, to: Self.pharmacy)
    Self.stay(system, at: Self.pharmacy, minutes: 3)
    system.kill()
    system.isWithinReach = true
    system.answersLater = true
    let host = system.launch()
    let done = Box(false)
    host.tick()
    host.whenTold { done.value = true }
    #expect(!done.value && system.heard.isEmpty)
    for answer in system.late { answer() }
    system.pass(.seconds(2), at: Self.pharmacy)
    #expect(done.value && !system.heard.isEmpty)
  }

  @Test func `a background task waits for the position that what is due needs`() {
    let system = Self.atHome()
    Self.drive(system, from: Self.home, to: Self.pharmacy - 0.03)
    #expect(!system.heard.isEmpty)
    system.host?.act(on: "meds", .snoozeFor(.minutes(15)))
    system.kill()
    system.now = system.now + .minutes(20)
    system.uptime = system.uptime + .minutes(20)
    let host = system.launch()
    let done = Box(false)
    host.tick()
    host.whenTold { done.value = true }
    #expect(!done.value)
    system.pass(.seconds(2), at: Self.pharmacy - 0.03)
    #expect(done.value)
  }

  @Test func `a replacement of news that is under way has no sound, unless that is not taken`()
    throws
  {
    for receipt in [PhoneReceipt.taken, .refused("out of reach"), .notAllowed] {
      let system = Self.system()
      system.holdsReceipts = true
      let host = system.launch()
      var call = Reminder(id: "call", title: "call Ann", triggers: [.signal("unlock")])
      host.save(call)
      host.signal(Signal(name: "unlock", id: "1"))
      call.title = "call Bob"
      // What is on the screen is said in other words.
      host.save(call)
      #expect(system.offered.map(\.isSilent) == [false])
      system.answerReceipts(receipt)
      let isHeard = receipt != .taken
      #expect(system.offered.map(\.isSilent) == [false, !isHeard])
      #expect(system.offered.last?.text.contains("Bob") == true)
      // Refused as well, it is offered again as what it was.
      system.answerReceipts(.refused("out of reach"))
      system.holdsReceipts = false
      system.pass(.minutes(1), at: Self.home)
      host.tick()
      #expect(system.offered.map(\.isSilent) == [false, !isHeard, !isHeard])
    }
  }

  @Test func `answers that go elsewhere are a failure that says what to do`() {
    let system = Self.atHome()
    system.host?.take(.answersGoElsewhere)
    #expect(system.app.failures == [.answersGoElsewhere])
    #expect(PhoneFailure.answersGoElsewhere.description.contains("isDelegate: false"))
  }

  @Test func `several reminders are saved at once`() {
    let system = Self.system()
    let host = system.launch()
    let before = system.saves
    host.save(
      (1...500)
        .map { Reminder(id: "r\($0)", title: "it", target: .category(CategoryID("pharmacy"))) }
    )
    #expect(host.reminders.count == 500)
    #expect(system.saves - before <= 2)
  }

  @Test func `a link to a place is one that an iPhone opens`() {
    #expect(
      mapLinkForApple("geo:18.340000,-64.950000")
        == "https://maps.apple.com/?ll=18.340000,-64.950000&q=18.340000,-64.950000"
    )
    #expect(mapLinkForApple("geo:1") == nil && mapLinkForApple("https://a.b") == nil)
  }

  @Test func `a plan and the consent to analytics are kept and said once`() {
    let system = Self.system()
    let host = system.launch()
    for number in 1...5 {
      host.save(
        Reminder(id: "r\(number)", title: "it", target: .category(CategoryID("pharmacy")))
      )
    }
    for _ in 1...2 {
      host.entitle(.free)
      host.entitle(.free)
      host.allowAnalytics(true)
      host.allowAnalytics(true)
      system.kill()
      system.launch()
    }
    let records = system.app.records
    let live = records.compactMap {
      if case .entitlement(_, .free, let live) = $0 { live } else { nil }
    }
    #expect(live == [["r1", "r2", "r3"]])
    let consents = records.compactMap {
      if case .analyticsConsent(_, let isOn) = $0 { isOn } else { nil }
    }
    #expect(consents == [true])
    system.host?.entitle(.premium)
    #expect(
      system.app.records.contains {
        if case .entitlement(_, .premium, let live) = $0 { live.count == 5 } else { false }
      }
    )
  }
}

extension PhoneNotification {
  /// The same under another id.
  fileprivate init(_ other: PhoneNotification, id: String) {
    self.init(
      id: id,
      text: other.text,
      reminders: other.reminders,
      mapLink: other.mapLink,
      buttons: other.buttons
    )
  }
}

/// Something that a closure can change.
@MainActor
private final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
