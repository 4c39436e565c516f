import Foundation
import NearMe
import Testing

/// The examples in the documentation are those that are built, and do what they say.
@Suite struct DocExampleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The types that an app touches first, and where each is declared.
  private static let types = [
    "Geodesy/Coordinate.swift": ["struct Coordinate"],
    "Timeline/Timestamp.swift": ["struct Timestamp", "struct Milliseconds"],
    "Timeline/UTCOffsetTable.swift": ["struct UTCOffsetTable"],
    "Timeline/DailyWindow.swift": ["struct DailyWindow"],
    "Traces/Fix.swift": ["struct Fix"],
    "Places/PointOfInterest.swift": ["struct CategoryID", "struct PointOfInterest"],
    "Places/POICatalog.swift": ["struct POICatalog"],
    "Places/Place.swift": ["struct Place"],
    "Fencing/MonitorLimits.swift": ["struct MonitorLimits"],
    "Fencing/Region.swift": ["struct Region"],
    "NearMeEngine/Reminders/Reminder.swift": ["struct Reminder", "enum ReminderAction"],
    "NearMeEngine/Reminders/Trigger.swift": ["enum Trigger", "struct Signal"],
    "NearMeEngine/Reminders/Condition.swift": ["indirect enum Condition"],
    "NearMeEngine/Policy/Tier.swift": ["enum Tier"],
    "NearMeEngine/Policy/Policy.swift": ["struct Policy"],
    "NearMeEngine/Engine/Event.swift": ["struct Event"],
    "NearMeEngine/Reminders/Schedule.swift": ["struct Schedule"],
    "NearMeEngine/Engine/Effect.swift": ["enum Effect", "struct RegionChange"],
    "NearMeEngine/Engine/Engine.swift": ["enum Monitoring", "struct Engine"],
    "NearMeEngine/Engine/EngineState.swift": ["struct EngineState"],
    "NearMeEngine/Screen/ReminderNotification.swift": ["struct ReminderNotification"],
  ]

  @Test(arguments: types.keys.sorted())
  func `the example of a type is built as it stands`(file: String) throws {
    let built = try Self.lines("Tests/NearMeEngineTests/DocExamples.swift")
    let source = try Self.lines("Sources/" + file)
    for type in try #require(Self.types[file]) {
      let at = try #require(source.firstIndex { $0.hasPrefix("public \(type):") }, "\(type)")
      let comment = source[..<at].reversed().prefix { $0.hasPrefix("///") }.reversed()
        .map { $0.dropFirst(3).trimmingCharacters(in: .whitespaces) }
      let begin = try #require(comment.firstIndex(of: "```swift"), "\(type) has no example")
      let example = Array(comment[(begin + 1)...].prefix { $0 != "```" })
      let isBuilt = built.indices.contains { built[$0...].starts(with: example) }
      #expect(isBuilt && !example.isEmpty, "\(type): DocExamples.swift does not have its example")
    }
  }

  @Test func `the examples do what they say`() throws {
    #expect(
      try DocExamples.values() == [
        "(39.2854, -76.6089)", "2026-03-03T12:05:00Z", "true", "420", "true", "pharmacy",
        "approach:1mi", "arrival", "post_arrival:5m",
      ]
    )
    #expect(DocExamples.reasons().condition.fault == nil)
    #expect(DocExamples.hosts().count == 2)
    #expect(DocExamples.schedules().map(\.recurs) == [false, true])
    var printed: [String] = []
    let (engine, again) = try DocExamples.app { words in
      printed.append(words.map { "\($0)" }.joined(separator: " "))
    }
    #expect(printed.contains { $0.hasPrefix("node/1 1110.") })
    #expect(printed.contains { $0.hasPrefix("wake me") })
    #expect(printed.contains { $0.hasPrefix("start ") })
    #expect(again.state == engine.state)
  }

  /// The tutorial's last page is what `scripts/check-embedding.sh` builds and runs; every line of the
  /// pages before it is in it.
  @Test func `every page of the tutorial is part of the app that is built`() throws {
    let folder = "Sources/NearMeUmbrella/NearMe.docc/Resources/"
    let pages = try FileManager.default
      .contentsOfDirectory(atPath: Self.root.appendingPathComponent(folder).path)
      .filter { $0.hasSuffix(".swift") }.sorted()
    let last = try Self.lines(folder + (try #require(pages.last)))
    #expect(pages.count >= 4)
    for page in pages {
      var rest = last[...]
      for line in try Self.lines(folder + page) {
        let at = try #require(rest.firstIndex(of: line), "\(page): \(line)")
        rest = rest[(at + 1)...]
      }
      let tutorial = try Self.lines("Sources/NearMeUmbrella/NearMe.docc/An-App.tutorial")
      #expect(tutorial.contains { $0.contains("file: \"\(page)\"") }, "\(page) is not shown")
    }
  }

  private static func lines(_ path: String) throws -> [String] {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
