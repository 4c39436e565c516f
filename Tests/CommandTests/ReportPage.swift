import Foundation

/// A page that a command wrote.
struct ReportPage {
  let html: String
  private let path: String

  init(path: String) throws {
    self.path = path
    html = try String(contentsOfFile: path, encoding: .utf8)
  }

  /// The report in it, as the type that it was made from.
  func report<Report: Decodable>(_: Report.Type) throws -> Report {
    let begin = "<script type=\"application/json\" id=\"report\">"
    let pieces = html.components(separatedBy: begin)
    let json = pieces.count == 2 ? pieces[1].components(separatedBy: "</script>")[0] : ""
    return try JSONDecoder().decode(Report.self, from: Data(json.utf8))
  }

  /// What there is that could fetch something, or that JavaScript makes markup of.
  var dangers: [String] {
    ["src=", "href=", "url(", "@import", "fetch(", "import(", "XMLHttpRequest", "innerHTML"]
      .filter { html.contains($0) }
  }

  private static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Not every machine has a browser.
  static let canBeDrawn = browser != nil

  /// The page as a browser has drawn it, as markup.
  func drawn() throws -> String {
    let profile = FileManager.default.temporaryDirectory
      .appendingPathComponent("nearme-browser-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: profile) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.browser ?? "")
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(profile.path)",
      "--dump-dom", "file://\(path)",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    // What was drawn stands behind the scripts.
    let text = String(decoding: data, as: UTF8.self)
    return text.components(separatedBy: "</script>").last ?? ""
  }
}
