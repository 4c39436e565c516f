import Foundation
import Geodesy
import Streets

/// Reads what is drawn under a map: streets, water, coast, green.
///
/// Where every coast of the file closes, what lies inside is land, and the rest is sea.
///
/// - Complexity: memory for the ways and their nodes.
package func importMapFeatures(
  path: String,
  threadCount: Int = ProcessInfo.processInfo.activeProcessorCount,
  isInterrupted: @escaping @Sendable () -> Bool = { false }
) throws(ImportError) -> [MapFeature] {
  let (assembly, nodes) = try readOSM(
    ImportJob(
      path: path,
      rules: featureRules,
      threadCount: threadCount,
      isInterrupted: isInterrupted
    ),
    lacking: "streets and shores"
  )
  return features(assembly, nodes)
}

/// Categories that stand for kinds of features; an element takes the first that it has.
private let featureKinds: [MapFeature.Kind] = [
  .motorway, .main, .street, .path, .rail, .coast, .water, .river, .green,
]

private let featureRules: CategoryRules = {
  func tags(_ key: String, _ values: String...) -> String {
    "{\"\(key)\":[" + values.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
  }
  let tagsByKind: [(MapFeature.Kind, [String])] = [
    (.motorway, [tags("highway", "motorway", "trunk", "motorway_link", "trunk_link")]),
    (
      .main,
      [
        tags(
          "highway",
          "primary",
          "secondary",
          "tertiary",
          "primary_link",
          "secondary_link",
          "tertiary_link"
        )
      ]
    ),
    (
      .street,
      [tags("highway", "residential", "unclassified", "living_street", "road", "pedestrian")]
    ),
    (
      .path,
      [tags("highway", "service", "footway", "path", "cycleway", "steps", "track", "bridleway")]
    ),
    (.rail, [tags("railway", "rail", "light_rail", "subway")]),
    (.coast, [tags("natural", "coastline")]),
    (.water, [tags("natural", "water", "bay"), tags("waterway", "riverbank", "dock")]),
    (.river, [tags("waterway", "river", "canal", "stream")]),
    (
      .green,
      [
        tags("landuse", "forest", "grass", "meadow", "cemetery", "recreation_ground"),
        tags("leisure", "park", "nature_reserve", "golf_course", "garden"),
        tags("natural", "wood", "scrub", "grassland", "wetland"),
      ]
    ),
  ]
  let rules = tagsByKind.map { kind, tags in
    "{\"name\":\"\(kind.rawValue)\",\"any\":[\(tags.joined(separator: ","))]}"
  }
  do {
    return try CategoryRules(
      json: "{\"categories\":[" + rules.joined(separator: ",") + "]}",
      path: "map features"
    )
  } catch { preconditionFailure("the rules for map features are wrong: \(error)") }
}()

private func features(_ assembly: OSMAssembly, _ nodes: NodeLocations) -> [MapFeature] {
  var features: [MapFeature] = []
  var coasts: [[Int64]] = []
  func points(_ refs: [Int64]) -> [Coordinate] { refs.compactMap { nodes[$0] } }
  func add(_ kind: MapFeature.Kind, _ refs: [Int64], isHole: Bool = false) {
    var points = points(refs)
    if kind.isArea {
      guard points.count > 3, refs.first == refs.last else { return }
      if isCounterclockwise(points) == isHole { points.reverse() }
    }
    if points.count > 1 { features.append(MapFeature(kind: kind, points: points)) }
  }
  for element in assembly.elements {
    guard
      let index = featureKinds.indices.first(where: { element.categories.contains($0) })
    else { continue }
    let kind = featureKinds[index]
    switch element.shape {
    case .line(let refs):
      if kind == .coast { coasts.append(refs) } else { add(kind, refs) }
    case .area(let outer, let inner) where kind.isArea:
      for ring in joinedRings(outer.compactMap { assembly.memberWays[$0] }) { add(kind, ring) }
      for ring in joinedRings(inner.compactMap { assembly.memberWays[$0] }) {
        add(kind, ring, isHole: true)
      }
    case .area, .point, .other: break
    }
  }
  let shores = joinedRings(coasts)
  let isSurrounded =
    !shores.isEmpty
    && shores.allSatisfy { $0.count > 3 && $0.first == $0.last && points($0).count > 3 }
  for shore in shores {
    if isSurrounded { add(.land, shore) }
    add(.coast, shore)
  }
  return features
}

/// Whether a ring runs counterclockwise; one over ±180° is drawn wrongly and harms nothing.
private func isCounterclockwise(_ ring: [Coordinate]) -> Bool {
  zip(ring, ring.dropFirst() + ring.prefix(1))
    .reduce(0.0) { sum, pair in
      sum + (pair.0.longitude * pair.1.latitude - pair.1.longitude * pair.0.latitude)
    } > 0
}
