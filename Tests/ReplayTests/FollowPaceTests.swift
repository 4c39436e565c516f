import Replay
import Testing
import Timeline

/// Which positions an app is handed that needs one now and then.
@Suite struct FollowPaceTests {
  private static func at(_ second: Int64) -> Timestamp {
    Timestamp(seconds: 1_767_600_000 + second)
  }

  private func taken(_ seconds: some Sequence<Int64>, every: Int64?) -> [Int64] {
    var pace = FollowPace()
    pace.ask(every: every.map(Milliseconds.seconds), from: Self.at(0))
    return seconds.filter { pace.takes(at: Self.at($0)) }
  }

  @Test func `without a pace each is taken`() {
    #expect(taken(1...5, every: nil) == [1, 2, 3, 4, 5])
  }

  @Test func `one a minute is taken, from a minute on`() {
    #expect(taken(1...200, every: 60) == [60, 120, 180])
  }

  @Test func `the receiver is on for ten seconds, and rests after them`() {
    // The sky comes back at 75 s, while it rests.
    #expect(taken(Array(1...50) + Array(75...130), every: 60) == [120])
    #expect(taken(Array(1...50) + Array(70...130), every: 60) == [70, 120])
  }

  @Test func `where positions come seldom, the next one is waited for`() {
    #expect(
      taken(stride(from: 40, through: 400, by: 40), every: 60) == [120, 200, 240, 320, 360]
    )
  }
}
