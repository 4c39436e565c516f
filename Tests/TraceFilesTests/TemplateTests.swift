import Foundation
import TestSupport
import Testing
import TraceFiles
import Traces

/// Points read by templates, against the same points read by expat.
@Suite struct TemplateTests {
  @Test func `points after the first few are read by templates, all of their values alike`() throws
  {
    let text = gpx(
      (0..<3_000)
        .map { i in
          """
          \r\n      <trkpt lat="\(Double(i) / 64 - 20)" lon="-\(i % 180).\(1_000_000 + i)">
                  <ele>\(i).5</ele><time>2025-09-08T12:\(10 + i / 60):\(10 + i % 50)\(i % 3 == 0 ? ".250" : "")Z</time>
                  <name>so &lt; far</name><hdop>1.\(i % 10)</hdop><extensions><g:TPX>
                    <g:speed>\(i % 30).25</g:speed><g:course>\(i % 361)</g:course>
                  </g:TPX></extensions>
                </trkpt>
          """
        }
        .joined()
        .replacingOccurrences(of: "so &lt; far", with: "so far")
    )
    let reading = try bothWays(text)
    #expect(reading.fixes.count == 3_000)
    // One is shown, and one for each window lies across its edge.
    #expect(reading.templatePoints > 2_980)
  }

  @Test func `what differs from the points before is left to expat`() throws {
    let odd = [
      trkpt(1, inside: "<ele>1</ele><!-- a comment -->"),
      trkpt(2, inside: "<ele>&#49;</ele>"),
      trkpt(3, inside: "<ele><![CDATA[1]]></ele>"),
      trkpt(4, inside: "<ele>1</ele>").replacingOccurrences(of: "39.28", with: "&#51;9.28"),
      trkpt(5, inside: "<ele>1</ele>").replacingOccurrences(of: "39.28", with: "+39.28e0"),
      trkpt(6, inside: "<ele>1</ele>").replacingOccurrences(of: "39.28", with: "91"),
      trkpt(7, inside: "<ele>1</ele>").replacingOccurrences(of: "39.28", with: "."),
      trkpt(8, inside: "<ele>\u{E9}</ele>"),
      trkpt(9, inside: "<ele>1</ele>").replacingOccurrences(of: "12:00:09Z", with: "14:00:09+02"),
      trkpt(10, inside: "<ele>1</ele>").replacingOccurrences(of: "12:00:10Z", with: "12:00:60Z"),
      trkpt(11, inside: "<ele>1</ele>").replacingOccurrences(of: "12:00:11Z", with: "24:00:11Z"),
      trkpt(12, inside: "<ele>1</ele><hdop>2</hdop><hdop>3</hdop>"),
      trkpt(13, inside: "<ele>1</ele><speed>-1</speed><course>360</course>"),
      "<trkpt lat=\"1\" lon=\"2\"/>", "</trkseg><trkseg>", "<extensions><x/></extensions>", "  ",
      "</trkseg></trk><wpt lat=\"1\" lon=\"1\"></wpt><trk><trkseg>",
    ]
    for (i, odd) in odd.enumerated() {
      let usual = (0..<4).map { trkpt($0, inside: "<ele>1</ele>") }.joined()
      let reading = try bothWays(gpx(usual + odd + usual + odd + usual))
      #expect(reading.error == nil, "\(i)")
      #expect(reading.fixes.count >= 12, "\(i)")
      #expect(reading.templatePoints >= 6, "\(i)")
    }
  }

  @Test(arguments: [
    ("hacc", "99999999", 11), ("hdop", "99999999", 12), ("speed", "900000", 12),
    ("speed", "600000", 12),
  ])
  func `values beyond all measure are the same both ways`(
    name: String,
    value: String,
    fixes: Int
  ) throws {
    let points = (0..<12).map { trkpt($0, inside: "<\(name)>\($0 == 8 ? value : "3")</\(name)>") }
    let reading = try bothWays(gpx(points.joined()))
    #expect(reading.fixes.count == fixes, "\(name)")
    #expect(reading.templatePoints >= 5, "\(name)")
  }

  @Test func `an error has its line and byte whatever stood before it`() throws {
    // Expat notices the open tag at the next one's bracket, two lines on.
    let faults = [
      ("<trkpt", 163), ("<a></b>", 161), ("&nope;", 161), ("<trkpt lat='1' lat='2'/>", 161),
      ("\u{1}", 161), ("]]>", 161),
    ]
    for (fault, line) in faults {
      let lines = (0..<40).map { "\n\n" + trkpt($0, inside: "\r\n<ele>1</ele>\r") }.joined()
      let reading = try bothWays(gpx(lines + fault + lines))
      #expect(reading.error?.code == .malformed, "\(fault)")
      #expect(reading.error?.line == line, "\(fault)")
      #expect(reading.templatePoints > 30, "\(fault)")
    }
  }

  /// Documents of random parts, whole or damaged.
  @Test func `random documents read the same both ways`() throws {
    var templatePoints = 0
    var failures = 0
    for seed in UInt64(1)...400 {
      var random = SeededGenerator(seed: seed)
      var bytes = Array(document(&random).utf8)
      for _ in 0..<(seed % 3 == 0 ? random.integer(1...3) : 0) {
        let at = random.integer(0...(bytes.count - 1))
        switch random.integer(0...3) {
        case 0: bytes.remove(at: at)
        case 1: bytes[at] = UInt8(random.integer(0...255))
        case 2: bytes.insert(bytes[random.integer(0...(bytes.count - 1))], at: at)
        default: bytes.removeLast(min(bytes.count - 1, random.integer(0...60)))
        }
      }
      let reading = try bothWays(bytes, "seed \(seed)")
      templatePoints += reading.templatePoints
      failures += reading.error == nil ? 0 : 1
    }
    #expect(templatePoints > 4_000)
    #expect((20...300).contains(failures))
  }

  @Test(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
  func `other people's files read the same both ways`() throws {
    let folder = try #require(SharedData.folder)
    var files = 0
    var (points, templatePoints) = (0, 0)
    for name in ["gpx-odd", "traces-real", "corpus-dev-wide"] {
      let walk = FileManager.default.enumerator(
        at: folder.appendingPathComponent(name),
        includingPropertiesForKeys: nil
      )
      while let url = walk?.nextObject() as? URL {
        guard url.lastPathComponent.hasSuffix(".gpx") || url.lastPathComponent.hasSuffix(".gpx.gz")
        else { continue }
        let plain = Reading(path: url.path, usesTemplates: false)
        let reading = Reading(path: url.path)
        expectSame(reading, plain, url.lastPathComponent)
        files += 1
        points += reading.records.count
        templatePoints += reading.templatePoints
      }
    }
    #expect(files > 200)
    #expect(templatePoints > points / 2)
  }

  // MARK: -

  private func bothWays(_ text: String) throws -> Reading { try bothWays(Array(text.utf8), text) }

  private func bothWays(_ bytes: [UInt8], _ what: String) throws -> Reading {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("t.gpx").path
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let plain = Reading(path: path, usesTemplates: false)
    let reading = Reading(path: path)
    #expect(plain.templatePoints == 0)
    expectSame(reading, plain, what)
    return reading
  }

  private func expectSame(_ reading: Reading, _ plain: Reading, _ what: String) {
    let what = what.prefix(3_000)
    #expect(reading.records == plain.records, "\(what)")
    #expect(reading.report == plain.report, "\(what)")
    #expect(reading.error == plain.error, "\(what)")
  }

  private func document(_ random: inout SeededGenerator) -> String {
    func pick(_ texts: [String]) -> String { texts[random.integer(0...(texts.count - 1))] }
    let newline = pick(["\n", "\r\n", "", "\n  "])
    let extra = [
      "", "<ele>7.25</ele>", "<hdop>1.5</hdop>", "<sat>9</sat>", "<speed>3.5</speed>",
      "<x:hacc>8</x:hacc>", "<extensions><x:speed>1</x:speed><x:course>90</x:course></extensions>",
      "<time>2025-01-01T00:00:00Z</time>", "<name>a name</name>",
    ]
    let shapes = (0..<random.integer(1...3)).map { _ in pick(extra) + newline + pick(extra) }
    var text = pick(["", "<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='UTF-8'?>\n"])
    text += "<gpx xmlns=\"http://www.topografix.com/GPX/1/1\" xmlns:x=\"urn:x\"><trk><trkseg>"
    for i in 0..<random.integer(0...60) {
      let shape = shapes[random.integer(0...(shapes.count - 1))]
      let second = "\(10 + i % 50)" + pick(["Z", "Z", "Z", ".5Z", ".125Z", "+01:00"])
      let latitude = pick(["39.2\(i)", "-0.\(i)", "\(i)", "39.28123456789\(i)", "\(i)."])
      text += newline + "<trkpt lat=\"\(latitude)\" lon=\"-76.\(i)\">"
      text += pick(["", "", "", "", "", "", "<!-- -->"])
      text += "<time>2025-09-08T12:00:\(second)</time>" + shape + "</trkpt>"
      if random.integer(0...20) == 0 { text += "</trkseg>" + newline + "<trkseg>" }
      if random.integer(0...40) == 0 { text += "</trkseg></trk>" + newline + "<trk><trkseg>" }
    }
    return text + newline + "</trkseg></trk></gpx>" + newline
  }
}
