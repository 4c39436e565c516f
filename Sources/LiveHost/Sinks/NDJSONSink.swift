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

  private let path: String?
  private let descriptor: Int32
  private let output: BlockingOutput

  /// Writes to a descriptor that the caller keeps open.
  package init(descriptor: Int32 = STDOUT_FILENO) {
    name = "ndjson"
    path = nil
    self.descriptor = descriptor
    output = BlockingOutput(descriptor, "standard output")
  }

  /// Opens a file, which is made if it is not there; only its owner can read a new one.
  ///
  /// - Throws: ``HostFailure`` if it cannot be written to, is not a file, or another process writes it.
  package init(path: String) throws(HostFailure) {
    name = sinkName("ndjson", path)
    self.path = path
    guard !path.hasSuffix("/") else { throw .folder(path) }
    descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .system(path, "cannot be opened", errno, advice: "check its folder and permissions")
    }
    output = BlockingOutput(descriptor, path)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw HostFailure(.usage, "\(path): is no file: use ndjson alone for standard output")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw HostFailure(.busy, "\(path): another process writes to it: name another file")
    }
    var head = [UInt8](repeating: 0, count: 512)
    let count = head.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    let begin = head.prefix(max(0, count))
    guard !begin.contains(0), !begin.starts(with: Array(KeySource.tag.utf8)) else {
      close(descriptor)
      throw HostFailure(
        .usage,
        "\(path): holds no lines of text but something else, and stays as it is: name another file"
      )
    }
  }

  deinit {
    guard path != nil else { return }
    // Before closing: a process that is being started holds a copy until it runs.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    let text = deliveries.map { $0.line + "\n" }.joined()
    guard let path else { return await output.write(text) }
    return append(text, path)
  }

  /// A disk takes its time but does not stall for ever, so this blocks.
  private func append(_ text: String, _ path: String) -> DeliveryOutcome {
    let end = lseek(descriptor, 0, SEEK_END)
    var number = writeAll(Array(text.utf8), to: descriptor)
    if number == 0, fsync(descriptor) != 0 { number = errno }
    guard number != 0 else { return .delivered }
    // Whole lines or none: what could not be finished would be half a line to its readers.
    _ = ftruncate(descriptor, end)
    return .broken(
      .system(
        path,
        "cannot be written",
        number,
        advice: "check the disk's space; nothing is lost, the next start goes on here"
      )
    )
  }

  package func alreadyDelivered(
    among pending: [Delivery]
  ) throws(HostFailure) -> Set<String> {
    guard let path else { return [] }
    try mendEnd(path, pending)
    var wanted = Set(pending.map(\.key))
    var found: Set<String> = []
    // Deliveries are written in order, so that those in doubt are the last that were written.
    var end = lseek(descriptor, 0, SEEK_END)
    while !wanted.isEmpty, end > 0 {
      let (line, start) = try lastLine(before: end, path)
      guard let key = Self.key(of: line), wanted.remove(key) != nil else { break }
      found.insert(key)
      end = start
    }
    return found
  }

  /// Takes away a line that an earlier life could not finish.
  private func mendEnd(_ path: String, _ pending: [Delivery]) throws(HostFailure) {
    let end = lseek(descriptor, 0, SEEK_END)
    guard end > 0 else { return }
    let (tail, start) = try lastLine(before: end, path)
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
    before end: off_t,
    _ path: String
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
