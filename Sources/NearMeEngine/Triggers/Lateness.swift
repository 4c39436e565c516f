import Timeline

/// How late this phone hands its fixes over: silence is known only up to so long ago.
///
/// A phone that hands over batches of minutes is no phone that is silent for minutes. What is handed over at
/// one instant is one batch, whose oldest fix tells.
struct Lateness: Hashable, Sendable, Codable {
  /// Of the batches before.
  private var usual = Milliseconds(0)
  /// Of the batch in hand.
  private var newest = Milliseconds(0)
  private var heardAt: Timestamp?
  /// How late the newest fix was; nil where it was not.
  private var latest: Milliseconds?

  /// A fix that is older than this came with others that are still to be handed over.
  ///
  /// - Source: judgment: live fixes are some seconds old, batches half a minute and more.
  static let ofBatches = Milliseconds.seconds(15)

  /// How long after the last fix of a batch it is thought to be complete.
  ///
  /// - Source: judgment: a host hands over a batch without a pause.
  static let grace = Milliseconds.seconds(1)

  /// What was measured longer than this before it is heard of says nothing of the present.
  ///
  /// - Source: judgment: phones that gather fixes hand them over every few minutes; whoever was far from every
  ///   network for longer is elsewhere by now.
  static let ofNews = Milliseconds.minutes(15)

  /// Whether the newest fix that is known is of the past.
  var isHistory: Bool { latest.map { $0 > Self.ofNews } ?? false }

  /// How old fixes mostly are when they are handed over.
  private var span: Milliseconds { usual.value > 0 ? usual : newest }

  /// Whether fixes come in batches, and not each at once.
  var isInBatches: Bool { span > Self.grace }

  /// Up to when it is known at an instant whether there were fixes: when a batch is complete, up to when it was
  /// handed over.
  func knownUpTo(_ now: Timestamp) -> Timestamp {
    guard isInBatches, let heardAt else { return now }
    return now >= heardAt + Self.grace ? max(heardAt, now - span) : now - span
  }

  /// When it will be known whether there was a fix at an instant.
  func known(from instant: Timestamp) -> Timestamp {
    guard isInBatches, let heardAt else { return instant }
    return instant <= heardAt ? heardAt + Self.grace : instant + span
  }

  /// Takes in when a fix was measured and when it was handed over.
  mutating func note(_ fix: Timestamp, heardAt now: Timestamp) {
    let late = max(now - fix, Milliseconds(0))
    latest = late > Self.ofBatches ? late : nil
    // Where fixes come at once there is nothing to remember.
    if late <= Self.grace, !isInBatches { return self = Lateness() }
    if let heardAt, now - heardAt <= Self.grace {
      newest = max(newest, late)
      return
    }
    // Some ten batches forget a single one.
    usual = usual.value > 0 ? usual + Milliseconds((newest.value - usual.value) / 4) : newest
    newest = late
    heardAt = now
  }

  /// Goes on by a clock that was set.
  mutating func shiftClock(by span: Milliseconds) { heardAt = heardAt.map { $0 + span } }
}
