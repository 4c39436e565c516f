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

  private struct Texts: Sendable {
    var bytes: [UInt8] = []
    /// Where each point's entry begins.
    var starts: [Int] = []
  }

  private let catalog: POICatalog
  private let details: Details
  private let addresses: @Sendable () -> [String: String]
  private let lock = NSLock()
  /// What gathers the texts, since somebody has looked for one; under the lock.
  private nonisolated(unsafe) var gathering: Task<Texts, Never>?

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
  /// - Complexity: O(points within the radius).
  func find(
    near coordinate: Coordinate,
    radiusMeters: Double?,
    category: CategoryID?,
    limit: Int
  ) -> [Hit] {
    let position = SurfacePoint(coordinate)
    let radius = radiusMeters ?? Self.usualRadiusMeters
    return nearest(
      indices(within: radius, of: position, category),
      to: position,
      withinMeters: radiusMeters,
      limit: limit
    )
  }

  /// The same of the points with a text, where one is given: wherever they are.
  ///
  /// The first search waits until all of them have been looked at, which holds up nobody else.
  ///
  /// - Complexity: O(points) for a text.
  func find(
    near coordinate: Coordinate,
    radiusMeters: Double?,
    category: CategoryID?,
    text: String?,
    limit: Int
  ) async -> [Hit] {
    guard let text else {
      return find(
        near: coordinate,
        radiusMeters: radiusMeters,
        category: category,
        limit: limit
      )
    }
    var indices = Self.indices(with: text, in: await texts())
    if let category { indices.removeAll { !catalog.points[$0].categories.contains(category) } }
    return nearest(
      indices,
      to: SurfacePoint(coordinate),
      withinMeters: radiusMeters,
      limit: limit
    )
  }

  private func nearest(
    _ indices: [Int],
    to position: SurfacePoint,
    withinMeters radiusMeters: Double?,
    limit: Int
  ) -> [Hit] {
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

  private func texts() async -> Texts {
    let gathering = lock.withLock { () -> Task<Texts, Never> in
      if let known = self.gathering { return known }
      let begun = Task.detached {
        await withCheckedContinuation { continuation in
          // It takes seconds for a country: the threads that answer are few.
          DispatchQueue.global(qos: .utility)
            .async { [self] in continuation.resume(returning: gathered()) }
        }
      }
      self.gathering = begun
      return begun
    }
    return await gathering.value
  }

  private static func indices(with text: String, in texts: Texts) -> [Int] {
    let wanted = Array(folded(text).utf8)
    guard !wanted.isEmpty else { return [] }
    return texts.bytes.withUnsafeBufferPointer { all in
      var found: [Int] = []
      for (i, start) in texts.starts.enumerated() {
        let end = i + 1 < texts.starts.count ? texts.starts[i + 1] : all.count
        if has(wanted, in: UnsafeBufferPointer(rebasing: all[start..<end])) { found.append(i) }
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
