import Foundation

/// A file without a name for what does not fit into memory: it is gone with the process, however that ends.
final class SpoolFile {
  private let descriptor: Int32
  private let folder: String
  private(set) var byteCount = 0

  /// Makes a file in a folder, and takes its name away.
  ///
  /// - Throws: ``ImportError`` if the folder cannot be written to.
  init(in folder: String) throws(ImportError) {
    self.folder = folder
    var name = Array("\(folder)/.nearme-spool-XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw Self.failure(folder) }
    unlink(name)
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  ///
  /// - Returns: where they stand.
  func append(_ bytes: [UInt8]) throws(ImportError) -> Range<Int> {
    let start = byteCount
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes {
        pwrite(
          descriptor,
          UnsafeRawBufferPointer(rebasing: $0[done...]).baseAddress,
          bytes.count - done,
          off_t(start + done)
        )
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw Self.failure(folder) }
      done += written
    }
    byteCount = start + done
    return start..<byteCount
  }

  /// Reads bytes that were appended.
  func read(_ range: Range<Int>) throws(ImportError) -> [UInt8] {
    var done = 0
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      while done < range.count {
        let read = pread(
          descriptor,
          UnsafeMutableBufferPointer(rebasing: buffer[done...]).baseAddress,
          range.count - done,
          off_t(range.lowerBound + done)
        )
        if read < 0, errno == EINTR { continue }
        guard read > 0 else {
          failed = true
          break
        }
        done += read
      }
      count = done
    }
    guard !failed else { throw Self.failure(folder) }
    return bytes
  }

  private static func failure(_ folder: String) -> ImportError {
    ImportError(
      .inputOutput,
      path: folder,
      "\(String(cString: strerror(errno))); check the disk's space and the folder's permissions"
    )
  }
}

/// Numbers and texts as bytes, for a spool that only the same process reads.
struct SpoolWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func add(signed number: Int64) {
    add(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  mutating func add(bits number: Double) {
    withUnsafeBytes(of: number.bitPattern) { bytes.append(contentsOf: $0) }
  }

  /// A text, or that there is none.
  mutating func add(_ text: String?) {
    guard var text else { return add(0) }
    text.withUTF8 {
      add(UInt64($0.count + 1))
      bytes.append(contentsOf: $0)
    }
  }

  /// Ids by their differences, which are small along an outline.
  mutating func add(_ ids: [Int64]) {
    add(UInt64(ids.count))
    var before: Int64 = 0
    for id in ids {
      add(signed: id &- before)
      before = id
    }
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

/// Reads what a ``SpoolWriter`` of this process has written.
struct SpoolReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func number() -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
  }

  mutating func signedNumber() -> Int64 {
    let value = number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func bits() -> Double {
    defer { position += 8 }
    return Double(
      bitPattern: bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      }
    )
  }

  mutating func text() -> String? {
    let count = Int(number())
    guard count > 0 else { return nil }
    defer { position += count - 1 }
    return String(decoding: bytes[position..<position + count - 1], as: UTF8.self)
  }

  mutating func ids() -> [Int64] {
    let count = Int(number())
    var before: Int64 = 0
    return (0..<count)
      .map { _ in
        before = before &+ signedNumber()
        return before
      }
  }
}
