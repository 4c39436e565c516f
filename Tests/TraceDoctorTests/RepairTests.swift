import Geodesy
import Testing
import Timeline
import TraceDoctor
import Traces

/// What a repair does to small drawn traces.
@Suite struct RepairTests {
  private func letters(_ records: [TraceRecord]) -> String {
    String(
      decoding: records.compactMap { record in
        record.fix.map { UInt8(ascii: "a") + UInt8(($0.at - Scene.start).seconds) }
      },
      as: UTF8.self
    )
  }

  @Test(arguments: [
    ("abcdefgh", "abcdefgh", []),
    ("abdcefg", "abcdefg", ["1 sorted"]),
    ("abefgcdh", "abcdefgh", ["2 sorted"]),
    ("hgfedcba", "abcdefgh", ["7 sorted"]),
    ("abccdd", "abcd", ["2 dropped_same_stamp"]),
    ("ab-c?d!e#f~g", "abcdefg", ["5 dropped_unusable"]),
  ])
  func `order is restored and what is no fix goes`(
    _ before: String,
    _ after: String,
    _ steps: [String]
  ) {
    let repaired = repaired(Scene.order(before))
    #expect(letters(repaired.records) == after)
    #expect(repaired.steps == steps)
    #expect(!diagnose(repaired.records).isDistorted())
  }

  @Test func `a stamp far from all others goes`() {
    var records = Scene.order("abcdefgh")
    records[3] = Scene.record(second: 90_000, east: 30)
    let repaired = repaired(records)
    #expect(letters(repaired.records) == "abcefgh")
    #expect(repaired.steps == ["1 dropped_stray_time"])
  }

  @Test func `of one stamp's two places the reachable one stays`() {
    var records = Scene.order("abcdef")
    records.insert(Scene.record(second: 3, east: 30, north: 5_000), at: 3)
    let repaired = repaired(records)
    #expect(repaired.records.compactMap(\.fix) == Scene.order("abcdef").compactMap(\.fix))
  }

  @Test func `jumps go, single ones too`() {
    let repaired = repaired(
      Scene.map(
        """
             **      *
        *****  ****** *****
        """
      )
    )
    #expect(letters(repaired.records) == "abcdehijklmnopqrs".replacing("n", with: ""))
    #expect(repaired.steps == ["3 dropped_jump"])
  }

  @Test func `a wrong beginning and a wrong end go`() {
    let road = String(repeating: "*", count: 12)
    let repaired = repaired(
      Scene.map("***\n\n               **\n   " + road, metersPerRow: 5_000)
    )
    #expect(letters(repaired.records) == "defghijklmno")
    #expect(repaired.steps == ["5 dropped_jump"])
  }

  @Test func `between two long parts nothing is decided`() {
    let half = String(repeating: "*", count: 130)
    let records = Scene.map(String(repeating: " ", count: 130) + half + "\n\n\n\n" + half)
    let repaired = repaired(records)
    #expect(repaired.records.count == 260)
    #expect(repaired.steps.isEmpty)
    #expect(found(repaired.records) == ["impossible_speed 131"])
  }

  @Test func `of a stuck position the first fix stays`() {
    let drawing = "*****" + String(repeating: "=", count: 18) + "***"
    let repaired = repaired(Scene.map(drawing))
    #expect(letters(repaired.records) == "abcdexyz")
    #expect(repaired.steps == ["18 dropped_stuck"])
  }

  @Test func `a gap becomes a break, and nothing is put into it`() {
    let records = [
      Scene.record(second: 0, east: 0, startsSegment: true), Scene.record(second: 1, east: 3),
      Scene.record(second: 700, east: 900), Scene.record(second: 701, east: 903),
    ]
    let repaired = repaired(records)
    #expect(repaired.steps == ["1 marked_break"])
    #expect(repaired.records.map(\.startsSegment) == [true, false, true, false])
    #expect(found(repaired.records) == ["break 2-3", "segment 3"])
  }

  @Test func `segments stay where they were, also in a trace that begins with its end`() {
    var records = Scene.order("hgfedcba")
    records[3].startsSegment = true
    let repaired = repaired(records)
    #expect(repaired.records.map(\.startsSegment).map { $0 ? "|" : "." }.joined() == "|....|..")
  }

  @Test func `claims are left as they are`() {
    let records = (0..<400)
      .map {
        Scene.record(second: Double($0), east: 15 * Double($0), speed: 54)
      }
    let repaired = repaired(records)
    #expect(repaired.steps.isEmpty)
    #expect(found(repaired.records) == ["wrong_speed"])
  }
}
