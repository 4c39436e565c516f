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

  @Test func `where half of a short name differs, nothing is guessed`() {
    #expect(nearestName(to: "r99", among: ["r1", "r12"]) == nil)
    #expect(nearestName(to: "p9", among: ["p1"]) == nil)
    #expect(nearestName(to: "hme", among: ["home", "work"]) == "home")
  }

  @Test(arguments: [
    ("groceries", "grocery"), ("grocreies", "grocery"), ("pharmacies", "pharmacy"),
    ("banks", "bank"), ("gas_stations", "gas_station"), ("post_ofices", "post_office"),
    ("grocrey", "grocery"), ("cinemas", nil), ("s", nil),
  ])
  func `a category in the plural is the same category`(_ typed: String, _ meant: String?) {
    let names = ["bank", "gas_station", "grocery", "pharmacy", "post_office"]
    #expect(nearestCategory(to: typed, among: names) == meant)
  }
}
