import Foundation
import Replay
import Tuning

/// A report as one page that needs nothing else: the report as JSON, and the assets that show it.
///
/// The page computes nothing but figures and places on paper; docs/decisions/0010-report-pages.md says
/// why it is made so.
struct ReportPage {
  let html: String

  /// A comparison.
  init(_ report: ComparisonReport) throws {
    try self.init(report, PackageResources.comparison_js, nil)
  }

  /// A search; without a library of charts it has tables in the place of plots.
  init(_ report: TuningReport, _ chart: ChartLibrary) throws {
    try self.init(report, PackageResources.tuning_js, chart.script)
  }

  private init(_ report: some Encodable, _ script: [UInt8], _ library: String?) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // In JSON "<" stands in strings only; without it nothing there can end the element.
    let json = String(decoding: try encoder.encode(report), as: UTF8.self)
      .replacingOccurrences(of: "<", with: "\\u003c")
    html = Self.filled([
      "style": Self.text(PackageResources.page_css),
      "report": json,
      "library": library.map { "<script>\($0)</script>\n" } ?? "",
      "script": Self.text(PackageResources.page_js) + "\n" + Self.text(script),
    ])
  }

  /// The template with its gaps filled; what fills one is not looked at again.
  private static func filled(_ values: [String: String]) -> String {
    let pieces = text(PackageResources.page_html).components(separatedBy: "{{")
    return pieces.dropFirst()
      .reduce(into: pieces[0]) { html, piece in
        let parts = piece.components(separatedBy: "}}")
        guard parts.count == 2, let value = values[parts[0]] else {
          preconditionFailure("the template has a gap that nothing fills: {{\(piece)")
        }
        html += value + parts[1]
      }
  }

  private static func text(_ asset: [UInt8]) -> String { String(decoding: asset, as: UTF8.self) }
}
