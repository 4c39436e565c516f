import Foundation
import NearMeEngine
import UserStore

/// What a phone that is another machine is asked for, and who feeds the host.
extension LiveHost {
  /// What the engine asks of a phone that watches regions.
  package var asked: AskedOfPhone {
    // Nothing is heard of an end that has passed.
    let present = setup.time == .wall ? now : engine.newestInstant
    var followUntil = memory.phone.followUntil
    if let until = followUntil, let present, until <= present { followUntil = nil }
    return AskedOfPhone(
      regions: engine.state.currentRegions,
      wantsPosition: memory.phone.wantsPosition,
      followUntil: followUntil
    )
  }

  /// Notes that the phone has been told to send a position: it is told once.
  package func notePositionAsked() { memory.phone.wantsPosition = false }

  /// What was kept with the last commit for whoever feeds the host; nil if nothing ever was.
  package static func keptForGuest(in store: UserStore) throws(HostFailure) -> Data? {
    let kept = try HostFailure.mapping { () throws(UserStoreError) in try store.hostMemory() }
    return try kept.map { data throws(HostFailure) in try memory(data) }?.guest
  }

  /// Keeps something with every commit from now on, in the same transaction as what led to it.
  package func keep(_ guest: any HostGuest) {
    comingGuest = nil
    self.guest = guest
    hasKeptGuest = false
  }

  /// Whether the database has everything, what is kept for whoever feeds the host included.
  package var isStored: Bool { !isDirty && hasKeptGuest && turns.isEmpty }

  /// Takes the news that the phone has not taken regions, by the ids of ``asked``.
  package func lose(regions ids: [String]) async throws(HostFailure) {
    guard hasLaunched, !ids.isEmpty else { return }
    try turn(
      Event(at: setup.time == .wall ? now : engine.newestInstant ?? now, .regionsRefused(ids))
    )
    try await handOver()
  }
}
