import Foundation

/// One figure: what was done, how much of it, and how long it took.
struct Figure {
  let name: String
  let size: String
  /// Units of work in one run, and what they are called.
  let work: Double
  let unit: String
  let seconds: [Double]

  var medianSeconds: Double { seconds.sorted()[seconds.count / 2] }
  var rate: Double { work / medianSeconds }

  /// `1.2 M fixes/s`.
  var rateText: String {
    let (scaled, prefix) =
      rate >= 1e6 ? (rate / 1e6, "M ") : rate >= 1e3 ? (rate / 1e3, "k ") : (rate, "")
    let digits = scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2
    var factor = 1.0
    for _ in 0..<digits { factor *= 10 }
    let rounded = (scaled * factor).rounded() / factor
    return "\(digits == 0 ? "\(Int(rounded))" : "\(rounded)") \(prefix)\(unit)/s"
  }
}

/// Seconds of a clock: the wall's, or with `BENCH_CLOCK=cpu` this process's, which on a busy machine
/// says more of work on one thread.
func secondsNow() -> Double {
  var time = timespec()
  clock_gettime(clockID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

private let clockID =
  ProcessInfo.processInfo.environment["BENCH_CLOCK"] == "cpu"
  ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC

/// How often work is measured: 5 times, or as `BENCH_RUNS` says, which a profiler wants much larger.
let runCount =
  ProcessInfo.processInfo.environment["BENCH_RUNS"].flatMap { Int($0) }.map { max(1, $0) } ?? 5

/// Runs work several times, once before the clock counts.
///
/// - Returns: the figure; its rate is that of the median run, for machines are noisy.
func measure(
  _ name: String,
  size: String,
  work: Double,
  unit: String,
  runs: Int = runCount,
  _ body: () throws -> Void
) rethrows -> Figure {
  try body()
  var seconds: [Double] = []
  for _ in 0..<runs {
    let start = secondsNow()
    try body()
    seconds.append(secondsNow() - start)
  }
  return Figure(name: name, size: size, work: work, unit: unit, seconds: seconds)
}

/// Keeps the optimizer from leaving out work whose result nobody uses.
@inline(never)
func keep<Value>(_ value: Value) {}
