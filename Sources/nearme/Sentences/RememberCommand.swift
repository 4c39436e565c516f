import ArgumentParser
import Foundation
import NearMeEngine
import Places
import ReminderForms
import Sentences
import SettingsFiles
import Timeline
import UserStore

/// `nearme remember`.
struct RememberCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remember",
    abstract: "Say a reminder in a sentence; it is shown before it is saved.",
    discussion: """
        export NEARME_DB=my.db
        nearme remember "buy milk when I'm near a grocery after 5 on weekdays"
        nearme remember "take the pills every day at 8" --yes

      What was understood is underlined and said back. Nothing is saved without a yes: answer y, or n, or say it \
      again in other words. What you say then takes the place of the sentence, or, without a title, of its times, \
      places and conditions: "at 9 instead of 8" is said as "every day at 9".
      """
  )

  @Argument(help: "The sentence.")
  var text: [String]

  @Flag(name: .shortAndLong, help: "Save it without a question.")
  var yes = false

  @Option(help: "The language and the order of days and months: en-US, en-GB or de.")
  var locale = LanguageShelf.usual

  @OptionGroup var database: UserDatabaseOptions

  @OptionGroup var policy: EditPolicyOptions

  @Option(help: "How to print the reminder.")
  var format = ListFormat.text

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        var reader: SentenceReader?
        try mappingSettingsFailures { reader = try LanguageShelf().reader(locale) }
        guard let reader else { return }
        let places = try knownPlaces()
        guard let understanding = try confirmed(text.joined(separator: " "), reader, places) else {
          printError("nearme: nothing is saved")
          throw ExitCode(ExitStatus.checkFailed.code)
        }
        try addReminder(id: nil, at: presentInstant(), to: database, by: policy, format) {
          understanding.reminder(id: $0)
        }
      }
    }
  }

  /// The places of the database, if there is one yet, by their names and by what they are.
  private func knownPlaces() throws -> [SentenceContext.Place] {
    guard FileManager.default.fileExists(atPath: try database.path) else { return [] }
    let store = try database.open(.look)
    return try store.places().flatMap(\.spoken)
  }

  /// What the person agrees to; nil if nothing.
  private func confirmed(
    _ text: String,
    _ reader: SentenceReader,
    _ places: [SentenceContext.Place]
  ) throws -> Understanding? {
    var text = text
    var standing: Understanding?
    while true {
      let context = LanguageShelf.context(
        reader,
        now: nil,
        zone: localZone(),
        locale: locale,
        places: places
      )
      let understanding = reader.understand(text, in: context).correcting(standing)
      standing = understanding
      guard !understanding.title.isEmpty else {
        throw CommandFailure(.usage, "the sentence says no more than when: add what is to be done")
      }
      let made = try ProfileGate(database.profile).filled(understanding.reminder(id: "new"))
      try printLines(
        UnderstandingText(understanding, reader, context)
          .lines(text, isWokenByHours: made.isWokenByWindow)
      )
      if yes { return understanding }
      try FileHandle.standardOutput.write(
        contentsOf: Data("Save it? y, n, or say it differently: ".utf8)
      )
      guard let answer = readLine(strippingNewline: true) else {
        print()
        return nil
      }
      switch answer.trimmingCharacters(in: .whitespaces).lowercased() {
      case "y", "yes", "j", "ja": return understanding
      case "", "n", "no", "nein": return nil
      default: text = answer
      }
    }
  }
}

extension Understanding {
  /// What was said before, corrected by what is said now: all of it, or, without a title, what it names.
  fileprivate func correcting(_ before: Understanding?) -> Understanding {
    // "No, at 6": what is left names nothing that could be done, unless it says nothing of when either.
    let words = title.lowercased().split { !$0.isLetter }
    let isSmall =
      !triggers.isEmpty && !words.isEmpty && words.allSatisfy { Self.small.contains(String($0)) }
    guard title.isEmpty || isSmall, var corrected = before else { return self }
    corrected.spans = spans
    if !triggers.isEmpty { corrected.triggers = triggers }
    if !conditions.isEmpty { corrected.conditions = conditions }
    if priority != 0 { corrected.priority = priority }
    corrected.persistence = persistence ?? corrected.persistence
    corrected.nag = nag ?? corrected.nag
    corrected.tone = tone ?? corrected.tone
    corrected.expires = expires ?? corrected.expires
    corrected.notes = notes ?? corrected.notes
    corrected.fallbackMinute = fallbackMinute ?? corrected.fallbackMinute
    return corrected
  }

  /// Words with which people correct what they have said.
  private static let small: Set<String> = [
    "no", "nope", "actually", "rather", "instead", "please", "pls", "thanks", "sorry", "make", "it",
    "better", "nein", "doch", "lieber", "bitte", "danke", "besser",
  ]
}
