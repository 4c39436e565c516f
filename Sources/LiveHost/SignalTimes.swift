import Timeline

/// Up to when the signals of each name have been taken in: those before have been seen, or come too late.
///
/// Each name has its own time. A phone's battery that was told with a position does not make the past of what another
/// source says a moment later; but an older level of the same name may not take the place of a newer one.
struct SignalTimes: Hashable, Sendable, Codable {
  private struct Newest: Hashable, Codable {
    let name: String
    var at: Timestamp
  }

  /// In order of the names.
  private var newest: [Newest] = []
  /// What earlier versions kept: one instant for all names.
  private var ofAll: Timestamp?

  /// So many names are remembered, those that were heard last.
  ///
  /// - Source: judgment: more than there are kinds of signals a phone gives.
  private static let most = 64

  /// A signal of so long before the newest of all was kept somewhere, and is no news.
  ///
  /// - Source: judgment: as long as positions that are handed over late are news.
  private static let ofNews = Milliseconds.minutes(15)

  init(ofAll: Timestamp? = nil) { self.ofAll = ofAll }

  /// Whether a newer signal of the name has been taken in, or a much newer one of another.
  func isOld(_ name: String, at instant: Timestamp) -> Bool {
    if let ofAll, instant < ofAll { return true }
    return newest.contains { instant < ($0.name == name ? $0.at : $0.at - Self.ofNews) }
  }

  /// Takes in the newest of a name.
  mutating func note(_ name: String, at instant: Timestamp) {
    if let i = newest.firstIndex(where: { $0.name == name }) {
      newest[i].at = instant
      return
    }
    if newest.count == Self.most,
      let oldest = newest.indices.min(by: { newest[$0].at < newest[$1].at })
    {
      newest.remove(at: oldest)
    }
    newest.append(Newest(name: name, at: instant))
    newest.sort { $0.name < $1.name }
  }

  /// Goes on by a clock that was set.
  mutating func shiftClock(by span: Milliseconds) {
    ofAll = ofAll.map { $0 + span }
    for i in newest.indices { newest[i].at = newest[i].at + span }
  }
}
