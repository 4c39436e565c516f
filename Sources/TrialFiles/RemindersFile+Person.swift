import Replay

extension RemindersFile {
  /// The person, ready for a replay.
  package var person: Person {
    Person(
      zone: zone,
      places: places,
      reminders: reminders,
      actions: actions,
      entitlement: entitlement
    )
  }
}
