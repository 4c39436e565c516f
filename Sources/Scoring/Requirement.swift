import Basics
import NearMeEngine
import Places

/// A limit that a score must keep, as people write it: `fpr<=0.02`, `recall>=97%`.
public struct Requirement: Hashable, Sendable {
  /// Which way the limit holds.
  public enum Relation: String, Hashable, Sendable, CaseIterable {
    /// At most.
    case atMost = "<="
    /// At least.
    case atLeast = ">="
    /// Below.
    case below = "<"
    /// Above.
    case above = ">"
  }

  /// Which score.
  public let metric: Metric
  /// Which way.
  public let relation: Relation
  /// The limit.
  public let limit: Double

  /// As people write it.
  public var text: String { "\(metric.rawValue)\(relation.rawValue)\(limit)" }

  /// By how much a score fails to keep the limit, in a sentence.
  ///
  /// - Parameter hasInterval: whether there is an interval: one day leaves none.
  public func shortfall(_ estimate: Estimate?, hasInterval: Bool = true) -> String {
    guard let estimate else { return "\(text), and there is nothing to score it by" }
    // As many as tell the score from the limit.
    let least = metric.unit == .share ? 4 : 2
    let digits =
      (least...12)
      .first {
        fixed((estimate.value - limit).magnitude, $0).contains { $0 != "0" && $0 != "." }
      } ?? least
    let by = fixed((estimate.value - limit).magnitude, digits)
    let way: String =
      switch relation {
      case _ where estimate.value == limit: "and that is the limit itself"
      case .atMost, .below: "too high by \(by)"
      case .atLeast, .above: "too low by \(by)"
      }
    let interval = "\(fixed(estimate.low, digits)) … \(fixed(estimate.high, digits))"
    return "\(text): it is \(fixed(estimate.value, digits)), \(way)"
      + (hasInterval ? " (95 % interval \(interval))" : "")
  }

  /// Whether a value keeps the limit; a score that does not exist keeps none.
  public func isKept(by value: Double?) -> Bool {
    guard let value else { return false }
    return switch relation {
    case .atMost: value <= limit
    case .atLeast: value >= limit
    case .below: value < limit
    case .above: value > limit
    }
  }

  /// Reads a list with commas between.
  ///
  /// - Throws: ``RequirementError`` that names the part and what is expected.
  public static func parse(_ text: String) throws(RequirementError) -> [Requirement] {
    var requirements: [Requirement] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      requirements.append(try Requirement(String(part)))
    }
    return requirements
  }

  private init(_ text: String) throws(RequirementError) {
    let bare = String(text.filter { !$0.isWhitespace })
    let name = String(bare.prefix { !"<>=".contains($0) })
    let rest = bare.dropFirst(name.count)
    let sign = String(rest.prefix { "<>=".contains($0) })
    guard !name.isEmpty, let relation = Relation(rawValue: sign) else {
      throw RequirementError(
        "\"\(text)\" is no requirement: write a score, <= or >=, and a limit, such as fpr<=0.02"
      )
    }
    let metric = try Metric(named: name)
    self.metric = metric
    self.relation = relation
    limit = try metric.limit(rest.dropFirst(sign.count), in: text)
  }
}

/// Why a requirement cannot be read.
public struct RequirementError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason as a sentence.
  public let description: String

  package init(_ description: String) { self.description = description }
}

extension Metric {
  /// A limit as people write it, in the unit of the score or without one.
  fileprivate func limit(_ written: Substring, in text: String) throws(RequirementError) -> Double {
    let (sign, example) =
      switch unit {
      case .share: ("%", "0.02 or 2%")
      case .seconds: ("s", "60 or 60s")
      case .meters: ("m", "100 or 100m")
      case .number: (self == .batteryPercentPerDay ? "%" : "", "0.5")
      }
    let hasSign = !sign.isEmpty && written.hasSuffix(sign)
    guard let value = Double(hasSign ? written.dropLast(sign.count) : written), value.isFinite
    else {
      throw RequirementError("\"\(text)\": the limit must be a number such as \(example)")
    }
    guard unit == .share else { return value }
    let share = hasSign ? value / 100 : value
    guard (0...1).contains(share) else {
      throw RequirementError(
        "\"\(text)\": a share lies between 0 and 1, or 0% and 100%"
          + (!hasSign && (1...100).contains(value) ? ": is \(written)% meant?" : "")
      )
    }
    return share
  }

  /// A score by its name in output.
  ///
  /// - Throws: ``RequirementError`` with the name that may be meant, or all of them.
  package init(named name: String) throws(RequirementError) {
    guard let metric = Metric(rawValue: name) else {
      let names = Metric.allCases.map(\.rawValue)
      let hint = nearestName(to: name, among: names).map { "did you mean \($0)?" }
      throw RequirementError(
        "\"\(name)\" is no score: \(hint ?? "the scores are \(names.joined(separator: ", "))")"
      )
    }
    self = metric
  }
}
