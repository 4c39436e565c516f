import Foundation

/// The files of this repository, as text.
enum Repository {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The paths of the files below a folder with one of these extensions, sorted.
  static func paths(in folder: String, _ extensions: Set<String>) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { extensions.contains(URL(filePath: $0).pathExtension) }
      .map { "\(folder)/\($0)" }
      .sorted()
  }
}
