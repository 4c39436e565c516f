import Foundation
import TestSupport
import Testing

/// A category that a cache has none of is told, wherever reminders meet a cache.
@Suite struct MissingCategoryTests {
  @Test func `what reminders are about and the cache has none of is named, with the nearest name`()
    throws
  {
    let folder = try TemporaryFolder()
    let day = try LiveDay()
    let reminders = folder.path("reminders.json")
    let text = """
      {"reminders": [
        {"id": "milk", "title": "milk", "target": {"category": "grocrey"}},
        {"id": "film", "title": "film", "target": {"category": "cinema"}},
        {"id": "keys", "title": "keys", "triggers": [{"signal": "unlock"}],
         "conditions": [{"inside": {"category": "cinema"}}]},
        {"id": "pills", "title": "pills", "target": {"category": "pharmacy"}}]}
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: reminders))
    let trace = folder.path("day.csv")
    try Data("time,lat,lon\n2026-03-03T08:00:00Z,38,-34\n".utf8)
      .write(to: URL(fileURLWithPath: trace))
    let run = try Command(["replay", trace, "--cache", day.cache, "--reminders", reminders])
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains(
        "has no grocrey, which reminder \"milk\" is about: did you mean grocery? it has "
      ),
      "\(run.errors)"
    )
    #expect(
      run.errors.contains("has no cinema, which reminders \"film\", \"keys\" are about: it has "),
      "\(run.errors)"
    )
    #expect(!run.errors.contains("no pharmacy"), "\(run.errors)")
  }
}
