import Basics
import CExpat

#if canImport(Glibc)
import Glibc
#endif

/// Tells expat how to read an encoding of one byte a character that has ASCII in its lower half.
///
/// A byte that has no meaning there comes out as a replacement character, as do all letters where the system does not
/// know the encoding; nothing that becomes a fix lies outside ASCII.
///
/// - Returns: what expat's handler returns, 1 for an encoding that is known.
func describeSingleByteEncoding(_ name: String, _ encoding: inout XML_Encoding) -> Int32 {
  let families = ["windows-125", "cp125", "iso-8859-", "iso8859-", "koi8-", "macintosh", "x-mac-"]
  let lowercased = name.lowercased()
  guard families.contains(where: { lowercased.hasPrefix($0) }) else { return 0 }
  let isWestern = lowercased == "windows-1252" || lowercased == "cp1252"
  let letters =
    isWestern ? (0x80...0xFF).map { PlainText.windows1252($0).value } : upperHalf(of: lowercased)
  withUnsafeMutableBytes(of: &encoding.map) { bytes in
    let map = bytes.bindMemory(to: Int32.self)
    for byte in 0..<map.count {
      map[byte] = byte < 0x80 ? Int32(byte) : Int32(letters[byte - 0x80])
    }
  }
  encoding.data = nil
  encoding.convert = nil
  encoding.release = nil
  return 1
}

/// The characters of the bytes from 0x80 on.
private func upperHalf(of name: String) -> [UInt32] {
  var letters = [UInt32](repeating: 0xFFFD, count: 0x80)
  #if canImport(Glibc)
  // What stands behind a slash would be an order to the converter.
  guard name.utf8.allSatisfy({ $0 != UInt8(ascii: "/") }) else { return letters }
  let system = name.hasPrefix("x-mac-") ? String(name.dropFirst(2)) : name
  guard let converter = iconv_open("UCS-4LE", system),
    converter != UnsafeMutableRawPointer(bitPattern: -1)
  else { return letters }
  defer { iconv_close(converter) }
  for index in letters.indices {
    var byte = CChar(bitPattern: UInt8(index + 0x80))
    var character: UInt32 = 0
    let isWhole = withUnsafeMutableBytes(of: &character) { output in
      withUnsafeMutablePointer(to: &byte) { byte in
        var input: UnsafeMutablePointer<CChar>? = byte
        var next = output.bindMemory(to: CChar.self).baseAddress
        var (inputLeft, room) = (1, output.count)
        _ = iconv(converter, nil, nil, nil, nil)
        // The second call lets go of a letter that waits for an accent.
        return iconv(converter, &input, &inputLeft, &next, &room) == 0
          && iconv(converter, nil, nil, &next, &room) == 0 && room == 0
      }
    }
    let value = UInt32(littleEndian: character)
    // Expat takes no second byte for a character of ASCII, and none beyond 16 bits.
    if isWhole, (0x80...0xFFFD).contains(value), Unicode.Scalar(value) != nil {
      letters[index] = value
    }
  }
  #endif
  return letters
}
