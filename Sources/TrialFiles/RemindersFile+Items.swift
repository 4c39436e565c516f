import NearMeEngine
import Places
import SettingsFiles

extension RemindersFile {
  /// A file's places and reminders one by one: what is wrong with one refuses that one and no other.
  package struct Items: Sendable {
    package var places: [Place] = []
    package var reminders: [Reminder] = []
    /// The times of reminders that were answered, by their ids.
    package var answers: [String: [ReminderAnswer]] = [:]
    /// Why others cannot be taken, each with its line.
    package var refusals: [SettingsError] = []
    /// Whether one of the refusals is that of a reminder.
    package var hasRefusedReminders = false
    /// Keys of the whole file that only a replay has a use for, and that are there.
    package var unused: [String] = []
  }

  /// Reads the places and reminders of a reminders file, YAML or JSON; it may have none.
  ///
  /// - Throws: ``SettingsError`` if the file as a whole cannot be read.
  package static func items(text: String, file: String) throws(SettingsError) -> Items {
    let keys = try StrictDocument(text: text, file: file).root
      .mapping(keys: ["time_zone", "places", "reminders", "actions", "entitlement"])
    var items = Items()
    items.unused = ["time_zone", "actions", "entitlement"].filter { keys[$0] != nil }
    for node in try keys["places"]?.list() ?? [] {
      do throws(SettingsError) {
        let place = try place(node)
        try checkNew(place.id, among: items.places.map(\.id), node)
        items.places.append(place)
      } catch { items.refusals.append(error) }
    }
    for node in try keys["reminders"]?.list() ?? [] {
      do throws(SettingsError) {
        let reminder = try reminder(node, items.places)
        try checkNew(reminder.id, among: items.reminders.map(\.id), node)
        let answers = try answers(node)
        items.reminders.append(reminder)
        if !answers.isEmpty { items.answers[reminder.id] = answers }
      } catch {
        items.refusals.append(error)
        items.hasRefusedReminders = true
      }
    }
    return items
  }

  private static func checkNew(
    _ id: String,
    among ids: [String],
    _ node: StrictNode
  ) throws(SettingsError) {
    if ids.contains(id) { throw node.failure("the id \"\(id)\" comes twice") }
  }
}
