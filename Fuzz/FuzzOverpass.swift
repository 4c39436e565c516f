@testable import CacheBuilder

/// Any bytes as an answer of Overpass.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkPlaces(UnsafeRawBufferPointer(start: bytes, count: count), by: importOverpass)
  return 0
}
