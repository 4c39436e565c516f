import NearMeEngine
import Profiles
import Timeline
import Yams

/// A product profile as a file: what its plans have, what they cost, and how it behaves.
///
/// A key that is not there keeps the default, which has everything and asks for nothing; one that is not known is
/// refused with its line.
package enum ProfileFile {
  /// What a file says.
  package struct Contents: Hashable, Sendable {
    /// The product.
    package let profile: ProductProfile
    /// The policy of reminders, where nothing else is given.
    package let policy: Policy

    /// Puts them together.
    package init(profile: ProductProfile, policy: Policy) {
      self.profile = profile
      self.policy = policy
    }

    /// The profile that has everything and asks for nothing, which needs no file.
    package static var unified: Contents {
      var policy = Policy()
      policy.plans.freeLiveReminders = nil
      return Contents(profile: ProductProfile(), policy: policy)
    }
  }

  /// Reads a profile file, YAML or JSON.
  package static func read(path: String) throws(SettingsError) -> Contents {
    try read(StrictDocument(path: path).root)
  }

  /// Reads a profile file's text.
  package static func read(text: String, file: String) throws(SettingsError) -> Contents {
    try read(StrictDocument(text: text, file: file).root)
  }

  private static let keys = [
    "name", "policy", "features", "quotas", "trial", "offers", "cohorts", "paywall", "messages",
    "texts", "logic", "timers", "persistence", "sync", "telemetry", "sort", "email", "auth",
    "permissions", "snooze", "tone",
  ]

  private static func read(_ root: StrictNode) throws(SettingsError) -> Contents {
    let keys = try root.mapping(keys: keys)
    guard let name = keys["name"] else {
      throw root.failure("has no name: write a line such as \"name: mine\"")
    }
    var profile = ProductProfile(name: try name.text())
    if let node = keys["features"] { profile.availability = try features(node) }
    for node in try keys["quotas"]?.list() ?? [] { profile.quotas.append(try quota(node)) }
    if let node = keys["trial"] { profile.trial = try trial(node) }
    for node in try keys["offers"]?.list() ?? [] {
      let offer = try offer(node)
      guard !profile.offers.contains(where: { $0.id == offer.id }) else {
        throw node.failure("there are two offers with the id \"\(offer.id)\"")
      }
      profile.offers.append(offer)
    }
    if let node = keys["cohorts"] { try readCohorts(node, into: &profile) }
    if let node = keys["paywall"] { profile.paywall = try paywall(node) }
    for node in try keys["messages"]?.list() ?? [] {
      profile.messages.append(contentsOf: try messages(node, profile))
    }
    if let node = keys["texts"] { profile.texts = try texts(node) }
    try readBehavior(keys, into: &profile)
    var policy = Policy()
    policy.plans.freeLiveReminders = profile.freeLiveReminders
    policy.schedules.timers = profile.timers == .none ? .none : .allowed
    if let node = keys["policy"] { policy = try PolicyFile.read(node, over: policy) }
    return Contents(profile: profile, policy: policy)
  }

  // MARK: - Plans

  private static func features(_ node: StrictNode) throws(SettingsError) -> [Feature: Availability]
  {
    var table: [Feature: Availability] = [:]
    let names = Feature.allCases.map(\.rawValue)
    for (name, value) in try node.mapping(keys: names) {
      guard let feature = Feature(rawValue: name) else { continue }
      table[feature] = try value.choice(Availability.self)
    }
    return table
  }

  private static func quota(_ node: StrictNode) throws(SettingsError) -> Quota {
    let keys = try node.mapping(keys: ["plan", "scope", "limit", "enforcement"])
    return Quota(
      access: try keys.needed("plan", of: node).choice(Access.self),
      scope: try keys.needed("scope", of: node).choice(Quota.Scope.self),
      limit: try keys.needed("limit", of: node).integer(0...1_000_000),
      enforcement: try keys.needed("enforcement", of: node).choice(Quota.Enforcement.self)
    )
  }

  private static func trial(_ node: StrictNode) throws(SettingsError) -> TrialTerms {
    let keys = try node.mapping(keys: ["days", "reminders", "counting", "start", "renews"])
    var usage: TrialTerms.Usage?
    if let limit = keys["reminders"] {
      usage = TrialTerms.Usage(
        limit: try limit.integer(1...1_000_000),
        counting: try keys.needed("counting", of: node).choice(TrialTerms.Counting.self)
      )
    }
    let days = try keys["days"].map { node throws(SettingsError) in try node.integer(1...3_650) }
    guard days != nil || usage != nil else {
      throw node.failure("a trial ends somehow: give it days, reminders or both")
    }
    return TrialTerms(
      days: days,
      usage: usage,
      start: try keys.needed("start", of: node).choice(TrialTerms.Start.self),
      renews: try keys["renews"]?.bool() ?? false
    )
  }

  private static func offer(_ node: StrictNode) throws(SettingsError) -> Offer {
    let keys = try node.mapping(keys: ["id", "kind", "price", "range", "currency", "stores"])
    let price = try keys.needed("price", of: node)
    let priceCents = try cents(price)
    if let range = keys["range"] {
      let bounds = try range.list()
      guard bounds.count == 2 else {
        throw range.failure("must be two prices, such as [2.99, 4.99]")
      }
      let (low, high) = (try cents(bounds[0]), try cents(bounds[1]))
      guard low <= priceCents, priceCents <= high else {
        throw price.failure("must lie between \(bounds[0].oneLine) and \(bounds[1].oneLine)")
      }
    }
    let currency = try keys["currency"]?.text() ?? "USD"
    guard currency.count == 3, currency.allSatisfy({ $0.isASCII && $0.isUppercase }) else {
      throw node.failure("the currency must be three letters of ISO 4217, such as USD")
    }
    var stores: [Offer.Store] = []
    for store in try keys.needed("stores", of: node).list() {
      stores.append(try store.choice(Offer.Store.self))
    }
    return Offer(
      id: try keys.needed("id", of: node).text(),
      kind: try keys.needed("kind", of: node).choice(Offer.Kind.self),
      priceCents: priceCents,
      currency: currency,
      stores: stores
    )
  }

  /// A price with two decimals as hundredths, exactly.
  private static func cents(_ node: StrictNode) throws(SettingsError) -> Int {
    let parts = try node.text().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 2, (1...6).contains(parts[0].count),
      parts.allSatisfy({ $0.allSatisfy("0123456789".contains) }),
      let whole = Int(parts[0]), let rest = Int(parts[1])
    else { throw node.failure("must be a price with two decimals, such as 2.99") }
    return whole * 100 + rest
  }

  // MARK: - Cohorts

  private static func readCohorts(
    _ node: StrictNode,
    into profile: inout ProductProfile
  ) throws(SettingsError) {
    let keys = try node.mapping(keys: ["fallback", "salt", "weeks", "terms"])
    for item in try keys.needed("terms", of: node).list() {
      let keys = try item.mapping(keys: ["name", "grandfathered", "offers"])
      var ids: [String]?
      if let offers = keys["offers"] {
        var list: [String] = []
        for offer in try offers.list() {
          let id = try offer.text()
          guard profile.offers.contains(where: { $0.id == id }) else {
            throw offer.failure("there is no offer with the id \"\(id)\"")
          }
          list.append(id)
        }
        ids = list
      }
      let name = try keys.needed("name", of: item).text()
      guard profile.cohort(named: name) == nil else {
        throw item.failure("there are two cohorts with the name \"\(name)\"")
      }
      profile.cohorts.append(
        Cohort(
          name: name,
          isGrandfathered: try keys["grandfathered"]?.bool() ?? false,
          offers: ids
        )
      )
    }
    func known(_ node: StrictNode) throws(SettingsError) -> String {
      let name = try node.text()
      guard profile.cohort(named: name) != nil else {
        throw node.failure("there is no cohort \"\(name)\" under terms")
      }
      return name
    }
    var rows: [CohortTable.Row] = []
    for item in try keys.needed("weeks", of: node).list() {
      let keys = try item.mapping(keys: ["from", "until", "to"])
      var names: [String] = []
      for name in try keys.needed("to", of: item).list() { names.append(try known(name)) }
      rows.append(
        CohortTable.Row(
          firstWeek: try keys.needed("from", of: item).integer(1...10_000),
          endWeek: try keys["until"]
            .map { node throws(SettingsError) in
              try node.integer(1...10_000)
            },
          cohorts: names
        )
      )
    }
    let table = CohortTable(
      rows: rows,
      fallback: try known(try keys.needed("fallback", of: node)),
      salt: try keys["salt"]?.text() ?? ""
    )
    guard let table else {
      throw node.failure("the weeks must be in order, without overlaps, each with a cohort")
    }
    profile.cohortTable = table
  }

  // MARK: - Paywall

  private static func paywall(_ node: StrictNode) throws(SettingsError) -> PaywallTable {
    let keys = try node.mapping(keys: ["least_reminders", "rules"])
    var rules: [PaywallRule] = []
    for item in try keys["rules"]?.list() ?? [] { rules.append(try rule(item)) }
    return PaywallTable(
      rules: rules,
      leastReminders: try keys["least_reminders"]?.integer(0...1_000) ?? 0
    )
  }

  private static func rule(_ node: StrictNode) throws(SettingsError) -> PaywallRule {
    let keys = try node.mapping(keys: [
      "on", "feature", "scope", "trial_days", "after_trial", "for_grandfathered", "show", "reason",
      "once", "way_past",
    ])
    let event = try keys.needed("on", of: node).choice(PaywallEvent.Name.self)
    guard event != .firstOpen else {
      throw node.failure("nothing is ever shown at the first opening: remove the rule")
    }
    let presentation = try keys.needed("show", of: node).choice(PaywallPresentation.self)
    if presentation == .blocking {
      guard try keys["way_past"]?.text() == "continue_limited" else {
        throw node.failure(
          "what blocks must have a way past it: add \"way_past: continue_limited\""
        )
      }
    }
    var rule = PaywallRule(
      event: event,
      presentation: presentation,
      reason: try keys.needed("reason", of: node).text()
    )
    rule.feature = try keys["feature"]
      .map { node throws(SettingsError) in
        try node.choice(Feature.self)
      }
    rule.scope = try keys["scope"]
      .map { node throws(SettingsError) in
        try node.choice(Quota.Scope.self)
      }
    if let days = keys["trial_days"] {
      let bounds = try days.list()
      guard bounds.count == 2 else {
        throw days.failure("must be two days, the second not included, such as [27, 29]")
      }
      let low = try bounds[0].integer(0...3_650)
      rule.trialDays = low..<(try bounds[1].integer(low...3_650))
    }
    rule.afterTrial = try keys["after_trial"]?.bool() ?? false
    rule.forGrandfathered = try keys["for_grandfathered"]?.bool() ?? false
    rule.once = try keys["once"]?.bool() ?? false
    if rule.forGrandfathered, presentation != .soft {
      throw node.failure("grandfathered accounts are asked softly or not at all")
    }
    return rule
  }

  /// A message for each of the reasons that it is for.
  private static func messages(
    _ node: StrictNode,
    _ profile: ProductProfile
  ) throws(SettingsError) -> [PaywallMessage] {
    let keys = try node.mapping(keys: [
      "reasons", "cohort", "title", "text", "points", "actions", "dismissal", "fine_print",
    ])
    let cohort = try keys["cohort"].map { node throws(SettingsError) in try node.text() }
    if let cohort, profile.cohort(named: cohort) == nil {
      throw node.failure("there is no cohort \"\(cohort)\"")
    }
    var words = PaywallMessage(reason: "", cohort: cohort)
    words.title = try keys["title"]?.text() ?? ""
    words.text = try keys["text"]?.text() ?? ""
    words.points = try texts(in: keys["points"])
    words.actions = try texts(in: keys["actions"])
    words.dismissal = try keys["dismissal"]?.text() ?? ""
    words.finePrint = try keys["fine_print"]?.text() ?? ""
    guard words.points.count <= 3 else {
      throw node.failure("has \(words.points.count) points: three is the most")
    }
    for name in words.neededValues
    where !PaywallMessage.placeholders.contains(name) {
      throw node.failure(
        "there is no placeholder {\(name)} (known: "
          + "\(PaywallMessage.placeholders.joined(separator: ", ")))"
      )
    }
    var messages: [PaywallMessage] = []
    for item in try keys.needed("reasons", of: node).list() {
      let reason = try item.text()
      guard profile.paywall.rules.contains(where: { $0.reason == reason }) else {
        throw item.failure("no paywall rule has the reason \"\(reason)\"")
      }
      messages.append(words.given(reason: reason))
    }
    return messages
  }

  private static func texts(in node: StrictNode?) throws(SettingsError) -> [String] {
    var texts: [String] = []
    for item in try node?.list() ?? [] { texts.append(try item.text()) }
    return texts
  }

  private static func texts(_ node: StrictNode) throws(SettingsError) -> [ProductProfile.Text] {
    guard let mapping = node.node.mapping else {
      throw node.failure("must be a mapping of names to texts")
    }
    var texts: [ProductProfile.Text] = []
    for (key, value) in mapping {
      let name = key.scalar?.string ?? ""
      let inner = StrictNode(node: value, file: node.file, path: "\(node.path).\(name)")
      texts.append(ProductProfile.Text(key: name, text: try inner.text()))
    }
    return texts
  }

  // MARK: - Behavior

  private static func readBehavior(
    _ keys: [String: StrictNode],
    into profile: inout ProductProfile
  ) throws(SettingsError) {
    if let node = keys["logic"] { profile.logic = try node.choice(ProductProfile.LogicRule.self) }
    if let node = keys["timers"] { profile.timers = try node.choice(ProductProfile.TimerRule.self) }
    if let node = keys["persistence"] {
      profile.persistence = try node.choice(ProductProfile.PersistenceRule.self)
    }
    if let node = keys["sync"] { profile.sync = try node.choice(ProductProfile.Switch.self) }
    if let node = keys["telemetry"] { profile.telemetry = try node.choice(TelemetryLevel.self) }
    if let node = keys["sort"] { profile.sort = try node.choice(SortOrder.self) }
    if let node = keys["email"] { profile.email = try node.choice(ProductProfile.EmailRule.self) }
    if let node = keys["permissions"] { profile.permissions = try node.choice(PermissionRule.self) }
    if let node = keys["tone"] { profile.tone = try node.text() }
    if let node = keys["auth"] {
      var methods: [AuthMethod] = []
      for item in try node.list() { methods.append(try item.choice(AuthMethod.self)) }
      profile.auth = methods
    }
    if let node = keys["snooze"] { profile.snooze = try snooze(node) }
  }

  private static func snooze(_ node: StrictNode) throws(SettingsError) -> SnoozeChoices {
    let keys = try node.mapping(keys: ["fixed_minutes", "today", "minutes", "default_minutes"])
    var choices = SnoozeChoices()
    if let fixed = keys["fixed_minutes"] {
      choices.fixedMinutes = []
      for item in try fixed.list() { choices.fixedMinutes.append(try item.integer(1...1_440)) }
    }
    if let today = keys["today"] { choices.offersToday = try today.bool() }
    if let minutes = keys["minutes"] {
      let bounds = try minutes.list()
      guard bounds.count == 2 else { throw minutes.failure("must be two numbers, such as [1, 60]") }
      let low = try bounds[0].integer(1...1_440)
      choices.minutes = low...(try bounds[1].integer(low...1_440))
    }
    if let node = keys["default_minutes"] {
      choices.defaultMinutes = try node.integer(choices.minutes)
    }
    return choices
  }
}

extension [String: StrictNode] {
  /// The value of a key that must be there.
  func needed(_ key: String, of node: StrictNode) throws(SettingsError) -> StrictNode {
    guard let value = self[key] else { throw node.failure("needs \"\(key)\"") }
    return value
  }
}
