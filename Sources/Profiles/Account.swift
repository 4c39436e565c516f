import Timeline

/// One user's account, as far as plans, trials and paywalls look at it.
///
/// It changes by events with instants, and two copies of it, from two devices, merge into one in any order. Time
/// only goes forward in it: a clock that is set back brings no trial back to life.
public struct Account: Hashable, Sendable {
  /// Its id, whichever way one signs in.
  public let id: String
  /// When it was made.
  public private(set) var signedUpAt: Timestamp
  /// The cohort that it was put into when it was made, for ever.
  public private(set) var cohort: String?
  /// The trial it has or had.
  public private(set) var trial: TrialRecord?
  /// What was bought, in order of time.
  public private(set) var purchases: [Purchase] = []
  /// What it has seen of paywalls.
  public var paywall = PaywallLog()
  /// How one can sign in, in order of their names.
  public private(set) var methods: [AuthMethod] = []
  /// The newest instant that anything said.
  public private(set) var newestInstant: Timestamp

  /// Something that was bought.
  public struct Purchase: Hashable, Sendable {
    /// The offer's id.
    public let offer: String
    /// When.
    public let at: Timestamp
    /// Until when it is paid; nil for ever.
    public let until: Timestamp?

    /// Makes one.
    public init(offer: String, at: Timestamp, until: Timestamp?) {
      self.offer = offer
      self.at = at
      self.until = until
    }
  }

  /// Makes an account: it gets its cohort and, where trials begin by themselves, its trial.
  ///
  /// - Parameter launch: the date of the product's launch; nil where it has no cohorts.
  public init(id: String, signedUpAt: Timestamp, profile: ProductProfile, launch: CivilDate? = nil)
  {
    self.id = id
    self.signedUpAt = signedUpAt
    newestInstant = signedUpAt
    if let table = profile.cohortTable, let launch {
      cohort = table.cohort(signedUpAt: signedUpAt, launch: launch, userID: id)
    }
    if profile.trial?.start == .signup, !isGrandfathered(profile) {
      trial = TrialRecord(startedAt: signedUpAt)
    }
  }

  /// The present for this account: the given instant, or a later one that it has seen.
  public func present(_ now: Timestamp) -> Timestamp { max(now, newestInstant) }

  /// Whether it has everything for ever and is never asked.
  public func isGrandfathered(_ profile: ProductProfile) -> Bool {
    cohort.flatMap { profile.cohort(named: $0) }?.isGrandfathered ?? false
  }

  /// Takes note of the present, and writes down an end of the trial that has come.
  public mutating func observe(
    _ now: Timestamp,
    counts: Counts,
    profile: ProductProfile,
    zone: UTCOffsetTable
  ) {
    let present = present(now)
    newestInstant = present
    guard let terms = profile.trial, let record = trial, record.end == nil else { return }
    if case .ended(let end) = terms.state(of: record, counts: counts, at: present, zone: zone) {
      trial?.end = end
    }
  }

  /// Begins the trial.
  ///
  /// - Parameter isConfirmed: whether the user has said so in so many words.
  /// - Returns: why not, or nil if it has begun.
  public mutating func startTrial(
    at now: Timestamp,
    isConfirmed: Bool,
    profile: ProductProfile
  ) -> TrialRefusal? {
    guard let terms = profile.trial else { return .notOffered }
    guard trial == nil else { return .hadOne }
    guard terms.start == .signup || isConfirmed else { return .notConfirmed }
    newestInstant = present(now)
    trial = TrialRecord(startedAt: newestInstant)
    return nil
  }

  /// Ends the trial at the user's wish.
  public mutating func cancelTrial(at now: Timestamp) {
    newestInstant = present(now)
    guard trial?.end == nil else { return }
    trial?.end = .init(at: newestInstant, cause: .canceled)
  }

  /// Takes note of a purchase, once.
  public mutating func buy(_ purchase: Purchase, conversion: PaywallLog.Conversion) {
    newestInstant = present(purchase.at)
    paywall.noteConversion(conversion)
    guard !purchases.contains(purchase) else { return }
    purchases.append(purchase)
    purchases.sort { ($0.at, $0.offer) < ($1.at, $1.offer) }
  }

  /// Adds a way to sign in; the account stays the same one.
  ///
  /// - Returns: false if the product does not have it.
  public mutating func link(_ method: AuthMethod, profile: ProductProfile) -> Bool {
    guard profile.auth.contains(method) else { return false }
    if !methods.contains(method) {
      methods = (methods + [method]).sorted { $0.rawValue < $1.rawValue }
    }
    return true
  }

  /// Where it stands with its trial.
  public func trialState(
    _ profile: ProductProfile,
    counts: Counts,
    at now: Timestamp,
    zone: UTCOffsetTable
  ) -> TrialState {
    guard let terms = profile.trial else { return .notOffered }
    return terms.state(of: trial, counts: counts, at: present(now), zone: zone)
  }

  /// What it may use at an instant.
  public func access(
    _ profile: ProductProfile,
    counts: Counts,
    at now: Timestamp,
    zone: UTCOffsetTable
  ) -> Access {
    if isGrandfathered(profile) { return .grandfathered }
    let present = present(now)
    if purchases.contains(where: { $0.at <= present && $0.until.map { present < $0 } ?? true }) {
      return .paid
    }
    return trialState(profile, counts: counts, at: now, zone: zone).isRunning ? .trial : .free
  }

  /// What two copies of the account know, together.
  ///
  /// It does not matter which one is asked and how often. The earliest sign-up and its cohort count, the earliest
  /// start of the trial and its earliest end; a grandfathered cohort is never lost to another.
  public func merged(with other: Account, profile: ProductProfile) -> Account {
    precondition(id == other.id, "only copies of one account merge")
    var merged = self
    let first =
      (signedUpAt, cohort ?? "~") <= (other.signedUpAt, other.cohort ?? "~") ? self : other
    merged.signedUpAt = first.signedUpAt
    merged.cohort = [self, other].first { $0.isGrandfathered(profile) }?.cohort ?? first.cohort
    merged.newestInstant = max(newestInstant, other.newestInstant)
    merged.trial = TrialRecord.merged(trial, other.trial)
    for purchase in other.purchases where !merged.purchases.contains(purchase) {
      merged.purchases.append(purchase)
    }
    merged.purchases.sort {
      ($0.at, $0.offer, $0.until?.milliseconds ?? .max)
        < ($1.at, $1.offer, $1.until?.milliseconds ?? .max)
    }
    merged.methods = (methods + other.methods.filter { !methods.contains($0) })
      .sorted { $0.rawValue < $1.rawValue }
    merged.paywall = paywall.merged(with: other.paywall)
    return merged
  }
}

extension TrialRecord {
  fileprivate static func merged(_ a: TrialRecord?, _ b: TrialRecord?) -> TrialRecord? {
    guard let a, let b else { return a ?? b }
    let ends = [a.end, b.end].compactMap { $0 }
    return TrialRecord(
      startedAt: min(a.startedAt, b.startedAt),
      end: ends.min { ($0.at, $0.cause.rawValue) < ($1.at, $1.cause.rawValue) }
    )
  }
}

/// Why a trial does not begin.
public enum TrialRefusal: String, Hashable, Sendable, CaseIterable {
  /// The product has none.
  case notOffered = "not_offered"
  /// There was one, and there is one for each account.
  case hadOne = "had_one"
  /// The user has not confirmed it.
  case notConfirmed = "not_confirmed"
}

/// A way to sign in.
public enum AuthMethod: String, Hashable, Sendable, CaseIterable {
  /// The device itself, without a form.
  case device
  /// An account with Google.
  case google
  /// A code sent to a phone.
  case phone
  /// A code sent to an address.
  case email
}
