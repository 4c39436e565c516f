import Basics
import ParallelWork
import Testing

/// Work on several threads has the outcome of a plain loop.
@Suite struct OrderTests {
  private struct Failure: Error, Equatable {
    let number: Int
  }

  /// Takes longer for some numbers than for others, and fails for some.
  @Sendable private static func work(_ number: Int, failing: Set<Int>) throws(Failure) -> Int {
    var random = SplitMix64(seed: UInt64(number))
    var sum = 0
    for _ in 0..<Int(random.next() % 20_000) { sum &+= Int(truncatingIfNeeded: random.next()) }
    if failing.contains(number) { throw Failure(number: number) }
    return number &* 31 &+ (sum & 1)
  }

  @Test(arguments: [1, 2, 3, 16])
  func `results come in order, whatever the number of threads`(_ threads: Int) throws {
    for count in [0, 1, 2, 500] {
      let plain = try (0..<count).map { try Self.work($0, failing: []) }
      let all = try resultsInOrder(count: count, threads: threads) { number throws(Failure) in
        try Self.work(number, failing: [])
      }
      #expect(all == plain)
    }
  }

  @Test(arguments: [1, 2, 3, 16])
  func `of several that fail the first one is told`(_ threads: Int) {
    for failing in [[0], [499], [7, 8, 400], [450, 3]] {
      let first = failing.min() ?? 0
      #expect(throws: Failure(number: first)) {
        _ = try resultsInOrder(count: 500, threads: threads) { number throws(Failure) in
          try Self.work(number, failing: Set(failing))
        }
      }
    }
  }

  @Test(arguments: [1, 2, 16])
  func `what is handed over comes in order and once, up to what fails`(_ threads: Int) throws {
    var taken: [Int] = []
    try takeResultsInOrder(
      count: 300,
      threads: threads,
      makeWorker: { () throws(Failure) in },
      work: { _, number throws(Failure) in try Self.work(number, failing: []) },
      take: { number, _ in taken.append(number) }
    )
    #expect(taken == Array(0..<300))
    taken = []
    #expect(throws: Failure(number: 120)) {
      try takeResultsInOrder(
        count: 300,
        threads: threads,
        makeWorker: { () throws(Failure) in },
        work: { _, number throws(Failure) in try Self.work(number, failing: [120, 200]) },
        take: { number, _ in taken.append(number) }
      )
    }
    #expect(taken == Array(taken.indices) && taken.count <= 120)
    if threads == 1 { #expect(taken.count == 120) }
  }

  @Test func `each thread keeps what it works with`() throws {
    final class Worker: @unchecked Sendable { var uses = 0 }
    let uses = try resultsInOrder(
      count: 200,
      threads: 4,
      makeWorker: { () throws(Failure) in Worker() },
      work: { worker, _ throws(Failure) in
        worker.uses += 1
        return worker.uses
      }
    )
    // Each thread counts by itself: a number comes once for each thread that came so far.
    #expect(uses.count { $0 == 1 } <= 4 && uses.count == 200)
  }
}
