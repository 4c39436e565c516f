/// What must hold of a ladder after every event; for tests.
extension Ladder {
  /// What does not hold, as sentences.
  package func violations(_ shape: LadderShape) -> [String] {
    let count = shape.rings.count
    var wrong: [String] = []
    func expect(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
    expect(level.map { (0...count).contains($0) } ?? true, "a level among the rings")
    let isInside = level == count && shape.hasArrival
    expect(arrivedAt == nil || isInside, "whoever arrived is inside the arrival ring")
    expect(exitHoldsAt == nil || isInside, "an exit is pending inside the arrival ring only")
    expect(arrivalHoldsAt == nil || arrivalPendingSince != nil, "what holds has begun")
    expect(
      arrivalHoldsAt == nil || level.map { $0 < count } ?? false,
      "an arrival is pending outside the arrival ring only"
    )
    expect(
      arrivalPendingSince == nil || shape.hasArrival,
      "only a ladder with arrival waits for it"
    )
    expect(arrivalHoldsAt == nil || exitHoldsAt == nil, "one of arrival and exit is pending")
    return wrong
  }
}
