import LiveHost
import UserStore

/// Another program may hold a person's file for as long as it likes: nobody else waits for that.
extension Desk {
  /// Whoever came in waits so long, while others go on.
  private static let patience = Duration.seconds(10)
  private static let betweenAttempts = Duration.milliseconds(200)
  /// In the background it is tried again after so many seconds at most.
  private static let longestPause = 8

  /// Whether another program holds the file of an open desk; then it is tried again after a while.
  func isHeld() -> Bool {
    guard let store = open?.store else { return false }
    do throws(UserStoreError) {
      try store.requireRightToWrite()
    } catch {
      guard error.code == .busy else { return false }
      putOffForHold()
      return true
    }
    hold.end()
    return false
  }

  /// Tries again after a while, and says once what it waits for.
  func putOffForHold() {
    failures += 1
    triesAgainAt = .now + .seconds(min(Self.longestPause, 1 << min(6, failures)))
    hold.note()
  }

  /// Does something that may be done again, as soon as no other program holds the file.
  ///
  /// - Throws: what the body throws; that the file is held only after ``patience``.
  func patiently<Value: Sendable, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let end = ContinuousClock.now + Self.patience
    while true {
      do throws(Failure) {
        return try await body()
      } catch {
        let isHeld =
          (error as? HostFailure)?.code == .held || (error as? UserStoreError)?.code == .busy
        guard isHeld, ContinuousClock.now < end, (try? Task.checkCancellation()) != nil else {
          throw error
        }
        hold.note()
        try? await Task.sleep(for: Self.betweenAttempts)
      }
    }
  }
}
