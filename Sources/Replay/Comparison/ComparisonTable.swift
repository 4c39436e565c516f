import Basics
import Fencing
import NearMeEngine
import Timeline

/// What a comparison found, to be printed.
public struct ComparisonTable: Sendable {
  /// One strategy on one phone with so many regions.
  public struct Row: Sendable {
    /// The name of the location service.
    public let monitor: String
    /// How regions were chosen.
    public let strategy: RegionStrategy
    /// How many there were; nil where there is no limit.
    public let slots: Int?
    /// How it did.
    public let tally: ComparisonTally

    /// Makes a row.
    public init(
      monitor: String,
      strategy: RegionStrategy,
      slots: Int?,
      tally: ComparisonTally
    ) {
      self.monitor = monitor
      self.strategy = strategy
      self.slots = slots
      self.tally = tally
    }
  }

  /// The rows, those of a location service together.
  public let rows: [Row]
  /// How many traces.
  public let traces: Int
  /// The seed of the latencies.
  public let seed: UInt64
  /// How late one may be and still be found.
  public let tolerance: Milliseconds

  /// Makes a table.
  public init(rows: [Row], traces: Int, seed: UInt64, tolerance: Milliseconds) {
    self.rows = rows
    self.traces = traces
    self.seed = seed
    self.tolerance = tolerance
  }

  // MARK: Text

  private static let head = [
    "regions", "strategy", "missed", "of them in", "spurious", "late p50", "late p95", "wakes/h",
    "per change", "starts/h", "held", "at risk",
  ]

  /// One line of what was compared.
  public var summary: String {
    let tally = rows.first?.tally ?? ComparisonTally()
    return "\(traces) \(traces == 1 ? "trace" : "traces"), \(fixed(tally.hours, 1)) h; "
      + "expected: \(tally.expected) transitions (\(tally.expectedEnters) in, "
      + "\(tally.expected - tally.expectedEnters) out), \(tally.changes) changes of level"
  }

  /// What the columns mean.
  public var legend: String {
    """
    Expected is what an engine says that sees every fix. A transition is found if the same reminder,
    tier and direction comes at most \(tolerance.name) later (or \
    \(TransitionMatch.earliest.name) earlier); "in" are those
    that came nearer, which alone can speak. Late: from the expected instant to the one found, and how
    far the phone was then from where it had been. Wakes are those by the location service; "per
    change" divides them by the expected changes of level. At risk: for how long some boundary could
    have been crossed without a wake, had the service been never late. Seed \(seed).
    """
  }

  /// For people.
  public var text: String {
    var text = summary + "\n"
    var monitors: [String] = []
    for row in rows where !monitors.contains(row.monitor) { monitors.append(row.monitor) }
    for monitor in monitors {
      let cells = rows.filter { $0.monitor == monitor }.map(Self.cells)
      let widths = Self.head.indices.map { i in
        ([Self.head] + cells).map { $0[i].count }.max() ?? 0
      }
      text += "\n\(monitor)\n"
      for line in [Self.head] + cells {
        let padded = zip(line.indices, line)
          .map { i, cell in
            let space = String(repeating: " ", count: widths[i] - cell.count)
            return i == 1 ? cell + space : space + cell
          }
        text += "  " + padded.joined(separator: "  ") + "\n"
      }
    }
    return text + "\n" + legend + "\n"
  }

  static func cells(_ row: Row) -> [String] {
    let tally = row.tally
    func late(_ share: Double) -> String {
      "\(fixed(tally.lateSeconds(share), 0)) s \(fixed(tally.lateMeters(share), 0)) m"
    }
    func percent(_ part: Int, _ whole: Int) -> String {
      whole == 0 ? "\(part)" : "\(part) (\(fixed(100 * Double(part) / Double(whole), 1)) %)"
    }
    return [
      row.slots.map(String.init) ?? "–", row.strategy.rawValue,
      percent(tally.missed, tally.expected), percent(tally.missedEnters, tally.expectedEnters),
      "\(tally.spurious)", late(0.5), late(0.95), fixed(tally.wakesPerHour, 1),
      fixed(tally.wakesPerChange, 2), fixed(tally.registrationsPerHour, 1), "\(tally.heldMost)",
      "\(fixed(tally.atRisk.seconds / 60, 0)) min",
    ]
  }

  // MARK: JSON

  /// For programs: one object.
  public var json: String {
    var json = JSONText()
    json.add("traces", traces)
    json.add("seed", json: "\(seed)")
    json.add("tolerance_seconds", json: fixed(tolerance.seconds, 0))
    json.add("rows", json: "[\n" + rows.map(Self.json).joined(separator: ",\n") + "\n]")
    return json.closed + "\n"
  }

  private static func json(_ row: Row) -> String {
    let tally = row.tally
    var json = JSONText()
    json.add("monitor", row.monitor)
    json.add("strategy", row.strategy.rawValue)
    json.add("slots", row.slots)
    json.add("hours", json: fixed(tally.hours, 3))
    json.add("expected", tally.expected)
    json.add("expected_enters", tally.expectedEnters)
    json.add("changes_of_level", tally.changes)
    json.add("missed", tally.missed)
    json.add("missed_enters", tally.missedEnters)
    json.add("spurious", tally.spurious)
    // Of nothing there is no figure.
    let (hasFound, hasChanges) = (tally.foundCount > 0, tally.changes > 0)
    json.add("late_seconds_p50", json: hasFound ? fixed(tally.lateSeconds(0.5), 1) : "null")
    json.add("late_seconds_p95", json: hasFound ? fixed(tally.lateSeconds(0.95), 1) : "null")
    json.add("late_meters_p50", json: hasFound ? fixed(tally.lateMeters(0.5), 0) : "null")
    json.add("late_meters_p95", json: hasFound ? fixed(tally.lateMeters(0.95), 0) : "null")
    json.add("wakes", tally.wakes)
    json.add("wakes_per_hour", json: fixed(tally.wakesPerHour, 2))
    json.add("wakes_per_change", json: hasChanges ? fixed(tally.wakesPerChange, 3) : "null")
    json.add("registrations_per_hour", json: fixed(tally.registrationsPerHour, 2))
    json.add("held_most", tally.heldMost)
    json.add("regions_refused", tally.refused)
    json.add("minutes_at_risk", json: fixed(tally.atRisk.seconds / 60, 1))
    return json.closed
  }
}
