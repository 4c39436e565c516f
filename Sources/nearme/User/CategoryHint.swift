import NearMeEngine
import Places
import Sentences
import Timeline

/// The category that is meant by a word that names none: misspelled, in the plural, or another word of English for it.
func meantCategory(by word: String, among known: [String]) -> String? {
  nearestCategory(to: word, among: known)
    ?? spokenCategory(word).flatMap { known.contains($0) ? $0 : nil }
}

/// The category that sentences call by a word, such as `drugstore`; nil where the language cannot be read.
private func spokenCategory(_ word: String) -> String? {
  let spoken = word.lowercased().replacing("_", with: " ")
  guard spoken.count <= 40, spoken.allSatisfy({ $0.isLetter || $0 == " " }),
    let reader = try? LanguageShelf().reader(LanguageShelf.usual)
  else { return nil }
  let context = LanguageShelf.context(reader, now: nil, zone: .utc, locale: LanguageShelf.usual)
  let understanding = reader.understand("look when I'm near a \(spoken)", in: context)
  for case .place(.category(let category), _) in understanding.triggers { return category.name }
  return nil
}
