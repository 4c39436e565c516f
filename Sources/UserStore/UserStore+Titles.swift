import Foundation
import GRDB
import NearMeEngine

/// Titles and notes, gathered in sealed pages, so that a search opens a page for hundreds of reminders and not
/// one value for each.
///
/// A page holds the reminders of 256 serials in a row, those that have ended, too: for each its id, a byte that no
/// text has, and its words without case and accents. A change rewrites one page, some tens of kilobytes at most.
extension UserStore {
  /// The ids of the reminders whose title or notes have a text in them, whatever its case and accents: in the order
  /// in which they were made, those that have ended, too.
  ///
  /// - Complexity: O(all titles), a few nanoseconds a byte.
  public func search(_ text: String) throws(UserStoreError) -> [String] {
    let wanted = Array(TitlePage.folded(text).utf8)
    guard !wanted.isEmpty else { return [] }
    return try connection.read { database in
      guard try hasTitles(database) else {
        // A file that must not be written to and was made before there were pages.
        return try everyReminder(database).filter { TitlePage(entry: $0).finds(wanted) }.map(\.id)
      }
      return try Row.fetchAll(database, sql: "SELECT page, body FROM title ORDER BY page")
        .flatMap { row in
          let page = try row.decode(Int64.self, forColumn: "page")
          return try openPage(try row.decode(Data.self, forColumn: "body"), page).ids(with: wanted)
        }
    }
  }

  /// The reminders of some ids, those that have ended, too; ids that are not there are passed over.
  public func reminders(withIDs ids: [String]) throws(UserStoreError) -> [Reminder] {
    try connection.read { database in
      try ids.compactMap { try present($0, database) ?? archived($0, database) }
    }
  }

  // MARK: Keeping pages

  private func hasTitles(_ database: Database) throws -> Bool {
    try setting(Bool.self, "titles", database) ?? false
  }

  private func openPage(_ sealed: Data, _ page: Int64) throws -> TitlePage {
    let cell = Vault.Cell.title(page)
    guard let plain = vault.open(sealed, for: cell) else { throw SealBroken(cell: cell) }
    return TitlePage(bytes: Array(plain))
  }

  /// Writes all pages of a file that was made before there were any, in the transaction that is open.
  func gatherTitles(_ database: Database) throws {
    guard try !hasTitles(database) else { return }
    try setSetting("titles", true, database)
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT id, serial, body FROM reminder UNION ALL SELECT id, serial, body FROM archive"
    )
    try addTitles(
      rows.map { (try $0.decode(forColumn: "serial"), try reminder(in: $0)) },
      database
    )
  }

  /// Adds entries that are in no page yet; each page is written once.
  func addTitles(
    _ reminders: [(serial: Int64, reminder: Reminder)],
    _ database: Database
  ) throws {
    try gatherTitles(database)
    let pages = Dictionary(grouping: reminders) { TitlePage.number(of: $0.serial) }
    for number in pages.keys.sorted() {
      var page = try page(number, database)
      for (_, reminder) in pages[number] ?? [] { page.append(reminder) }
      try write(page, number, database)
    }
  }

  private func page(_ number: Int64, _ database: Database) throws -> TitlePage {
    let sealed = try Data.fetchOne(
      database,
      sql: "SELECT body FROM title WHERE page = ?",
      arguments: [number]
    )
    return try sealed.map { try openPage($0, number) } ?? TitlePage()
  }

  /// Brings a reminder's entry up to date.
  ///
  /// - Parameter reminder: nil takes the entry away.
  func setTitle(
    of id: String,
    serial: Int64,
    _ reminder: Reminder?,
    _ database: Database
  ) throws {
    try gatherTitles(database)
    let number = TitlePage.number(of: serial)
    var page = try page(number, database)
    if let reminder { page.set(reminder) } else { page.remove(id) }
    try write(page, number, database)
  }

  private func write(_ page: TitlePage, _ number: Int64, _ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO title (page, body) VALUES (?, ?)
        ON CONFLICT (page) DO UPDATE SET body = excluded.body
        """,
      arguments: [number, vault.seal(Data(page.bytes), for: .title(number))]
    )
  }
}

/// The words of some reminders, to be searched.
struct TitlePage {
  /// So many serials share a page.
  private static let serials: Int64 = 256
  /// Bytes that no UTF-8 text has: one ends an id, the other an entry.
  private static let endOfID: UInt8 = 0xFE
  private static let endOfEntry: UInt8 = 0xFF

  private(set) var bytes: [UInt8]

  init(bytes: [UInt8] = []) { self.bytes = bytes }

  init(entry reminder: Reminder) {
    bytes = []
    append(reminder)
  }

  static func number(of serial: Int64) -> Int64 { serial / serials }

  /// A text without case and accents.
  static func folded(_ text: String) -> String {
    text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive],
      locale: nil
    )
  }

  mutating func set(_ reminder: Reminder) {
    remove(reminder.id)
    append(reminder)
  }

  /// Adds an entry that is not there yet.
  mutating func append(_ reminder: Reminder) {
    let words = Self.folded(reminder.title + "\n" + (reminder.notes ?? ""))
    bytes += reminder.id.utf8
    bytes.append(Self.endOfID)
    bytes += words.utf8
    bytes.append(Self.endOfEntry)
  }

  mutating func remove(_ id: String) {
    let wanted = Array(id.utf8)
    for entry in entries where bytes[entry.id].elementsEqual(wanted) {
      bytes.removeSubrange(entry.id.lowerBound...entry.words.upperBound)
      return
    }
  }

  /// Whether any entry has these words.
  func finds(_ wanted: [UInt8]) -> Bool { !ids(with: wanted).isEmpty }

  /// The ids of the entries that have these words, which are at least one byte.
  func ids(with wanted: [UInt8]) -> [String] {
    bytes.withUnsafeBufferPointer { all in
      var found: [String] = []
      var start = 0
      while let place = Self.place(of: wanted, in: all, from: start) {
        let begin = all[..<place].lastIndex(of: Self.endOfEntry).map { $0 + 1 } ?? 0
        let end = all[place...].firstIndex(of: Self.endOfEntry) ?? all.count
        // A hit in the id says nothing: the words begin after it.
        let endOfID = all[begin..<end].firstIndex(of: Self.endOfID) ?? end
        if place > endOfID {
          found.append(String(decoding: all[begin..<endOfID], as: UTF8.self))
          start = end + 1
        } else {
          start = place + 1
        }
      }
      return found
    }
  }

  private static func place(
    of wanted: [UInt8],
    in all: UnsafeBufferPointer<UInt8>,
    from start: Int
  ) -> Int? {
    guard let base = all.baseAddress else { return nil }
    var start = start
    while start + wanted.count <= all.count,
      let hit = memchr(base + start, Int32(wanted[0]), all.count - start - wanted.count + 1)
    {
      let place = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(hit))
      if memcmp(base + place, wanted, wanted.count) == 0 { return place }
      start = place + 1
    }
    return nil
  }

  private var entries: [(id: Range<Int>, words: Range<Int>)] {
    var entries: [(id: Range<Int>, words: Range<Int>)] = []
    var start = 0
    while start < bytes.count,
      let endOfID = bytes[start...].firstIndex(of: Self.endOfID),
      let end = bytes[endOfID...].firstIndex(of: Self.endOfEntry)
    {
      entries.append((start..<endOfID, endOfID + 1..<end))
      start = end + 1
    }
    return entries
  }
}
