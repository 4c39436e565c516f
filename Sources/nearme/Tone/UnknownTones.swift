import NearMeEngine
import Places
import SettingsFiles
import Tones

/// What reminders are to be said in and no pack is called: a sentence for each such tone.
func unknownTones(of reminders: [Reminder]) -> [String] {
  let asked = Set(reminders.compactMap(\.tone))
  guard !asked.isEmpty else { return [] }
  let known = Set(DataFolder.ofThisProcess.names(kind: "tones") + [TonePack.plain.name]).sorted()
  return asked.subtracting(known).sorted()
    .map { tone in
      let hint = nearestName(to: tone, among: known).map { "did you mean \($0)? " } ?? ""
      return "no tone is called \(tone): \(hint)what has it speaks plainly; there are "
        + known.joined(separator: ", ")
    }
}

/// Says so on standard error.
func noteUnknownTones(of reminders: [Reminder]) {
  for sentence in unknownTones(of: reminders) { printError("nearme: note: \(sentence)") }
}
