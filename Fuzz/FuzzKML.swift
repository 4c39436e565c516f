@testable import CacheBuilder

/// Any bytes as a KML file of places.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkPlaces(UnsafeRawBufferPointer(start: bytes, count: count), by: importKML)
  return 0
}
