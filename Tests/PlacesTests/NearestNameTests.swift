import Places
import Testing

/// What a misspelled name was meant to be.
@Suite struct NearestNameTests {
  @Test(arguments: [
    ("tuen", "tune"), ("rnu", "run"), ("sevre", "serve"), ("explian", "explain"),
    ("simulat", "simulate"), ("zzzzzz", nil),
  ])
  func `letters that have changed places are one mistake`(_ typed: String, _ meant: String?) {
    let names = ["explain", "run", "serve", "simulate", "tone", "trace", "tune"]
    #expect(nearestName(to: typed, among: names) == meant)
  }
}
