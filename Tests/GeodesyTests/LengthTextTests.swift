import Geodesy
import Testing

@Suite struct LengthTextTests {
  @Test(arguments: [
    ("3mi", 4_828.032), ("500m", 500), ("2km", 2_000), ("2.5 km", 2_500), ("150", 150), ("0", 0),
    (" 10 ft ", 3.048), ("1NMI", 1_852), (".5km", 500), ("1 mile", 1_609.344),
  ])
  func `reads lengths`(text: String, meters: Double) throws {
    let length = try #require(parseLengthMeters(text))
    #expect(abs(length - meters) < 1e-9)
  }

  @Test(arguments: [
    "", " ", "mi", "-3mi", "3 parsecs", "1.2.3km", "nan", "inf", "1e3", "0x10", "3mi3", "٣mi",
    String(repeating: "9", count: 400),
  ])
  func `refuses everything else`(text: String) {
    #expect(parseLengthMeters(text) == nil)
  }
}
