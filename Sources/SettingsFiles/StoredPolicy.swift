import NearMeEngine

/// A policy as journals keep it: by the keys of its file, group by group.
///
/// A key that is not there keeps its default, so a policy that was stored before the key existed is still
/// read; one that this version does not know is refused by name. The reader is that of policy files.
package struct StoredPolicy: Hashable, Sendable, Codable {
  /// The policy itself.
  package let policy: Policy

  /// Wraps a policy to store it.
  package init(_ policy: Policy) { self.policy = policy }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads a stored policy.
  package init(from decoder: any Decoder) throws {
    let stored = try StoredValue(from: decoder)
    do throws(SettingsError) {
      policy = try PolicyFile.read(text: stored.json, file: "policy", isStored: true)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "policy: \(error.message)",
          underlyingError: error
        )
      )
    }
  }

  /// Writes every key of the policy to store it.
  package func encode(to encoder: any Encoder) throws {
    var groups = encoder.container(keyedBy: Name.self)
    for group in PolicyFile.table.groups {
      var keys = groups.nestedContainer(
        keyedBy: Name.self,
        forKey: Name(stringValue: group.name)
      )
      for key in group.keys {
        let printed = try StrictDocument(text: key.print(policy), file: "policy").root
        try keys.encode(printed.stored, forKey: Name(stringValue: key.name))
      }
    }
  }
}
