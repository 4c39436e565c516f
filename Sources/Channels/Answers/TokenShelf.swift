import Timeline

/// A token as it is put away.
package struct ShelvedToken: Hashable, Sendable {
  /// What is kept of the token itself.
  package let hash: TokenHash
  /// What it stands for.
  package let subject: AnswerSubject
  /// From when on it is worth nothing.
  package let expires: Timestamp

  /// Makes it.
  package init(hash: TokenHash, subject: AnswerSubject, expires: Timestamp) {
    self.hash = hash
    self.subject = subject
    self.expires = expires
  }
}

/// What a token is worth.
package enum TokenUse: Hashable, Sendable {
  /// It was good, for the first time: this is to be done now.
  case fresh(AnswerSubject)
  /// It was used before: nothing is to be done, and the person is told "already done".
  case alreadyDone(AnswerSubject)
  /// It was good once; it came too late.
  case expired(AnswerSubject)
  /// Nobody knows it.
  case unknown
}

/// Where tokens lie: the server's database.
package protocol TokenShelf: Sendable {
  /// Puts tokens away, all of them or none.
  ///
  /// One that lies there already stays as it is: whether it was used, and when it expires.
  func put(_ tokens: [ShelvedToken]) throws
  /// Says what a token would be worth, and changes nothing: for pages, which are fetched by machines, too.
  func look(_ hash: TokenHash, at now: Timestamp) throws -> TokenUse
  /// Uses a token; of two uses at the same time one is the first.
  func use(_ hash: TokenHash, at now: Timestamp) throws -> TokenUse
}
