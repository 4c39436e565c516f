import Phones
import Timeline

/// What may be wrong with a phone, and what to do.
extension DeviceMemory {
  /// What was passed over longer ago says nothing of today.
  private static let recently = Milliseconds.minutes(24 * 60)

  /// What may be wrong with it; empty if all is well.
  ///
  /// - Parameters:
  ///   - seen: when its last request came.
  ///   - passedOver: what of it was not used, by name.
  ///   - isLeading: whether its positions count; the others may well be silent, and watch nothing.
  func advice(
    seen: Timestamp?,
    passedOver: [(reason: String, count: Int, last: Timestamp)],
    isLeading: Bool,
    at now: Timestamp
  ) -> [Remark] {
    let recent = passedOver.filter { now - $0.last < Self.recently }
    var facts = PhoneFacts(
      lastSeen: seen,
      newestFix: newestFix,
      kind: PhoneKind.kind(userAgent: userAgent),
      status: status.sorted { $0.key < $1.key }.map { StatusValue($0.key, $0.value) }
    )
    for entry in recent {
      if let refusal = IntakeRefusal(rawValue: entry.reason) {
        facts.passedOver[refusal] = entry.count
      }
    }
    if isLeading {
      facts.askedRegions = slots.count
      facts.missingRegions = missing.count
      facts.requestsWithoutRegions = hasShownRegions ? 0 : bodiesWithoutRegions
    }
    var troubles = PhoneHealth(facts, at: now).troubles
    if !isLeading { troubles.removeAll { $0 == .silent || $0 == .noFixes && newestFix != nil } }
    // A switch or a program that gives signals alone has no positions to send.
    if newestFix == nil, facts.passedOver.isEmpty { troubles.removeAll { $0 == .noFixes } }
    var advice = troubles.map { Remark(name: $0.rawValue, text: $0.advice) }
    if recent.contains(where: { $0.reason == "future" }) {
      advice.append(Remark(name: "clock", text: "Its clock is ahead. Set it by the network."))
    }
    if clockLag?.isSure ?? false {
      advice.append(
        Remark(
          name: "clock",
          text:
            "Its clock is behind: its positions come too late to be news. Set it by the network."
        )
      )
    }
    return advice
  }
}
