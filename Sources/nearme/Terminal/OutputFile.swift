import ArgumentParser
import CorpusFiles
import Foundation
import UserStore

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
  /// - Parameter isPrivate: whether only its owner may read a new file; one that is replaced keeps its permissions.
  /// - Throws: ``CommandFailure`` if the file's folder cannot be written to, or if what is there already is nothing that
  ///   results are written over.
  init(path: String?, isPrivate: Bool = false) throws {
    guard let named = path, named != "-" else {
      target = nil
      temporary = nil
      handle = .standardOutput
      return
    }
    guard !named.hasSuffix("/") else {
      throw CommandFailure(.usage, Self.folderSentence(named))
    }
    // Through links, so that they stay.
    let path = URL(fileURLWithPath: named).resolvingSymlinksInPath().path
    target = path
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    if let kind = attributes?[.type] as? FileAttributeType, kind != .typeRegular {
      guard kind != .typeDirectory else {
        throw CommandFailure(.usage, Self.folderSentence(named))
      }
      // A device or a pipe is written to; a file put in its place would take it away.
      guard let handle = FileHandle(forWritingAtPath: path) else {
        throw CommandFailure(.inputOutput, "\(path): cannot be written: check its permissions")
      }
      temporary = nil
      self.handle = handle
      return
    }
    if let reason = Self.reasonToKeep(path) { throw CommandFailure(.usage, reason) }
    let permissions = attributes?[.posixPermissions] as? Int ?? (isPrivate ? 0o600 : nil)
    let temporary = path + ".partial-\(ProcessInfo.processInfo.processIdentifier)"
    guard
      FileManager.default.createFile(
        atPath: temporary,
        contents: nil,
        attributes: permissions.map { [.posixPermissions: $0] }
      ),
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

  static func folderSentence(_ path: String) -> String {
    "\(path): this is a folder: name a file"
  }

  /// Why results are not put in the place of a file: it is what nobody could make again; nil for no such reason.
  static func reasonToKeep(_ path: String) -> String? {
    // A pipe would be waited for.
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let head = (try? FileHandle(forReadingFrom: URL(fileURLWithPath: path)))
      .flatMap { file -> Data? in
        defer { try? file.close() }
        return try? file.read(upToCount: 16)
      }
    let what: String? =
      if head == Data("SQLite format 3\0".utf8) {
        "a database"
      } else if head?.starts(with: Data(KeySource.tag.utf8)) ?? false {
        "the key of a database"
      } else if CorpusFolder.isTruth(path) {
        "the truth of a person-day"
      } else {
        nil
      }
    return what.map { "\(path) is \($0), which stays as it is: name another file" }
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
///
/// - Parameter corpora: folders of person-days, of which all files with the name of a part of a day are read.
func refuse(_ output: String?, among inputs: [String?], corpora: [String] = []) throws {
  guard let output else { return }
  guard !inputs.contains(where: { $0.map { isSameFile($0, output) } ?? false }) else {
    throw ValidationError("\(output) is an input, which stays as it is: name another file")
  }
  if let reason = OutputFile.reasonToKeep(output) { throw ValidationError(reason) }
  let folder = URL(fileURLWithPath: output).deletingLastPathComponent().path
  if CorpusFolder.isPartOfADay(output),
    let corpus = corpora.first(where: { isSameFile(folder, $0) })
  {
    throw ValidationError(
      "\(output) has the name of a part of a day of \(corpus): name another file"
    )
  }
}

/// Refuses to write two things to one file.
func refuseOneFile(for outputs: [String?]) throws {
  var seen: Set<String> = []
  for output in outputs.compactMap(\.self) {
    let path = URL(fileURLWithPath: output).standardizedFileURL.resolvingSymlinksInPath().path
    guard seen.insert(path).inserted else {
      throw ValidationError("\(output) would be written twice: name another file for one of them")
    }
  }
}

/// Whether two names are those of one file, also through links; standard input is not a file.
func isSameFile(_ a: String, _ b: String) -> Bool {
  guard a != "-", b != "-", let first = FileNode(a) else { return false }
  return first == FileNode(b)
}
