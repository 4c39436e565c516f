import Foundation
import NearMeEngine
import SettingsFiles
import Testing
import Timeline

/// A policy in a journal: what is stored is read back, also by a version that has more keys.
@Suite struct StoredPolicyTests {
  private typealias Key = SettingsKey<Policy>

  private func stored(_ policy: Policy) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(StoredPolicy(policy)), as: UTF8.self)
  }

  private func read(_ text: String) throws -> Policy {
    try JSONDecoder().decode(StoredPolicy.self, from: Data(text.utf8)).policy
  }

  /// Texts of which at least one is another value of a key.
  private static func otherValues(of key: Key) -> [String] {
    let old = key.print(Policy())
    switch key.kind {
    case .length: return ["402.336m", "77.25m"]
    case .duration: return ["1500ms", "77s"]
    case .number:
      let value = Double(old) ?? 0
      return [value * 0.75, value + 0.125, value - 0.125].map { "\($0)" }.filter { $0 != old }
    case .integer: return ["13", "14"]
    case .other:
      return [
        "innermost", "per_poi", "radius", "kilometers", "true", "false", "[\"700m\", arrival]",
        "[7, 70, 700]", "[bank, grocery]", "\"07:45\"", "none", "saving", "wait",
      ]
    }
  }

  /// Gives a key another value.
  ///
  /// - Returns: whether that could be done.
  private static func change(_ key: Key, in policy: inout Policy) -> Bool {
    otherValues(of: key)
      .contains { text in
        var changed = policy
        guard let node = try? StrictDocument(text: text, file: "p").root,
          (try? key.read(&changed, node)) != nil, key.print(changed) != key.print(policy)
        else { return false }
        policy = changed
        return true
      }
  }

  private static func leaves(_ node: Any, _ path: String = "") -> [String: String] {
    guard let inner = node as? [String: Any] else { return [path: "\(node)"] }
    return inner.reduce(into: [:]) { all, entry in
      all.merge(leaves(entry.value, "\(path).\(entry.key)")) { _, new in new }
    }
  }

  private static func leaves(of policy: Policy) throws -> [String: String] {
    leaves(try JSONSerialization.jsonObject(with: JSONEncoder().encode(policy)))
  }

  @Test func `every key is stored and read back, alone and together with all others`() throws {
    var whole = Policy()
    whole.quietHours = DailyWindow(startMinute: 1_325, endMinute: 425)
    #expect(try read(stored(Policy())) == Policy())
    #expect(try read(stored(whole)) == whole)
    for group in PolicyFile.table.groups where group.name != "quiet_hours" {
      for key in group.keys {
        let name = "\(group.name).\(key.name)"
        var one = Policy()
        #expect(Self.change(key, in: &one), "\(name) cannot be changed")
        #expect(Self.change(key, in: &whole), "\(name) cannot be changed")
        #expect(try read(stored(one)) == one, "\(name)")
      }
    }
    #expect(try read(stored(whole)) == whole)
    // What has no key would be lost.
    let (old, new) = (try Self.leaves(of: Policy()), try Self.leaves(of: whole))
    let unchanged = old.filter { new[$0.key] == $0.value }.map(\.key)
    // The engine itself says when discs are watched.
    #expect(unchanged == [".fencing.watchesDiscs"])
  }

  @Test func `it is stored by the keys of its file`() throws {
    let text = try stored(Policy())
    for part in [
      #""cooldown":{"dense":"20m","dense_pois":8,"#, #""quiet_hours":{"end":"00:00","#,
      #""slow_speed":6"#, #""distance_unit":"miles""#, #""work":["approach:2mi","arrival","#,
      #""driven_to":["gas_station"]"#,
    ] {
      #expect(text.contains(part), "\(part) is not in \(text)")
    }
  }

  @Test func `a key that is not there keeps its default, and an unknown one is named`() throws {
    #expect(try read("{}") == Policy())
    var expected = Policy()
    expected.snooze.most = .minutes(90)
    #expect(try read(#"{"snooze":{"most":"90m"}}"#) == expected)
    for (text, reason) in [
      (#"{"snooze":{"longest":"90m"}}"#, "snooze: unknown key \"longest\""),
      (#"{"naps":{}}"#, "unknown key \"naps\""),
      (#"{"snooze":{"most":true}}"#, "snooze.most: must be a span"),
    ] {
      let error = #expect(throws: DecodingError.self) { try read(text) }
      guard case .dataCorrupted(let context)? = error else {
        #expect(Bool(false), "\(text): \(String(describing: error))")
        continue
      }
      #expect(context.debugDescription.contains(reason), "\(context.debugDescription)")
    }
  }
}
