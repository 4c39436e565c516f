import NearMe

/// A system that takes no region at all, by a clock that is never set.
struct RegionRefusal {
  /// When it is asked again.
  private var nextTry: Timestamp
  /// How often it was since the first refusal.
  private var tries = 0
  /// When what it was asked for last and has not refused is taken for watched; nil: nothing is asked for.
  private var provenAt: Timestamp?

  init(at uptime: Timestamp) { nextTry = uptime + .minutes(1) }

  /// When there is something to do next.
  var next: Timestamp { provenAt ?? nextTry }

  mutating func wasRefused() { provenAt = nil }

  mutating func wasAsked(at uptime: Timestamp, patience: Milliseconds) {
    provenAt = uptime + patience
  }

  /// Whether it has taken what it was asked for.
  func isOver(at uptime: Timestamp) -> Bool { provenAt.map { $0 <= uptime } ?? false }

  /// Whether it is to be asked again: after 1, 2, 4, 8 and then every 16 minutes.
  mutating func tries(at uptime: Timestamp) -> Bool {
    guard provenAt == nil, nextTry <= uptime else { return false }
    tries += 1
    nextTry = uptime + .minutes(1 << min(Int64(tries), 4))
    return true
  }
}

/// Where the system takes no region, the phone's moves wake the app, and regions are tried again now and then: with a
/// position asked for at once, the receiver would never rest.
extension PhoneHost {
  func refuse(_ ids: [String]) {
    let wasWatched = memory.regions.contains { ids.contains($0.id) }
    memory.regions.removeAll { ids.contains($0.id) }
    memory.crossed.removeAll { ids.contains($0) }
    send(.regionsRefused(ids))
    guard wasWatched, memory.regions.isEmpty else { return }
    isUrgent = true
    guard refusal == nil else { return refusal?.wasRefused() ?? () }
    refusal = RegionRefusal(at: uptime)
    report(.regionsRefused)
  }

  /// Asks for the position from which regions are planned again, when it is time.
  func tryRegionsAgain() {
    guard refusal != nil else { return }
    let uptime = uptime
    if !looksAtPlaces || refusal?.isOver(at: uptime) ?? false {
      refusal = nil
      if failure == .regionsRefused { failure = nil }
      return
    }
    // A try that cannot be made is one, too: the next is later.
    guard refusal?.tries(at: uptime) ?? false, memory.regions.isEmpty, access == .always else {
      return
    }
    locateAnew()
  }

  /// When that is looked at next.
  var nextLookAtRefusal: Timestamp? { refusal.map { now + ($0.next - uptime) } }

  /// What a clock shows that is never set.
  var uptime: Timestamp { Timestamp(milliseconds: phone.clock.uptime.value) }
}
