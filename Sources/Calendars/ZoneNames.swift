import Basics
import Timeline

/// What names of zones mean that are none of the tz database's areas.
enum ZoneNames {
  /// What names of the tz database begin with, before a slash.
  static let areas: Set = [
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Brazil",
    "Canada", "Chile", "Etc", "Europe", "Indian", "Mexico", "Pacific", "US",
  ]

  /// Names of the tz database that are one word; abbreviations but these stand for several zones.
  private static let words: Set = [
    "CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "GB", "GB-Eire", "GMT",
    "GMT+0", "GMT-0", "GMT0", "Greenwich", "HST", "Hongkong", "Iceland", "Iran", "Israel",
    "Jamaica", "Japan", "Kwajalein", "Libya", "MET", "MST", "MST7MDT", "NZ", "NZ-CHAT", "Navajo",
    "PRC", "PST8PDT", "Poland", "Portugal", "ROC", "ROK", "Singapore", "Turkey", "UCT", "UTC",
    "Universal", "W-SU", "WET", "Zulu",
  ]

  /// A name of the tz database that is one word, also behind the path of a program; nil for any other.
  static func word(_ name: String) -> String? {
    if words.contains(name) { return name }
    guard name.first == "/", let last = name.split(separator: "/").last else { return nil }
    return words.contains(String(last)) ? String(last) : nil
  }

  /// Whether a name looks like an abbreviation, such as IST, which is the time of three countries.
  static func isAbbreviation(_ name: String) -> Bool {
    let last = name.split(separator: "/").last ?? ""
    return (2...5).contains(last.count) && last.allSatisfy { $0.isASCII && $0.isUppercase }
  }

  // MARK: - Without a definition

  /// The zone of `GMT+0200`, `UTC-5` or `+01:00`: so far from UTC always; nil for what is none of these.
  static func offset(_ name: String) -> String? {
    guard let seconds = seconds(name) else { return nil }
    let minutes = Int(seconds.magnitude) / 60
    let digits = twoDigits(minutes / 60) + twoDigits(minutes % 60)
    return fixed(seconds) ?? "GMT\(seconds < 0 ? "-" : "+")\(digits)"
  }

  /// The seconds east of UTC that a name such as `GMT+0200` says.
  private static func seconds(_ name: String) -> Int? {
    var rest = name[...]
    for prefix in ["GMT", "UTC"] where rest.hasPrefix(prefix) {
      rest = rest.dropFirst(3)
      if rest.isEmpty { return 0 }
    }
    guard let sign = rest.popFirst(), sign == "+" || sign == "-" else { return nil }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    var digits = parts.joined()
    guard parts.count <= 2, (1...4).contains(digits.count),
      digits.allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    if digits.count <= 2 { digits += "00" }
    guard let number = Int(digits), number / 100 <= 14, number % 100 < 60 else { return nil }
    let seconds = number / 100 * 3_600 + number % 100 * 60
    return sign == "-" ? -seconds : seconds
  }

  /// The zone that is so far from UTC always; nil where that is no number of hours.
  private static func fixed(_ seconds: Int) -> String? {
    if seconds == 0 { return "UTC" }
    let hours = seconds / 3_600
    guard seconds % 3_600 == 0, (-12...14).contains(hours) else { return nil }
    // The sign of these is that of POSIX.
    return "Etc/GMT" + (hours > 0 ? "-" : "+") + "\(hours.magnitude)"
  }

  /// Names that another spelling may stand for.
  static func written(_ name: String) -> [String] {
    switch name.lowercased() {
    case "tzone://microsoft/utc", "coordinated universal time", "utc", "z": return ["UTC"]
    default: break
    }
    let small: Set = ["of", "es", "au"]
    func capitalized(_ text: Substring, by separators: [Character]) -> String {
      guard let separator = separators.first else {
        return small.contains(String(text))
          ? String(text) : text.prefix(1).uppercased() + text.dropFirst()
      }
      return text.split(separator: separator, omittingEmptySubsequences: false)
        .map { capitalized($0, by: Array(separators.dropFirst())) }
        .joined(separator: String(separator))
    }
    let parts = name.lowercased().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return [] }
    let area = parts[0] == "us" ? "US" : capitalized(parts[0], by: [])
    guard areas.contains(area) else { return [] }
    let rest = parts.dropFirst().joined(separator: "/")
    if area == "Etc" { return ["Etc/" + rest.uppercased()] }
    return [area + "/" + capitalized(rest[...], by: ["/", "_", "-"])]
  }

  /// The zone of a name as Outlook shows it, such as `(UTC+01:00) Amsterdam, Berlin, Bern`: of the first of its cities that
  /// is one of the tz database, and that far from UTC.
  static func ofCities(_ name: String, year: Int, _ zones: any ZoneSource) -> String? {
    guard name.first == "(", let end = name.firstIndex(of: ")") else { return nil }
    guard let distance = seconds(String(name[name.index(after: name.startIndex)..<end])) else {
      return nil
    }
    let rest = name[name.index(after: end)...].replacing("\\", with: "")
    for part in rest.split(separator: ",") {
      let words = part.split(separator: " ")
      let city = words.joined(separator: "_")
      let regions = [American.of(words)].compactMap(\.self)
      for candidate in regions + continents.map({ $0 + "/" + city }) {
        if let zone = zones.zone(named: candidate),
          zone.leastOffset(in: year) == distance
        {
          return candidate
        }
      }
    }
    return nil
  }

  private static let continents = [
    "Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian",
  ]

  /// The parts of America that Outlook names by their time.
  private enum American {
    static func of(_ words: [Substring]) -> String? {
      switch words.first {
      case "Pacific" where words.dropFirst().first == "Time": "America/Los_Angeles"
      case "Mountain" where words.dropFirst().first == "Time": "America/Denver"
      case "Central" where words.dropFirst().first == "Time": "America/Chicago"
      case "Eastern" where words.dropFirst().first == "Time": "America/New_York"
      case "Atlantic" where words.dropFirst().first == "Time": "America/Halifax"
      case "Newfoundland": "America/St_Johns"
      case "Alaska": "America/Anchorage"
      case "Arizona": "America/Phoenix"
      case "Hawaii": "Pacific/Honolulu"
      default: nil
      }
    }
  }

  // MARK: - With a definition

  /// Zones that may be one that a file defines, the ones of most people first.
  static func candidates(of zone: UTCOffsetTable) -> [String] {
    if zone.eras.isEmpty, let fixed = fixed(zone.initialOffsetSeconds) { return [fixed] }
    return common + WindowsZones.all
  }

  private static let common = [
    "Europe/Berlin", "Europe/London", "America/New_York", "America/Chicago", "America/Denver",
    "America/Los_Angeles", "America/Halifax", "America/Anchorage", "America/St_Johns",
    "Europe/Athens", "Asia/Kolkata", "Australia/Sydney", "Australia/Adelaide", "Pacific/Auckland",
    "Asia/Jerusalem", "America/Santiago", "Asia/Kathmandu",
  ]
}

extension UTCOffsetTable {
  /// The offset of its standard time in a year.
  fileprivate func leastOffset(in year: Int) -> Int {
    let offsets = [1, 7].compactMap { CivilDate(year: year, month: $0, day: 1) }
      .map { offsetSeconds(at: Timestamp(seconds: Int64($0.daysSinceEpoch) * 86_400)) }
    return offsets.min() ?? initialOffsetSeconds
  }
}
