import Fencing
import NearMeEngine
import SettingsFiles
import Testing
import Timeline

@Suite struct PolicyFileTests {
  @Test func `what policy show prints is a policy file with the same meaning`() throws {
    var policy = Policy()
    #expect(try PolicyFile.read(text: PolicyFile.show(policy), file: "p") == policy)
    policy.quietHours = DailyWindow(startMinute: 1_320, endMinute: 420)
    policy.cooldown.overall = .seconds(90)
    policy.text.distanceUnit = .kilometers
    policy.tiers.fenceSemantics = .perPOI
    policy.tiers.category = [.approach(meters: 700), .arrival]
    policy.fencing.exitBandShare = 0.25
    policy.monitor.slots = 7
    #expect(try PolicyFile.read(text: PolicyFile.show(policy), file: "p") == policy)
  }

  @Test func `keys that are not there keep the defaults`() throws {
    let policy = try PolicyFile.read(text: "cooldown: {overall: 0}", file: "p")
    var expected = Policy()
    expected.cooldown.overall = .seconds(0)
    #expect(policy == expected)
  }

  @Test
  func `a file that says all behind # leaves everything as it is, and an empty one is a mistake`()
    throws
  {
    #expect(try PolicyFile.read(text: "# cooldown: {overall: 0}\n\n", file: "p") == Policy())
    #expect(throws: SettingsError.self) { try PolicyFile.read(text: " \n", file: "p") }
  }

  @Test func `equal quiet hours are none`() throws {
    let policy = try PolicyFile.read(
      text: "quiet_hours: {start: \"09:00\", end: \"09:00\"}",
      file: "p"
    )
    #expect(policy.quietHours == nil)
  }

  @Test(arguments: [
    ("tiers: {category: []}", "tiers.category"),
    ("tiers: {home: [arrival, arrival]}", "tiers.home"),
    ("tiers: {category: [\"post_arrival:5m\", \"post_arrival:9m\"]}", "tiers.category"),
    ("tiers: {arrival_radius: \"3km\"}", "tiers"),
    ("snooze: {least: \"2h\", most: \"1h\"}", "snooze.least"),
    ("power: {saving_below: 50, saving_until: 20}", "power.saving_until"),
    ("power: {budget: 1, budget_until: 5}", "power.budget_until"),
  ])
  func `values that contradict each other are refused at their key`(_ text: String, _ key: String) {
    #expect {
      try PolicyFile.read(text: text, file: "p")
    } throws: { error in
      (error as? SettingsError)?.message.hasPrefix(key) ?? false
    }
  }

  @Test func `a limit that was given alone takes its other end along`() throws {
    let policy = try PolicyFile.read(
      text: "power: {saving_below: 50, sparing_below: 40, budget: 2}",
      file: "p"
    )
    #expect(policy.power.savingUntilPercent == 50 && policy.power.sparingUntilPercent == 40)
    #expect(policy.power.budgetUntilPercentPerDay == 2)
  }

  @Test func `a system zone is read as a value`() throws {
    let zone = try #require(UTCOffsetTable(systemZone: "America/New_York"))
    #expect(zone.offsetSeconds(at: Timestamp(seconds: 1_767_600_000)) == -18_000)
    #expect(zone.offsetSeconds(at: Timestamp(seconds: 1_751_000_000)) == -14_400)
    #expect(UTCOffsetTable(systemZone: "Mars/Base") == nil)
  }
}
