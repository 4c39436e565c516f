import UserStore

/// Another program may hold the database for as long as it likes: a host that runs waits for it.
///
/// It ends the event that it is at, and takes in no other: nothing is told that is not stored, and who is held up for an
/// hour would be told what is over.
extension LiveHost {
  /// Does something with the database.
  ///
  /// - Returns: nil if another program holds it.
  func whereFree<Value>(
    _ body: () throws(UserStoreError) -> Value
  ) throws(HostFailure) -> Value? {
    do {
      return try body()
    } catch {
      guard error.code == .busy, outlivesHolds else { throw HostFailure(error) }
      isHeld = true
      hold.note()
      return nil
    }
  }

  /// Goes on where the database has become free.
  func tryAgain() throws(HostFailure) {
    guard isHeld else { return }
    isHeld = false
    if turns.isEmpty {
      _ = try whereFree { () throws(UserStoreError) in try store.requireRightToWrite() }
    } else {
      try storeTurns()
    }
    if !isHeld { hold.end() }
  }
}
