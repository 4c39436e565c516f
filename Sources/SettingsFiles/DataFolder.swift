import Foundation

/// Where the files are that come with the command: profiles and tones.
///
/// They are data, which people read and copy, and so they are looked for on the disk: in the folder that
/// `NEARME_DATA` names; else beside the command, as `share/nearme` for one that is installed and `data` for one that
/// was built; else in `data` here.
package struct DataFolder: Sendable {
  /// The folders that are looked into, in order.
  package let candidates: [String]

  /// Looks into these folders.
  package init(candidates: [String]) { self.candidates = candidates }

  /// Looks where the command is.
  ///
  /// - Parameter executable: the path of the command, links resolved.
  package init(executable: String?, environment: [String: String]) {
    if let named = environment["NEARME_DATA"], !named.isEmpty {
      candidates = [named]
      return
    }
    var folders: [String] = []
    if let executable {
      var folder = URL(fileURLWithPath: executable).deletingLastPathComponent()
      folders.append(folder.deletingLastPathComponent().appendingPathComponent("share/nearme").path)
      // A build lies up to four folders below the checkout.
      for _ in 0..<5 where folders.last != "/data" {
        folders.append(folder.appendingPathComponent("data").path)
        folder.deleteLastPathComponent()
      }
    }
    candidates = folders + ["data"]
  }

  /// That of the present process.
  package static var ofThisProcess: DataFolder {
    DataFolder(
      executable: Bundle.main.executableURL?.resolvingSymlinksInPath().path,
      environment: ProcessInfo.processInfo.environment
    )
  }

  /// The path of a file by its kind and name, such as `profiles` and `unified`.
  ///
  /// A name with a slash or an ending is a path of the user's own and is returned as it is.
  package func path(of name: String, kind: String) throws(SettingsError) -> String {
    if name.contains("/") || name.contains(".") { return name }
    for folder in candidates {
      let path = "\(folder)/\(kind)/\(name).yaml"
      if FileManager.default.fileExists(atPath: path) { return path }
    }
    let known = names(kind: kind)
    let hint =
      known.isEmpty
      ? adviceWithoutFiles
      : "there are \(known.joined(separator: ", ")); or name a file, such as ./\(name).yaml"
    throw SettingsError(
      code: .missing,
      file: name,
      line: nil,
      message: "there are no \(kind) of this name: \(hint)"
    )
  }

  /// What to do where no files of a kind are found.
  package var adviceWithoutFiles: String {
    "there is no folder of them in \(candidates.joined(separator: ", ")): name it with NEARME_DATA"
  }

  /// The names that there are of a kind, sorted.
  package func names(kind: String) -> [String] {
    for folder in candidates {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(kind)")) ?? []
      let names = files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }
      if !names.isEmpty { return names.sorted() }
    }
    return []
  }
}
