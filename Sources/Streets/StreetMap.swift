import Geodesy

/// What a street is for, and how fast people drive on it.
package enum StreetKind: Int, Hashable, Sendable, CaseIterable {
  case motorway
  case trunk
  case primary
  case secondary
  case tertiary
  case residential
  case service
  /// For feet and bicycles.
  case path

  /// The speed that cars keep where nothing is in their way, in m/s.
  ///
  /// - Source: free-flow speeds in towns, 100, 70, 50, 45, 40, 32 and 18 km/h.
  package var drivenMetersPerSecond: Double {
    switch self {
    case .motorway: 27.8
    case .trunk: 19.4
    case .primary: 13.9
    case .secondary: 12.5
    case .tertiary: 11.1
    case .residential: 8.9
    case .service: 5
    case .path: 0
    }
  }

  func carries(_ mode: TravelMode) -> Bool {
    switch mode {
    case .car: self != .path
    case .foot, .bike: self != .motorway && self != .trunk
    }
  }
}

/// How a person moves.
package enum TravelMode: String, Hashable, Sendable, CaseIterable {
  case car
  case foot
  case bike
}

/// A street as a map has it.
package struct StreetLine: Sendable {
  /// The places along it, in order; streets that share one are joined there.
  package var nodes: [Int64]
  /// What it is for.
  package var kind: StreetKind
  /// Whether no satellite is seen on it.
  package var isTunnel: Bool

  /// Makes a street.
  package init(nodes: [Int64], kind: StreetKind, isTunnel: Bool = false) {
    self.nodes = nodes
    self.kind = kind
    self.isTunnel = isTunnel
  }
}

/// The streets of a map.
package struct StreetMap: Sendable {
  /// The streets, in the order of the map.
  package var lines: [StreetLine]
  /// Where their nodes are, in ascending order of id.
  package var nodes: [(id: Int64, coordinate: Coordinate)]
  /// Nodes with a traffic light, ascending.
  package var signals: [Int64]

  /// Makes a map.
  package init(
    lines: [StreetLine],
    nodes: [(id: Int64, coordinate: Coordinate)],
    signals: [Int64] = []
  ) {
    self.lines = lines
    self.nodes = nodes
    self.signals = signals
  }
}
