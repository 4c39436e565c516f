import Foundation
import TestSupport
import Testing
import Timeline
import TraceFiles
import Traces

@Suite struct FixLineReaderTests {
  private func read(
    _ text: String,
    inPiecesOf size: Int = .max
  ) -> (records: [TraceRecord], reader: FixLineReader) {
    var reader = FixLineReader()
    var items: [FeedItem] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      items += rest.prefix(size).withUnsafeBytes { reader.read($0) }
      rest = rest.dropFirst(size)
    }
    items += reader.finish()
    return (items.compactMap(\.point), reader)
  }

  @Test func `a feed is one person's, and positions of another topic are passed over by name`() {
    func line(_ topic: String, _ second: Int) -> String {
      "owntracks/\(topic) {\"_type\":\"location\",\"tst\":\(1_718_438_400 + second),\"lat\":38,\"lon\":14}\n"
    }
    let (records, reader) = read(
      line("jane/phone", 0) + line("joe/phone", 1) + line("jane/phone/event", 2)
        + "{\"time\":\"2024-06-15T08:01:00Z\",\"lat\":38,\"lon\":14}\n"
    )
    #expect(records.count == 3)
    #expect(reader.garbage == [.anotherDevice: 1])
    // What has no position is nobody's, a broker may have a folder of its own, and a logger's time is no topic.
    func said(_ topics: [String]) -> Int {
      let lines = topics.enumerated()
        .map { second, topic in
          "\(topic) {\"_type\":\"location\",\"tst\":\(1_718_438_400 + second)"
            + (topic.contains("void") ? "" : ",\"lat\":38,\"lon\":14") + "}\n"
        }
      return read(lines.joined()).reader.garbage[.anotherDevice] ?? 0
    }
    #expect(said(["owntracks/void/x", "owntracks/jane/phone"]) == 0)
    #expect(said(["home/owntracks/j/d", "home/owntracks/j/d/event", "home/owntracks/k/d"]) == 1)
    #expect(said(["owntracks/Jane Doe/d", "owntracks/Bob Roe/e"]) == 1)
    #expect(said(["phone/gps", "phone/gps/hi"]) == 0)
    #expect(said(["2024/01/01T00:00:01", "2024/01/01T00:00:02"]) == 0)
  }

  private let mixed = """
    {"class":"VERSION","release":"3.25"}
    {"time":"2026-03-03T08:00:00Z","lat":38.0,"lon":-34.0,"accuracy_m":5,"segment":1}\r
    hello
    {"time":"2026-03-03T08:00:01Z","lat":38.1
    $GPRMC,080002.00,A,3800.0000,N,03400.0000,W,1.0,90.0,030326,,,A*76
    $GPRMC,080003.00,A,3800.0000,N,03400.0000,W,1.0,90.0,030326,,,A*00

    {"time":"2026-03-03T08:00:04Z","lat":138.0,"lon":-34.0}
    [1,2,3]
    {"lat":38,"lon":-34}
    {"time":"2026-03-03T08:00:05Z","lat":38.0,"lon":-34.0}
    """

  @Test func `JSON and NMEA may be mixed, and every other line is passed over by name`() {
    let (records, reader) = read(mixed)
    let times = records.compactMap(\.fix).map { $0.at.milliseconds / 1_000 % 60 }
    #expect(times == [0, 2, 5])
    let refused = records.compactMap { record -> FixRefusal? in
      guard case .refused(let refusal) = record.outcome else { return nil }
      return refusal
    }
    #expect(refused == [.badCoordinate, .noTime])
    #expect(
      reader.garbage == [.noPosition: 1, .unknown: 2, .badJSON: 1, .badCheckSum: 1]
    )
    #expect(reader.firstGarbage == [.noPosition: 1, .unknown: 3, .badJSON: 4, .badCheckSum: 6])
    #expect(reader.lines == 11)
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func `it does not matter in which pieces the bytes come`(_ size: Int) {
    let (whole, pieces) = (read(mixed), read(mixed, inPiecesOf: size))
    #expect(whole.records == pieces.records)
    #expect(whole.reader.garbage == pieces.reader.garbage)
  }

  /// A batch of Overland, a line of the recorder's log, and messages as `mosquitto_sub -v` prints them.
  private let phones = """
    {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[-34.0,38.0]},"properties":\
    {"timestamp":"2026-03-03T08:00:00Z","horizontal_accuracy":5}},{"type":"Feature","geometry":{"type":\
    "Point","coordinates":[-34.0,38.1]},"properties":{"timestamp":"2026-03-03T08:00:01Z"}}],"current":{}}
    2026-03-03T08:00:02Z\t*                 \t{"_type":"location","lat":38,"lon":-34,"tst":1772524802}
    owntracks/me/phone {"_type":"location","lat":38,"lon":-34,"tst":1772524803,"topic":"costs $5"}
    owntracks/me/phone {"_type":"encrypted","data":"AAAA"}
    owntracks/me/phone/event {"_type":"transition","lat":38,"lon":-34,"tst":1772524804,"event":"enter"}
    {"_type":"waypoint","lat":38,"lon":-34,"tst":1772524804}
    [{"_type":"location","lat":38,"lon":-34,"tst":1772524805},{"_type":"<b>","lat":38,"lon":-34}]
    owntracks/me/phone {"_type":"encrypted","data":"AAAA"}
    owntracks/me/phone {"_type":
    {"locations":[]}
    """

  @Test(arguments: [1, 7, 64, 100_000])
  func `batches, logs and messages with a topic are read, and other messages counted by name`(
    _ size: Int
  ) {
    let (records, reader) = read(phones, inPiecesOf: size)
    #expect(
      records.compactMap(\.fix).map { $0.at.milliseconds / 1_000 - 1_772_524_800 }
        == [0, 1, 2, 3, 5]
    )
    #expect(reader.fixes == 5)
    #expect(reader.messages == ["encrypted": 2, "transition": 1, "waypoint": 1, "other": 1])
    #expect(reader.firstMessage["encrypted"] == 4)
    #expect(reader.garbage == [.unknown: 1, .noPosition: 1])
  }

  @Test func `a feed that invents kinds of messages fills no memory`() {
    let letters = Array("abcdefghij").map(String.init)
    let text = letters.flatMap { a in
      letters.map { "{\"_type\":\"\(a)\($0)\",\"lat\":1,\"lon\":2}\n" }
    }
    let (records, reader) = read(text.joined())
    #expect(records.isEmpty && reader.messages.count == 33)
    #expect(reader.messages["other"] == 68)
  }

  @Test func `a signal of the phone is a line among fixes`() {
    var reader = FixLineReader()
    let text = """
      {"signal":"unlock","at":"2026-03-03T08:00:00Z","id":7}
      {"time":"2026-03-03T08:00:00Z","lat":38,"lon":-34}
      {"signal":"charging","to":"charging","time":1772524800}
      [{"signal":"car","to":"true"},{"time":"2026-03-03T08:00:01Z","lat":38,"lon":-34}]
      {"signal":""}
      {"signal":"unlock","at":"yesterday"}
      {"signal":"unlock","id":"\(String(repeating: "x", count: 201))"}
      """
    let items = Array(text.utf8).withUnsafeBytes { reader.read($0) } + reader.finish()
    let said = items.map { item in
      switch item {
      case .point(let record): record.fix.map { "fix \($0.at.milliseconds / 1_000)" } ?? "refused"
      case .signal(let signal):
        "\(signal.name) \(signal.level ?? "-") \(signal.id ?? "-") "
          + "\(signal.at.map { "\($0.milliseconds / 1_000)" } ?? "-")"
      }
    }
    #expect(
      said == [
        "unlock - 7 1772524800", "fix 1772524800", "charging charging - 1772524800",
        "car true - -", "fix 1772524801",
      ]
    )
    #expect(reader.signals == 3 && reader.fixes == 2)
    #expect(reader.garbage == [.badSignal: 3])
    #expect(reader.firstGarbage == [.badSignal: 5])
  }

  @Test func `a fix of NMEA is there as soon as the receiver pauses`() {
    var reader = FixLineReader()
    let line = "$GPRMC,080002.00,A,3800.0000,N,03400.0000,W,1.0,90.0,030326,,,A*76\r\n"
    #expect(Array(line.utf8).withUnsafeBytes { reader.read($0) }.isEmpty)
    #expect(reader.isHoldingBack)
    #expect(reader.settle().count == 1)
    #expect(!reader.isHoldingBack)
    #expect(reader.settle().isEmpty)
    #expect(reader.finish().isEmpty)
  }

  @Test func `lines without end, zero bytes and noise cost a line each`() {
    let fix = "{\"time\":\"2026-03-03T08:00:00Z\",\"lat\":38,\"lon\":-34}\n"
    let long = String(repeating: "x", count: 3 << 21)
    let (records, reader) = read(
      "{" + long + "\n" + fix + "\0\0\0\n" + fix + long,
      inPiecesOf: 1 << 16
    )
    #expect(records.count == 2)
    #expect(reader.garbage == [.tooLong: 2])
    var generator = SeededGenerator(seed: 9)
    for round in 0..<300 {
      let noise = (0..<generator.integer(1...400))
        .map { _ in
          generator.integer(0...3) == 0
            ? Array("{}[]\",:$*\n".utf8)[generator.integer(0...9)]
            : UInt8(generator.integer(0...255))
        }
      var reader = FixLineReader()
      _ = noise.withUnsafeBytes { reader.read($0) }
      let after = Array(("\n" + fix).utf8).withUnsafeBytes { reader.read($0) } + reader.finish()
      #expect(after.last?.point?.fix != nil, "seed 9, round \(round)")
    }
  }
}
