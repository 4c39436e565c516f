extension Tally {
  /// The tally as a short text without white space, from which it can be read again to the bit.
  package var text: String {
    var counted: [String] = []
    for count in Count.allCases where self[count] != 0 {
      counted.append("\(count.rawValue)=\(Self.shortest(self[count]))")
    }
    var collected: [String] = []
    for sample in Sample.allCases where !self[sample].isEmpty {
      collected.append(
        "\(sample.rawValue)=" + self[sample].map(Self.shortest).joined(separator: ":")
      )
    }
    return counted.joined(separator: ",") + ";" + collected.joined(separator: ",")
  }

  /// Reads a tally.
  ///
  /// - Returns: nil if the text is not one that ``text`` gives.
  package init?(text: Substring) {
    self.init()
    let halves = text.split(separator: ";", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    for item in halves[0].split(separator: ",") {
      let pair = item.split(separator: "=", omittingEmptySubsequences: false)
      guard pair.count == 2, let count = Int(pair[0]).flatMap(Count.init(rawValue:)),
        let value = Double(pair[1]), value.isFinite
      else { return nil }
      self[count] = value
    }
    for item in halves[1].split(separator: ",") {
      let pair = item.split(separator: "=", omittingEmptySubsequences: false)
      guard pair.count == 2, let sample = Int(pair[0]).flatMap(Sample.init(rawValue:)) else {
        return nil
      }
      for number in pair[1].split(separator: ":", omittingEmptySubsequences: false) {
        guard let value = Double(number), value.isFinite else { return nil }
        self[sample].append(value)
      }
    }
  }

  /// A number with as few digits as it takes to read it again.
  private static func shortest(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : "\(value)"
  }
}
