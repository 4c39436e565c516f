import NearMeEngine
import Places

/// What reminders aim at and a cache has none of: a sentence for each such category.
///
/// No error: the cache may have some after its next update. But a reminder for a misspelled category would
/// be silent for ever.
func missingCategories(
  of reminders: [Reminder],
  in known: KnownCategories,
  cache: String
) -> [String] {
  var missing: [(category: CategoryID, reminders: [String])] = []
  for reminder in reminders {
    for category in reminder.categories where !known.categories.contains(category) {
      if let known = missing.firstIndex(where: { $0.category == category }) {
        if !missing[known].reminders.contains(reminder.id) {
          missing[known].reminders.append(reminder.id)
        }
      } else {
        missing.append((category, [reminder.id]))
      }
    }
  }
  let names = known.categories.map(\.name)
  return missing.map { category, reminders in
    let hint = nearestCategory(to: category.name, among: names).map { "did you mean \($0)? " } ?? ""
    let has = names.isEmpty ? "it has no places at all" : "it has \(names.joined(separator: ", "))"
    return "\(cache) has no \(category.name), which "
      + (reminders.count == 1 ? "reminder " : "reminders ")
      + reminders.map { "\"\($0)\"" }.joined(separator: ", ")
      + (reminders.count == 1 ? " is about: " : " are about: ") + hint + has
  }
}

/// Says so on standard error.
func noteMissingCategories(of reminders: [Reminder], in known: KnownCategories, cache: String) {
  for sentence in missingCategories(of: reminders, in: known, cache: cache) {
    printError("nearme: note: \(sentence)")
  }
}
