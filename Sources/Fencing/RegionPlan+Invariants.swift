/// What must hold of the regions that are watched; for tests.
extension RegionPlan.Entry {
  /// What does not hold of a plan's entries, as sentences.
  ///
  /// - Parameter slots: the most that may be watched at once; nil is no limit.
  package static func violations(_ entries: [RegionPlan.Entry], slots: Int?) -> [String] {
    var wrong: [String] = []
    func expect(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
    let ids = entries.map(\.region.id)
    expect(Set(ids).count == ids.count, "every region has an id of its own: \(ids)")
    expect(slots.map { entries.count <= $0 } ?? true, "\(entries.count) regions in \(slots ?? 0)")
    for entry in entries {
      let id = entry.region.id
      expect(entry.region.radiusMeters > 0, "\(id) has a radius")
      expect(entry.askedRadiusMeters.map { $0 > 0 } ?? true, "\(id) was asked for with a radius")
      expect(entry.region.kind == .safe || !entry.owners.isEmpty, "\(id) is needed by something")
      expect(Set(entry.owners).count == entry.owners.count, "\(id) names its owners once")
    }
    return wrong
  }
}
