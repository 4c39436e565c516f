import ArgumentParser
import LiveHost
import NearMeEngine
import UserStore

/// `nearme privacy`: what is kept, and whether events are counted.
struct PrivacyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "privacy",
    abstract: "Show what the user database keeps, erase it, and opt in to or out of event counts.",
    discussion: """
        export NEARME_DB=my.db
        nearme privacy show
        nearme privacy opt-in
        nearme privacy opt-out
        nearme privacy erase --yes

      Events are the names of six kinds of acts with their hour, such as task_completed: no title, \
      no place, no position. They stay in the file. Nothing is counted unless you opt in, and opting \
      out deletes what was counted.
      """,
    subcommands: [
      PrivacyShowCommand.self, PrivacyOptInCommand.self, PrivacyOptOutCommand.self,
      PrivacyEraseCommand.self,
    ]
  )
}

/// `nearme privacy show`.
struct PrivacyShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Say what the user database keeps, and what of it is sealed.",
    discussion: "  nearme privacy show"
  )

  @OptionGroup var database: UserDatabaseOptions

  @Flag(help: "Print the events that have been counted, too.")
  var events = false

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let store = try database.open(.look)
        let kept = try store.inventory()
        let text = try UserText(store, at: presentInstant())
        var lines = [
          "sealed: \(counted(kept.reminders, "reminder")), \(counted(kept.places, "place")), "
            + (kept.hasState ? "the engine's state with its newest position, " : "")
            + "\(counted(kept.inbox, "change")) not yet taken in, "
            + "\(counted(kept.outbox, "effect")) not yet performed",
          "open: \(counted(kept.decisions, "decision")) with reminder id, tier and reason"
            + (kept.oldestDecision.map { ", the oldest of \(text.time($0))" } ?? ""),
          kept.isCounting
            ? "events: counted at your wish, \(kept.events) so far"
            : "events: not counted",
        ]
        if events {
          lines += try store.analyticsQueue().map { "  \(text.time($0.at))  \($0.event)" }
        }
        try printLines(lines)
      }
    }
  }
}

/// `nearme privacy opt-in`.
struct PrivacyOptInCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "opt-in",
    abstract: "Count six kinds of events, in the file only.",
    discussion: "  nearme privacy opt-in"
  )

  @OptionGroup var database: UserDatabaseOptions

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        try database.open(.make).setAnalytics(true, at: presentInstant())
        try printLines(["events are counted from now on; nearme privacy opt-out ends it"])
      }
    }
  }
}

/// `nearme privacy opt-out`.
struct PrivacyOptOutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "opt-out",
    abstract: "Count no events, and delete those that were counted.",
    discussion: "  nearme privacy opt-out"
  )

  @OptionGroup var database: UserDatabaseOptions

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let store = try database.open(.edit)
        let count = try store.inventory().events
        try store.setAnalytics(false, at: presentInstant())
        try printLines(["no events are counted; \(counted(count, "event")) deleted"])
      }
    }
  }
}

/// `nearme privacy erase`.
struct PrivacyEraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Delete everything: the user database and its key.",
    discussion: """
      Reminders, places, history, decisions and the engine's state are gone at once, and copies of the file that lie \
      elsewhere can no longer be read, for the key is gone with it, unless --keep-key. `nearme reminder export` saves \
      the reminders before. A key file of your own (--key-file) stays: others may use it.

        nearme privacy erase --yes
      """
  )

  @Flag(help: "Erase; without it, nothing is done but to say what would be.")
  var yes = false

  @Flag(help: "Leave the key, for copies of the file.")
  var keepKey = false

  @OptionGroup var database: UserDatabaseOptions

  func run() throws {
    try reportingFailures {
      try mappingHostFailures {
        try mappingUserFailures {
          let path = try database.path
          let store = try database.open(.look)
          let kept = try store.inventory()
          try store.close()
          let what = "\(counted(kept.reminders, "reminder")) and \(counted(kept.places, "place"))"
          guard yes else {
            throw CommandFailure(
              .usage,
              "this deletes \(path) with \(what), and cannot be undone: add --yes"
            )
          }
          // A host that runs would write it anew.
          let lock = try HostLock(database: path)
          try withExtendedLifetime(lock) {
            try UserStore.erase(path, withKey: !keepKey && database.keyFile == nil)
          }
          try printLines(["\(path) is deleted, with \(what)"])
        }
      }
    }
  }
}
