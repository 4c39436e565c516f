import Geodesy
import Places

@testable import CacheBuilder

private let file = InputFile()
private let knownCategories = Set(CategoryRules.standard.categories.map(\.id))

/// Reads bytes as a file of one format, and checks whatever the reader accepts.
///
/// A reader may refuse any input with its own error; it must not crash, and what it accepts must be
/// fit for a cache.
func checkPlaces(
  _ parts: UnsafeRawBufferPointer...,
  by read: (ImportJob) throws(ImportError) -> ImportResult
) {
  // Variadic arguments cannot be passed on.
  switch parts.count {
  case 1: file.fill(parts[0])
  default: file.fill(parts[0], parts[1])
  }
  let job = ImportJob(path: file.path, rules: .standard, threadCount: 2, isInterrupted: { false })
  do throws(ImportError) {
    // Recognizing must not crash either, whatever it finds.
    _ = try? InputFormat.recognize(path: file.path)
    let result = try read(job)
    for place in result.places { check(place) }
    precondition(Set(result.places.map(\.sourceID)).count == result.places.count, "an id twice")
  } catch {
    precondition(!error.description.isEmpty, "an error without a sentence")
  }
}

private func check(_ place: PointOfInterest) {
  let (latitude, longitude) = (place.coordinate.latitude, place.coordinate.longitude)
  precondition((-90.0...90.0).contains(latitude), "latitude \(latitude)")
  precondition((-180.0...180.0).contains(longitude), "longitude \(longitude)")
  precondition(latitude != 0 || longitude != 0, "0,0 is no place")
  precondition(!place.sourceID.isEmpty, "a place without an id")
  precondition(
    !place.categories.isEmpty && knownCategories.isSuperset(of: place.categories),
    "categories \(place.categories)"
  )
  precondition(
    place.footprintRadiusMeters >= 0 && place.footprintRadiusMeters <= WGS84.halfMeridianMeters,
    "footprint \(place.footprintRadiusMeters)"
  )
  for text in [place.name, place.brand] {
    guard let text else { continue }
    precondition(!text.isEmpty && text.unicodeScalars.count <= 255, "a text of no use")
  }
}
