import Channels
import Foundation
import LiveHost
import NearMeEngine
import TestSupport
import Testing
import Timeline

@Suite struct MailTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A program that keeps what it is given, and ends as a test wants.
  private func sink(
    _ end: String = "exit 0",
    timeLimit: Milliseconds = .seconds(20)
  ) throws -> MailSink {
    let script = "cat >\"$1\"; printf '%s ' \"$@\" >\"$1.arguments\"; \(end)"
    return try MailSink(
      MailSettings(
        from: MailAddress("nearme@example.org"),
        to: MailAddress("anna@example.org"),
        command: ["/bin/sh", "-c", script, "sendmail", folder.path("mail"), "-t", "-i"],
        timeLimit: timeLimit
      ),
      person: "anna",
      minting: desk()
    )
  }

  private var mail: String {
    (try? String(contentsOfFile: folder.path("mail"), encoding: .utf8)) ?? ""
  }

  /// The lines of the head, with those that go on joined.
  private func head(_ mail: String) -> [String] {
    let head = mail.components(separatedBy: "\n\n")[0]
    return head.replacing("\n ", with: " ").components(separatedBy: "\n")
  }

  private func field(_ name: String, of mail: String) -> String? {
    head(mail).first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
  }

  /// A body out of its encoding.
  private func body(_ mail: String) -> String {
    let text = mail.components(separatedBy: "\n\n").dropFirst().joined(separator: "\n\n")
      .replacing("=\n", with: "")
    return text.replacing("=", with: "%").removingPercentEncoding ?? ""
  }

  /// A subject out of its encoded words.
  private func decoded(_ subject: String) -> String {
    String(
      decoding: subject.split(separator: " ")
        .flatMap { word -> Data in
          Data(base64Encoded: String(word.dropFirst(10).dropLast(2))) ?? Data()
        },
      as: UTF8.self
    )
  }

  @Test func `a mail says what happened, and where to answer`() async throws {
    #expect(try await sink().deliver([posted(news(["Near the bakery: 100 % rye?"]))]) == .delivered)
    let (buttons, page) = try desk()
      .buttons(
        for: news(["Near the bakery: 100 % rye?"]),
        channel: AnswerWay.mail(MailAddress("anna@example.org")).name
      )
    for (name, text) in [
      ("From", "Near Me <nearme@example.org>"), ("To", "<anna@example.org>"),
      ("Subject", "Near the bakery: 100 % rye?"), ("Date", "Tue, 03 Mar 2026 08:00:00 +0000"),
      ("Auto-Submitted", "auto-generated"), ("MIME-Version", "1.0"),
      ("Content-Type", "text/plain; charset=utf-8"),
      ("Content-Transfer-Encoding", "quoted-printable"),
      ("List-Unsubscribe", "<\(try #require(buttons.last).url)>"),
      ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    ] {
      #expect(field(name, of: mail) == text, "\(name)")
    }
    #expect(buttons.last?.action == .mute)
    let body = body(mail.replacing("%", with: "=25"))
    #expect(body.hasPrefix("Near the bakery: 100 % rye?\n\n"))
    #expect(body.hasSuffix("\n\(page)\n"))
    // Machines fetch what stands in mails: nothing there acts.
    #expect(!body.contains("/a/"))
    let arguments = try String(contentsOfFile: folder.path("mail.arguments"), encoding: .utf8)
    #expect(arguments.hasSuffix(" -t -i "))
  }

  @Test func `no title becomes a line of the head`() async throws {
    for title in [
      "Milk\nBcc: eve@example.org", "Milk\r\nBcc: eve@example.org", "Milk\rBcc: eve@example.org",
      "Milk\u{2028}Bcc: eve@example.org", "Milk\u{85}Bcc: eve@example.org", "\n\nMilk\n.\nmore",
    ] {
      for notification in try [news([title]), news(["x"], headline: title)] {
        #expect(try await sink().deliver([posted(notification)]) == .delivered)
        #expect(head(mail).count == 12, "\(title.debugDescription)")
        #expect(field("Bcc", of: mail) == nil)
        #expect(head(mail).allSatisfy { $0.contains(": ") && !$0.contains("\r") })
      }
    }
  }

  @Test func `what is not ASCII arrives as it was`() async throws {
    for title in [
      "Müsli für Jürgen", "Größe — 👩‍👩‍👧‍👦 " + String(repeating: "äö", count: 40), "=?utf-8?B?eA==?=",
      String(repeating: "👩‍👩‍👧‍👦", count: 20),
    ] {
      let notification = try news([title], headline: title)
      #expect(try await sink().deliver([posted(notification)]) == .delivered)
      #expect(mail.utf8.allSatisfy { $0 < 0x7F })
      #expect(
        mail.components(separatedBy: "\n").allSatisfy { $0.utf8.count <= 76 || $0.hasPrefix("L") }
      )
      #expect(decoded(try #require(field("Subject", of: mail))) == title)
      #expect(body(mail).hasPrefix(title + "\n"))
    }
    let long = String(repeating: "é", count: 500)
    #expect(try await sink().deliver([posted(news([long]))]) == .delivered)
    let subject = decoded(try #require(field("Subject", of: mail)))
    #expect(subject.count == 120 && subject.hasSuffix("…"))
    #expect(body(mail).hasPrefix(long))
  }

  @Test func `blanks at the ends of lines and long lines survive`() async throws {
    let lines = [
      "ends with a blank ", "a = b", ".", "From here", String(repeating: "x y ", count: 60),
    ]
    let text = lines.joined(separator: "\n")
    #expect(try await sink().deliver([posted(news([text]))]) == .delivered)
    #expect(body(mail).hasPrefix(text + "\n"))
  }

  @Test func `mails about one thing stand together, and the same one is the same`() async throws {
    _ = try await sink().deliver([posted(news())])
    let first = mail
    _ = try await sink().deliver([posted(news())])
    #expect(mail == first)
    _ = try await sink().deliver([replaced(news(), isNews: true)])
    #expect(field("References", of: mail) == field("References", of: first))
    #expect(field("Message-ID", of: mail) != field("Message-ID", of: first))
    _ = try await sink().deliver([posted(news(["a", "b"]))])
    // Of several reminders none is muted by one press.
    #expect(field("List-Unsubscribe", of: mail) == nil)
  }

  @Test func `dates are those of the calendar, before 1970, too`() async throws {
    for (seconds, text) in [
      (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (-1, "Wed, 31 Dec 1969 23:59:59 +0000"),
      (-864_000, "Mon, 22 Dec 1969 00:00:00 +0000"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
    ] as [(Int64, String)] {
      let notification = try news(at: Timestamp(seconds: seconds))
      #expect(try await sink().deliver([posted(notification)]) == .delivered)
      #expect(field("Date", of: mail) == text)
    }
  }

  @Test func `what is no longer needed is not mailed`() async throws {
    let sink = try sink("exit 1")
    #expect(await sink.deliver([withdrawn()]) == .delivered)
    #expect(try await sink.deliver([replaced(news(), isNews: false)]) == .delivered)
    #expect(mail.isEmpty)
  }

  @Test func `an exit status says whether to try again`() async throws {
    for code in [69, 71, 74, 75] {
      #expect(
        try await sink("exit \(code)").deliver([posted(news())])
          == .putOff(reason: "exit status \(code)", atLeast: nil)
      )
    }
    for code in [1, 64, 65, 67, 77, 78, 127] {
      #expect(
        try await sink("exit \(code)").deliver([posted(news())])
          == .refused(reason: "exit status \(code)")
      )
    }
    guard case .putOff = try await sink("kill -9 $$").deliver([posted(news())]),
      case .putOff = try await sink("sleep 30", timeLimit: .seconds(1)).deliver([posted(news())])
    else {
      Issue.record("a signal and the time limit are no answers")
      return
    }
  }

  @Test func `addresses are plain, and programs exist`() throws {
    for good in ["a@b", "anna.b+c@example.org", "x_1@a-b.example", "o'hara@example.org"] {
      #expect(try MailAddress(good).text == good)
    }
    for bad in [
      "", "a", "@b", "a@", "a@b@c", "a b@c", "a@b c", "a@b\nBcc: c@d", "Anna <a@b>", "a,b@c",
      ".a@b",
      "a..b@c", "a@-b", "a@b..c", "\"a\"@b", "ä@b", "-oQ@b",
      String(repeating: "a", count: 65) + "@b",
    ] {
      #expect(throws: HostFailure.self, "\(bad)") { try MailAddress(bad) }
    }
    #expect(throws: HostFailure.self) {
      try MailSink(
        MailSettings(
          from: MailAddress("a@b"),
          to: MailAddress("c@d"),
          command: [folder.path("none"), "-t"]
        ),
        person: "anna",
        minting: desk()
      )
    }
  }
}
