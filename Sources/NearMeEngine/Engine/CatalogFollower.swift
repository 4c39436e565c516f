import Geodesy
import Places
import Traces

/// Keeps an engine's catalog to the part of the whole in which its position lies.
///
/// A host asks it before each event. What it does depends on the events alone, so a replay of them does
/// the same.
public struct CatalogFollower: Sendable {
  private let source: any CatalogSource
  private var part: CatalogPart?

  /// Follows into the parts of a source.
  public init(_ source: any CatalogSource) { self.source = source }

  /// The cell in use; nil before the first position.
  public var cell: CellGrid.Cell? { part?.cell }

  /// Whether a position needs no other part than the one in use.
  public func isAtHome(_ coordinate: Coordinate) -> Bool { part?.serves(coordinate) ?? false }

  /// Gives an engine the part for the position of an event, if it will be used and lies in another.
  public mutating func prepare(_ engine: inout Engine, for event: Event) {
    let fix: Fix
    switch event.kind {
    case .fix(let next), .woken(by: let next, previous: _): fix = next
    default: return
    }
    guard !isAtHome(fix.coordinate), engine.believes(fix, of: event),
      let next = source.part(around: fix.coordinate)
    else { return }
    part = next
    engine.move(to: next.catalog)
  }

  /// Gives an engine that was made anew the part for the newest position that it knows.
  public mutating func resume(_ engine: inout Engine) {
    guard let fix = engine.newestFix, let next = source.part(around: fix.coordinate) else { return }
    part = next
    engine.move(to: next.catalog)
  }
}
