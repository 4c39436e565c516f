import Basics
import Foundation
import Recurrence
import Sentences
import SettingsFiles
import Timeline

/// Sentences a second on one thread, and the longest that one of so many fuzzed texts takes.
///
/// - Parameters:
///   - path: a language file.
///   - fuzzed: how many texts are made of pieces of the sentences, words of the language and bytes.
func measureSentences(language path: String, fuzzed: Int) throws {
  setenv("BENCH_CLOCK", "cpu", 1)
  let reader = SentenceReader(try LanguageFile.read(path: path))
  let now = LocalDateTime(clamping: 1_770_976_800)
  let context = SentenceContext(now: now, zone: UTCOffsetTable(systemZone: "America/New_York"))
  let sentences = [
    "Water plants every Tuesday at 3pm", "buy milk when I'm near a grocery after 5 on weekdays",
    "remind me to call mum tomorrow at 6", "take out the trash when I get home on Thursday evening",
    "pay rent every month on the 1st at 9am", "send the report by Friday, high priority",
    "drink water every 2 hours between 9am and 5pm on weekdays", "call Bob in 20 minutes",
    "read \"Tomorrow Never Dies\" tonight", "renew the passport on March 1, 2027",
    "back up photos when I plug in only at night", "think of a name for the boat",
  ]
  report(
    measure(
      "sentences understood",
      size: "12 sentences of 20 to 60 letters",
      work: 12_000,
      unit: "sentences"
    ) {
      for _ in 0..<1_000 {
        for sentence in sentences { keep(reader.understand(sentence, in: context)) }
      }
    }
  )
  let writer = SentenceWriter(reader.language)
  let reminders = sentences.map { reader.understand($0, in: context).reminder(id: "r") }
  report(
    measure("reminders said back", size: "12 reminders", work: 1_200, unit: "sentences") {
      for _ in 0..<100 {
        for reminder in reminders { keep(writer.sentence(reminder, in: context)) }
      }
    }
  )
  guard fuzzed > 0 else { return }
  fuzzSentences(reader, context, seeds: sentences, count: fuzzed)
}

private func fuzzSentences(
  _ reader: SentenceReader,
  _ context: SentenceContext,
  seeds: [String],
  count: Int
) {
  var random = SplitMix64(seed: 16)
  let words =
    seeds.flatMap { $0.split(separator: " ").map(String.init) } + [
      "mon", "tue", "and", "5", "31", "february", "\"", "#", "!!", "last", "of", "the", "next",
      "week", "until", "-",
      "/", ":", "3/4", "99", "24:00", "2026-02-30", "é", "🎉", "\u{202E}", "\0", "every", "in",
      "day", "after",
    ]
  var slowest = (seconds: 0.0, text: "")
  let start = secondsNow()
  for _ in 0..<count {
    var text = ""
    for _ in 0...random.integer(0...11) {
      switch random.integer(0...9) {
      case 0: text.unicodeScalars.append(Unicode.Scalar(UInt8(random.integer(0...127))))
      case 1: text += "\(random.integer(0...99_999))"
      default: text += words[random.integer(0...words.count - 1)]
      }
      if random.integer(0...9) > 0 { text += " " }
    }
    let begin = secondsNow()
    let found = reader.understand(text, in: context)
    var seconds = secondsNow() - begin
    keep(found)
    // A machine that others use pauses now and then: what seems slow is tried again.
    if seconds > 0.000_5 {
      for _ in 0..<5 {
        let again = secondsNow()
        keep(reader.understand(text, in: context))
        seconds = min(seconds, secondsNow() - again)
      }
    }
    let length = text.unicodeScalars.count
    precondition(
      found.spans.allSatisfy { 0 <= $0.from && $0.from < $0.to && $0.to <= length },
      text
    )
    if seconds > slowest.seconds { slowest = (seconds, text) }
  }
  let total = secondsNow() - start
  print(
    "\(count) fuzzed texts in \(fixed(total, 1)) s of this process's time;"
      + " the slowest took \(fixed(slowest.seconds * 1_000, 3)) ms: \(slowest.text.debugDescription)"
  )
}
