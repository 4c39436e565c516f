import CZlib

/// The files in a zip archive, from the list at its end.
///
/// - Complexity: O(1) memory but for the list, which may have 16 MiB.
/// - Source: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", 4.3 and 4.5.3 (zip64).
struct ZipArchive {
  /// One file in it.
  struct Member {
    let name: String
    let method: Int
    let isEncrypted: Bool
    /// CRC-32 of its bytes when they are unpacked; 0 where the archive does not say it.
    let checksum: UInt32
    let packedSize: Int64
    let headerOffset: Int64
  }

  private static let longestList = 16 << 20

  /// The files in the order of the list, folders aside.
  let members: [Member]

  /// Whether data starts like an archive.
  static func starts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 4 && bytes[0] == 0x50 && bytes[1] == 0x4B
      && (bytes[2] == 3 && bytes[3] == 4 || bytes[2] == 5 && bytes[3] == 6)
  }

  init(_ file: StoredBytes) throws(ByteStreamError) {
    func damaged(_ what: String) -> ByteStreamError {
      ByteStreamError(
        .damaged,
        path: file.path,
        byteOffset: file.byteCount,
        "the zip archive is damaged: \(what)",
        advice: "copy or download the file again"
      )
    }
    let tailSize = min(file.byteCount, 22 + 0xFFFF)
    let tailStart = file.byteCount - tailSize
    let tail = try Bytes(file, at: tailStart, count: Int(tailSize))
    guard
      let end = stride(from: tail.count - 22, through: 0, by: -1)
        .first(where: { tail.number($0, 4) == 0x0605_4B50 })
    else { throw damaged("the list of its files is missing") }
    var listSize = tail.number(end + 12, 4)
    var listOffset = tail.number(end + 16, 4)
    if end >= 20, tail.number(end - 20, 4) == 0x0706_4B50 {
      let offset = tail.number(end - 12, 8)
      guard offset >= 0, offset <= file.byteCount - 56 else { throw damaged("its end is wrong") }
      let wide = try Bytes(file, at: offset, count: 56)
      guard wide.number(0, 4) == 0x0606_4B50 else { throw damaged("its end is wrong") }
      listSize = wide.number(40, 8)
      listOffset = wide.number(48, 8)
    }
    guard listSize >= 0, listOffset >= 0, listSize <= file.byteCount,
      listOffset <= file.byteCount - listSize
    else { throw damaged("the list of its files is not in it") }
    guard listSize <= Int64(ZipArchive.longestList) else {
      throw ByteStreamError(
        .unsupported,
        path: file.path,
        "the list of the files in the archive is longer than \(ZipArchive.longestList) bytes",
        advice: "unpack it first"
      )
    }
    let list = try Bytes(file, at: listOffset, count: Int(listSize))
    var members: [Member] = []
    var position = 0
    while position + 46 <= list.count, list.number(position, 4) == 0x0201_4B50 {
      let nameSize = Int(list.number(position + 28, 2))
      let extraSize = Int(list.number(position + 30, 2))
      let commentSize = Int(list.number(position + 32, 2))
      let next = position + 46 + nameSize + extraSize + commentSize
      guard next <= list.count else { throw damaged("the list of its files is cut short") }
      var packedSize = list.number(position + 20, 4)
      var headerOffset = list.number(position + 42, 4)
      var extra = position + 46 + nameSize
      let extraEnd = extra + extraSize
      while extra + 4 <= extraEnd {
        let size = Int(list.number(extra + 2, 2))
        if list.number(extra, 2) == 1 {
          // In this order, and each only where the short field is full.
          var field = extra + 4
          let fieldsEnd = min(extraEnd, field + size)
          if list.number(position + 24, 4) == 0xFFFF_FFFF { field += 8 }
          if packedSize == 0xFFFF_FFFF, field + 8 <= fieldsEnd {
            packedSize = list.number(field, 8)
            field += 8
          }
          if headerOffset == 0xFFFF_FFFF, field + 8 <= fieldsEnd {
            headerOffset = list.number(field, 8)
          }
        }
        extra += 4 + size
      }
      let name = list.text(position + 46, nameSize)
      if !name.hasSuffix("/") {
        members.append(
          Member(
            name: name,
            method: Int(list.number(position + 10, 2)),
            isEncrypted: list.number(position + 8, 2) & 1 != 0,
            checksum: UInt32(list.number(position + 16, 4)),
            packedSize: packedSize,
            headerOffset: headerOffset
          )
        )
      }
      position = next
    }
    self.members = members
  }

  /// The file in it that is meant.
  ///
  /// - Parameters:
  ///   - path: the archive's, for errors.
  ///   - wanted: its name, if the caller gave one.
  ///   - select: the names of those that could be meant.
  /// - Throws: ``ByteStreamError`` if not exactly one is meant.
  func choose(
    path: String,
    named wanted: String? = nil,
    by select: (_ names: [String]) -> [String]
  ) throws(ByteStreamError) -> ZipArchive.Member {
    let names = members.map(\.name)
    let candidates = wanted.map { [$0] } ?? select(names)
    guard candidates.count <= 1 else {
      let shown = candidates.prefix(8).joined(separator: ", ")
      throw ByteStreamError(
        .ambiguous,
        path: path,
        "the archive holds \(candidates.count) files that could be meant: \(shown)"
          + (candidates.count > 8 ? " …" : ""),
        advice: path == "-"
          ? "save it as a file and name one of them, as archive.zip/\(candidates[0])"
          : "name one of them, as \(path)/\(candidates[0])"
      )
    }
    guard let member = members.first(where: { $0.name == candidates.first }) else {
      throw ByteStreamError(
        // A name that is wrong is a file that is missing; an archive of other things is bad input.
        wanted == nil ? .ambiguous : .missing,
        path: path,
        wanted.map { "there is no \($0) in the archive" }
          ?? "the archive holds nothing that can be read here",
        advice: names.isEmpty
          ? "it is empty" : "it holds \(names.prefix(8).joined(separator: ", "))"
      )
    }
    return member
  }

  /// The packed bytes of a file, and how they are packed.
  static func open(
    _ member: Member,
    of file: StoredBytes
  ) throws(ByteStreamError) -> any ByteLayer {
    let name = "\(file.path)/\(member.name)"
    func failure(
      _ code: ByteStreamError.Code,
      _ problem: String,
      _ advice: String
    ) -> ByteStreamError {
      ByteStreamError(
        code,
        path: name,
        byteOffset: member.headerOffset,
        problem,
        advice: advice
      )
    }
    guard !member.isEncrypted else {
      throw failure(.unsupported, "it is encrypted", "unpack it with its password first")
    }
    guard member.method == 0 || member.method == 8 else {
      throw failure(.unsupported, "it is packed by method \(member.method)", "unpack it first")
    }
    guard member.headerOffset >= 0, member.headerOffset <= file.byteCount - 30 else {
      throw failure(.damaged, "its place in the archive is wrong", "copy the archive again")
    }
    let header = try Bytes(file, at: member.headerOffset, count: 30)
    guard header.number(0, 4) == 0x0403_4B50 else {
      throw failure(.damaged, "its place in the archive is wrong", "copy the archive again")
    }
    let start = member.headerOffset + 30 + header.number(26, 2) + header.number(28, 2)
    guard member.packedSize >= 0, member.packedSize <= file.byteCount,
      start <= file.byteCount - member.packedSize
    else { throw failure(.truncated, "the archive ends in the middle", "copy the archive again") }
    let packed = ByteRange(file, name, start..<(start + member.packedSize))
    let bytes: any ByteLayer = member.method == 0 ? packed : try Inflater(ByteWindow(packed), .bare)
    return member.checksum == 0 ? bytes : ChecksummedBytes(bytes, expected: member.checksum)
  }
}

/// A part of a file.
private final class ByteRange: ByteLayer {
  let path: String
  private let file: StoredBytes
  private var rest: Range<Int64>

  init(_ file: StoredBytes, _ path: String, _ range: Range<Int64>) {
    self.file = file
    self.path = path
    rest = range
  }

  var fileOffset: Int64 { rest.lowerBound }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    let count = min(buffer.count, Int(clamping: rest.count))
    if count == 0 { return 0 }
    try file.readExactly(
      UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]),
      at: rest.lowerBound
    )
    rest = (rest.lowerBound + Int64(count))..<rest.upperBound
    return count
  }
}

/// Bytes whose checksum is compared where they end: deflate alone takes most changed bytes for others.
private final class ChecksummedBytes: ByteLayer {
  private let bytes: any ByteLayer
  private let expected: UInt32
  private var checksum: UInt = 0

  init(_ bytes: any ByteLayer, expected: UInt32) {
    self.bytes = bytes
    self.expected = expected
  }

  var path: String { bytes.path }
  var fileOffset: Int64 { bytes.fileOffset }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    let count = try bytes.read(into: buffer)
    guard count > 0 else {
      if UInt32(truncatingIfNeeded: checksum) != expected {
        throw ByteStreamError(
          .damaged,
          path: path,
          byteOffset: fileOffset,
          "the file in the archive is damaged: its checksum is another one",
          advice: "copy or download the archive again"
        )
      }
      return 0
    }
    checksum = crc32_z(checksum, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
    return count
  }
}

/// A few bytes of a file as little-endian numbers.
private struct Bytes {
  private let bytes: [UInt8]

  init(_ file: StoredBytes, at offset: Int64, count: Int) throws(ByteStreamError) {
    var bytes = [UInt8](repeating: 0, count: count)
    // `withUnsafeMutableBytes` would lose the type of the error.
    let result = bytes.withUnsafeMutableBytes { buffer -> Result<Void, ByteStreamError> in
      do throws(ByteStreamError) {
        return .success(try file.readExactly(buffer, at: offset))
      } catch { return .failure(error) }
    }
    try result.get()
    self.bytes = bytes
  }

  var count: Int { bytes.count }

  func number(_ offset: Int, _ size: Int) -> Int64 {
    var value: UInt64 = 0
    for index in 0..<size { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    return Int64(bitPattern: value)
  }

  func text(_ offset: Int, _ size: Int) -> String {
    String(decoding: bytes[offset..<(offset + size)], as: UTF8.self)
  }
}
