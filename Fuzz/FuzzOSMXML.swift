@testable import CacheBuilder

/// Any bytes as an OSM XML file.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkPlaces(UnsafeRawBufferPointer(start: bytes, count: count), by: importOSMXML)
  return 0
}
