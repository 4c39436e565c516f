import Dispatch
import LiveHost
import NearMeEngine
import Timeline

/// How mail goes out.
package struct MailSettings: Hashable, Sendable {
  /// Who sends.
  package let from: MailAddress
  /// Who reads.
  package let to: MailAddress
  /// The program, such as `/usr/sbin/sendmail` or `msmtp`, and what it is given before the mail: with
  /// `-t` it reads the receivers from the head, with `-i` a line with a single dot ends nothing.
  package let command: [String]
  /// How long it may take.
  package let timeLimit: Milliseconds

  /// Makes settings.
  package init(
    from: MailAddress,
    to: MailAddress,
    command: [String] = ["/usr/sbin/sendmail", "-t", "-i"],
    timeLimit: Milliseconds = .seconds(60)
  ) {
    self.from = from
    self.to = to
    self.command = command
    self.timeLimit = timeLimit
  }
}

/// The machine's own program that sends mail.
package struct MailProgram: Sendable {
  private let program: ChildProgram
  private let queue = DispatchQueue(label: "mail")

  /// Makes it.
  ///
  /// - Throws: `.missing` if there is no such program.
  package init(_ command: [String], timeLimit: Milliseconds = .seconds(60)) throws(HostFailure) {
    guard let name = command.first, ChildProgram.isExecutable(name) else {
      throw HostFailure(
        .missing,
        "mail: there is no program \(command.first ?? "") that may be run: install msmtp-mta or "
          + "another that brings sendmail, or name one"
      )
    }
    program = ChildProgram(command, timeLimit: timeLimit)
  }

  /// Hands a mail over.
  package func send(_ message: MailMessage) async -> DeliveryOutcome {
    let bytes = Array(message.text.utf8)
    let end = await withCheckedContinuation { continuation in
      queue.async { [program] in continuation.resume(returning: program.run(bytes)) }
    }
    return Self.outcome(end)
  }

  /// What an end means, by sysexits.h: no service (69, which msmtp says of a server's 4xx), no process
  /// (71), input and output (74) and "try again" (75) may pass; all else is final.
  static func outcome(_ end: ChildProgram.End) -> DeliveryOutcome {
    switch end {
    case .exited(0): .delivered
    case .exited(let code) where [69, 71, 74, 75].contains(code):
      .putOff(reason: "exit status \(code)", atLeast: nil)
    case .exited(let code): .refused(reason: "exit status \(code)")
    case .failed(let reason): .putOff(reason: reason, atLeast: nil)
    }
  }
}

/// Mails news by the machine's own program.
///
/// A mail cannot be taken back: of changes that say less, and of withdrawals, nothing is sent.
package final class MailSink: Sink {
  package let name: String
  /// The machine's own program is one for all.
  package var lane: String? { settings.command.first.map { "exec/" + $0 } }
  private let settings: MailSettings
  private let person: String
  private let minting: any AnswerMinting
  private let program: MailProgram

  /// Makes a sink for one person.
  ///
  /// - Throws: `.missing` if there is no such program.
  package init(
    _ settings: MailSettings,
    person: String,
    minting: any AnswerMinting
  ) throws(HostFailure) {
    program = try MailProgram(settings.command, timeLimit: settings.timeLimit)
    name = AnswerWay.mail(settings.to).name
    self.settings = settings
    self.person = person
    self.minting = minting
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    precondition(deliveries.count == 1, "a mail for each")
    guard let news = ChannelNews(deliveries[0]) else { return .notANotification }
    switch news {
    case .changed, .withdrawn: return .delivered
    case .posted(let notification): return await send(notification, isUpdate: false)
    case .updated(let notification): return await send(notification, isUpdate: true)
    }
  }

  private func send(_ notification: ReminderNotification, isUpdate: Bool) async -> DeliveryOutcome {
    guard
      let (buttons, page) = try? minting.buttons(
        for: notification,
        channel: name
      )
    else {
      return .noButtons
    }
    let message = MailMessage(
      from: settings.from,
      to: settings.to,
      about: notification,
      buttons: buttons,
      page: page,
      thread: publicName(person: person, notification: notification.id),
      isUpdate: isUpdate
    )
    return await program.send(message)
  }
}
