import Foundation
import GRDB

/// The tables of a user database, and how older files become this one.
enum Schema {
  /// The bytes "NMud": a user database.
  static let applicationID: Int64 = 0x4E4D_7564
  /// The bytes "NMpc": a cache of points of interest.
  static let cacheID: Int64 = 0x4E4D_7063
  /// The newest version; `PRAGMA user_version` holds a file's.
  ///
  /// Version 1 was the file of plain places that `NearMePlaceStore` made; ``PlainPlaces`` reads it.
  static var newest: Int { 1 + steps.count }

  /// Each brings a file from the version before to the next; the first makes version 2.
  private static let steps: [@Sendable (Database) throws -> Void] = [
    { database in try database.execute(sql: version2) },
    { database in try database.execute(sql: version3) },
    { database in try database.execute(sql: reminderDates) },
  ]

  /// Brings a file up to date, in the transaction that is open.
  static func migrate(_ database: Database) throws {
    let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let made = max(1, found)
    guard made < newest else { return }
    for step in steps[(made - 1)...] { try step(database) }
    try database.execute(
      sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(newest)"
    )
  }

  /// What every file of the newest version has.
  static let tables = [
    "setting", "counter", "place", "reminder", "archive", "completion", "title", "reminder_date",
    "inbox", "state", "outbox", "decision", "analytics",
  ]

  /// The tables: columns named `body` are sealed, and so is `host`.
  ///
  /// Serials come from `counter` and are never used again, so that
  /// a notification of something deleted can never be taken for one of something new.
  private static let version2 = """
    CREATE TABLE setting (
      name TEXT NOT NULL PRIMARY KEY,
      value ANY NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE counter (
      name TEXT NOT NULL PRIMARY KEY,
      value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE place (
      id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
      serial INTEGER NOT NULL UNIQUE,
      body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE reminder (
      id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
      serial INTEGER NOT NULL UNIQUE,
      is_live INTEGER NOT NULL CHECK (is_live IN (0, 1)),
      place TEXT REFERENCES place (id),
      body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE inbox (
      serial INTEGER NOT NULL PRIMARY KEY,
      reminder TEXT,
      body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE state (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      turn INTEGER NOT NULL,
      body BLOB NOT NULL,
      host BLOB NOT NULL
    ) STRICT;
    CREATE TABLE outbox (
      serial INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
      key TEXT NOT NULL UNIQUE,
      body BLOB NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      not_before INTEGER
    ) STRICT;
    CREATE TABLE decision (
      serial INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      reminder TEXT NOT NULL,
      tier TEXT,
      outcome TEXT NOT NULL,
      reason TEXT,
      until INTEGER
    ) STRICT;
    CREATE INDEX decision_reminder ON decision (reminder, serial);
    CREATE TABLE analytics (
      serial INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      event TEXT NOT NULL CHECK (event IN ('task_created', 'place_added', 'geofence_registered',
        'nudge_shown', 'task_completed', 'snooze_selected')),
      subject TEXT NOT NULL
    ) STRICT;
    """

  /// Reminders that have ended lie apart from those that have not, times that were answered have rows, and the
  /// words to search are gathered in pages.
  private static let version3 = """
    CREATE TABLE archive (
      id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
      serial INTEGER NOT NULL UNIQUE,
      ended_at INTEGER NOT NULL,
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX archive_ended ON archive (ended_at, serial);
    CREATE TABLE completion (
      serial INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
      reminder TEXT NOT NULL,
      due INTEGER NOT NULL,
      at INTEGER NOT NULL,
      device TEXT NOT NULL
    ) STRICT;
    CREATE INDEX completion_at ON completion (at, serial);
    CREATE TABLE title (
      page INTEGER NOT NULL PRIMARY KEY,
      body BLOB NOT NULL
    ) STRICT;
    """
}

/// The next number of a series: each is given once in the life of the file.
func nextSerial(_ series: String, _ database: Database) throws -> Int64 {
  try Int64.fetchOne(
    database,
    sql: """
      INSERT INTO counter (name, value) VALUES (?, 1)
      ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value
      """,
    arguments: [series]
  ) ?? 1
}
