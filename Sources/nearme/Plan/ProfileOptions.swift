import ArgumentParser
import Foundation
import Profiles
import SettingsFiles
import Tones

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

  /// Whether it was asked for, and is not what is taken without a word.
  var isNamed: Bool { profile != nil || asked != Self.defaultName }

  /// The profile that has everything and asks for nothing; it needs no file.
  static let defaultName = ProductProfile().name

  /// Reads it.
  func read() throws(SettingsError) -> ProfileFile.Contents {
    let folder = DataFolder.ofThisProcess
    if asked == Self.defaultName, !folder.names(kind: "profiles").contains(asked) {
      return .unified
    }
    return try ProfileFile.read(path: try folder.path(of: asked, kind: "profiles"))
  }

  /// The tones that there are, with the profile's as the usual one.
  static func tones(_ profile: ProductProfile) throws(SettingsError) -> TonePacks {
    let folder = DataFolder.ofThisProcess
    var packs: [TonePack] = []
    for name in folder.names(kind: "tones") where name != TonePack.plain.name {
      packs.append(try ToneFile.read(path: try folder.path(of: name, kind: "tones")))
    }
    return TonePacks(packs, usual: profile.tone)
  }

  /// What is wrong where no profile is found at all.
  static var noProfiles: CommandFailure {
    CommandFailure(
      .inputMissing,
      "there are no profiles: \(DataFolder.ofThisProcess.adviceWithoutFiles)"
    )
  }

  /// The names that there are, sorted.
  static func names() -> [String] { DataFolder.ofThisProcess.names(kind: "profiles") }
}
