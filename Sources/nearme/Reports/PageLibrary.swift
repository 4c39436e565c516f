import Foundation

/// A library that a page takes in from where it is installed: other people's code, and no part of this
/// program.
struct PageLibrary {
  /// Where it may be, the first found counts.
  let places: [String]
  /// What its text has to contain.
  let mark: String
  /// What to say where there is none.
  let note: String
  /// What to name instead of a file that is something else.
  let advice: String

  /// Reads it.
  ///
  /// - Parameter path: where it is, if the user says; else it is looked for, and a note tells how to
  ///   get it.
  /// - Returns: its text and where it was; nil where there is none.
  func read(_ path: String?) throws -> (text: String, path: String)? {
    guard let found = path ?? places.first(where: FileManager.default.fileExists(atPath:)) else {
      printError("nearme: note: \(note)")
      return nil
    }
    // A page's newlines are one character, and its policy names the bytes of each script.
    let text = String(decoding: try contents(ofFile: found), as: UTF8.self)
      .replacingOccurrences(of: "\r\n", with: "\n")
    guard text.contains(mark), !text.lowercased().contains("</script"), !text.contains("\r") else {
      throw CommandFailure(.badInput, "\(found): \(advice)")
    }
    return (text, found)
  }
}

/// The library that draws a page's plots: Chart.js (MIT license, named in its first lines).
struct ChartLibrary {
  /// The library as a script; nil where there is none, and a page has its tables only.
  let script: String?

  /// Where Debian's libjs-chart.js and node-chart.js put it.
  private static let library = PageLibrary(
    places: [
      "/usr/share/javascript/chart.js/chart.min.js", "/usr/share/javascript/chart.js/chart.umd.js",
      "/usr/share/nodejs/chart.js/dist/chart.min.js",
      "/usr/share/nodejs/chart.js/dist/chart.umd.js",
    ],
    mark: "Chart.js",
    note: "Chart.js was not found, so the page has tables and maps and no plots: install it "
      + "(Debian: apt-get install libjs-chart.js), or name its file with --chart-library",
    advice: "this is not Chart.js as one script: name chart.min.js or chart.umd.js"
  )

  /// - Parameter path: where it is, if the user says.
  init(path: String?) throws { script = try Self.library.read(path)?.text }
}

/// The library that moves and scales a page's map: Leaflet (BSD license, named in its first lines).
struct MapLibrary {
  /// The library as a script; nil where there is none, and a page has no map.
  let script: String?
  /// Its style; none of it fetches a picture.
  let style: String?

  /// Where Debian's libjs-leaflet puts it.
  private static let library = PageLibrary(
    places: [
      "/usr/share/javascript/leaflet/leaflet.min.js", "/usr/share/javascript/leaflet/leaflet.js",
      "/usr/share/nodejs/leaflet/dist/leaflet.js",
    ],
    mark: "leaflet",
    note: "Leaflet was not found, so the page has its time line and tables and no map: install it "
      + "(Debian: apt-get install libjs-leaflet), or name its file with --map-library",
    advice: "this is not Leaflet as one script: name leaflet.min.js or leaflet.js beside its "
      + "leaflet.css"
  )

  /// - Parameter path: where it is, if the user says; its style lies beside it.
  init(path: String?) throws {
    guard let (text, path) = try Self.library.read(path) else {
      (script, style) = (nil, nil)
      return
    }
    let css = URL(fileURLWithPath: path).deletingLastPathComponent()
      .appendingPathComponent("leaflet.css").path
    guard let data = FileManager.default.contents(atPath: css) else {
      throw CommandFailure(.inputMissing, "\(css): Leaflet's style belongs beside its script")
    }
    let rules = String(decoding: data, as: UTF8.self)
      .replacingOccurrences(of: "\r\n", with: "\n")
      .replacingOccurrences(of: #"url\([^)]*\)"#, with: "none", options: .regularExpression)
    guard rules.contains(".leaflet-pane"), !rules.contains("<"), !rules.contains("\r") else {
      throw CommandFailure(.badInput, "\(css): this is not the style of Leaflet")
    }
    // The map of sources, which a browser would look for, is not there.
    script = text.replacingOccurrences(
      of: #"//# sourceMappingURL=\S*"#,
      with: "",
      options: .regularExpression
    )
    style = rules.replacingOccurrences(
      of: #"/\*# sourceMappingURL=[^*]*\*/"#,
      with: "",
      options: .regularExpression
    )
  }
}
