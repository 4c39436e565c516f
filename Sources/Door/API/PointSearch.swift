import Foundation
import Geodesy
import Places

/// Finds points of interest by name, brand and address, and near a position.
package final class PointSearch: Sendable {
  /// What the map knows of a point beyond its name, by keys such as `address` and `opening_hours`.
  package typealias Details = @Sendable (_ sourceID: String) -> [String: String]

  /// A point that was found.
  struct Hit: Sendable {
    let point: PointOfInterest
    let distanceMeters: Double
  }

  /// So far is looked where nobody says how far.
  private static let usualRadiusMeters = 5_000.0
  /// No text has this byte in UTF-8: it ends an entry.
  private static let end: UInt8 = 0xFF

  private struct Texts {
    var bytes: [UInt8] = []
    /// Where each point's entry begins.
    var starts: [Int] = []
  }

  private let catalog: POICatalog
  private let details: Details
  private let addresses: @Sendable () -> [String: String]
  private let lock = NSLock()
  private nonisolated(unsafe) var texts: Texts?

  /// Makes it.
  ///
  /// - Parameters:
  ///   - categories: what places can be; nil: what they are.
  ///   - details: looked up for what is shown.
  ///   - addresses: by source id; asked for once, with the first search for a text.
  package init(
    _ catalog: POICatalog,
    categories: [CategoryID]? = nil,
    details: @escaping Details = { _ in [:] },
    addresses: @escaping @Sendable () -> [String: String] = { [:] }
  ) {
    self.catalog = catalog
    self.categories = categories ?? catalog.categories
    self.details = details
    self.addresses = addresses
  }

  /// What places can be: also what none of them is at present.
  let categories: [CategoryID]

  func details(of point: PointOfInterest) -> [String: String] { details(point.sourceID) }

  /// The points near a position, the nearest first; of equals, in the order of the catalog.
  ///
  /// - Complexity: O(points) for a text; else O(points within the radius).
  func find(
    near coordinate: Coordinate,
    radiusMeters: Double?,
    category: CategoryID?,
    text: String?,
    limit: Int
  ) -> [Hit] {
    let position = SurfacePoint(coordinate)
    var indices: [Int]
    if let text {
      indices = self.indices(with: text)
      if let category { indices.removeAll { !catalog.points[$0].categories.contains(category) } }
    } else {
      indices = self.indices(
        within: radiusMeters ?? Self.usualRadiusMeters,
        of: position,
        category
      )
    }
    var found = indices.map { ($0, catalog.positions[$0].distanceMeters(to: position)) }
    if let radiusMeters { found.removeAll { $0.1 > radiusMeters } }
    found.sort { ($0.1, $0.0) < ($1.1, $1.0) }
    return found.prefix(limit)
      .map { Hit(point: catalog.points[$0.0], distanceMeters: $0.1) }
  }

  private func indices(
    within radiusMeters: Double,
    of position: SurfacePoint,
    _ category: CategoryID?
  ) -> [Int] {
    let slots =
      category.map { catalog.slot(of: $0).map { [$0] } ?? [] }
      ?? Array(catalog.categories.indices)
    var found: Set<Int> = []
    for slot in slots {
      catalog.forEach(slot: slot, withinMeters: radiusMeters, of: position) { found.insert($0) }
    }
    return found.sorted()
  }

  // MARK: Texts

  private func indices(with text: String) -> [Int] {
    let wanted = Array(Self.folded(text).utf8)
    guard !wanted.isEmpty else { return [] }
    let texts = lock.withLock { () -> Texts in
      if let known = self.texts { return known }
      let made = gathered()
      self.texts = made
      return made
    }
    return texts.bytes.withUnsafeBufferPointer { all in
      var found: [Int] = []
      for (i, start) in texts.starts.enumerated() {
        let end = i + 1 < texts.starts.count ? texts.starts[i + 1] : all.count
        if Self.has(wanted, in: UnsafeBufferPointer(rebasing: all[start..<end])) { found.append(i) }
      }
      return found
    }
  }

  private func gathered() -> Texts {
    let addresses = addresses()
    var texts = Texts()
    texts.starts.reserveCapacity(catalog.points.count)
    for point in catalog.points {
      texts.starts.append(texts.bytes.count)
      let parts = [point.name, point.brand, addresses[point.sourceID]].compactMap(\.self)
      texts.bytes += Self.folded(parts.joined(separator: "\n")).utf8
      texts.bytes.append(Self.end)
    }
    return texts
  }

  private static func has(_ wanted: [UInt8], in entry: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = entry.baseAddress else { return false }
    var start = 0
    while start + wanted.count <= entry.count,
      let hit = memchr(base + start, Int32(wanted[0]), entry.count - start - wanted.count + 1)
    {
      let place = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(hit))
      if memcmp(base + place, wanted, wanted.count) == 0 { return true }
      start = place + 1
    }
    return false
  }

  private static func folded(_ text: String) -> String {
    text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive],
      locale: nil
    )
  }
}
