import GRDB

/// The tables of the door's own file: people, phones, credentials, what came in and is not worked off yet.
enum DoorSchema {
  /// The bytes "NMdr": the database of a door.
  static let applicationID: Int64 = 0x4E4D_6472
  /// `PRAGMA user_version` of files of this form.
  static let newest = 6

  static func migrate(_ database: Database) throws {
    let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard found < newest else { return }
    if found < 1 { try database.execute(sql: version1) }
    if found < 2 { try database.execute(sql: version2) }
    if found < 3 { try database.execute(sql: version3) }
    if found < 4 { try database.execute(sql: version4) }
    if found < 5 { try database.execute(sql: version5) }
    try database.execute(sql: version6)
    try database.execute(
      sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(newest)"
    )
  }

  /// Secrets are there as SHA-256 of themselves only; bodies and settings are sealed.
  private static let version1 = """
    CREATE TABLE person (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      created INTEGER NOT NULL,
      settings BLOB
    ) STRICT;
    CREATE TABLE device (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      person INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      secret BLOB NOT NULL,
      path BLOB NOT NULL UNIQUE,
      settings TEXT NOT NULL,
      created INTEGER NOT NULL,
      seen INTEGER,
      UNIQUE (person, name)
    ) STRICT;
    CREATE TABLE intake (
      serial INTEGER PRIMARY KEY AUTOINCREMENT,
      person INTEGER NOT NULL,
      device INTEGER NOT NULL,
      received INTEGER NOT NULL,
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX intake_person ON intake (person, serial);
    CREATE TABLE unusable (
      serial INTEGER PRIMARY KEY AUTOINCREMENT,
      device INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
      received INTEGER NOT NULL,
      reason TEXT NOT NULL,
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX unusable_device ON unusable (device, serial);
    CREATE TABLE passed_over (
      device INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
      reason TEXT NOT NULL,
      count INTEGER NOT NULL,
      last INTEGER NOT NULL,
      PRIMARY KEY (device, reason)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE answer (
      hash BLOB NOT NULL PRIMARY KEY,
      person INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
      expires INTEGER NOT NULL,
      used INTEGER,
      body BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX answer_expires ON answer (expires);
    CREATE TABLE session (
      hash BLOB NOT NULL PRIMARY KEY,
      person INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('link', 'session', 'token')),
      scopes TEXT NOT NULL,
      label TEXT NOT NULL,
      created INTEGER NOT NULL,
      expires INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_person ON session (person);
    """

  /// When a token was used last, what was answered to a change that may be sent again, and the door's own secrets.
  private static let version2 = """
    ALTER TABLE session ADD COLUMN used INTEGER;
    CREATE TABLE reply (
      person INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
      key BLOB NOT NULL,
      request BLOB NOT NULL,
      at INTEGER NOT NULL,
      body BLOB,
      PRIMARY KEY (person, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reply_at ON reply (at);
    CREATE TABLE secret (
      name TEXT NOT NULL PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE channel (
      person INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('secret', 'browser', 'heard', 'message')),
      id TEXT NOT NULL,
      at INTEGER,
      body BLOB NOT NULL,
      PRIMARY KEY (person, kind, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX channel_at ON channel (at) WHERE at IS NOT NULL;
    CREATE TABLE bot (
      number TEXT NOT NULL PRIMARY KEY,
      heard INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// When a person's daily mail is due, and what it remembers.
  private static let version3 = """
    CREATE TABLE daily_mail (
      person INTEGER NOT NULL PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
      due INTEGER,
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX daily_mail_due ON daily_mail (due) WHERE due IS NOT NULL;
    """

  /// Which session turned a browser's pushes on, and when (null where that was before this version); and where news is told
  /// in files.
  private static let version4 = """
    ALTER TABLE channel ADD COLUMN session BLOB;
    ALTER TABLE channel ADD COLUMN added INTEGER;
    CREATE TABLE told (
      folder TEXT NOT NULL PRIMARY KEY
    ) STRICT, WITHOUT ROWID;
    """

  /// Which browser made a token; null where that was before this version.
  private static let version5 = "ALTER TABLE session ADD COLUMN maker TEXT"

  /// Which addresses were asked whether they want a person's news, by hashes of where they lead and of the link; those that were
  /// set before this version are not asked.
  private static let version6 = """
    CREATE TABLE unconfirmed (
      person INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
      way TEXT NOT NULL,
      link BLOB NOT NULL UNIQUE,
      asked INTEGER NOT NULL,
      PRIMARY KEY (person, way)
    ) STRICT, WITHOUT ROWID;
    """
}
