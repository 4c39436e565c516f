import Timeline

/// What was in a request, and what of it was not used.
package struct IntakeReading: Hashable, Sendable {
  /// In the order of their time; those of equal time in the order in which they were sent.
  ///
  /// What has no time of its own counts as of the moment at which the request came in.
  package var items: [IntakeItem]
  /// Everything that was not used, by its name.
  package var passedOver: [IntakeRefusal: Int]
  /// Whether nothing could be used that should have been: then the body is worth keeping for some days, since
  /// the app deletes its own copy once it has our answer.
  package var isUnusable: Bool
  /// The app's own name for the message, `_id`; nil if there is none.
  package var messageID: String?

  /// Makes a reading.
  package init(
    items: [IntakeItem] = [],
    passedOver: [IntakeRefusal: Int] = [:],
    isUnusable: Bool = false,
    messageID: String? = nil
  ) {
    self.items = items
    self.passedOver = passedOver
    self.isUnusable = isUnusable
    self.messageID = messageID
  }
}

/// Reads what a phone sent, whatever is in it.
///
/// Form and JSON are told apart by what is there and not by what a header says, and members that are not
/// known are left alone: apps change both without notice.
///
/// - Complexity: O(n log n) in the bytes, which are at most ``IntakeBody/mostBytes``; at most
///   ``IntakeReader/mostThings`` messages or entries of lists are taken.
package func read(_ body: IntakeBody) -> IntakeReading {
  var reader = IntakeReader(body)
  reader.readAll()
  return reader.reading
}
