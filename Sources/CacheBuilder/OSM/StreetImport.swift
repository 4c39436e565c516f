import Foundation
import Geodesy
import Streets

/// Reads the streets of an OpenStreetMap file, with its traffic lights.
///
/// Streets are the ways with a `highway` that people drive, walk or cycle on.
///
/// - Complexity: memory for the streets and their nodes.
package func importStreets(
  path: String,
  threadCount: Int = ProcessInfo.processInfo.activeProcessorCount,
  isInterrupted: @escaping @Sendable () -> Bool = { false }
) throws(ImportError) -> StreetMap {
  let (assembly, nodes) = try readOSM(
    ImportJob(
      path: path,
      rules: streetRules,
      threadCount: threadCount,
      isInterrupted: isInterrupted
    ),
    lacking: "streets"
  )
  return streets(assembly.elements, nodes)
}

/// Categories that stand for kinds of streets, in the order of ``StreetKind``, then for what else
/// tells of traffic.
private let streetRules: CategoryRules = {
  let values: [[String]] = [
    ["motorway", "motorway_link"], ["trunk", "trunk_link"], ["primary", "primary_link"],
    ["secondary", "secondary_link"], ["tertiary", "tertiary_link"],
    ["residential", "unclassified", "living_street", "road"], ["service"],
    ["footway", "path", "cycleway", "pedestrian", "steps", "track", "bridleway"],
  ]
  func rule(_ id: String, _ tags: String) -> String { "{\"name\":\"\(id)\",\"any\":[{\(tags)}]}" }
  func list(_ values: [String]) -> String {
    "[" + values.map { "\"\($0)\"" }.joined(separator: ",") + "]"
  }
  var rules = zip(StreetKind.allCases, values)
    .map { rule("\($0)", "\"highway\":\(list($1))") }
  rules.append(rule("signal", "\"highway\":[\"traffic_signals\"]"))
  let all = list(values.joined().map { $0 })
  rules.append(rule("tunnel", "\"highway\":\(all),\"tunnel\":[\"yes\",\"building_passage\"]"))
  do {
    return try CategoryRules(
      json: "{\"categories\":[" + rules.joined(separator: ",") + "]}",
      path: "streets"
    )
  } catch { preconditionFailure("the rules for streets are wrong: \(error)") }
}()

private func streets(_ elements: [OSMElement], _ nodes: NodeLocations) -> StreetMap {
  let signal = StreetKind.allCases.count
  var lines: [StreetLine] = []
  var signals: [Int64] = []
  for element in elements {
    if element.kind == .node, element.categories.contains(signal) { signals.append(element.id) }
    guard case .line(let refs) = element.shape,
      let kind = StreetKind.allCases.first(where: { element.categories.contains($0.rawValue) })
    else { continue }
    lines.append(
      StreetLine(nodes: refs, kind: kind, isTunnel: element.categories.contains(signal + 1))
    )
  }
  return StreetMap(
    lines: lines,
    nodes: nodes.ids.compactMap { id in nodes[id].map { (id, $0) } },
    signals: sortedUnique(signals)
  )
}
