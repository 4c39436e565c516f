import Foundation
import Geodesy
import TestSupport
import Testing
import Timeline
import TraceFiles
import Traces

/// What a reading of a file came to.
struct Reading: Equatable {
  var fixes: [Fix] = []
  var segmentStarts = 0
  var refusals: [FixRefusal] = []
  var failure: TraceError.Code?
  var message = ""

  init(path: String) {
    do {
      let reader = try TraceReader(path: path)
      while let record = try reader.nextRecord() {
        switch record.outcome {
        case .fix(let fix):
          fixes.append(fix)
          if record.startsSegment { segmentStarts += 1 }
        case .refused(let reason, _): refusals.append(reason)
        }
      }
    } catch {
      failure = error.code
      message = error.description
    }
  }

  /// Reads bytes by way of a file.
  init(_ data: Data) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("trace.gpx")
    try data.write(to: file)
    self.init(path: file.path)
  }

  init(points: String) throws {
    try self.init(
      Data(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
        <trk><trkseg>\(points)</trkseg></trk></gpx>
        """
        .utf8
      )
    )
  }
}

@Suite struct GPXTests {
  private static let time = "<time>2026-01-05T17:20:00Z</time>"

  @Test func `reads position, time, accuracy, speed and course of common makers`() throws {
    let reading = try Reading(
      points: """
        <trkpt lat="39.29" lon="-76.6">\(Self.time)<hdop>2</hdop></trkpt>
        <trkpt lat="39.29" lon="-76.6"><time>2026-01-05T17:20:01Z</time><hdop>2</hdop>\
        <extensions><f:hacc xmlns:f="urn:x">7.5</f:hacc><f:speed>1.5</f:speed>\
        <f:course>90</f:course></extensions></trkpt>
        <trkpt lat="39.29" lon="-76.6"><time>2026-01-05T17:20:02Z</time><speed>3</speed></trkpt>
        <trkpt lat="39.29" lon="-76.6"><time>2026-01-05T17:20:03Z</time><extensions>\
        <gpxtpx:TrackPointExtension><gpxtpx:speed>4</gpxtpx:speed>\
        <gpxtpx:hr>120</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>
        <trkpt lat="39.29" lon="-76.6"><time>2026-01-05T17:20:04Z</time><extensions>\
        <horizontalAccuracy>12</horizontalAccuracy><speed>-1</speed></extensions></trkpt>
        """
    )
    #expect(reading.failure == nil)
    #expect(reading.fixes.map(\.horizontalAccuracyMeters) == [10, 7.5, 20, 20, 12])
    #expect(reading.fixes.map(\.speedMetersPerSecond) == [nil, 1.5, 3, 4, nil])
    #expect(reading.fixes[1].courseDegrees == 90)
    #expect(reading.fixes[0].at == Timestamp(milliseconds: 1_767_633_600_000))
  }

  @Test func `a point that cannot be used is refused with its reason`() throws {
    let reading = try Reading(
      points: """
        <trkpt lat="91" lon="0">\(Self.time)</trkpt>
        <trkpt lat="1,5" lon="0">\(Self.time)</trkpt>
        <trkpt lon="0">\(Self.time)</trkpt>
        <trkpt lat="1" lon="0"/>
        <trkpt lat="1" lon="0"><time>yesterday</time></trkpt>
        <trkpt lat="1" lon="0">\(Self.time)</trkpt>
        """
    )
    #expect(reading.refusals == [.badCoordinate, .badNumber, .badCoordinate, .noTime, .badTime])
    #expect(reading.fixes.count == 1)
    #expect(reading.failure == nil)
  }

  @Test func `a track without any times is refused with advice`() throws {
    let reading = try Reading(points: "<trkpt lat=\"1\" lon=\"0\"/><trkpt lat=\"1\" lon=\"1\"/>")
    #expect(reading.failure == .withoutTimes)
    #expect(reading.message.contains("a replay needs times"))
  }

  @Test(arguments: ["", "   ", "hello", "<html><body/></html>", "{}"])
  func `what is no GPX is called so`(_ text: String) throws {
    let reading = try Reading(Data(text.utf8))
    #expect(reading.failure == .notGPX)
  }

  @Test func `a missing file and a folder are named`() throws {
    #expect(Reading(path: "/nowhere/day.gpx").failure == .missing)
    #expect(Reading(path: FileManager.default.temporaryDirectory.path).failure == .unreadable)
  }

  @Test func `a file cut anywhere gives the points before the cut and says where it breaks`() throws
  {
    let text =
      "<gpx><trk><trkseg>"
      + (0..<4)
      .map {
        "<trkpt lat=\"1\" lon=\"\($0)\"><time>2026-01-05T17:20:0\($0)Z</time></trkpt>"
      }
      .joined() + "</trkseg></trk></gpx>"
    for count in 1..<text.utf8.count {
      let reading = try Reading(Data(text.utf8.prefix(count)))
      #expect(reading.failure != nil, "cut at \(count)")
      let complete = String(text.prefix(count)).components(separatedBy: "</trkpt>").count - 1
      #expect(reading.fixes.count == complete, "cut at \(count)")
    }
  }

  @Test func `any damaged byte gives points or an error, never a crash`() throws {
    let text =
      "<?xml version=\"1.0\"?><gpx xmlns=\"x\"><trk><trkseg><trkpt lat=\"1.5\" lon=\"2\"><time>"
      + "2026-01-05T17:20:00Z</time><hdop>1</hdop></trkpt></trkseg></trk></gpx>"
    for seed in UInt64(1)...3_000 {
      var random = SeededGenerator(seed: seed)
      var bytes = Array(text.utf8)
      for _ in 0..<random.integer(1...3) {
        bytes[random.integer(0...(bytes.count - 1))] = UInt8(random.integer(0...255))
      }
      let reading = try Reading(Data(bytes))
      #expect(reading.fixes.count <= 1, "seed \(seed)")
    }
  }

  @Test func `entities are not expanded`() throws {
    let bomb = """
      <?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>
      <gpx><trk><trkseg/></trk></gpx>
      """
    #expect(try Reading(Data(bomb.utf8)).failure == .excessive)
  }

  @Test func `deep nesting ends with a sentence`() throws {
    let deep = "<gpx>" + String(repeating: "<a>", count: 100_000)
    #expect(try Reading(Data(deep.utf8)).failure == .excessive)
  }

  @Test func `segments start where the file says`() throws {
    let reading = try Reading(
      points: """
        <trkpt lat="1" lon="0">\(Self.time)</trkpt></trkseg><trkseg></trkseg><trkseg>
        <trkpt lat="1" lon="0"/><trkpt lat="1" lon="0"><time>2026-01-05T17:20:09Z</time></trkpt>
        <trkpt lat="1" lon="0"><time>2026-01-05T17:20:10Z</time></trkpt>
        """
    )
    #expect(reading.fixes.count == 3)
    #expect(reading.segmentStarts == 2)
  }

  @Test func `without a track, a route is the trace, and without a route, waypoints are`() throws {
    func points(_ name: String, _ longitude: Int) -> String {
      "<\(name) lat=\"1\" lon=\"\(longitude)\">\(Self.time)</\(name)>"
    }
    let way = points("wpt", 1)
    let route = "<rte>" + points("rtept", 2) + "</rte>"
    let track = "<trk><trkseg>" + points("trkpt", 3) + "</trkseg></trk>"
    for (text, longitude) in [(way, 1.0), (way + route, 2), (way + route + track, 3)] {
      let reading = try Reading(Data("<gpx>\(text)</gpx>".utf8))
      #expect(reading.fixes.map(\.coordinate.longitude) == [longitude])
      #expect(reading.segmentStarts == 1)
    }
  }
}

@Suite struct DecimalTextTests {
  @Test func `agrees with the standard library bit for bit`() {
    for seed in UInt64(1)...200_000 {
      var random = SeededGenerator(seed: seed)
      var text = random.integer(0...1) == 0 ? "-" : ""
      for _ in 0..<random.integer(1...20) { text += String(random.integer(0...9)) }
      if random.integer(0...1) == 0 {
        text += "."
        for _ in 0..<random.integer(0...20) { text += String(random.integer(0...9)) }
      }
      if random.integer(0...4) == 0 { text += "e\(random.integer(-40...40))" }
      guard let ours = DecimalText.parse(text), let theirs = Double(text) else {
        Issue.record("seed \(seed): \(text)")
        return
      }
      if ours.bitPattern != theirs.bitPattern {
        Issue.record("seed \(seed): \(text) is \(ours), not \(theirs)")
        return
      }
    }
  }

  @Test(arguments: ["", "-", ".", "1,5", "nan", "inf", "0x10", "1e", "1 2", "--1", "1e400", "١"])
  func `refuses what is no number`(_ text: String) {
    #expect(DecimalText.parse(text) == nil)
  }
}
