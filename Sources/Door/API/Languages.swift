import Foundation
import LiveHost
import Sentences
import SettingsFiles

/// The languages in which sentences can be said, each read once.
final class Languages: Sendable {
  /// Those that a person can choose.
  static let locales = ["en-US", "en-GB", "de"]
  /// The usual one.
  static let usual = "en-US"

  /// Those of them whose languages this door has, without having read them.
  static var offered: [String] {
    locales.filter { (try? DataFolder.ofThisProcess.path(of: name($0), kind: "languages")) != nil }
  }

  private let lock = NSLock()
  private nonisolated(unsafe) var readers: [String: SentenceReader] = [:]
  private nonisolated(unsafe) var shelves: [String: SentenceWords] = [:]

  /// Reads sentences of a locale, such as `en-GB`: in the language of its first part.
  ///
  /// - Throws: ``SettingsError`` where there is no such language.
  func reader(_ locale: String) throws -> SentenceReader {
    let name = Self.name(locale)
    return try lock.withLock {
      if let known = readers[name] { return known }
      // A name with a slash or an ending would be a path.
      guard name.allSatisfy({ $0.isASCII && $0.isLetter }) else {
        throw APIRefusal(422, "no_language", "\(locale): no language is called so")
      }
      let path = try DataFolder.ofThisProcess.path(of: name, kind: "languages")
      let reader = SentenceReader(try LanguageFile.read(path: path))
      readers[name] = reader
      return reader
    }
  }

  /// The language of a locale, as its file is called.
  private static func name(_ locale: String) -> String {
    String(locale.lowercased().prefix { $0 != "-" && $0 != "_" })
  }

  /// Says reminders back in the language of a locale.
  func words(_ locale: String) throws -> SentenceWords {
    let reader = try reader(locale)
    return lock.withLock {
      if let words = shelves[reader.language.name] { return words }
      let words = SentenceWords(reader)
      shelves[reader.language.name] = words
      return words
    }
  }
}
