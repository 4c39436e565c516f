import Foundation
import Profiles
import SettingsFiles
import Testing
import Timeline

/// The profiles that come with the command, as the tests read them.
enum Shipped {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "data/profiles").path

  static let names = ["context", "morning", "nearme", "unified", "yomo", "yourmom"]

  static func profile(_ name: String) throws -> ProductProfile {
    try ProfileFile.read(path: "\(folder)/\(name).yaml").profile
  }
}

/// An instant as it is written.
func at(_ text: String) throws -> Timestamp { try #require(RFC3339.parse(text), "\(text)") }

func zone(_ name: String) throws -> UTCOffsetTable {
  try #require(UTCOffsetTable(systemZone: name), "\(name)")
}

extension ProductProfile {
  /// The words that an account would read.
  func words(
    _ reason: String,
    cohort: String? = nil,
    counts: Counts = Counts(),
    trial: TrialState = .available,
    emailCount: Int? = nil
  ) -> PaywallMessage? {
    let values = messageValues(
      cohort: cohort,
      counts: counts,
      trial: trial,
      emailCount: emailCount
    )
    return message(for: reason, cohort: cohort, values: values)
  }
}
