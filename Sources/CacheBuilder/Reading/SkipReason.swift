/// Why a row that names a place gives none, or not all that it says.
enum SkipReason: String {
  case noID = "no id that can be read"
  case longID = "an id longer than 4,096 letters"
  case sameID = "the id of another place above, which it replaces"
  case zeroCoordinates = "the coordinates are 0,0"
  case notOnEarth = "the coordinates are not on the earth"
  case noNodes = "none of its nodes is in the file"
  case noWays = "none of its member ways is in the file"
  case notAnArea = "a relation that is no multipolygon or boundary"
  case notUTF8 = "not UTF-8"
  case windowsText = "not UTF-8, read as Windows-1252"
  case notJSON = "not JSON"
  case notAFeature = "not a feature"
  case noFeatureList = "a collection without a list of features"
  case noGeometry = "no geometry that can be read"
  case foreignSystem = "a shape in another system of coordinates than degrees on WGS 84"
  case severalPoints = "a shape of several points, of which none is the place"
  case tooWide = "an outline that reaches farther than 1,000 km"
  case noCoordinates = "no latitude and longitude that can be read"
  case noCategory = "no category"
  case unknownCategory = "an unknown category"
  case oneUnknownCategory = "an unknown category, beside one that is known"
  case wrongColumns = "the number of fields is not that of the header"
  case tooManyValues = "more than 600,000 values"
  case tooLong = "longer than 4 MiB"
  case unterminated = "ends in the middle"

  /// Whether the row has no category, or one that is not known.
  var isOfCategories: Bool {
    self == .noCategory || self == .unknownCategory || self == .oneUnknownCategory
  }

  /// Whether the row gave a place all the same.
  var isTaken: Bool { self == .windowsText || self == .oneUnknownCategory }
}
