@testable import CacheBuilder

/// What stands before a block that is fuzzed by itself: the file's header, and the block's own up to
/// its length.
private func fileStart(blockBytes count: Int) -> [UInt8] {
  let name = Array("OSMHeader".utf8)
  var start: [UInt8] = [0, 0, 0, 13, 0x0A, UInt8(name.count)] + name + [0x18, 2, 0x0A, 0]
  let length = varint(count)
  let body = [0x0A] + length
  let header = [0x0A, 7] + Array("OSMData".utf8) + [0x18] + varint(body.count + count)
  start += [0, 0, 0, UInt8(header.count)] + header + body
  return start
}

private func varint(_ number: Int) -> [UInt8] {
  var (rest, bytes) = (number, [UInt8]())
  while rest >= 0x80 {
    bytes.append(UInt8(rest & 0x7F) | 0x80)
    rest >>= 7
  }
  return bytes + [UInt8(rest)]
}

/// Any bytes as a PBF file; where the first is `B`, the others as the one block of a file, so that
/// lengths around it need not be guessed.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let file = UnsafeRawBufferPointer(start: bytes, count: count)
  guard file.first == UInt8(ascii: "B") else {
    checkPlaces(file, by: importPBF)
    return 0
  }
  let block = UnsafeRawBufferPointer(rebasing: file.dropFirst())
  fileStart(blockBytes: block.count)
    .withUnsafeBytes { checkPlaces($0, block, by: importPBF) }
  return 0
}
