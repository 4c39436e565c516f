extension Reminder {
  /// The same reminder under another id.
  package init(_ other: Reminder, id: String) {
    self.init(
      id: id,
      title: other.title,
      notes: other.notes,
      triggers: other.triggers,
      conditions: other.conditions,
      status: other.status,
      isMuted: other.isMuted,
      snooze: other.snooze,
      priority: other.priority,
      persistence: other.persistence,
      nag: other.nag,
      expires: other.expires,
      tone: other.tone
    )
  }
}
