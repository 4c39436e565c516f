import NearMeEngine
import Timeline

/// What is still to be done, and how a life ends.
extension LiveHost {
  /// Puts everything into the database, whether or not something came of it.
  package func flush() async throws(HostFailure) {
    isDirty = isDirty || !hasKeptGuest
    try commitIfDirty()
    try await handOver()
  }

  /// When ``tick()`` has something to do, as far as is known; nil if it has nothing.
  package var nextTick: Timestamp? { get async { await agenda.next } }

  /// How many deliveries are not made yet.
  package var waitingCount: Int { get async { await agenda.waitingCount } }

  /// What is to be done, as far as is known: only deliveries under way change it by themselves.
  package var agenda: (next: Timestamp?, waitingCount: Int) {
    get async {
      var instants: [Timestamp] = []
      if setup.time == .wall, let timer = engine.nextTimer { instants.append(timer) }
      if isDirty { instants.append(lastCommit + setup.quietSpan) }
      var count = 0
      for courier in couriers {
        let agenda = await courier.agenda
        count += agenda.waitingCount
        if let next = agenda.next { instants.append(next) }
      }
      return (instants.min(), count)
    }
  }

  /// Waits until every delivery that can be made now has been made.
  package func settle() async throws(HostFailure) {
    for courier in couriers {
      await courier.start()
      await courier.settle()
    }
    try await throwFailure()
  }

  /// Ends this life: everything is in the database, and what can be delivered now is.
  ///
  /// With the time of the fixes, what is due by the last of them has happened; later things have not.
  package func finish() async throws(HostFailure) {
    try catchUpWithFeed()
    try await handOver()
    for courier in couriers {
      await courier.start()
      await courier.settle()
    }
    await close()
    try await throwFailure()
  }

  /// Ends the deliveries, and counts them.
  func close() async {
    for courier in couriers {
      await courier.stop()
      await courier.sink.end()
      counts.delivered += await courier.delivered
      counts.givenUp += await courier.givenUp
      counts.waiting += await courier.waitingCount
    }
  }

  /// Has everything happen that is due by the last of the fixes, where they tell the time, and stores it.
  func catchUpWithFeed() throws(HostFailure) {
    if setup.time == .fixes, !isHeld, let newest = engine.newestInstant {
      try catchUp(with: newest)
      try takeInbox()
    }
    try commitIfDirty()
  }

  /// Ends this life where it stands, after a failure: what is under way ends, nothing else begins.
  ///
  /// In the database is what the next life needs.
  package func abandon() async {
    for courier in couriers { await courier.stop() }
  }
}
