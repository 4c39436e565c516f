import Basics
import Scoring

/// One number of a policy that is tried with several values.
package struct Knob: Hashable, Sendable {
  /// The values that a knob can have.
  package enum Domain: Hashable, Sendable {
    /// So many, in order, as a policy file writes them.
    case values([String])
    /// All numbers between two, written with a unit behind them.
    case range(ClosedRange<Double>, isLogarithmic: Bool, unit: String)
  }

  /// The key of a policy file, with its group: `persistence.arrival`.
  package let name: String
  /// The values.
  package let domain: Domain

  /// Makes a knob.
  package init(name: String, domain: Domain) {
    if case .values(let values) = domain {
      precondition(!values.isEmpty, "a knob has at least one value")
    }
    self.name = name
    self.domain = domain
  }

  /// How many values there are; nil for a range.
  package var count: Int? {
    if case .values(let values) = domain { values.count } else { nil }
  }

  /// Draws a value.
  func draw(_ random: inout SplitMix64) -> String {
    switch domain {
    case .values(let values): return values[random.index(below: values.count)]
    case .range(let range, let isLogarithmic, let unit):
      let share = random.unit()
      guard isLogarithmic else {
        let value = range.lowerBound + share * (range.upperBound - range.lowerBound)
        return Self.text(value, in: range, unit)
      }
      let value = Self.between(range, share)
      return Self.text(value, in: range, unit, asPreciseAs: value)
    }
  }

  /// The number that lies a share of the way through a range of factors.
  private static func between(_ range: ClosedRange<Double>, _ share: Double) -> Double {
    // Without a logarithm at hand: halves of the range of factors, bit by bit.
    var (low, high) = (range.lowerBound, range.upperBound)
    var rest = share
    for _ in 0..<40 {
      let middle = (low * high).squareRoot()
      rest *= 2
      if rest >= 1 {
        rest -= 1
        low = middle
      } else {
        high = middle
      }
    }
    return (low * high).squareRoot()
  }

  /// The values beside one that is in use: the next smaller, then the next larger.
  ///
  /// Within a range that is a tenth of it to each side, of its factors where these are even.
  func neighbors(of value: String) -> [String] {
    switch domain {
    case .values(let values):
      guard let i = values.firstIndex(of: value) else { return [] }
      return [i - 1, i + 1].filter(values.indices.contains).map { values[$0] }
    case .range(let range, let isLogarithmic, let unit):
      guard let number = Double(value.dropLast(unit.count)) else { return [] }
      if isLogarithmic {
        let factor = Self.between(range, 0.1) / range.lowerBound
        return [number / factor, number * factor]
          .map { min(max($0, range.lowerBound), range.upperBound) }
          .map { Self.text($0, in: range, unit, asPreciseAs: $0) }
          .filter { $0 != value }
      }
      let step = (range.upperBound - range.lowerBound) / 10
      return [number - step, number + step]
        .map { Self.text(min(max($0, range.lowerBound), range.upperBound), in: range, unit) }
        .filter { $0 != value }
    }
  }

  /// A number with four digits of the range's width, or of another size, and its unit.
  private static func text(
    _ value: Double,
    in range: ClosedRange<Double>,
    _ unit: String,
    asPreciseAs size: Double? = nil
  ) -> String {
    var scale = 1.0
    while (size ?? (range.upperBound - range.lowerBound)) * scale < 1_000 { scale *= 10 }
    let rounded = (value * scale).rounded() / scale
    let held = min(max(rounded, range.lowerBound), range.upperBound)
    return (held == held.rounded() && held.magnitude < 1e15 ? String(Int64(held)) : "\(held)")
      + unit
  }
}

/// A policy as the values of its knobs; everything else is as in the policy that one starts from.
package struct Candidate: Hashable, Sendable {
  /// The values by knob, in the order of the space; none for the policy that one starts from.
  package let values: [Setting]

  /// A key with its value.
  package struct Setting: Hashable, Sendable, Codable {
    /// The key of a policy file, with its group.
    package let name: String
    /// The value, as a policy file writes it.
    package let value: String

    /// Makes a setting.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The policy that one starts from.
  package static let base = Candidate([])

  /// Makes a candidate.
  package init(_ values: [Setting]) { self.values = values }

  /// For people, and as a key: `arrival.threshold=0.3 persistence.arrival=60s`.
  package var text: String {
    values.isEmpty ? "today" : values.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
  }

  /// The same with another value for one knob.
  func with(_ name: String, _ value: String) -> Candidate {
    Candidate(values.map { $0.name == name ? Setting(name: name, value: value) : $0 })
  }

  /// The value of a knob; nil if it is as in the policy that one starts from.
  package subscript(name: String) -> String? { values.first { $0.name == name }?.value }
}

/// Which policies may be tried.
package struct PolicySpace: Hashable, Sendable {
  /// What varies, in the order of a policy file; a knob of one value is fixed.
  package let knobs: [Knob]

  /// Makes a space.
  package init(_ knobs: [Knob]) { self.knobs = knobs }

  /// How many policies there are; nil if a knob has a range, or they cannot be counted.
  package var count: Int? {
    var product = 1
    for knob in knobs {
      guard let count = knob.count else { return nil }
      let (next, overflow) = product.multipliedReportingOverflow(by: count)
      if overflow { return nil }
      product = next
    }
    return product
  }

  /// All policies, the last knob turning fastest; only for a space that can be counted.
  package func grid() -> [Candidate] {
    var candidates = [Candidate([])]
    for knob in knobs {
      guard case .values(let values) = knob.domain else {
        preconditionFailure("a range has no grid: ask for count first")
      }
      candidates = candidates.flatMap { candidate in
        values.map { Candidate(candidate.values + [.init(name: knob.name, value: $0)]) }
      }
    }
    return candidates
  }

  /// Draws policies, each once; all of them where there are not so many.
  ///
  /// Each is drawn from the seed and its own number alone.
  package func draws(_ wanted: Int, seed: UInt64) -> [Candidate] {
    if let count, count <= wanted { return grid() }
    var candidates: [Candidate] = []
    var seen: Set<Candidate> = []
    // A space whose ranges round to few values gives up after a while.
    for number in 0..<UInt64(wanted) * 20 where candidates.count < wanted {
      var random = SplitMix64(seed: seed &+ number &* 0x9E37_79B9)
      // Neighboring states give unlike numbers only after the first.
      _ = random.next()
      let candidate = Candidate(
        knobs.map { Candidate.Setting(name: $0.name, value: $0.draw(&random)) }
      )
      if seen.insert(candidate).inserted { candidates.append(candidate) }
    }
    return candidates
  }
}
