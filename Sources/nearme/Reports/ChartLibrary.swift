import Foundation

/// The library that draws a page's plots: Chart.js, taken in from where it is installed.
///
/// It is other people's code (MIT license, named in its first lines), and no part of this program.
struct ChartLibrary {
  /// The library as a script; nil where there is none, and a page has its tables only.
  let script: String?

  /// Where Debian's libjs-chart.js and node-chart.js put it.
  private static let places = [
    "/usr/share/javascript/chart.js/chart.min.js", "/usr/share/javascript/chart.js/chart.umd.js",
    "/usr/share/nodejs/chart.js/dist/chart.min.js", "/usr/share/nodejs/chart.js/dist/chart.umd.js",
  ]

  /// Reads it.
  ///
  /// - Parameter path: where it is, if the user says; else it is looked for, and a note tells how to
  ///   get it.
  init(path: String?) throws {
    let found = path ?? Self.places.first { FileManager.default.fileExists(atPath: $0) }
    guard let found else {
      printError(
        "nearme: note: Chart.js was not found, so the page has tables and maps and no plots: "
          + "install it (Debian: apt-get install libjs-chart.js), or name its file with "
          + "--chart-library"
      )
      script = nil
      return
    }
    guard let data = FileManager.default.contents(atPath: found) else {
      throw CommandFailure(.inputMissing, "\(found): there is no such file, or it cannot be read")
    }
    let text = String(decoding: data, as: UTF8.self)
    guard text.contains("Chart.js"), text.contains("globalThis") || text.contains("self"),
      !text.contains("</script")
    else {
      throw CommandFailure(
        .badInput,
        "\(found): this is not Chart.js as one script: name chart.min.js or chart.umd.js"
      )
    }
    script = text
  }
}
