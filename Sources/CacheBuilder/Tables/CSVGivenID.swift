/// The columns of a table in which the id of a place may stand, found once for all rows.
struct CSVIDColumns {
  private let places: [Int?]
  /// Whether there is at most a column `id`, in which only a `/` can make an element of OpenStreetMap.
  let isPlain: Bool

  /// - Parameter column: the column of a key; nil where there is none.
  init(_ column: (String) -> Int?) {
    places = IDKey.allCases.map { column($0.name) }
    isPlain = zip(IDKey.allCases, places).allSatisfy { $0 == .id || $1 == nil }
  }

  subscript(key: IDKey) -> Int? { places[key.rawValue] }
}

/// What a row calls its place.
struct CSVGivenID: GivenID {
  let columns: CSVIDColumns
  let row: CSVRow
  let shape: String?
  var featureID: String? { nil }

  func value(_ key: IDKey) -> String? { columns[key].flatMap { cleaned(row[$0]) } }
  func hasKey(_ key: IDKey) -> Bool { columns[key] != nil }
}
