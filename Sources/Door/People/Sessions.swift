import Channels
import Crypto
import Foundation
import LiveHost
import Timeline

/// What a credential of a person's may be used for.
package enum SessionScope: String, Hashable, Sendable, CaseIterable, Comparable {
  /// To look.
  case read
  /// To change reminders, places and settings.
  case write
  /// To let phones in and out.
  case phones

  /// In the order of ``allCases``.
  package static func < (a: Self, b: Self) -> Bool {
    (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
  }
}

/// A credential of a person's, as it is known here: by its hash.
package struct StoredSession: Hashable, Sendable {
  /// What sort it is.
  package enum Kind: String, Hashable, Sendable {
    /// Behind a one-time link: it is worth a session, once.
    case link
    /// A browser that is signed in.
    case session
    /// A program's.
    case token
  }

  /// SHA-256 of the credential.
  package let hash: Data
  /// Whose it is.
  package let person: DoorPerson
  /// What sort it is.
  package let kind: Kind
  /// What it may be used for.
  package let scopes: Set<SessionScope>
  /// What the person calls it.
  package let label: String
  /// When it was made.
  package let created: Timestamp
  /// From when on it is worth nothing.
  package var expires: Timestamp
  /// When it was used last, to the hour.
  package var used: Timestamp?
  /// The browser in which a token was made, by its label; nil: nobody knows.
  package var maker: String?

  /// A name for lists and addresses, of which nothing can be learned.
  package var id: String { hash.prefix(8).map { String(format: "%02x", $0) }.joined() }
}

/// Secrets of sessions, links and tokens.
package enum SessionSecret {
  /// A new one of 260 random bits.
  package static func make() -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    var generator = SystemRandomNumberGenerator()
    return String((0..<52).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
  }

  /// The word that a page sends with what it changes: whoever can only have the browser send its cookie does not
  /// know it.
  static func csrf(of secret: String) -> String {
    let code = HMAC<SHA256>
      .authenticationCode(
        for: Data("nearme csrf 1".utf8),
        using: SymmetricKey(data: Data(secret.utf8))
      )
    return code.prefix(16).map { String(format: "%02x", $0) }.joined()
  }
}

/// Who is signed in, by the hash of what a request brings.
///
/// All of it is held in memory; what another process changes, such as a link that a command makes, is noticed within a
/// second, and at once where a hash is not known.
package final class Sessions: Sendable {
  /// A browser that does not come back for so long has to sign in again.
  package static let sessionSpan = Milliseconds.minutes(90 * 24 * 60)
  /// So often is it written down that a credential is in use.
  private static let noteSpan = Milliseconds.minutes(60)

  private struct Known {
    var byHash: [Data: StoredSession] = [:]
    /// So many times the door itself has changed something: what was read meanwhile may be older.
    var changeCount = 0
    var version = -1
    var lookedAt: ContinuousClock.Instant?
  }

  private let store: DoorStore
  private let lock = NSLock()
  private nonisolated(unsafe) var known = Known()

  init(_ store: DoorStore) throws(HostFailure) {
    self.store = store
    try refresh(always: true)
  }

  /// The session or token of a secret, unless it has expired; links are none.
  ///
  /// - Throws: ``HostFailure`` if the door's file cannot be read.
  func session(of secret: String, at now: Timestamp) throws(HostFailure) -> StoredSession? {
    let hash = Secret.hash(secret)
    try refreshIfOld()
    var found = lock.withLock { known.byHash[hash] }
    if found == nil {
      try refresh()
      found = lock.withLock { known.byHash[hash] }
    }
    guard let found, found.kind != .link, found.expires > now else { return nil }
    return try noteUse(found, at: now)
  }

  /// Whether a credential that was good is so still.
  func isGood(_ session: StoredSession, at now: Timestamp) -> Bool {
    try? refreshIfOld()
    return lock.withLock { known.byHash[session.hash] }.map { $0.expires > now } ?? false
  }

  /// Writes down now and then that it is in use; a browser's time begins anew.
  private func noteUse(
    _ session: StoredSession,
    at now: Timestamp
  ) throws(HostFailure) -> StoredSession {
    if let used = session.used, now - used < Self.noteSpan { return session }
    var noted = session
    noted.used = now
    if noted.kind == .session { noted.expires = now + Self.sessionSpan }
    do throws(HostFailure) {
      try store.noteUse(noted)
    } catch {
      // Whoever only looks waits for no other program: it is written down with a later use.
      guard error.code == .held else { throw error }
      return session
    }
    let new = noted
    lock.withLock {
      // One that was ended meanwhile stays ended.
      guard known.byHash[new.hash] != nil else { return }
      known.byHash[new.hash] = new
      known.changeCount += 1
    }
    return noted
  }

  /// Exchanges the secret of a one-time link for a session's.
  ///
  /// - Returns: the session and its secret; nil where the link was used, is too old or never was.
  func signIn(
    link: String,
    label: String,
    at now: Timestamp
  ) throws(HostFailure) -> (session: StoredSession, secret: String)? {
    let secret = SessionSecret.make()
    let session = try store.takeLink(
      Secret.hash(link),
      for: Secret.hash(secret),
      label: label,
      at: now,
      until: now + Self.sessionSpan
    )
    guard let session else { return nil }
    try refresh(always: true)
    return (session, secret)
  }

  /// Makes a token of a person's.
  ///
  /// - Parameter maker: the browser in which that is done.
  package func addToken(
    of person: DoorPerson,
    label: String,
    scopes: Set<SessionScope>,
    by maker: String? = nil,
    at now: Timestamp,
    until end: Timestamp
  ) throws(HostFailure) -> (session: StoredSession, secret: String) {
    let secret = SessionSecret.make()
    let token = StoredSession(
      hash: Secret.hash(secret),
      person: person,
      kind: .token,
      scopes: scopes,
      label: label,
      created: now,
      expires: end,
      maker: maker
    )
    try store.add(token)
    lock.withLock {
      known.byHash[token.hash] = token
      known.changeCount += 1
    }
    return (token, secret)
  }

  /// Ends a credential.
  ///
  /// - Returns: the browsers whose pushes ended with it.
  func end(_ session: StoredSession) throws(HostFailure) -> [PushSubscription] {
    let browsers = try store.remove(session)
    lock.withLock {
      known.byHash[session.hash] = nil
      known.changeCount += 1
    }
    return browsers
  }

  /// Ends a person's sessions and unused links but for one session, and the tokens where that is wanted.
  ///
  /// - Returns: what was ended.
  func endOthers(
    than session: StoredSession,
    withTokens: Bool
  ) throws(HostFailure) -> [(hash: Data, kind: StoredSession.Kind)] {
    let ended = try store.removeOthers(than: session, withTokens: withTokens)
    lock.withLock {
      for (hash, _) in ended { known.byHash[hash] = nil }
      known.changeCount += 1
    }
    return ended
  }

  /// Ends all of a person's.
  func endAll(of person: DoorPerson) {
    lock.withLock {
      known.byHash = known.byHash.filter { $0.value.person.id != person.id }
      known.changeCount += 1
    }
  }

  /// A person's credentials of a kind, the newest first.
  func all(of person: DoorPerson, _ kind: StoredSession.Kind) -> [StoredSession] {
    lock.withLock { known.byHash.values.filter { $0.person.id == person.id && $0.kind == kind } }
      .sorted { ($0.created, $0.id) > ($1.created, $1.id) }
  }

  /// How many credentials of each kind are good.
  func counts(at now: Timestamp) -> (sessions: Int, tokens: Int) {
    lock.withLock {
      let good = known.byHash.values.filter { $0.expires > now }
      return (good.count { $0.kind == .session }, good.count { $0.kind == .token })
    }
  }

  // MARK: What others change

  private func refreshIfOld() throws(HostFailure) {
    let isOld = lock.withLock { () -> Bool in
      guard let last = known.lookedAt else { return true }
      return last.duration(to: .now) >= .seconds(1)
    }
    if isOld { try refresh() }
  }

  private func refresh(always: Bool = false) throws(HostFailure) {
    let version = try store.dataVersion()
    let isNew = lock.withLock { () -> Bool in
      known.lookedAt = .now
      return always || known.version != version
    }
    guard isNew else { return }
    while try !takeUp(version) {}
  }

  /// Reads all credentials anew.
  ///
  /// - Returns: false where the door has changed one meanwhile: what was read may be from before.
  private func takeUp(_ version: Int) throws(HostFailure) -> Bool {
    let changeCount = lock.withLock { known.changeCount }
    let sessions = try store.sessions()
    return lock.withLock {
      guard known.changeCount == changeCount else { return false }
      known.version = version
      known.byHash = Dictionary(sessions.map { ($0.hash, $0) }, uniquingKeysWith: { one, _ in one })
      return true
    }
  }
}
