/// Why no days can be lived on a map.
package enum SimulationFault: Error, Equatable, CustomStringConvertible {
  /// There are not enough streets for cars.
  case noStreets
  /// None of the categories has a point beside a street.
  case noPlaces

  /// What is wrong and what to do.
  package var description: String {
    switch self {
    case .noStreets:
      "the map has no connected streets for cars: take an extract of a whole town, with all its "
        + "`highway` ways"
    case .noPlaces:
      "the map has no place of any category near its streets: take a larger extract, or other "
        + "categories"
    }
  }
}
