import Foundation
import GRDB
import NearMeEngine
import Timeline

/// Leaves something for the engine, in the transaction that is open.
///
/// - Parameter reminder: the reminder that it changes: until the engine has taken it in, the table
///   holds what the user made of it.
func insertEvent(
  _ event: Event,
  reminder: String?,
  _ vault: Vault,
  _ database: Database
) throws {
  func insert(_ event: Event, _ reminder: String?) throws {
    let serial = try nextSerial("inbox", database)
    try database.execute(
      sql: "INSERT INTO inbox (serial, reminder, body) VALUES (?, ?, ?)",
      arguments: [serial, reminder, try vault.seal(event, for: .inbox(serial))]
    )
  }
  let isFirst =
    try Int64.fetchOne(
      database,
      sql: "SELECT value FROM counter WHERE name = 'inbox'"
    ) == nil
  if isFirst {
    // An engine begins without a limit; the first thing that it hears is what the user has.
    let name = try setting(String.self, "entitlement", database)
    let entitlement = name.flatMap(Entitlement.init(rawValue:)) ?? .free
    try insert(Event(at: event.at, .entitlement(entitlement)), nil)
  }
  try insert(event, reminder)
}
