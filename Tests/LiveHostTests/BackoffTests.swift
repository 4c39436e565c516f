import LiveHost
import TestSupport
import Testing
import Timeline

@Suite struct BackoffTests {
  @Test func `the bound doubles up to the cap and never overflows`() {
    let backoff = Backoff()
    let bounds = (1...12).map { backoff.bound(attempts: $0).value / 1_000 }
    #expect(bounds == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
    #expect(backoff.bound(attempts: .max) == .minutes(5))
    let large = Backoff(base: Milliseconds(.max / 2), cap: Milliseconds(.max))
    #expect(large.bound(attempts: 60) == Milliseconds(.max))
  }

  @Test func `NM-10.3: waits are spread over the whole span, and the seed repeats them`() {
    let backoff = Backoff()
    for attempts in 1...12 {
      var generator = SeededGenerator(seed: 5)
      let bound = backoff.bound(attempts: attempts).value
      let waits = (0..<2_000)
        .map { _ in
          backoff.wait(attempts: attempts, atLeast: nil, using: &generator).value
        }
      #expect(waits.allSatisfy { (0...bound).contains($0) })
      // Even over ten parts: 200 each, within five standard deviations of 13.4.
      for part in 0..<10 {
        let count = waits.count { $0 * 10 / (bound + 1) == part }
        #expect((133...267).contains(count), "part \(part) of attempt \(attempts): \(count)")
      }
      var again = SeededGenerator(seed: 5)
      #expect(waits[0] == backoff.wait(attempts: attempts, atLeast: nil, using: &again).value)
    }
  }

  @Test func `NM-10.3: a receiver may ask for longer, up to an hour, and not for less`() {
    let backoff = Backoff()
    var generator = SeededGenerator(seed: 1)
    let asked = { (span: Milliseconds) in
      backoff.wait(attempts: 1, atLeast: span, using: &generator)
    }
    #expect(asked(.seconds(90)) == .seconds(90))
    #expect(asked(.minutes(600)) == .minutes(60))
    #expect((0...1_000).contains(asked(Milliseconds(0)).value))
  }
}
