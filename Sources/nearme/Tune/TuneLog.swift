import Foundation
import Scoring
import Tuning

/// What a search has tried so far, in a file that survives the end of the process.
///
/// One line for each policy and its days, with a checksum behind it; a line that was cut off by the
/// end of the process is dropped. What stands in the file depends on everything that decides a
/// score, and the first line says on what: a log of other days or of another program is refused.
///
/// Unchecked: everything is touched under the lock only.
final class TuneLog: @unchecked Sendable {
  private static let title = "nearme tune log 1"

  private let lock = NSLock()
  private let path: String
  private let file: FileHandle
  /// By policy: what came of it on which days.
  private var known: [String: [Int: Tally]] = [:]
  /// How many trials of a policy on a day were in the file.
  let trialsFound: Int

  /// Opens a log, or begins one.
  ///
  /// - Parameter world: what decides scores beside the policy: a name and a fingerprint each.
  /// - Throws: ``CommandFailure`` if it is of another search, or cannot be written.
  init(path: String, world: [(name: String, fingerprint: String)]) throws {
    self.path = path
    let head = ([Self.title] + world.map { "\($0.name)=\($0.fingerprint)" })
      .joined(separator: "\t")
    let descriptor = open(path, O_RDWR | O_CREAT, 0o644)
    guard descriptor >= 0 else { throw Self.unwritable(path) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw CommandFailure(
        .inputOutput,
        "\(path): another search is writing it: wait for its end, or name another output"
      )
    }
    guard let bytes = try? file.readToEnd() ?? Data() else { throw Self.unwritable(path) }
    var good = 0
    var trials = 0
    var damaged: [Int] = []
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    where line.endIndex < bytes.endIndex {
      let text = String(decoding: line, as: UTF8.self)
      number += 1
      if good == 0 {
        try Self.check(text, head, path)
      } else {
        guard let (policy, days) = Self.read(text) else {
          damaged.append(number)
          continue
        }
        trials += days.count
        known[policy, default: [:]].merge(days) { $1 }
      }
      good = line.endIndex + 1
    }
    if good == 0, !bytes.isEmpty, !Data((head + "\n").utf8).starts(with: bytes) {
      throw CommandFailure(
        .badInput,
        "\(path): this is no log of a search: name another output, or remove it"
      )
    }
    trialsFound = trials
    if !damaged.isEmpty {
      printError(
        "nearme: note: \(path): \(counted(damaged.count, "line")) cannot be read, the first is line \(damaged[0]): "
          + "what it holds is tried anew"
      )
    }
    guard ftruncate(descriptor, off_t(good)) == 0 else { throw Self.unwritable(path) }
    _ = try? file.seekToEnd()
    if good == 0 { try append(head) }
  }

  /// What a policy came to on a day; nil if it was not tried there.
  func tally(_ candidate: Candidate, day: Int) -> Tally? {
    lock.withLock { known[candidate.text]?[day] }
  }

  /// Keeps what a policy came to on some days.
  func add(_ candidate: Candidate, _ days: [(day: Int, tally: Tally)]) throws {
    guard !days.isEmpty else { return }
    try lock.withLock {
      for (day, tally) in days { known[candidate.text, default: [:]][day] = tally }
      try append(Self.line(candidate, days))
    }
  }

  /// The line of what a policy came to on some days.
  static func line(_ candidate: Candidate, _ days: [(day: Int, tally: Tally)]) -> String {
    let body =
      candidate.text + "\t" + days.map { "\($0.day)/\($0.tally.text)" }.joined(separator: " ")
    return body + "\t" + Fingerprint(body).text
  }

  private func append(_ line: String) throws {
    do {
      // One call, so that a line stands there whole or is the last one.
      try file.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      throw Self.unwritable(path)
    }
  }

  private static func unwritable(_ path: String) -> CommandFailure {
    CommandFailure(
      .inputOutput,
      "\(path): cannot be written: check that its folder exists, its permissions and the disk's space"
    )
  }

  private static func check(_ found: String, _ wanted: String, _ path: String) throws {
    guard found != wanted else { return }
    let (a, b) = (found.split(separator: "\t"), wanted.split(separator: "\t"))
    guard a.first == b.first, a.count == b.count else {
      throw CommandFailure(
        .badInput,
        "\(path): this is no log of a search by this program: name another output, or remove it"
      )
    }
    let different = zip(a, b).filter { $0 != $1 }
      .map { String($1.prefix { $0 != "=" }) }
    throw CommandFailure(
      .badInput,
      "\(path): it is of a search with another \(different.joined(separator: ", ")): name another "
        + "output, or remove it to begin anew"
    )
  }

  private static func read(_ line: String) -> (policy: String, days: [Int: Tally])? {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard parts.count == 3,
      Fingerprint("\(parts[0])\t\(parts[1])").text == parts[2]
    else { return nil }
    var days: [Int: Tally] = [:]
    for item in parts[1].split(separator: " ") {
      guard let slash = item.firstIndex(of: "/"), let day = Int(item[..<slash]),
        let tally = Tally(text: item[item.index(after: slash)...])
      else { return nil }
      days[day] = tally
    }
    return (String(parts[0]), days)
  }
}

/// A number that differs for different bytes, accidents aside.
///
/// - Source: FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo, IETF draft-eastlake-fnv), eight bytes
///   at a time with a final mix, for whole programs are read.
struct Fingerprint {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  init() {}

  init(_ text: String) { add(Array(text.utf8)) }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    var word: UInt64 = 0
    var count: UInt64 = 0
    for byte in bytes {
      word = word << 8 | UInt64(byte)
      count &+= 1
      if count % 8 == 0 {
        mix(word)
        word = 0
      }
    }
    mix(word)
    mix(count)
  }

  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* 0x0000_0100_0000_01B3
    state ^= state >> 29
  }

  /// Adds what a file holds.
  mutating func add(file path: String) throws { add(try contents(ofFile: path)) }

  var text: String { String(state, radix: 16) }
}
