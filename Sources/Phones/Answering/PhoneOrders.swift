import Fencing
import Timeline

/// What the engine wants of a phone now.
package struct PhoneOrders: Hashable, Sendable {
  /// The regions to watch, the most important first.
  package var regions: [Region]
  /// Whether one more position is wanted.
  package var wantsPosition: Bool
  /// Until when every position is wanted; nil if regions are enough.
  package var followUntil: Timestamp?
  /// Whether the phone is to say which regions it holds.
  package var wantsHeldRegions: Bool
  /// Whether the app is to say how it is allowed to run.
  package var wantsStatus: Bool
  /// The mode that the phone said last, as ``StatusValue`` has it under `mode`; nil if it has said none.
  package var mode: String?

  /// Makes orders.
  package init(
    regions: [Region],
    wantsPosition: Bool = false,
    followUntil: Timestamp? = nil,
    wantsHeldRegions: Bool = false,
    wantsStatus: Bool = false,
    mode: String? = nil
  ) {
    self.regions = regions
    self.wantsPosition = wantsPosition
    self.followUntil = followUntil
    self.wantsHeldRegions = wantsHeldRegions
    self.wantsStatus = wantsStatus
    self.mode = mode
  }
}

/// What the owner has switched on in an app, and what is known of the request.
package struct AnswerOptions: Hashable, Sendable {
  /// Whether the app obeys commands: `cmd`, off in a new iOS app and on in a new Android one.
  package var allowsCommands: Bool
  /// Whether it may be configured from afar: `remoteConfiguration`, off in both when new; iOS takes no
  /// regions without.
  package var allowsConfiguration: Bool
  /// Whether a region of the owner's follows the phone, which takes one of the twenty.
  package var hasFollowRegion: Bool
  /// The number of the request; nil for one that never comes twice.
  ///
  /// It is the same when the request is sent again: then its answer was lost, and what that held is said again.
  package var message: UInt64?
  /// The numbers of newer requests that were answered before this one came again, the oldest first.
  ///
  /// Nobody may be listening for its answer any more, so it holds what theirs held and nothing else.
  package var later: [UInt64]

  /// Makes options; the defaults are those of a phone that was set up by our link.
  package init(
    allowsCommands: Bool = true,
    allowsConfiguration: Bool = true,
    hasFollowRegion: Bool = false,
    message: UInt64? = nil,
    later: [UInt64] = []
  ) {
    self.allowsCommands = allowsCommands
    self.allowsConfiguration = allowsConfiguration
    self.hasFollowRegion = hasFollowRegion
    self.message = message
    self.later = later
  }
}
