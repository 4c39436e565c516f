import NearMeEngine
import Profiles
import SettingsFiles
import TestSupport
import Testing
import Timeline

/// What else products differ in, and the files that say so.
@Suite struct BehaviorTests {
  private func text(_ name: String) throws -> ProductProfile { try Shipped.profile(name) }

  @Test(arguments: [
    // name, timers, logic, sync, telemetry, sort, e-mail, sign-in, permissions
    ("nearme", "allowed flat_and on full next_trigger optional device onboarding_step"),
    ("context", "none flat_and off off next_trigger never - just_in_time"),
    ("yomo", "allowed flat_and on essential next_trigger never google,phone just_in_time"),
    ("yourmom", "allowed flat_and off off next_trigger never - just_in_time"),
    ("morning", "allowed flat_and on essential most_recent required email just_in_time"),
    (
      "unified", "allowed tree on full next_trigger optional device,google,phone,email just_in_time"
    ),
  ])
  func `CTX-1.7, YOMO-3.2c, MOM-18, conflicts 2, 4, 14, 15 and 24: what each product is like`(
    _ name: String,
    _ expected: String
  ) throws {
    let profile = try text(name)
    let auth = profile.auth.map(\.rawValue).joined(separator: ",")
    let words = [
      profile.timers.rawValue, profile.logic.rawValue, profile.sync.rawValue,
      profile.telemetry.rawValue, profile.sort.rawValue, profile.email.rawValue,
      auth.isEmpty ? "-" : auth, profile.permissions.rawValue,
    ]
    #expect(words.joined(separator: " ") == expected)
    #expect(profile.name == name)
    #expect((profile.persistence == .once) == (name == "context"))
    #expect(profile.hasWindowTrigger == (name == "context"))
  }

  @Test(arguments: [
    (TelemetryLevel.full, true, TelemetryLevel.full), (.full, false, .essential),
    (.essential, true, .essential), (.essential, false, .essential), (.off, true, .off),
    (.off, false, .off),
  ])
  func `conflict 4: never more is counted than the product and the user both want`(
    _ product: TelemetryLevel,
    _ hasAgreed: Bool,
    _ level: TelemetryLevel
  ) {
    #expect(product.agreed(byUser: hasAgreed) == level)
  }

  @Test func `conflict 14: an account is the same one whichever way it is signed in to`() throws {
    let profile = try text("yomo")
    var account = Account(id: "u1", signedUpAt: Timestamp(seconds: 0), profile: profile)
    let linked = [AuthMethod.phone, .google, .google, .email]
      .map { account.link($0, profile: profile) }
    #expect(linked == [true, true, true, false])
    #expect(account.methods == [.google, .phone])
    #expect(account.id == "u1")
  }

  @Test(arguments: [
    ("context", PermissionMoment.launch, [Permission]()),
    ("context", .onboardingStep, []),
    ("context", .saving([.unlockTrigger]), [.notifications]),
    ("context", .saving([.placeTrigger]), [.notifications, .location]),
    ("context", .saving([.appOpenedTrigger]), [.notifications, .appUsage]),
    ("nearme", .launch, []),
    ("nearme", .onboardingStep, [.notifications, .location]),
    ("nearme", .saving([.placeTrigger]), [.notifications, .location]),
    ("unified", .saving([.leaveTrigger, .placeCondition]), [.notifications, .location]),
    ("yourmom", .saving([.scheduleTrigger]), [.notifications]),
  ])
  func
    `CTX-10.1, CTX-10.2, CTX-10.3, CTX-10.4, conflict 19: permissions when they are needed, none at launch`(
      _ name: String,
      _ moment: PermissionMoment,
      _ asked: [Permission]
    ) throws
  {
    let profile = try text(name)
    #expect(profile.permissions(toAskAt: moment, granted: []) == asked)
    #expect(profile.permissions(toAskAt: moment, granted: Permission.allCases) == [])
    if asked.contains(.notifications) {
      let rest = profile.permissions(toAskAt: moment, granted: [.notifications])
      #expect(rest == asked.filter { $0 != .notifications })
    }
  }

  @Test func `YOMO-4.3a, TODO-FR4, conflict 24: what speaks next first, or what was made last`()
    throws
  {
    func key(_ id: String, _ madeAt: Int64, _ nextAt: Int64?) -> SortOrder.Key {
      SortOrder.Key(
        id: id,
        madeAt: Timestamp(seconds: madeAt),
        nextAt: nextAt.map { Timestamp(seconds: $0) }
      )
    }
    let keys = [
      key("a", 1, 900), key("b", 2, 100), key("c", 3, nil), key("d", 4, 100), key("e", 2, 100),
    ]
    func sorted(_ name: String, _ keys: [SortOrder.Key]) throws -> String {
      let order = try text(name).sort
      return keys.sorted(by: order.areInOrder).map(\.id).joined()
    }
    var draws = SeededGenerator(seed: 3)
    for _ in 0..<100 {
      let mixed = keys.shuffled(using: &draws)
      #expect(try sorted("yomo", mixed) == "bedac")
      #expect(try sorted("morning", mixed) == "dcbea")
    }
  }

  @Test func `YOMO-4.5.1a, NM-5.4: how long reminders can be put off`() throws {
    let yomo = try text("yomo").snooze
    #expect(yomo.minutes == 1...60 && yomo.defaultMinutes == 15 && yomo.fixedMinutes.isEmpty)
    let nearme = try text("nearme").snooze
    #expect(nearme.fixedMinutes == [15, 60] && nearme.offersToday)
  }

  @Test func `CTX-7.5c, CTX-15.1, YOMO-4.1e, YOMO-4.3f: words that products fix`() throws {
    #expect(
      try text("context").text("permission.app_usage")
        == "We only monitor apps you explicitly choose, to remind you at the right moment."
    )
    for permission in Permission.allCases {
      #expect(try text("context").text("permission.\(permission.rawValue)")?.isEmpty == false)
    }
    let yomo = try text("yomo")
    #expect(yomo.text("capture.placeholder") == "e.g. Water plants every Tuesday at 3pm")
    #expect(yomo.text("list.empty") == "No reminders yet. Tap + to create one.")
    #expect(yomo.text("nothing") == nil)
  }

  @Test func `NM-4.1, NM-4.2, NM-4.3, conflict 20: the policy of a profile`() throws {
    let nearme = try ProfileFile.read(path: "\(Shipped.folder)/nearme.yaml").policy
    #expect(
      nearme.tiers.category == [.approach(miles: 5), .approach(miles: 3), .approach(miles: 1)]
    )
    let afterArrival = Tier.postArrival(delay: .minutes(5))
    #expect(nearme.tiers.home == [.approach(miles: 2), .arrival, afterArrival])
    #expect(nearme.tiers.work == nearme.tiers.home)
    #expect(nearme.tiers.other == [.approach(miles: 5), .arrival, afterArrival])
    let context = try ProfileFile.read(path: "\(Shipped.folder)/context.yaml").policy
    #expect(context.tiers.other == [.arrival])
    var unlimited = Policy()
    unlimited.plans.freeLiveReminders = nil
    #expect(try ProfileFile.read(path: "\(Shipped.folder)/unified.yaml").policy == unlimited)
    #expect(nearme.plans.freeLiveReminders == 3)
    #expect(context.schedules.timers == .none)
  }

  // MARK: - Files

  @Test func `the default needs no file, and its file says the same`() throws {
    #expect(try text("unified") == ProductProfile())
    #expect(try ProfileFile.read(text: "name: unified", file: "p").profile == ProductProfile())
  }

  @Test func `every profile is read, and its tone and names are ones that there are`() throws {
    let folder = DataFolder(candidates: [String(Shipped.folder.dropLast("/profiles".count))])
    #expect(folder.names(kind: "profiles") == Shipped.names)
    for name in Shipped.names {
      let path = try folder.path(of: name, kind: "profiles")
      let profile = try ProfileFile.read(path: path).profile
      #expect(folder.names(kind: "tones").contains(profile.tone), "\(name)")
    }
  }

  @Test(arguments: [
    ("quotas: []", "p:1: has no name: write a line such as \"name: mine\""),
    ("name: mine\nfeatures: {trigger.plase: paid}", "p:2: features: unknown key \"trigger.plase\""),
    (
      "name: mine\nfeatures:\n  trigger.place: payed",
      "p:3: features.trigger.place: \"payed\" is none of"
    ),
    ("name: mine\nlogic: or", "p:2: logic: \"or\" is none of flat_and, tree"),
    (
      "name: mine\nquotas:\n  - {plan: free, scope: active, enforcement: hard}",
      "p:3: quotas[0]: needs \"limit\""
    ),
    (
      "name: mine\nquotas:\n  - {plan: free, scope: active, limit: -1, enforcement: hard}",
      "p:3: quotas[0].limit: must be a whole number from 0 to 1000000"
    ),
    ("name: mine\ntrial: {start: signup}", "p:2: trial: a trial ends somehow"),
    ("name: mine\ntrial: {days: 0, start: signup}", "p:2: trial.days: must be a whole number"),
    (
      "name: mine\noffers:\n  - {id: a, kind: monthly, price: 2.9, stores: [apple]}",
      "p:3: offers[0].price: must be a price with two decimals, such as 2.99"
    ),
    (
      "name: mine\noffers:\n  - {id: a, kind: monthly, price: \"9.99\", range: [2.99, 4.99], stores: []}",
      "p:3: offers[0].price: must lie between 2.99 and 4.99"
    ),
    (
      "name: mine\npaywall:\n  rules:\n    - {on: open, show: blocking, reason: r}",
      "p:4: paywall.rules[0]: what blocks must have a way past it"
    ),
    (
      "name: mine\npaywall:\n  rules:\n    - {on: first_open, show: soft, reason: r}",
      "p:4: paywall.rules[0]: nothing is ever shown at the first opening"
    ),
    (
      "name: mine\npaywall:\n  rules:\n    - {on: open, show: modal, for_grandfathered: true, reason: r}",
      "p:4: paywall.rules[0]: grandfathered accounts are asked softly or not at all"
    ),
    (
      "name: mine\nmessages:\n  - {reasons: [r], text: Buy}",
      "p:3: messages[0].reasons[0]: no paywall rule has the reason \"r\""
    ),
    (
      """
      name: mine
      paywall: {rules: [{on: open, show: soft, reason: r}]}
      messages:
        - {reasons: [r], text: "{prize}"}
      """,
      "p:4: messages[0]: there is no placeholder {prize}"
    ),
    (
      "name: mine\ncohorts:\n  fallback: a\n  weeks: [{from: 1, to: [b]}]\n  terms: [{name: a}]",
      "p:4: cohorts.weeks[0].to[0]: there is no cohort \"b\" under terms"
    ),
    (
      """
      name: mine
      cohorts:
        fallback: a
        weeks: [{from: 5, until: 9, to: [a]}, {from: 8, to: [a]}]
        terms: [{name: a}]
      """,
      "p:3: cohorts: the weeks must be in order"
    ),
    (
      "name: mine\nsnooze: {minutes: [9, 3]}",
      "p:2: snooze.minutes[1]: must be a whole number from 9"
    ),
    ("name: mine\ncolor: red", "p:2: unknown key \"color\""),
  ])
  func `what is wrong with a profile is said with its file and line`(
    _ text: String,
    _ message: String
  ) {
    let error = #expect(throws: SettingsError.self) { try ProfileFile.read(text: text, file: "p") }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test func `a profile that does not exist is answered with those that do`() throws {
    let folder = DataFolder(candidates: [
      "/nowhere", String(Shipped.folder.dropLast("/profiles".count)),
    ])
    let error = #expect(throws: SettingsError.self) {
      try folder.path(of: "mine", kind: "profiles")
    }
    #expect(
      error?.description.contains("there are context, morning, nearme, unified, yomo") == true
    )
    #expect(try folder.path(of: "./mine.yaml", kind: "profiles") == "./mine.yaml")
    let empty = #expect(throws: SettingsError.self) {
      try DataFolder(candidates: ["/nowhere"]).path(of: "mine", kind: "profiles")
    }
    #expect(empty?.description.contains("name it with NEARME_DATA") == true)
  }
}
