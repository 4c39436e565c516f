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
      for _ in 0..<500 where happenings.count < count {
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
    manager.watch([])
    #expect(Asked.shared.log.last == "leave nearme/c")
    Asked.shared.isLate = false
    // What the system has dropped with the permission is asked for again.
    manager.watch([Self.region("d", 300, .enter)])
    Asked.shared.regions = []
    manager.locationManagerDidChangeAuthorization(other)
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

  @Test func `a session that asks for always is held when that is allowed, and not before`() {
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
    #expect(Asked.shared.log.suffix(2) == ["session none", "session over"])
    Self.forget()
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

  @Test func `conditions tell the crossing that is meant, and what is too much`() async throws {
    let (conditions, listener) = (ConditionMonitor(name: "test"), Listener())
    conditions.listener = listener
    conditions.watch([Self.region("a", 300, .enter), Self.region("safe:1", 2_000, .safe)])
    var monitor: CLMonitor?
    for _ in 0..<500 {
      monitor = CLMonitor.made["test"]
      if await monitor?.identifiers.count == 2 { break }
      try await Task.sleep(for: .milliseconds(2))
    }
    let apple = try #require(monitor)
    #expect(await apple.log == ["add a unsatisfied", "add safe:1 satisfied"])
    await apple.happen("a", .unsatisfied)
    await apple.happen("a", .satisfied)
    await apple.happen("safe:1", .satisfied)
    await apple.happen("safe:1", .unsatisfied)
    await apple.happen("a", .unmonitored, limit: true)
    await listener.wait(for: 4)
    #expect(
      listener.happenings.filter { $0 != .regionsWatched } == [
        .crossed(region: "a"), .crossed(region: "safe:1"), .regionsRefused(["a"]),
      ]
    )
    conditions.watch([Self.region("a", 300, .enter), Self.region("b", 2_000, .exit)])
    for _ in 0..<500 where await apple.log.count < 4 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(await apple.log.suffix(2) == ["remove safe:1", "add b satisfied"])
    conditions.rearm(["b", "gone"])
    for _ in 0..<500 where conditions.isSettling { try await Task.sleep(for: .milliseconds(2)) }
    #expect(await apple.log.suffix(2) == ["remove b", "add b satisfied"])
    #expect(listener.happenings.last == .regionsWatched && !conditions.isSettling)
    // What follows an error is heard.
    await apple.fail()
    let count = listener.happenings.count
    for _ in 0..<100 where listener.happenings.count == count {
      await apple.happen("a", .satisfied)
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(listener.happenings.last == .crossed(region: "a"))
  }

  @Test func `notifications are shown, found again, answered and taken away`() async throws {
    let apple = UNUserNotificationCenter.current()
    let (center, listener) = (UserNotificationCenter(), Listener())
    center.listener = listener
    apple.setNotificationCategories([
      UNNotificationCategory(identifier: "the app's", actions: [], intentIdentifiers: [])
    ])
    #expect(apple.delegate === center)
    var taken: [Bool] = []
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
    #expect(taken == [true, true])
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
  }

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

  @Test func `README and page show the example that is built here`() throws {
    let file = URL(filePath: #filePath)
    let example = try String(
      contentsOf: file.deletingLastPathComponent().appending(path: "ReadmeExample.swift"),
      encoding: .utf8
    )
    var root = file
    for _ in 0..<4 { root.deleteLastPathComponent() }
    for page in ["README.md", "docs/core-location.md"] {
      let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
      #expect(text.contains("```swift\n\(example)```"), "\(page)")
    }
    _ = remind(of:_:)
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
