import Timeline

/// What became of one notification so far, as far as its channels need to know.
package struct ChannelStory: Hashable, Sendable, Codable {
  /// When the oldest of what it tells was first to be shown.
  package let postedAt: Timestamp
  /// Whom it has gone to, in that order: their queues have it.
  package var told: [String]
  /// Who of these has given it up.
  package var failed: Set<String>
  /// When it was opened or answered, on whatever channel; nil while it was not.
  package var seenAt: Timestamp?
  /// Whether it was withdrawn.
  package var isWithdrawn: Bool

  /// Begins a story.
  package init(postedAt: Timestamp) {
    self.postedAt = postedAt
    told = []
    failed = []
    isWithdrawn = false
  }
}

/// Which channel is told when.
///
/// The first is told at once. Each other is told together with the one before it, or so many minutes after
/// that, if the news has been neither opened nor answered nor withdrawn by then. Where a channel gives up,
/// the next one waits for nothing.
package struct ChannelOrder: Sendable {
  /// What is to be done now, and when to ask again.
  package struct Next: Hashable, Sendable {
    /// Who is to be told now, in order.
    package let tell: [String]
    /// When the next one will be told, if nobody opens it before; nil if nobody will.
    package let again: Timestamp?

    /// Makes it.
    package init(tell: [String], again: Timestamp?) {
      self.tell = tell
      self.again = again
    }
  }

  private let channels: [(id: String, afterMinutes: Int)]

  /// Whether a channel is told later than one before it.
  package var waits: Bool { channels.contains { $0.afterMinutes > 0 } }

  /// Makes the order of settings.
  package init(_ settings: ChannelSettings) {
    channels = settings.channels.map { ($0.id, $0.afterMinutes) }
  }

  /// Who is to be told of a notification now, besides those who were.
  package func next(_ story: ChannelStory, now: Timestamp) -> Next {
    guard story.seenAt == nil, !story.isWithdrawn else { return Next(tell: [], again: nil) }
    var due = story.postedAt
    var tell: [String] = []
    // Whether there is somebody before who may still be heard.
    var waitsForSomebody = false
    for channel in channels {
      if waitsForSomebody { due = due + .minutes(Int64(channel.afterMinutes)) }
      if due > now { return Next(tell: tell, again: due) }
      if !story.told.contains(channel.id) { tell.append(channel.id) }
      if !story.failed.contains(channel.id) { waitsForSomebody = true }
    }
    return Next(tell: tell, again: nil)
  }
}
