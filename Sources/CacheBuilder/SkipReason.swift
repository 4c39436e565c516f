/// Why a row that names a place gives none.
enum SkipReason: String {
  case zeroCoordinates = "the coordinates are 0,0"
  case notOnEarth = "the coordinates are not on the earth"
  case noNodes = "none of its nodes is in the file"
  case noWays = "none of its member ways is in the file"
  case notAnArea = "a relation that is no multipolygon or boundary"
  case notUTF8 = "not UTF-8"
  case notJSON = "not JSON"
  case notAFeature = "not a feature"
  case noGeometry = "no geometry that can be read"
  case noCoordinates = "no latitude and longitude that can be read"
  case noCategory = "no category"
  case unknownCategory = "an unknown category"
  case wrongColumns = "the number of fields is not that of the header"
  case tooManyValues = "more than 600,000 values"
  case tooLong = "longer than 4 MiB"
  case unterminated = "ends in the middle"
}
