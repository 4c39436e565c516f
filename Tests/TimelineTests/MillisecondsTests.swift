import Testing
import Timeline

@Suite struct MillisecondsTests {
  @Test(arguments: [
    ("250ms", 250), ("90s", 90_000), ("5m", 300_000), ("2h", 7_200_000), ("36h", 129_600_000),
    ("0s", 0), ("87600h", 315_360_000_000),
  ])
  func `a span reads back from its name`(name: String, milliseconds: Int64) {
    #expect(Milliseconds(milliseconds).name == name)
    #expect(Milliseconds(name) == Milliseconds(milliseconds))
  }

  @Test(arguments: [
    ("20", 20_000), ("1.5h", 5_400_000), ("1d", 86_400_000), (".5s", 500), ("0.0004s", 0),
  ])
  func `reads what people write`(text: String, milliseconds: Int64) {
    #expect(Milliseconds(text)?.value == milliseconds)
  }

  @Test(arguments: [
    "", "s", "-5m", "5 m", "5 minutes", "1h30m", "1.2.3s", "nan", "inf", "1e3", "0x10", "4000d",
    String(repeating: "9", count: 400),
  ])
  func `refuses everything else`(text: String) {
    #expect(Milliseconds(text) == nil)
  }
}
