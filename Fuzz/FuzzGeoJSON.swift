@testable import CacheBuilder

/// Any bytes as a GeoJSON file.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkPlaces(UnsafeRawBufferPointer(start: bytes, count: count), by: importGeoJSON)
  return 0
}
