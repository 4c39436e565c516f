import CoreLocation
import Foundation
import NearMeCoreLocation
import Testing
import UserNotifications

/// What the adapter asks of Apple's modules, of which only the signatures are real here.
@MainActor
@Suite(.serialized) struct AppleTests {
  private final class Listener: PhoneListener {
    var happenings: [PhoneHappening] = []

    func take(_ happening: PhoneHappening) { happenings.append(happening) }

    /// Waits for what is handed over by tasks.
    func wait(for count: Int) async {
      for _ in 0..<2_000 where happenings.count < count {
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  private static func region(_ id: String, _ meters: Double, _ kind: Region.Kind) -> Region {
    Region(
      id: id,
      center: Coordinate(uncheckedLatitude: 39.29, longitude: -76.61),
      radiusMeters: meters,
      kind: kind
    )
  }

  private static func forget() {
    Asked.shared.log = []
    Asked.shared.regions = []
    Asked.shared.status = .authorizedAlways
    Asked.shared.accuracy = .fullAccuracy
  }

  /// The newest monitor of a name, when it watches so many regions.
  private static func monitor(_ name: String, watching count: Int) async throws -> CLMonitor {
    for _ in 0..<500 {
      if let monitor = CLMonitor.made[name], await monitor.identifiers.count == count {
        return monitor
      }
      try await Task.sleep(for: .milliseconds(2))
    }
    return try #require(CLMonitor.made[name])
  }

  /// Waits until a monitor has done what it was asked for.
  private static func settle(_ conditions: ConditionMonitor) async throws {
    for _ in 0..<500 where conditions.isSettling { try await Task.sleep(for: .milliseconds(2)) }
    #expect(!conditions.isSettling)
  }

  @Test func `circular regions change by difference, and the app's own stay`() {
    Self.forget()
    let other = CLLocationManager()
    let own = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 1, longitude: 1),
      radius: 100,
      identifier: "the app's"
    )
    other.startMonitoring(for: own)
    let manager = LocationManager(mayUpdateInBackground: true)
    manager.watch([Self.region("a", 300, .enter), Self.region("safe:1", 2_000, .safe)])
    Asked.shared.log = []
    manager.watch([Self.region("a", 300, .enter), Self.region("b", 250, .exit)])
    #expect(Asked.shared.log.sorted() == ["leave nearme/safe:1", "watch nearme/b"])
    manager.watch([Self.region("a", 290, .enter), Self.region("b", 250, .exit)])
    #expect(Asked.shared.log.last == "watch nearme/a")
    #expect(Asked.shared.regions.count == 3)
    let enter = Asked.shared.regions.first { $0.identifier == "nearme/a" }
    #expect(enter?.notifyOnEntry == true && enter?.notifyOnExit == false)
    // What was asked for a moment ago, and the system has not in its list yet.
    Asked.shared.isLate = true
    manager.watch([Self.region("c", 300, .enter)])
    Asked.shared.log = []
    manager.rearm(["c"])
    manager.watch([Self.region("c", 300, .enter)])
    #expect(Asked.shared.log == ["leave nearme/c", "watch nearme/c"])
    // A callback without a change makes nobody ask again.
    manager.locationManagerDidChangeAuthorization(other)
    Asked.shared.log = []
    manager.watch([Self.region("c", 300, .enter)])
    #expect(Asked.shared.log.isEmpty)
    manager.watch([])
    #expect(Asked.shared.log.last == "leave nearme/c")
    Asked.shared.isLate = false
    // What the system has dropped with the permission is asked for again.
    manager.watch([Self.region("d", 300, .enter)])
    Asked.shared.regions = []
    for status in [CLAuthorizationStatus.denied, .authorizedAlways] {
      Asked.shared.status = status
      manager.locationManagerDidChangeAuthorization(other)
    }
    manager.watch([Self.region("d", 300, .enter)])
    #expect(Asked.shared.regions.map(\.identifier) == ["nearme/d"])
    // Wider than the service watches.
    manager.watch([Self.region("wide", 900_000, .safe)])
    let wide = Asked.shared.regions.last as? CLCircularRegion
    #expect(wide?.radius == 400_000)
  }

  @Test func `what Core Location calls back becomes happenings`() throws {
    Self.forget()
    let (manager, listener) = (LocationManager(mayUpdateInBackground: false), Listener())
    manager.listener = listener
    let apple = CLLocationManager()
    func location(_ accuracy: Double, speed: Double) -> CLLocation {
      CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 39.29, longitude: -76.61),
        altitude: 0,
        horizontalAccuracy: accuracy,
        verticalAccuracy: 5,
        course: -1,
        speed: speed,
        timestamp: Date(timeIntervalSince1970: 1_772_550_000.25)
      )
    }
    manager.locationManager(
      apple,
      didUpdateLocations: [location(-1, speed: 3), location(8, speed: -1)]
    )
    let circle = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 1, longitude: 1),
      radius: 100,
      identifier: "nearme/enter:node/1"
    )
    manager.locationManager(apple, didEnterRegion: circle)
    let codes: [CLError.Code] = [.regionMonitoringSetupDelayed, .regionMonitoringFailure]
    for code in codes {
      manager.locationManager(apple, monitoringDidFailFor: circle, withError: CLError(code))
    }
    // On the side on which it is meant to be, or not known: nothing was crossed.
    for state in [CLRegionState.outside, .unknown] {
      manager.locationManager(apple, didDetermineState: state, for: circle)
    }
    manager.locationManagerDidChangeAuthorization(apple)
    manager.locationManager(apple, didVisit: CLVisit())
    let fix = Fix(
      at: Timestamp(milliseconds: 1_772_550_000_250),
      coordinate: try Coordinate(latitude: 39.29, longitude: -76.61),
      horizontalAccuracyMeters: 8
    )
    #expect(
      listener.happenings == [
        .positions([fix]), .crossed(region: "enter:node/1"), .regionsRefused(["enter:node/1"]),
        .accessMayHaveChanged, .visited,
      ]
    )
  }

  @Test func `a line that was passed before it was watched is asked for, and a region armed anew`()
  {
    Self.forget()
    let (manager, listener) = (LocationManager(mayUpdateInBackground: true), Listener())
    manager.listener = listener
    let apple = CLLocationManager()
    manager.watch([Self.region("a", 300, .enter), Self.region("safe:1", 2_000, .safe)])
    for region in Asked.shared.regions {
      manager.locationManager(apple, didStartMonitoringFor: region)
      for state in [CLRegionState.inside, .outside] {
        manager.locationManager(apple, didDetermineState: state, for: region)
      }
    }
    #expect(Asked.shared.log.filter { $0.hasPrefix("state of nearme/") }.count == 2)
    #expect(listener.happenings == [.crossed(region: "a"), .crossed(region: "safe:1")])
    Asked.shared.log = []
    manager.rearm(["safe:1"])
    #expect(Asked.shared.log == ["leave nearme/safe:1", "watch nearme/safe:1"])
    Self.forget()
  }

  @Test func `a session is held for what is allowed, and asks for nothing more`() {
    Self.forget()
    Asked.shared.status = .notDetermined
    let conditions = ConditionMonitor(name: "session")
    conditions.watch([])
    #expect(Asked.shared.log == ["session none"])
    Asked.shared.status = .authorizedAlways
    conditions.watch([])
    conditions.watch([])
    #expect(Asked.shared.log == ["session none", "session always", "session over"])
    Asked.shared.status = .authorizedWhenInUse
    conditions.watch([])
    #expect(Asked.shared.log.suffix(2) == ["session whenInUse", "session over"])
    Asked.shared.status = .denied
    conditions.watch([])
    #expect(Asked.shared.log.suffix(2) == ["session none", "session over"])
    Self.forget()
  }

  @Test func `no monitor is opened before the user was asked for the permission`() async throws {
    Self.forget()
    Asked.shared.status = .notDetermined
    let conditions = ConditionMonitor(name: "unasked")
    conditions.watch([Self.region("a", 300, .enter)])
    try await Task.sleep(for: .milliseconds(20))
    #expect(CLMonitor.made["unasked"] == nil && !conditions.isSettling)
    Asked.shared.status = .authorizedAlways
    conditions.watch([Self.region("b", 300, .enter)])
    let apple = try await Self.monitor("unasked", watching: 1)
    #expect(await apple.identifiers == ["b"])
    Self.forget()
  }

  @Test func `a monitor that fails twice in a row is opened anew, and that is said`() async throws {
    Self.forget()
    let regions = [Self.region("a", 300, .enter), Self.region("safe:1", 2_000, .safe)]
    let (conditions, listener) = (ConditionMonitor(name: "failing"), Listener())
    conditions.listener = listener
    conditions.watch(regions)
    let first = try await Self.monitor("failing", watching: 2)
    try await Self.settle(conditions)
    await first.fail()
    for _ in 0..<2_000 where CLMonitor.made["failing"] === first {
      try await Task.sleep(for: .milliseconds(5))
    }
    let second = try #require(CLMonitor.made["failing"])
    #expect(second !== first)
    try await Self.settle(conditions)
    // The system may have dropped what the first one watched.
    #expect(await second.log.filter { $0.hasPrefix("add") }.count == 2)
    let failures = listener.happenings.filter {
      if case .failed(.regionsUnheard) = $0 { true } else { false }
    }
    #expect(failures.count == 1)
    await second.happen("a", .satisfied)
    for _ in 0..<500 where listener.happenings.last != .crossed(region: "a") {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(listener.happenings.last == .crossed(region: "a"))
  }

  @Test func `what the system says of how it watches is passed on, each word once`() async throws {
    Self.forget()
    let (conditions, listener) = (ConditionMonitor(name: "complaints"), Listener())
    conditions.listener = listener
    conditions.watch([Self.region("a", 300, .enter)])
    let apple = try await Self.monitor("complaints", watching: 1)
    try await Self.settle(conditions)
    let words = [
      "accuracyLimited", "insufficientlyInUse", "persistenceUnavailable", "serviceSessionRequired",
    ]
    for word in words + words { await apple.happen("a", .unknown, complaint: word) }
    await apple.happen("a", .satisfied)
    await apple.happen("a", .unknown, complaint: words[0])
    await listener.wait(for: 7)
    let expected = words.map { PhoneHappening.failed(.regionsUnsure($0)) }
    #expect(
      listener.happenings.filter { $0 != .regionsWatched }
        == expected + [.crossed(region: "a"), expected[0]]
    )
  }

  @Test func `an approximate position is known while the app is used, at most`() {
    Self.forget()
    let manager = LocationManager(mayUpdateInBackground: false)
    #expect(manager.access == .always)
    Asked.shared.accuracy = .reducedAccuracy
    #expect(manager.access == .whileInUse)
    Asked.shared.status = .authorizedWhenInUse
    #expect(manager.access == .whileInUse)
    for status in [CLAuthorizationStatus.denied, .restricted, .notDetermined] {
      Asked.shared.status = status
      #expect(manager.access == .servicesOff)
    }
    Self.forget()
  }

  @Test func `always is asked for in two steps, so that the user sees both`() {
    Self.forget()
    Asked.shared.status = .notDetermined
    let (manager, apple) = (LocationManager(mayUpdateInBackground: true), CLLocationManager())
    manager.ask()
    // As the system says when a manager is made.
    manager.locationManagerDidChangeAuthorization(apple)
    #expect(Asked.shared.log == ["ask while in use"])
    Asked.shared.status = .authorizedWhenInUse
    for _ in 0..<2 { manager.locationManagerDidChangeAuthorization(apple) }
    #expect(Asked.shared.log == ["ask while in use", "ask"])
    // Who said no is not asked again by what is said later in Settings.
    Asked.shared.log = []
    for status in [CLAuthorizationStatus.notDetermined, .denied, .authorizedWhenInUse] {
      Asked.shared.status = status
      if status == .notDetermined { manager.ask() }
      manager.locationManagerDidChangeAuthorization(apple)
    }
    #expect(Asked.shared.log == ["ask while in use"])
    manager.ask()
    #expect(Asked.shared.log == ["ask while in use", "ask"])
    Self.forget()
  }

  @Test func `visits of an app that monitors them itself are left to it`() {
    Self.forget()
    let (manager, listener) = (LocationManager(usesVisits: false), Listener())
    manager.listener = listener
    for isOn in [true, false] { manager.wakeOnMove(isOn) }
    manager.locationManager(CLLocationManager(), didVisit: CLVisit())
    #expect(Asked.shared.log == ["move on", "move off"])
    #expect(listener.happenings.isEmpty)
    Self.forget()
  }

  @Test
  func `what an earlier process had watched is asked for anew, once, and not before the list`()
    async throws
  {
    let regions = [Self.region("a", 300, .enter), Self.region("safe:1", 2_000, .safe)]
    var earlier: ConditionMonitor? = ConditionMonitor(name: "reboot")
    earlier?.watch(regions)
    let first = try await Self.monitor("reboot", watching: 2)
    earlier = nil
    // The state cannot be read yet, and the monitor's file no better.
    let (conditions, listener) = (ConditionMonitor(name: "reboot"), Listener())
    conditions.listener = listener
    try await Task.sleep(for: .milliseconds(20))
    #expect(CLMonitor.made["reboot"] === first)
    conditions.watch(regions)
    try await Self.settle(conditions)
    let second = try #require(CLMonitor.made["reboot"])
    #expect(second !== first)
    #expect(
      await second.log == [
        "remove a", "add a unsatisfied", "remove safe:1", "add safe:1 satisfied",
      ]
    )
    conditions.watch(regions)
    try await Self.settle(conditions)
    #expect(await second.log.count == 4)
    // What is watched no longer is asked for at once.
    await second.happen("safe:1", .unmonitored)
    for _ in 0..<500 where await second.log.count < 6 {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(await second.log.suffix(2) == ["remove safe:1", "add safe:1 satisfied"])
    // And again only after a minute, or with another list.
    try await Self.settle(conditions)
    await second.happen("safe:1", .unmonitored)
    try await Task.sleep(for: .milliseconds(50))
    #expect(await second.log.count == 6)
    conditions.watch(regions)
    try await Self.settle(conditions)
    #expect(await second.log.count == 8)
    #expect(!listener.happenings.contains { if case .regionsRefused = $0 { true } else { false } })
  }

  @Test func `one region too many costs one, however many the system gives up for it`() async throws
  {
    let regions = (0..<20).map { Self.region("r\($0)", 300, .enter) }
    let (conditions, listener) = (ConditionMonitor(name: "limit"), Listener())
    conditions.listener = listener
    conditions.watch(regions)
    let apple = try await Self.monitor("limit", watching: 20)
    try await Self.settle(conditions)
    for region in regions { await apple.happen(region.id, .unmonitored, limit: true) }
    func refusals() -> [PhoneHappening] { listener.happenings.filter { $0 != .regionsWatched } }
    for _ in 0..<1_000 where refusals().isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    #expect(refusals() == [.regionsRefused(["r19"])])
    conditions.watch(regions.dropLast())
    try await Self.settle(conditions)
    #expect(await apple.identifiers.count == 19)
    #expect(await apple.log.count { $0.hasPrefix("add") } == 20 + 19)
    try await Task.sleep(for: .milliseconds(20))
    #expect(refusals().count == 1)
  }

  @Test func `conditions tell the crossing that is meant, and what is too much`() async throws {
    let (conditions, listener) = (ConditionMonitor(name: "test"), Listener())
    conditions.listener = listener
    conditions.watch([Self.region("a", 300, .enter), Self.region("safe:1", 2_000, .safe)])
    let apple = try await Self.monitor("test", watching: 2)
    #expect(await apple.log == ["add a unsatisfied", "add safe:1 satisfied"])
    await apple.happen("a", .unsatisfied)
    await apple.happen("a", .satisfied)
    await apple.happen("safe:1", .satisfied)
    await apple.happen("safe:1", .unsatisfied)
    await apple.happen("a", .unmonitored, limit: true)
    await listener.wait(for: 4)
    #expect(
      listener.happenings.filter { $0 != .regionsWatched } == [
        .crossed(region: "a"), .crossed(region: "safe:1"), .regionsRefused(["safe:1"]),
      ]
    )
    conditions.watch([Self.region("a", 300, .enter), Self.region("b", 2_000, .exit)])
    try await Self.settle(conditions)
    #expect(
      await apple.log.dropFirst(2) == [
        "remove safe:1", "remove a", "add a unsatisfied", "add b satisfied",
      ]
    )
    conditions.rearm(["b", "gone"])
    try await Self.settle(conditions)
    #expect(await apple.log.suffix(2) == ["remove b", "add b satisfied"])
    #expect(listener.happenings.last == .regionsWatched && !conditions.isSettling)
  }

  @Test func `notifications are shown, found again, answered and taken away`() async throws {
    let apple = UNUserNotificationCenter.current()
    let (center, listener) = (UserNotificationCenter(), Listener())
    center.listener = listener
    apple.setNotificationCategories([
      UNNotificationCategory(identifier: "the app's", actions: [], intentIdentifiers: [])
    ])
    #expect(apple.delegate === center)
    var taken: [PhoneReceipt] = []
    func show(_ id: String, at instant: Timestamp?, isSilent: Bool = false) {
      let notification = PhoneNotification(
        id: id,
        text: "Arriving",
        reminders: ["meds"],
        mapLink: "geo:1,2",
        buttons: .place,
        isSilent: isSilent
      )
      center.show(notification, at: instant) { taken.append($0) }
    }
    show("n1", at: nil)
    show("n2", at: Timestamp(milliseconds: 1_772_550_000_250))
    var found: [[String]] = []
    center.standing { found = [$0, $1] }
    for _ in 0..<500 where found.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    #expect(taken == [.taken, .taken])
    #expect(found == [["n2"], ["n1"]])
    // Those of the app that it sets when the host is made already, too.
    for _ in 0..<500 where apple.categories.count < 4 {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(apple.categories.count == 4)
    show("n3", at: nil, isSilent: true)
    var shownAs: [UNNotificationPresentationOptions] = []
    for request in apple.delivered {
      center.userNotificationCenter(
        apple,
        willPresent: UNNotification(request: request)
      ) { options in MainActor.assumeIsolated { shownAs.append(options) } }
    }
    #expect(shownAs == [[.banner, .list, .sound], [.list]])
    // Never before its instant, and by UTC.
    let trigger = try #require(apple.pending[0].trigger as? UNCalendarNotificationTrigger)
    #expect(trigger.dateComponents.date == Date(timeIntervalSince1970: 1_772_550_001))
    let delivered = UNNotification(request: apple.delivered[0])
    for action in ["complete", UNNotificationDefaultActionIdentifier] {
      center.userNotificationCenter(
        apple,
        didReceive: UNNotificationResponse(notification: delivered, actionIdentifier: action)
      ) {}
    }
    let answers = listener.happenings.map { happening -> PhoneAnswer.Choice? in
      if case .answered(let answer) = happening { answer.choice } else { nil }
    }
    #expect(answers == [.button("complete"), .opened])
    center.remove(["n1", "n2", "n3"])
    #expect(apple.pending.isEmpty && apple.delivered.isEmpty)
    // What is not taken, and why.
    for code in [UNError.Code.notificationsNotAllowed, .notificationInvalidNoDate] {
      apple.refusal = UNError(code)
      show("n4", at: nil)
    }
    apple.refusal = nil
    func refusals() -> [PhoneReceipt] { taken.filter { $0 != .taken } }
    for _ in 0..<500 where refusals().count < 2 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(refusals().contains(.notAllowed) && apple.delivered.isEmpty)
    let reasons = refusals().compactMap { if case .refused(let why) = $0 { why } else { nil } }
    #expect(reasons.count == 1 && reasons[0].contains("notificationInvalidNoDate"))
  }

  /// The delegate of an app that has notifications of its own.
  private final class AppDelegate: NSObject, UNUserNotificationCenterDelegate {
    nonisolated(unsafe) var seen: [String] = []

    func userNotificationCenter(
      _ center: UNUserNotificationCenter,
      willPresent notification: UNNotification,
      withCompletionHandler completionHandler:
        @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
      seen.append("present \(notification.request.identifier)")
      completionHandler([.badge])
    }

    func userNotificationCenter(
      _ center: UNUserNotificationCenter,
      didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
      seen.append("answer \(response.actionIdentifier)")
      completionHandler()
    }

    func userNotificationCenter(
      _ center: UNUserNotificationCenter,
      openSettingsFor notification: UNNotification?
    ) {
      seen.append("settings")
    }
  }

  private static func notification(_ identifier: String) -> UNNotification {
    let content = UNMutableNotificationContent()
    content.userInfo = ["nearme.reminders": ["meds"]]
    content.sound = .default
    return UNNotification(
      request: UNNotificationRequest(identifier: identifier, content: content, trigger: nil)
    )
  }

  @Test func `what is not the host's goes to the delegate that was there before`() async throws {
    let (apple, app) = (UNUserNotificationCenter.current(), AppDelegate())
    apple.delegate = app
    let (center, listener) = (UserNotificationCenter(), Listener())
    center.listener = listener
    #expect(apple.delegate === center)
    var shownAs: [UNNotificationPresentationOptions] = []
    let done = Done()
    func happen() {
      for identifier in ["nearme/n1", "the app's"] {
        let notification = Self.notification(identifier)
        center.userNotificationCenter(apple, willPresent: notification) { options in
          MainActor.assumeIsolated { shownAs.append(options) }
        }
        let response = UNNotificationResponse(
          notification: notification,
          actionIdentifier: "complete"
        )
        center.userNotificationCenter(apple, didReceive: response) {
          MainActor.assumeIsolated { done.count += 1 }
        }
      }
    }
    happen()
    center.userNotificationCenter(apple, openSettingsFor: nil)
    #expect(app.seen == ["present the app's", "answer complete", "settings"])
    #expect(shownAs == [[.banner, .list, .sound], [.badge]])
    #expect(done.count == 2 && listener.happenings.count == 1)
    // Without one, the system would show nothing and be done.
    shownAs = []
    apple.delegate = nil
    let alone = UserNotificationCenter()
    alone.userNotificationCenter(apple, willPresent: Self.notification("the app's")) { options in
      MainActor.assumeIsolated { shownAs.append(options) }
    }
    #expect(shownAs == [[]])
    // An app that becomes the delegate later hears why no answer comes, once.
    apple.delegate = app
    for _ in 0..<2 { center.standing { _, _ in } }
    #expect(listener.happenings.dropFirst() == [.answersGoElsewhere])
    apple.delegate = nil
  }

  @Test func `an app that is the delegate itself passes answers on`() async throws {
    Self.forget()
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: url) }
    let apple = UNUserNotificationCenter.current()
    let host = PhoneHost(
      .coreLocation(file: url, regions: .circular, isDelegate: false),
      PhoneSettings(catalog: POICatalog([]))
    )
    let answers = Answers(host)
    host.launch()
    let target = Reminder.Target.category(CategoryID("pharmacy"))
    host.save(Reminder(id: "meds", title: "take it", target: target))
    #expect(apple.delegate === answers)
    let done = Done()
    for identifier in ["nearme/n1", "the app's"] {
      answers.userNotificationCenter(
        apple,
        didReceive: UNNotificationResponse(
          notification: Self.notification(identifier),
          actionIdentifier: "complete"
        )
      ) { MainActor.assumeIsolated { done.count += 1 } }
    }
    #expect(host.reminders.isEmpty && host.ended.map(\.id) == ["meds"])
    for _ in 0..<500 where done.count < 2 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(done.count == 2)
    Self.forget()
  }

  @Test func `an instant is Foundation's to the millisecond`() {
    let instant = Timestamp(milliseconds: 1_772_550_000_250)
    #expect(instant.date == Date(timeIntervalSince1970: 1_772_550_000.25))
    #expect(Timestamp(instant.date) == instant)
    #expect(Timestamp(Date(timeIntervalSince1970: .infinity)).milliseconds == .max)
  }

  #if compiler(>=6.2)
  @Test func `a host without a single region is a mistake`() async {
    await #expect(processExitsWith: .failure) {
      var policy = PhoneSettings.forPhones
      policy.monitor.slots = 0
      _ = PhoneSettings(catalog: POICatalog([]), policy: policy)
    }
    await #expect(processExitsWith: .failure) {
      var settings = PhoneSettings(catalog: POICatalog([]))
      settings.policy.monitor.slots = 0
    }
  }

  @Test func `a second phone in a process is a mistake`() async {
    await #expect(processExitsWith: .failure) {
      await MainActor.run {
        let url = FileManager.default.temporaryDirectory.appending(path: "no.json")
        let first = Phone.coreLocation(file: url, regions: .circular)
        let second = Phone.coreLocation(file: url, regions: .circular)
        withExtendedLifetime([first, second]) {}
      }
    }
  }
  #endif

  @Test func `a file is read as it was written, and a missing one is none`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "near-me/phone.json")
    let file = PhoneFile(url)
    #expect(try file.load() == nil)
    try file.save(PhoneMemory())
    #expect(try PhoneFile(url).load() == PhoneMemory())
    for text in ["{\"version\":2}", "{"] {
      try Data(text.utf8).write(to: url)
      #expect {
        try file.load()
      } throws: { error in
        if case PhoneFailure.stateDamaged(let why)? = error as? PhoneFailure {
          why.contains("phone.json")
        } else {
          false
        }
      }
      try file.setAside()
      #expect(try file.load() == nil)
      let aside = folder.appending(path: "near-me/phone.json.damaged")
      #expect(try String(contentsOf: aside, encoding: .utf8) == text)
    }
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    #expect(throws: CocoaError.self) { try file.load() }
  }

  @Test func `README and page show the examples that are built here`() throws {
    let file = URL(filePath: #filePath)
    var root = file
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let shown = [
      ("README.md", ["Readme"]), ("docs/core-location.md", ["Readme", "Refresh", "Answers"]),
    ]
    for (page, names) in shown {
      let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
      for name in names {
        let example = try String(
          contentsOf: file.deletingLastPathComponent().appending(path: "\(name)Example.swift"),
          encoding: .utf8
        )
        #expect(text.contains("```swift\n\(example)```"), "\(name) in \(page)")
      }
    }
    _ = (Reminders.remind, Reminders.allow, Reminders.refresh)
  }

  @Test func `an iPhone is made of its pieces, and a host lives on it`() {
    Self.forget()
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: url) }
    let host = PhoneHost(
      .coreLocation(file: url, regions: .circular),
      PhoneSettings(catalog: POICatalog([]))
    )
    host.launch()
    host.askForPermission()
    let home = Place(
      id: "home",
      name: "Home",
      kind: .home,
      coordinate: Coordinate(uncheckedLatitude: 39.29, longitude: -76.61)
    )
    host.save(home)
    host.save(Reminder(id: "trash", title: "take out the trash", target: .place("home")))
    #expect(Asked.shared.log.contains("ask") && Asked.shared.log.contains("start"))
    #expect(FileManager.default.fileExists(atPath: url.path))
    #expect(host.failure == nil)
    Self.forget()
  }
}

/// How often something was done.
@MainActor
private final class Done {
  var count = 0
}

// What the stub asks of every delegate, and the system of none.
extension Answers {
  nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    openSettingsFor notification: UNNotification?
  ) {}
}
