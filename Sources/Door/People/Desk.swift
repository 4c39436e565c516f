import Foundation
import LiveHost
import Logging
import Timeline
import UserStore

/// Where one person's bodies are taken in, one after the other, and answered.
///
/// It owns the person's host while somebody comes in, and lets go of it after a while. What comes in stands in the log
/// first, so that a desk that fails or is killed finds it again: bodies are taken in in the order of their serials,
/// and those of apps that send in parallel are held for a moment and put in order of time.
package actor Desk {
  nonisolated let person: DoorPerson
  nonisolated let mailbox = Mailbox()
  /// What its household goes by.
  package nonisolated let sign = DeskSign()
  let setup: DoorSetup
  let log: Logger

  var open: OpenDesk?
  /// What was left when it was put away, since when nobody else has had it.
  var left: LeftDesk?
  let turnstile = Turnstile()
  /// Whether somebody is at it, for whom others wait.
  nonisolated var isBusy: Bool { turnstile.isTaken }
  /// Whether bodies may be in the log that were taken in and not kept, or not taken in: at first, and after a failure.
  var mayHaveRest = true
  /// Bodies up to this one may have been answered.
  var answered: Int64
  /// Bodies up to this one were taken in by this desk; 0: none yet.
  var takenHere: Int64 = 0
  /// The body whose list of held regions was compared last: its answer mends what differs.
  var comparedBody: Int64?
  /// Whether the person was erased or removed: nothing is opened any more.
  var isGone = false
  /// Where the leading phone was today; it goes with the process.
  var way = DayWay()
  /// How often it has failed since it last worked, and when it tries again.
  var failures = 0
  var triesAgainAt: ContinuousClock.Instant?
  /// Says once that another program holds the person's file.
  let hold: DatabaseHold

  init(_ person: DoorPerson, _ setup: DoorSetup) {
    self.person = person
    self.setup = setup
    log = setup.log
    answered = setup.intake.lastSerialBefore
    hold = DatabaseHold(
      setup.store.folder.database(of: person.name),
      clock: setup.clock,
      log: setup.log
    )
  }

  /// What a desk has while it is open.
  struct OpenDesk {
    let host: LiveHost
    let store: UserStore
    let lock: HostLock
    let hasRegions: Bool
    var memory: DeskMemory
    /// Bodies up to this one were taken in, in this life or an earlier one.
    var taken: Int64
    var usedAt: ContinuousClock.Instant
    var file: FileStamp?
    /// What the person had set when it was opened.
    let settings: Data
    /// Whether the file is let go of until the next use.
    var isResting = false
  }

  /// What is left of a desk that was put away.
  struct LeftDesk {
    let next: Timestamp?
    let file: FileStamp?
    let settings: Data
  }
}
