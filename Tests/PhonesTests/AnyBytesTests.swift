import Basics
import Foundation
import Geodesy
import Phones
import TestSupport
import Testing
import Timeline
import Traces

/// Whatever comes in at the door: it is read or named, and never more than that.
@Suite struct AnyBytesTests {
  private static let payloads = [
    #"{"_type":"location","_id":"a","acc":12,"batt":81,"bs":1,"cog":211,"created_at":1772539210,"lat":39.2854173,"#
      + #""lon":-76.6089214,"m":1,"t":"c","tid":"an","tst":1772539200,"vel":18}"#,
    #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"home","rid":"nearme01","tst":946684801,"lat":39.1,"#
      + #""lon":-76.5,"rad":150}]}"#,
    #"{"_type":"status","iOS":{"version":"26.3.1","locationManagerAuthorizationStatus":"kCLAuthorizationStatusDenied"}}"#,
    #"{"_type":"transition","event":"enter","desc":"home","wtst":946684801,"tst":1772539200,"t":"l"}"#,
    #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[-76.6,39.2]},"properties":{"#
      + #""timestamp":"2026-03-03T12:00:00Z","horizontal_accuracy":12,"battery_level":0.5,"wifi":"x"}}],"trip":{}}"#,
    #"{"device_id":"a","location":{"timestamp":"2026-03-03T12:00:00Z","coords":{"latitude":39.2,"longitude":-76.6}}}"#,
    #"{"type":"update_location","data":{"gps":[39.28,-76.6],"gps_accuracy":15,"battery":77,"in_zones":[]}}"#,
    "id=anna&lat=39.2854&lon=-76.6089&timestamp=1772539200&accuracy=12.5&speed=10&batt=81&charge=true",
    "{\"time\":\"2026-03-03T12:00:05Z\",\"lat\":38,\"lon\":-34}\n{\"signal\":\"a\",\"to\":\"b\",\"id\":7}\n[1,2]\n",
    "--B\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nunlock\r\n--B--\r\n",
  ]

  /// What holds for every reading.
  private static func check(_ body: IntakeBody, _ seed: UInt64) {
    let reading = read(body)
    #expect(read(body) == reading, "seed \(seed): another reading of the same bytes")
    var last = Timestamp(milliseconds: .min)
    for item in reading.items {
      let at = item.at ?? body.receivedAt
      #expect(at >= last, "seed \(seed): not in order")
      last = at
      // Sums with such instants and lengths stay within what they are stored in.
      #expect((946_684_800_000...4_102_444_800_000).contains(at.milliseconds), "seed \(seed)")
      if case .fix(let fix, _) = item {
        #expect((-90...90).contains(fix.coordinate.latitude), "seed \(seed)")
        #expect((-180...180).contains(fix.coordinate.longitude), "seed \(seed)")
        #expect(
          fix.horizontalAccuracyMeters > 0 && fix.horizontalAccuracyMeters <= 2e7,
          "seed \(seed)"
        )
        #expect((0...1_000).contains(fix.speedMetersPerSecond ?? 0), "seed \(seed)")
        #expect((0..<360).contains(fix.courseDegrees ?? 0), "seed \(seed)")
      }
    }
    #expect(
      !reading.items.isEmpty || !reading.passedOver.isEmpty,
      "seed \(seed): nothing, and no reason"
    )
    #expect(reading.items.count <= 2 * 5_000 + 1, "seed \(seed)")
    #expect(reading.passedOver.values.allSatisfy { $0 > 0 }, "seed \(seed)")
  }

  private static func body(_ bytes: [UInt8], _ random: inout SplitMix64) -> IntakeBody {
    IntakeBody(
      source: IntakeSource.allCases[random.index(below: IntakeSource.allCases.count)],
      bytes: bytes,
      query: random.index(below: 4) == 0 ? [("id", "a"), ("lat", "39"), ("lon", "-76")] : [],
      contentType: random.index(below: 4) == 0 ? "multipart/form-data; boundary=B" : nil,
      userAgent: random.index(below: 2) == 0 ? androidAgent : nil,
      receivedAt: noon
    )
  }

  @Test func `altered payloads are read or named`() {
    let start = UInt64.random(in: 0..<1 << 40)
    for seed in start..<start + 6_000 {
      var random = SplitMix64(seed: seed)
      var bytes = Array(Self.payloads[random.index(below: Self.payloads.count)].utf8)
      for _ in 0..<random.integer(1...4) {
        let at = random.index(below: bytes.count + 1)
        switch random.index(below: 5) {
        case 0: bytes.insert(UInt8(random.index(below: 256)), at: at)
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + random.integer(1...8)))
        case 2:
          if at < bytes.count {
            bytes[at] = Array("{}[]\",:0-9eE.&=%\n".utf8)[random.index(below: 17)]
          }
        case 3:
          let piece = Array(Self.payloads[random.index(below: Self.payloads.count)].utf8)
          bytes.insert(contentsOf: piece.prefix(random.integer(1...60)), at: at)
        default:
          let numbers = [
            "-1", "1e400", "0", "99999999999999999999", "1e-300", "NaN", "null", "\"\"",
          ]
          bytes.insert(contentsOf: numbers[random.index(below: 8)].utf8, at: at)
        }
      }
      Self.check(Self.body(bytes, &random), seed)
    }
  }

  @Test func `what fuzzing began with and what it found are read or named`() throws {
    let fuzz = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fuzz")
    var files = 0
    for folder in ["seeds/intake", "regressions/intake"] {
      let directory = fuzz.appending(path: folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() {
        let bytes = [UInt8](try Data(contentsOf: directory.appending(path: name)))
        for seed in 0..<20 as Range<UInt64> {
          var random = SplitMix64(seed: seed)
          Self.check(Self.body(Array(bytes.dropFirst()), &random), seed)
        }
        files += 1
      }
    }
    #expect(files > 10)
  }

  @Test func `random bytes are read or named`() {
    let start = UInt64.random(in: 0..<1 << 40)
    for seed in start..<start + 2_000 {
      var random = SplitMix64(seed: seed)
      let bytes = (0..<random.index(below: 200)).map { _ in UInt8(random.index(below: 256)) }
      Self.check(Self.body(bytes, &random), seed)
    }
  }

  @Test func `what is large without saying anything is over at once`() {
    // Each would take minutes if anything were looked at once for each of what stands before it.
    let texts = [
      String(repeating: "[", count: 1_000_000), String(repeating: "[]\n", count: 300_000),
      "[" + String(repeating: "{},", count: 200_000) + "{}]",
      String(repeating: "a=b&", count: 300_000),
      "{" + (0..<60_000).map { "\"a\($0)\":1" }.joined(separator: ",") + "}",
      "--B\n\n" + String(repeating: "x\n", count: 300_000),
      "{\"_type\":\"waypoints\",\"waypoints\":[" + String(repeating: "{\"tst\":1},", count: 60_000)
        + "{}]}",
    ]
    for (index, text) in texts.enumerated() {
      for source in [IntakeSource.fixes, .owntracks] {
        let body = IntakeBody(
          source: source,
          bytes: Array(text.utf8),
          contentType: "multipart/form-data; boundary=B",
          receivedAt: noon
        )
        var reading = IntakeReading()
        let spent = WorkClock.measure { reading = read(body) }
        #expect(spent < .seconds(20), "text \(index)")
        #expect(reading.items.count <= 1 && !reading.passedOver.isEmpty, "text \(index)")
      }
    }
    let tooLong = IntakeBody(
      source: .fixes,
      bytes: Array(repeating: 0x20, count: IntakeBody.mostBytes + 1),
      receivedAt: noon
    )
    #expect(read(tooLong) == IntakeReading(passedOver: [.tooLong: 1], isUnusable: true))
  }
}
