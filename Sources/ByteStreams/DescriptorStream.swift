#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The bytes of a descriptor as they come, unpacked if they are gzip, bzip2 or in a zip archive: for feeds
/// that need not end.
///
/// Nothing is waited for but what tells how they are packed: what the other end has written is handed over at
/// once, up to what gzip and bzip2 themselves hold back. A zip archive is kept in a temporary file of at most
/// 1 GiB, as its list of files is at its end.
///
/// - Complexity: 192 KiB of memory, and what unpacking takes.
package final class DescriptorStream: UnpackedBytes {
  /// What errors call it.
  package private(set) var path: String
  private let select: (_ names: [String]) -> [String]
  private var window: ByteWindow
  private var text: ByteWindow?
  /// What the next read will meet.
  private var damage: ByteStreamError?
  /// Whether the last read filled its buffer, so that what unpacks may have more.
  private var hasFilled = false

  /// Makes a stream; the caller keeps the descriptor open.
  ///
  /// - Parameters:
  ///   - name: what errors call it.
  ///   - select: the names of those files of an archive that could be meant.
  package init(
    _ descriptor: Int32,
    name: String,
    selecting select: @escaping (_ names: [String]) -> [String] = { $0 }
  ) {
    path = name
    self.select = select
    window = ByteWindow(DescriptorLayer(descriptor, name))
  }

  /// It comes once.
  package var isRegularFile: Bool { false }

  /// Waits for the next bytes; 0 at the end only.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    let text = try unpacked()
    if text.bytes.isEmpty, let damage { throw damage }
    let count = try text.read(into: buffer)
    hasFilled = count == buffer.count
    return count
  }

  /// Whether bytes may be at hand without any that the other end has still to write.
  package var mayHoldMore: Bool {
    hasFilled || !window.bytes.isEmpty || !(text?.bytes.isEmpty ?? true)
  }

  /// Waits until more bytes are in sight than so many, or no more can be; they stay to be read.
  ///
  /// - Precondition: `count` is less than 64 KiB.
  /// - Returns: the bytes in sight, until the next call of anything, and whether that is all.
  package func look(beyond count: Int) -> (bytes: UnsafeRawBufferPointer, isAll: Bool) {
    precondition(count < 1 << 16, "no more than a window is in sight")
    do {
      let text = try unpacked()
      if damage == nil { try text.require(count + 1) }
    } catch {
      damage = error
    }
    guard let text else { return (UnsafeRawBufferPointer(start: nil, count: 0), true) }
    return (text.bytes, damage != nil || text.isAtEnd)
  }

  private func unpacked() throws(ByteStreamError) -> ByteWindow {
    if let text { return text }
    if let damage { throw damage }
    try window.require(2)
    if window.bytes.starts(with: "PK".utf8) {
      try window.require(4)
      if ZipArchive.starts(window.bytes) { try open(StoredBytes(spooling: window)) }
    }
    if window.bytes.starts(with: "BZ".utf8) { try window.require(4) }
    let text =
      if Inflater.starts(window.bytes) {
        ByteWindow(try Inflater(window, .gzip))
      } else if Bzip2Unpacker.starts(window.bytes) {
        ByteWindow(Bzip2Unpacker(window))
      } else {
        window
      }
    self.text = text
    return text
  }

  private func open(_ stored: StoredBytes) throws(ByteStreamError) {
    let member = try ZipArchive(stored).choose(path: path, by: select)
    path += "/\(member.name)"
    window = ByteWindow(try ZipArchive.open(member, of: stored))
    try window.require(4)
  }
}

/// What a descriptor gives, also one that does not block.
private final class DescriptorLayer: ByteLayer {
  let path: String
  private(set) var fileOffset: Int64 = 0
  private let descriptor: Int32

  init(_ descriptor: Int32, _ path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    while true {
      switch readSome(descriptor, into: buffer) {
      case .success(let count):
        fileOffset += Int64(count)
        return count
      case .failure(let failure) where failure.number == EAGAIN:
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&wait, 1, -1)
      case .failure(let failure):
        throw ByteStreamError(
          .unreadable,
          path: path,
          "cannot be read: \(String(cString: strerror(failure.number)))",
          advice: "check what feeds it"
        )
      }
    }
  }
}
