import ArgumentParser
import Foundation

/// Where results go: standard output, or a file that appears only when it is complete.
final class OutputFile: TextOutput {
  /// Large enough that writing costs little, small enough to be seen soon.
  private static let bufferedBytes = 1 << 16

  private let handle: FileHandle
  private let target: String?
  /// Where the output stands until it is complete; nil for standard output.
  let temporary: String?
  private var buffer: [UInt8] = []
  private var isFinished = false

  /// Opens it.
  ///
  /// - Throws: ``CommandFailure`` if the file's folder cannot be written to.
  init(path: String?) throws {
    guard let named = path else {
      target = nil
      temporary = nil
      handle = .standardOutput
      return
    }
    // Through links, so that they stay.
    let path = URL(fileURLWithPath: named).resolvingSymlinksInPath().path
    target = path
    if let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type],
      kind as? FileAttributeType != .typeRegular
    {
      // A device or a pipe is written to; a file put in its place would take it away.
      guard let handle = FileHandle(forWritingAtPath: path) else {
        throw CommandFailure(.inputOutput, "\(path): cannot be written: is it a folder?")
      }
      temporary = nil
      self.handle = handle
      return
    }
    let temporary = path + ".partial-\(ProcessInfo.processInfo.processIdentifier)"
    guard FileManager.default.createFile(atPath: temporary, contents: nil),
      let handle = FileHandle(forWritingAtPath: temporary)
    else {
      throw CommandFailure(
        .inputOutput,
        "\(path): cannot be written: check that its folder exists and its permissions"
      )
    }
    self.temporary = temporary
    self.handle = handle
  }

  deinit {
    if !isFinished, let temporary { try? FileManager.default.removeItem(atPath: temporary) }
  }

  func write(_ text: String) throws {
    // Taken whole, where the text lies in one piece; byte by byte costs several times as much.
    let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable {
      buffer.append(contentsOf: $0)
    }
    if isWritten == nil { buffer.append(contentsOf: text.utf8) }
    if buffer.count >= Self.bufferedBytes { try flush() }
  }

  /// Puts the complete file in its place.
  func finish() throws {
    try flush()
    guard let target, let temporary else { return }
    do {
      try handle.synchronize()
      try handle.close()
    } catch {
      throw CommandFailure(.inputOutput, "\(target): cannot be written: \(error)")
    }
    guard rename(temporary, target) == 0 else {
      throw CommandFailure(
        .inputOutput,
        "\(target): cannot be replaced: \(String(cString: strerror(errno)))"
      )
    }
    isFinished = true
  }

  /// Hands over what is buffered.
  func flush() throws {
    guard !buffer.isEmpty else { return }
    do {
      try handle.write(contentsOf: buffer)
    } catch {
      // A reader such as `head` that has seen enough is neither a failure of this program nor a success.
      throw CommandFailure(.inputOutput, "\(target ?? "standard output"): cannot be written")
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Refuses to write over a file that is read, in whatever spelling it is named.
func refuse(_ output: String?, among inputs: [String?]) throws {
  guard let output, inputs.contains(where: { $0.map { isSameFile($0, output) } ?? false }) else {
    return
  }
  throw ValidationError("\(output) is an input, which stays as it is: name another file")
}

/// Whether two names are those of one file, also through links; standard input is not a file.
func isSameFile(_ a: String, _ b: String) -> Bool {
  var (first, second) = (stat(), stat())
  return a != "-" && b != "-" && stat(a, &first) == 0 && stat(b, &second) == 0
    && first.st_dev == second.st_dev && first.st_ino == second.st_ino
}
