import Basics
import CExpat

/// Tells expat how to read an encoding of one byte a character that has ASCII in its lower half.
///
/// Letters of Windows-1252 come out as they are, those of the others as replacement characters;
/// nothing that becomes a fix lies outside ASCII.
///
/// - Returns: what expat's handler returns, 1 for an encoding that is known.
func describeSingleByteEncoding(_ name: String, _ encoding: inout XML_Encoding) -> Int32 {
  let families = ["windows-125", "cp125", "iso-8859-", "iso8859-", "koi8-", "macintosh", "x-mac-"]
  let lowercased = name.lowercased()
  guard families.contains(where: { lowercased.hasPrefix($0) }) else { return 0 }
  let isWestern = lowercased == "windows-1252" || lowercased == "cp1252"
  withUnsafeMutableBytes(of: &encoding.map) { bytes in
    let map = bytes.bindMemory(to: Int32.self)
    for byte in 0..<map.count {
      let letter = isWestern ? PlainText.windows1252(UInt8(truncatingIfNeeded: byte)).value : 0xFFFD
      map[byte] = byte < 0x80 ? Int32(byte) : Int32(letter)
    }
  }
  encoding.data = nil
  encoding.convert = nil
  encoding.release = nil
  return 1
}
