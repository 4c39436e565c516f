@testable import CacheBuilder

/// Any bytes as a GeoPackage.
///
/// The seeds have pages of 512 bytes, so that a mutation meets what matters.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkPlaces(UnsafeRawBufferPointer(start: bytes, count: count), by: importGeoPackage)
  return 0
}
