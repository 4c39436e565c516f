import Arrivals
import Foundation
import NearMeEngine
import SettingsFiles
import Testing
import Timeline

/// The arrival detector's numbers as keys of a policy file.
@Suite struct ArrivalKeysTests {
  /// The settings as a tree of dictionaries, lists and values.
  private static func tree(_ settings: ArrivalSettings) throws -> [String: Any] {
    let data = try JSONEncoder().encode(settings)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// The settings with one number changed, whatever its type is.
  private static func settings(
    with path: [String],
    in tree: [String: Any]
  ) throws -> ArrivalSettings {
    func changed(_ node: Any, _ path: ArraySlice<String>, _ value: Any) -> Any {
      guard let key = path.first, var inner = node as? [String: Any] else { return value }
      inner[key] = changed(inner[key] ?? "", path.dropFirst(), value)
      return inner
    }
    let old = path.reduce(tree as Any) { ($0 as? [String: Any])?[$1] ?? "" }
    let number = (old as? NSNumber)?.doubleValue ?? 0
    let candidates: [Any] =
      switch old {
      case is [String]: [["bank", "grocery"]]
      case is [Any]: [[7, 70, 700]]
      // What is a whole number or a span must stay one.
      default: [number * 0.75, number + 1, number - 1].filter { $0 != number }
      }
    for value in candidates {
      let data = try JSONSerialization.data(withJSONObject: changed(tree, path[...], value))
      if let settings = try? JSONDecoder().decode(ArrivalSettings.self, from: data) {
        return settings
      }
    }
    Issue.record("\(path.joined(separator: ".")) cannot be changed")
    return ArrivalSettings()
  }

  private static func leaves(_ node: Any, _ path: [String] = []) -> [[String]] {
    guard let inner = node as? [String: Any] else { return [path] }
    return inner.keys.sorted().flatMap { leaves(inner[$0] ?? "", path + [$0]) }
  }

  @Test func `every number of the detector is a key that is printed and read back`() throws {
    let tree = try Self.tree(ArrivalSettings())
    let leaves = Self.leaves(tree)
    #expect(leaves.count >= 80, "\(leaves)")
    let shown = PolicyFile.show(Policy())
    for path in leaves {
      let name = path.joined(separator: ".")
      var policy = Policy()
      policy.arrival = try Self.settings(with: path, in: tree)
      #expect(policy != Policy(), "\(name)")
      let text = PolicyFile.show(policy)
      #expect(text != shown, "\(name) has no key")
      #expect(try PolicyFile.read(text: text, file: name) == policy, "\(name)")
    }
  }

  @Test func `a key of an earlier version is refused with what to do`() throws {
    let old = "arrival:\n  threshold: 0.32\n  latest: \"24h\"\n"
    let error = try #require(throws: SettingsError.self) {
      try PolicyFile.read(text: old, file: "p.yaml")
    }
    #expect(
      "\(error)"
        == "p.yaml:3: arrival: \"latest\" is no key any more, since no score depended on it: remove the line"
    )
  }
}
