import Crypto
import DayReports
import Foundation
import Replay
import Tuning

/// A report as one page that needs nothing else: the report as JSON, and the assets that show it.
///
/// The page computes nothing but figures and places on paper; docs/decisions/0010-report-pages.md says
/// why it is made so. Its policy lets a browser run the scripts that are in it, by their fingerprints,
/// and nothing else.
struct ReportPage {
  let html: String

  /// A comparison.
  init(_ report: ComparisonReport) throws {
    try self.init(report, scripts: [Self.text(PackageResources.comparison_js)])
  }

  /// A search; without a library of charts it has tables in the place of plots.
  init(_ report: TuningReport, _ chart: ChartLibrary) throws {
    try self.init(
      report,
      libraries: [chart.script],
      scripts: [Self.text(PackageResources.tuning_js)]
    )
  }

  /// A day; without a library for maps it has its time line and its tables.
  init(_ report: DayReport, _ map: MapLibrary) throws {
    try self.init(
      report,
      libraries: [map.script],
      styles: [map.style, Self.text(PackageResources.day_css)],
      scripts: [
        PackageResources.day_data_js, PackageResources.day_lanes_js, PackageResources.day_map_js,
        PackageResources.day_panels_js, PackageResources.day_js,
      ]
      .map(Self.text)
    )
  }

  /// - Parameter libraries: other people's scripts, each in an element of its own.
  /// - Parameter scripts: ours, which see each other.
  private init(
    _ report: some Encodable,
    libraries: [String?] = [],
    styles: [String?] = [],
    scripts: [String]
  ) throws {
    let style = ([Self.text(PackageResources.page_css)] + styles.compactMap(\.self))
      .joined(separator: "\n")
    let own = ([Self.text(PackageResources.page_js)] + scripts).joined(separator: "\n")
    let all = libraries.compactMap(\.self) + ["\"use strict\";\n{\n\(own)\n}\n"]
    html = Self.filled([
      "style": style,
      "style-policy": Self.source(style),
      "script-policy": all.map(Self.source).joined(separator: " "),
      "report": try Self.json(report),
      "scripts": all.map { "<script>\($0)</script>\n" }.joined(),
    ])
  }

  /// A report as JSON that can stand in a page.
  static func json(_ report: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // In JSON "<" stands in strings only; without it nothing there can end the element.
    return String(decoding: try encoder.encode(report), as: UTF8.self)
      .replacingOccurrences(of: "<", with: "\\u003c")
  }

  /// The fingerprint under which a policy allows what stands in an element (Content Security Policy 3,
  /// section 2.3.1).
  private static func source(_ text: String) -> String {
    let digest = SHA256.hash(data: Data(text.utf8))
    return "'sha256-\(Data(digest).base64EncodedString())'"
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
