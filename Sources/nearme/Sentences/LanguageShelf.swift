import Foundation
import Recurrence
import Sentences
import SettingsFiles
import Timeline

/// The languages that were asked for, each read once.
final class LanguageShelf {
  private var readers: [String: SentenceReader] = [:]

  /// Reads sentences of a locale, such as `en-GB`: in the language of its first part.
  func reader(_ locale: String) throws(SettingsError) -> SentenceReader {
    let name = String(locale.lowercased().prefix { $0 != "-" && $0 != "_" })
    if let known = readers[name] { return known }
    let path = try DataFolder.ofThisProcess.path(of: name, kind: "languages")
    let reader = SentenceReader(try LanguageFile.read(path: path))
    readers[name] = reader
    return reader
  }

  /// The usual locale.
  static let usual = "en-US"

  /// When and where a sentence is said.
  ///
  /// - Parameter now: a wall time; one with an offset is shown by the zone's clock. nil: the present.
  static func context(
    _ reader: SentenceReader,
    now: WrittenTime?,
    zone: UTCOffsetTable?,
    locale: String,
    places: [SentenceContext.Place] = []
  ) -> SentenceContext {
    var local = now?.local
    if now == nil || now?.offsetSeconds != nil {
      let instant = now?.instant(in: zone ?? .utc) ?? presentInstant()
      let seconds = instant.wholeSeconds
      let offset = (zone ?? localZone()).offsetSeconds(at: instant)
      local = LocalDateTime(clamping: seconds + Int64(offset))
    }
    return SentenceContext(
      now: local ?? LocalDateTime(clamping: 0),
      zone: zone,
      zones: SystemZones(),
      isDayFirst: reader.language.isDayFirst(locale) ?? true,
      places: places
    )
  }
}
