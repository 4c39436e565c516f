import Foundation
import NearMeEngine
import SettingsFiles

/// A policy as journals of version 1 have it: with the names of the source of that time.
///
/// What the source has gained since then keeps its default. A field that gets another name in the source
/// needs its old one here.
struct FirstJournalPolicy: Decodable {
  let policy: Policy

  init(from decoder: any Decoder) throws {
    let stored = try StoredValue(from: decoder)
    let defaults = try JSONDecoder()
      .decode(StoredValue.self, from: JSONEncoder().encode(Policy()))
    let whole = try JSONEncoder().encode(stored.laid(over: defaults))
    policy = try JSONDecoder().decode(Policy.self, from: whole)
  }
}
