import Testing
import Timeline
import TraceFiles
import Traces

/// Times that name no zone, in the one that is assumed.
@Suite struct AssumedZoneTests {
  /// Berlin in 2024: summer from 31 March 01:00Z to 27 October 01:00Z.
  private static let berlin = UTCOffsetTable(
    identifier: "Europe/Berlin",
    initialOffsetSeconds: 3_600,
    eras: [
      .init(start: Timestamp(seconds: 1_711_846_800), offsetSeconds: 7_200),
      .init(start: Timestamp(seconds: 1_729_990_800), offsetSeconds: 3_600),
    ]
  )

  private static let assuming = TraceOptions(assumedZone: berlin)

  private func times(_ text: String, _ options: TraceOptions = assuming) throws -> [String] {
    try Reading(text, options: options).fixes.map { RFC3339.format($0.at) }
  }

  private func table(_ times: [String]) -> String {
    "time,lat,lon\n" + times.map { "\"\($0)\",1.5,-2.5\n" }.joined()
  }

  private func sentence(_ text: String, _ options: TraceOptions) throws -> String? {
    try Reading(text, options: options).report?.zoneSentence
  }

  // MARK: Tables

  @Test(arguments: [
    "2024-06-15 10:30:00", "2024-06-15T10:30", "2024-06-15T 10:30:00", "2024-06-15 10 : 30 : 00",
    "2024/06/15 10:30", "2024.06.15 10:30:00",
    "20240615103000", "20240615 103000", "20240615T103000", "15.06.2024 10:30",
    "15-Jun-2024 10:30:00", "15 june 2024 10:30", "2024-06-15T10:30:00.000",
  ])
  func `a time without a zone is of the assumed one`(time: String) throws {
    let text = table([time])
    #expect(try times(text) == ["2024-06-15T08:30:00Z"])
    #expect(try times(text, TraceOptions()) == ["2024-06-15T10:30:00Z"])
    #expect(try sentence(text, Self.assuming) == "times without a zone taken as Europe/Berlin")
    #expect(
      try sentence(text, TraceOptions())
        == "times without a zone taken as UTC, --assume-zone says otherwise"
    )
  }

  @Test(arguments: [
    "2024-06-15 10:30:00Z", "2024-06-15T10:30z", "2024-06-15T12:30:00+02:00",
    "2024-06-15 12:30:00 +0200", "2024-06-15T12:30:00+02", "2024-06-15T08:30:00-02:00",
    "2024-06-15T12:30:00+02:00[Europe/Berlin]", "2024/06/15 10:30 UTC", "2024/06/15 10:30:00 GMT",
    "20240615T103000Z", "15.06.2024 10:30Z", "15-Jun-2024 10:30:00 UTC",
    "1718447400", "1718447400.0", "1718447400000", "1718447400000000",
  ])
  func `a time with a zone and a count since 1970 are as they are`(time: String) throws {
    let text = table([time])
    #expect(try times(text) == ["2024-06-15T10:30:00Z"])
    #expect(try sentence(text, Self.assuming) == nil)
    #expect(try sentence(text, TraceOptions()) == nil)
  }

  @Test func `a date and a time of the day are of the assumed zone`() throws {
    let rows = [
      "15.06.2024;10:30:00", "20240615;103000", "15.01.2024;10:30", "15.06.2024;10:30Z",
      "15.06.2024;1718447400", "15.06.2024;2024-06-15T10:30:00",
    ]
    let text = "date;time;lat;lon\n" + rows.map { $0 + ";1;2\n" }.joined()
    #expect(
      try times(text) == [
        "2024-06-15T08:30:00Z", "2024-06-15T08:30:00Z", "2024-01-15T09:30:00Z",
        "2024-06-15T10:30:00Z", "2024-06-15T10:30:00Z", "2024-06-15T08:30:00Z",
      ]
    )
  }

  @Test func `days of spreadsheets are of the assumed zone`() throws {
    let text = table(["45458.4375", "45458.438"])
    #expect(try times(text) == ["2024-06-15T08:30:00Z", "2024-06-15T08:30:43.200Z"])
    #expect(try times(text, TraceOptions()).first == "2024-06-15T10:30:00Z")
    #expect(try sentence(text, TraceOptions()) != nil)
  }

  @Test(arguments: ["utc", "time_utc", "datetime UTC"])
  func `a column that says UTC is of UTC`(name: String) throws {
    let text = "\(name),lat,lon\n2024-06-15 10:30:00,1,2\n"
    #expect(try times(text) == ["2024-06-15T10:30:00Z"])
    #expect(try sentence(text, TraceOptions()) == nil)
    let apart = "date_utc,time_utc,lat,lon\n2024-06-15,10:30:00,1,2\n"
    #expect(try times(apart) == ["2024-06-15T10:30:00Z"])
  }

  @Test(arguments: ["Date Time GMT+02:00", "Zeit (UTC+1)", "outcome time"])
  func `a column with an offset in its name is not of UTC`(name: String) throws {
    let columns = try CSVColumns(parsing: "time=\(name),lat=lat,lon=lon")
    let text = "\(name),lat,lon\n2024-06-15 10:30:00,1,2\n"
    let options = TraceOptions(columns: columns, assumedZone: Self.berlin)
    #expect(try times(text, options) == ["2024-06-15T08:30:00Z"])
  }

  @Test func `the first time says whether a table has a zone where none is assumed`() throws {
    let text = table(["2024-06-15T10:30:00Z", "2024-06-15 10:30:10"])
    #expect(try sentence(text, TraceOptions()) == nil)
    #expect(try sentence(text, Self.assuming) != nil)
    let untimed = table(["", "soon", "2024-06-15 10:30:10"])
    #expect(try sentence(untimed, TraceOptions()) != nil)
  }

  // MARK: Changes of the clocks

  @Test func `an hour that comes twice goes by the time before it`() throws {
    let night = [
      "2024-10-27 01:59:50", "2024-10-27 02:20:00", "2024-10-27 02:59:50", "2024-10-27 02:00:10",
      "2024-10-27 02:29:00", "2024-10-27 02:58:00", "2024-10-27 03:00:00",
    ]
    #expect(
      try times(table(night)) == [
        "2024-10-26T23:59:50Z", "2024-10-27T00:20:00Z", "2024-10-27T00:59:50Z",
        "2024-10-27T01:00:10Z", "2024-10-27T01:29:00Z", "2024-10-27T01:58:00Z",
        "2024-10-27T02:00:00Z",
      ]
    )
    // The newest first.
    #expect(
      try times(table(["2024-10-27 03:00:00", "2024-10-27 02:59:50"]))
        == ["2024-10-27T02:00:00Z", "2024-10-27T01:59:50Z"]
    )
    // A time with a zone tells, too; nothing before it means the first.
    #expect(
      try times(table(["2024-10-27T01:05:00Z", "2024-10-27 02:06:00"])).last
        == "2024-10-27T01:06:00Z"
    )
    #expect(try times(table(["2024-10-27 02:06:00"])) == ["2024-10-27T00:06:00Z"])
  }

  @Test func `an hour that clocks jump over is as much later`() throws {
    #expect(
      try times(table(["2024-03-31 01:59:50", "2024-03-31 02:30:00", "2024-03-31 03:30:10"]))
        == ["2024-03-31T00:59:50Z", "2024-03-31T01:30:00Z", "2024-03-31T01:30:10Z"]
    )
  }

  // MARK: Other formats

  @Test func `points of JSON without a zone are of the assumed one`() throws {
    let text = """
      [{"time":"2024-06-15 10:30:00","lat":1,"lon":2},
       {"location":{"lat":1,"lon":2,"timestamp":"2024-06-15T10:30:10"}},
       {"time":1718447400,"lat":1,"lon":2},
       {"time":"2024-06-15T10:30:20Z","lat":1,"lon":2}]
      """
    #expect(
      try times(text) == [
        "2024-06-15T08:30:00Z", "2024-06-15T08:30:10Z", "2024-06-15T10:30:00Z",
        "2024-06-15T10:30:20Z",
      ]
    )
    #expect(try sentence(text, TraceOptions()) != nil)
    #expect(try sentence(#"[{"tst":1718447400,"lat":1,"lon":2}]"#, TraceOptions()) == nil)
  }

  @Test func `lists of times in JSON are of the assumed zone, from one line to the next`() throws {
    func line(_ times: String...) -> String {
      let list = times.map { "\"\($0)\"" }.joined(separator: ",")
      let positions = times.map { _ in "[2,1]" }.joined(separator: ",")
      return #"{"type":"Feature","properties":{"coordTimes":[\#(list)]},"geometry":"#
        + #"{"type":"LineString","coordinates":[\#(positions)]}}"#
    }
    let text = [
      line("2024-10-27T02:58:00", "2024-10-27T02:59:50"),
      line("2024-10-27T02:00:10", "2024-10-27T03:00:00+01:00"),
    ]
    .joined(separator: "\n")
    #expect(
      try times(text) == [
        "2024-10-27T00:58:00Z", "2024-10-27T00:59:50Z", "2024-10-27T01:00:10Z",
        "2024-10-27T02:00:00Z",
      ]
    )
    #expect(try sentence(text, TraceOptions()) != nil)
  }

  @Test func `times in a log of the recorder without a zone are of the assumed one`() throws {
    func line(_ member: String) -> String {
      "2024-06-15T08:30:00Z\t*                 \t"
        + #"{"_type":"location","lat":1,"lon":2,\#(member)}"#
    }
    let local = line(#""time":"2024-06-15 10:30:00""#)
    #expect(try times(local) == ["2024-06-15T08:30:00Z"])
    #expect(try times(local, TraceOptions()) == ["2024-06-15T10:30:00Z"])
    #expect(try sentence(local, Self.assuming) == "times without a zone taken as Europe/Berlin")
    #expect(
      try sentence(local, TraceOptions())
        == "times without a zone taken as UTC, --assume-zone says otherwise"
    )
    #expect(try sentence(line(#""tst":1718447400"#), TraceOptions()) == nil)
  }

  @Test func `a format that is of UTC stays so`() throws {
    let point = #"<trkpt lat="1" lon="2"><time>2024-06-15T10:30:00</time></trkpt>"#
    let line = "1,2,0,-777,45458.4375,2024-06-15,10:30:00\n"
    let plt = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2\n0\n" + line
    let placemark = "<TimeStamp><when>2024-06-15T10:30:00</when></TimeStamp>"
    let kml =
      #"<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark>\#(placemark)"#
      + "<Point><coordinates>2,1</coordinates></Point></Placemark></kml>"
    for text in [gpx(point), plt, kml] {
      #expect(try times(text) == ["2024-06-15T10:30:00Z"], "\(text)")
      #expect(try sentence(text, Self.assuming) == nil)
      #expect(try sentence(text, TraceOptions()) == nil)
    }
  }

  @Test func `positions and signals of a feed are of the assumed zone`() {
    let text = """
      {"time":"2024-06-15 10:30:00","lat":1,"lon":2}
      {"signal":"charging","to":"charging","at":"2024-06-15 10:31:00"}

      """
    func read(_ options: TraceOptions) -> (times: [String], haveNoZone: Bool) {
      var reader = FixLineReader(options)
      let items = Array(text.utf8).withUnsafeBytes { reader.read($0) } + reader.finish()
      let times = items.compactMap { item -> Timestamp? in
        switch item {
        case .point(let record): record.fix?.at
        case .signal(let signal): signal.at
        }
      }
      return (times.map(RFC3339.format), reader.haveTimesNoZone)
    }
    #expect(read(Self.assuming).times == ["2024-06-15T08:30:00Z", "2024-06-15T08:31:00Z"])
    #expect(read(TraceOptions()).times == ["2024-06-15T10:30:00Z", "2024-06-15T10:31:00Z"])
    #expect(read(TraceOptions()).haveNoZone)
  }
}
