import ArgumentParser
import Foundation
import Profiles
import SettingsFiles

/// Which product profile: an option of the commands that follow one.
struct ProfileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The product profile: a name of `nearme plan profiles` or a file. Without it, the one that NEARME_PROFILE \
      names. (default: unified)
      """,
      valueName: "NAME|FILE"
    )
  )
  var profile: String?

  /// What was asked for: a name or a path.
  var asked: String {
    if let profile, !profile.isEmpty { return profile }
    let named = ProcessInfo.processInfo.environment["NEARME_PROFILE"] ?? ""
    return named.isEmpty ? Self.defaultName : named
  }

  /// The profile that has everything and asks for nothing; it needs no file.
  static let defaultName = ProductProfile().name

  /// Reads it.
  func read() throws(SettingsError) -> ProfileFile.Contents {
    let folder = DataFolder.ofThisProcess
    if asked == Self.defaultName, !folder.names(kind: "profiles").contains(asked) {
      return ProfileFile.Contents()
    }
    return try ProfileFile.read(path: try folder.path(of: asked, kind: "profiles"))
  }

  /// The names that there are, sorted.
  static func names() -> [String] { DataFolder.ofThisProcess.names(kind: "profiles") }
}
