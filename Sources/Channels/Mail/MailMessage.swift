import Foundation
import LiveHost
import NearMeEngine
import Timeline

/// A mail of plain text: about a notification, with the address of its page, or the list of a day.
///
/// Nothing of a title becomes a line of the head: breaks and other control characters are blanks there,
/// and what is not ASCII is encoded (RFC 2047). The body is quoted-printable (RFC 2045), which every
/// machine on the way can carry.
package struct MailMessage: Hashable, Sendable {
  private static let longestSubject = 120
  /// As base64 and in its frame of 12 characters, behind the name of the field, 73 of the 76 characters
  /// that a line with encoded words may have.
  private static let wordBytes = 39

  private let from: MailAddress
  private let to: MailAddress
  private let subject: String
  private let body: String
  private let date: Timestamp
  /// The part of its identity before the host: the same whenever the same news is sent again.
  private let identity: String
  /// What all mails about one notification refer to, so that they stand together; nil for one that stands alone.
  private let thread: String?
  /// Where a mail program's own button "unsubscribe" posts to (RFC 8058); nil without one.
  private let unsubscribe: String?

  /// Writes a mail.
  ///
  /// - Parameter thread: a name for the notification, of letters, digits, `-` and `_`.
  /// - Parameter isUpdate: whether it says more about something that was mailed before.
  package init(
    from: MailAddress,
    to: MailAddress,
    about notification: ReminderNotification,
    buttons: [AnswerButton],
    page: String,
    thread: String,
    isUpdate: Bool
  ) {
    self.from = from
    self.to = to
    let text = NewsText(notification)
    subject = Self.line(text.titled.title)
    let answers = buttons.map(\.label).joined(separator: ", ")
    let lines = [notification.text, "", "\(answers):", page]
    body = lines.joined(separator: "\n")
    date = notification.at
    identity = "\(thread).\(notification.at.milliseconds)\(isUpdate ? ".update" : "")"
    self.thread = thread
    // Of several reminders nobody means to mute all.
    unsubscribe = buttons.first { $0.action == .mute && $0.url.hasPrefix("https://") }?.url
  }

  /// Writes a mail that is about no notification, and has neither buttons nor links.
  ///
  /// - Parameters:
  ///   - lines: the body; a line of it is one line of the mail, whatever is in it.
  ///   - identity: of letters, digits, `.`, `-` and `_`: the same whenever the same mail is sent again.
  package init(
    from: MailAddress,
    to: MailAddress,
    subject: String,
    lines: [String],
    date: Timestamp,
    identity: String
  ) {
    self.from = from
    self.to = to
    self.subject = Self.line(subject)
    body = lines.map(Self.cleaned).joined(separator: "\n")
    self.date = date
    self.identity = identity
    thread = nil
    unsubscribe = nil
  }

  /// It as `sendmail -t -i` takes it; lines end with a feed alone.
  package var text: String {
    var lines = [
      "From: Near Me <\(from.text)>", "To: <\(to.text)>", "Subject: \(Self.encoded(subject))",
      "Date: \(Self.dateText(date))", "Message-ID: <\(identity)@\(from.host)>",
    ]
    if let thread { lines.append("References: <\(thread)@\(from.host)>") }
    lines += [
      // Nobody's out-of-office message is wanted in return (RFC 3834).
      "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable",
    ]
    if let unsubscribe {
      lines.append("List-Unsubscribe: <\(unsubscribe)>")
      lines.append("List-Unsubscribe-Post: List-Unsubscribe=One-Click")
    }
    return (lines + ["", Self.quotedPrintable(body)]).joined(separator: "\n") + "\n"
  }

  /// A text as one line without control characters, cut where it is too long for a head.
  private static func line(_ text: String) -> String {
    let line = cleaned(text)
    return line.count > longestSubject ? line.prefix(longestSubject - 1) + "…" : line
  }

  /// A text as one line without control characters, nor those that turn the direction of what follows.
  private static func cleaned(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl =
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x2028
        || (0x2029...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      kept.append(isControl ? " " : scalar)
    }
    return String(kept)
  }

  /// A line for the head: as it is, or as encoded words of at most 75 characters, each on a line.
  private static func encoded(_ text: String) -> String {
    // "=?" could be read as an encoded word.
    if text.utf8.allSatisfy({ $0 < 0x7F }), !text.contains("=?") { return text }
    var words: [[UInt8]] = [[]]
    for character in text {
      let bytes = Array(String(character).utf8)
      // Only a character with many marks is torn apart.
      for i in stride(from: 0, to: bytes.count, by: wordBytes) {
        let piece = bytes[i..<min(i + wordBytes, bytes.count)]
        if words[words.count - 1].count + piece.count > wordBytes { words.append([]) }
        words[words.count - 1] += piece
      }
    }
    return words.map { "=?utf-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\n ")
  }

  /// `Tue, 03 Mar 2026 08:00:00 +0000` (RFC 5322, section 3.3).
  private static func dateText(_ instant: Timestamp) -> String {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // Rounded down, before 1970, too: a phone's clock may say anything.
    func split(_ number: Int, by size: Int) -> (whole: Int, rest: Int) {
      let rest = (number % size + size) % size
      return ((number - rest) / size, rest)
    }
    let seconds = split(Int(instant.milliseconds), by: 1_000).whole
    let (day, clock) = split(seconds, by: 86_400)
    let date = CivilDate(daysSinceEpoch: day)
    // 1970 began on a Thursday.
    return
      "\(days[split(day + 4, by: 7).rest]), \(two(date.day)) \(months[date.month - 1]) \(date.year) "
      + "\(two(clock / 3_600)):\(two(clock / 60 % 60)):\(two(clock % 60)) +0000"
  }

  /// Lines of at most 76 characters, all else than printable ASCII as `=` and two digits.
  private static func quotedPrintable(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var written: [UInt8] = []
      let bytes = Array(line.utf8)
      for (i, byte) in bytes.enumerated() {
        let isLast = i == bytes.count - 1
        let isPlain = (0x21...0x7E).contains(byte) && byte != 0x3D || byte == 0x20 && !isLast
        let piece = isPlain ? [byte] : [0x3D, digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        // One place is kept for the sign that the line goes on.
        if written.count + piece.count > 75 {
          lines.append(String(decoding: written, as: UTF8.self) + "=")
          written = []
        }
        written += piece
      }
      lines.append(String(decoding: written, as: UTF8.self))
    }
    return lines.joined(separator: "\n")
  }
}
