import Foundation
import UserStore

/// Writes everything as newline-delimited JSON, to standard output or to the end of a file.
///
/// In a file nothing stands twice, however often the host is killed: what an earlier life wrote and
/// could not note is found by its key at the file's end. A line that it could not finish is taken away.
package final class NDJSONSink: Sink {
  package let name: String
  package let takesRecords = true
  package let batchLimit = 1_000

  private let target: Target

  private enum Target {
    case file(LineFile)
    case output(BlockingOutput)
  }

  /// Writes to a descriptor that the caller keeps open.
  package init(descriptor: Int32 = STDOUT_FILENO) {
    name = "ndjson"
    target = .output(BlockingOutput(descriptor, "standard output"))
  }

  /// Opens a file, which is made if it is not there; only its owner can read a new one.
  ///
  /// - Throws: ``HostFailure`` if it cannot be written to, is not a file, or another process writes it.
  package init(path: String) throws(HostFailure) {
    name = sinkName("ndjson", path)
    target = .file(try LineFile(path))
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    let text = deliveries.map { $0.line + "\n" }.joined()
    switch target {
    case .output(let output): return await output.write(text)
    case .file(let file):
      do throws(HostFailure) {
        try file.append(text)
        return .delivered
      } catch {
        return .broken(error)
      }
    }
  }

  package func alreadyDelivered(
    among pending: [Delivery]
  ) throws(HostFailure) -> Set<String> {
    guard case .file(let file) = target else { return [] }
    return try file.alreadyDelivered(among: pending)
  }
}

/// A file of lines that one process writes at its end.
///
/// Unchecked: one courier at a time uses it.
private final class LineFile: @unchecked Sendable {
  private let path: String
  private var descriptor: Int32

  init(_ path: String) throws(HostFailure) {
    self.path = path
    descriptor = try Self.opened(path)
  }

  deinit { Self.letGo(descriptor) }

  private static func letGo(_ descriptor: Int32) {
    // Before closing: a process that is being started holds a copy until it runs.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func opened(_ path: String) throws(HostFailure) -> Int32 {
    guard !path.hasSuffix("/") else { throw .folder(path) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .system(path, "cannot be opened", errno, advice: "check its folder and permissions")
    }
    do throws(HostFailure) {
      try check(descriptor, path)
      return descriptor
    } catch {
      letGo(descriptor)
      throw error
    }
  }

  private static func check(_ descriptor: Int32, _ path: String) throws(HostFailure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw HostFailure(.usage, "\(path): is no file: use ndjson alone for standard output")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw HostFailure(.busy, "\(path): another process writes to it: name another file")
    }
    var head = [UInt8](repeating: 0, count: 512)
    let count = head.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    let begin = head.prefix(max(0, count))
    guard !begin.contains(0), !begin.starts(with: Array(KeySource.tag.utf8)) else {
      throw HostFailure(
        .usage,
        "\(path): holds no lines of text but something else, and stays as it is: name another file"
      )
    }
  }

  /// Goes on in a new file where this one was moved away or deleted, as by a program that rotates logs.
  private func followRotation() throws(HostFailure) {
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0 else { return }
    if stat(path, &named) == 0, (own.st_dev, own.st_ino) == (named.st_dev, named.st_ino) { return }
    let next = try Self.opened(path)
    Self.letGo(descriptor)
    descriptor = next
  }

  /// Writes lines; a disk takes its time but does not stall for ever, so this blocks.
  func append(_ text: String) throws(HostFailure) {
    try followRotation()
    let end = lseek(descriptor, 0, SEEK_END)
    var number = writeAll(Array(text.utf8), to: descriptor)
    if number == 0, fsync(descriptor) != 0 { number = errno }
    guard number != 0 else { return }
    // Whole lines or none: what could not be finished would be half a line to its readers.
    _ = ftruncate(descriptor, end)
    throw .system(
      path,
      "cannot be written",
      number,
      advice: "check the disk's space; nothing is lost, it goes on here"
    )
  }

  func alreadyDelivered(among pending: [Delivery]) throws(HostFailure) -> Set<String> {
    try mendEnd(pending)
    var wanted = Set(pending.map(\.key))
    var found: Set<String> = []
    // Deliveries are written in order, so that those in doubt are the last that were written.
    var end = lseek(descriptor, 0, SEEK_END)
    while !wanted.isEmpty, end > 0 {
      let (line, start) = try lastLine(before: end)
      guard let key = Self.key(of: line), wanted.remove(key) != nil else { break }
      found.insert(key)
      end = start
    }
    return found
  }

  /// Takes away a line that an earlier life could not finish.
  private func mendEnd(_ pending: [Delivery]) throws(HostFailure) {
    let end = lseek(descriptor, 0, SEEK_END)
    guard end > 0 else { return }
    let (tail, start) = try lastLine(before: end)
    guard tail.last != 0x0A else { return }
    let isOurs = pending.contains { Array($0.line.utf8).starts(with: tail) }
    if isOurs {
      guard ftruncate(descriptor, start) == 0 else {
        throw .system(path, "cannot be cut", errno, advice: "check its permissions")
      }
    } else {
      // Not a line of this sink: it stays, and ours begin on a line of their own.
      let number = writeAll([0x0A], to: descriptor)
      guard number == 0 else {
        throw .system(path, "cannot be written", number, advice: "check the disk's space")
      }
    }
  }

  /// The last line that ends at an offset, with its end if it has one, and where it begins.
  private func lastLine(
    before end: off_t
  ) throws(HostFailure) -> (line: ArraySlice<UInt8>, start: off_t) {
    var bytes: [UInt8] = []
    var start = end
    while start > 0 {
      let count = Int(min(start, 4_096))
      var piece = [UInt8](repeating: 0, count: count)
      guard pread(descriptor, &piece, count, start - off_t(count)) == count else {
        throw .system(path, "cannot be read", errno, advice: "check the disk")
      }
      bytes = piece + bytes
      start -= off_t(count)
      // The end of the line itself does not count.
      if let feed = bytes.dropLast().lastIndex(of: 0x0A) {
        return (bytes[(feed + 1)...], start + off_t(feed + 1))
      }
    }
    return (bytes[...], 0)
  }

  /// The key that stands at a line's end.
  private static func key(of line: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: line, as: UTF8.self)
    guard let mark = text.range(of: ",\"key\":\"", options: .backwards), text.hasSuffix("\"}\n")
    else { return nil }
    return String(text[mark.upperBound...].dropLast(3))
  }
}
