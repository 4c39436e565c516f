import Basics

extension IntakeReader {
  /// `{"signal":"charging","to":"charging","at":…,"id":"7"}`, as lines of a live feed and reminders files
  /// have them; also `name=unlock&to=…`, which is quickly typed into a shortcut.
  mutating func readSignal(_ node: JSONValue) {
    let name = (node["signal"] ?? (body.source == .signals ? node["name"] : nil))?
      .word(most: IntakeSignal.longestWord)
    let time = PayloadTime(of: node, ["at"] + Self.timeKeys)
    let (level, id) = (Self.stated(node.first(["to", "level"])), Self.stated(node["id"]))
    let (levelWord, idWord) = (
      level?.word(most: IntakeSignal.longestWord), id?.word(most: IntakeSignal.longestWord)
    )
    // A word that is too long, or none, spoils the signal.
    guard let name, time != .unreadable, (level == nil) == (levelWord == nil),
      (id == nil) == (idWord == nil)
    else {
      return pass(over: .badSignal)
    }
    add(.signal(IntakeSignal(name: name, level: levelWord, id: idWord, at: time.instant)))
  }

  /// A value that is not null and not the empty text of a form's empty field.
  private static func stated(_ value: JSONValue?) -> JSONValue? {
    switch value {
    case .null?, .string("")?: nil
    default: value
    }
  }
}
