import LiveHost

/// A mail address, such as `anna@example.org`.
package struct MailAddress: Hashable, Sendable {
  /// It.
  package let text: String
  /// What stands behind the sign.
  package let host: Substring

  /// Reads an address: the plain form of RFC 5321, in ASCII, without a name before it.
  ///
  /// - Throws: `.usage` for anything else.
  package init(_ text: String) throws(HostFailure) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, text.utf8.count <= 254, Self.isLocal(parts[0]), Self.isHost(parts[1])
    else { throw HostFailure(.usage, "mail address \(text): one as anna@example.org is needed") }
    self.text = text
    host = parts[1]
  }

  /// A word, or several with dots between (RFC 5322, section 3.2.3).
  private static func isLocal(_ text: Substring) -> Bool {
    text.utf8.count <= 64
      && text.split(separator: ".", omittingEmptySubsequences: false)
        .allSatisfy { word in
          !word.isEmpty
            && word.utf8.allSatisfy { isNameByte($0) || "!#$%&'*+/=?^`{|}~".utf8.contains($0) }
        }
      // A program would take it for an option.
      && !text.hasPrefix("-")
  }

  private static func isHost(_ text: Substring) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false)
      .allSatisfy { label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy { isNameByte($0) && $0 != 0x5F }
      }
  }
}
