import Crypto
import Foundation
import NearMeEngine
import Profiles
import ReminderForms
import SettingsFiles
import UserStore

/// What the reminders of a database are called in Your Mom's form, in which each has a UUID and a tone.
struct YourMomNames {
  /// The identity of the database.
  let identity: String
  /// The tone of reminders that name none.
  let tone: String

  /// The UUID of a reminder, the same in every export: its id where that is one.
  ///
  /// - Source: RFC 9562, section 5.5: version 5, of the address of the reminder in this database.
  func uuid(of id: String) -> String {
    guard !YourMomForm.isUUID(id) else { return id }
    var digest = Insecure.SHA1()
    digest.update(data: Self.addresses)
    digest.update(data: Data("nearme://\(identity)/\(id)".utf8))
    var bytes = Array(digest.finalize().prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x50
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }).uuidString
  }

  /// The namespace of addresses, `6ba7b811-9dad-11d1-80b4-00c04fd430c8`.
  private static let addresses = Data([
    0x6B, 0xA7, 0xB8, 0x11, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8,
  ])

  /// A reminder as it goes out.
  func named(_ plain: PlainReminder) -> PlainReminder {
    var named = plain
    named.id = uuid(of: plain.id)
    named.tone = plain.tone ?? tone
    return named
  }

  /// Gives reminders that went out of this database their ids again, and those that had no tone none.
  ///
  /// - Parameter known: the reminders of the database.
  func recognize(_ items: inout [Exchange.Item], among known: [Reminder]) {
    let byID = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let byName = Dictionary(
      known.map { (uuid(of: $0.id).uppercased(), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for i in items.indices {
      let coming = items[i].reminder
      guard let here = byID[coming.id] ?? byName[coming.id.uppercased()] else { continue }
      if here.id != coming.id { items[i].reminder = Reminder(coming, id: here.id) }
      if here.tone == nil, coming.tone == tone { items[i].reminder.tone = nil }
    }
  }
}

extension UserDatabaseOptions {
  /// What the reminders of the database are called in Your Mom's form, in the tone of the profile.
  func yourMomNames(_ store: UserStore) throws -> YourMomNames {
    var tone = ""
    try mappingSettingsFailures { tone = try profile.read().profile.tone }
    return YourMomNames(identity: store.identity, tone: tone)
  }
}
