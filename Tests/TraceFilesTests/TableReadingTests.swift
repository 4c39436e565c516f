import Foundation
import Geodesy
import TestSupport
import Testing
import Timeline
import TraceFiles
import Traces

/// How tables write times, numbers and letters.
@Suite struct TableReadingTests {
  private func times(_ rows: String...) throws -> [String] {
    try Reading(rows.joined(separator: "\n")).fixes.map { RFC3339.format($0.at) }
  }

  private func details(_ bytes: [UInt8]) throws -> [DetailedPoint] {
    let folder = try TemporaryFolder()
    let path = folder.path("table.csv")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try DetailTests.points(path)
  }

  // MARK: Headers

  @Test(arguments: [
    ("time,latitude,n/s,longitude,e/w", "2024-06-15T08:00:00Z,28.5,S,17.5,W", -28.5, -17.5),
    ("time,latitude,n/s,longitude,e/w", "2024-06-15T08:00:00Z,28.5,N,17.5,E", 28.5, 17.5),
    ("time,latitude,n/s,longitude,e/w", "2024-06-15T08:00:00Z,-28.5,S,17.5,E", -28.5, 17.5),
    (
      "\"time\",\"place (city, state)\",\"lat\",\"lon\"", "2024-06-15T08:00:00Z,\"x, y\",38.5,14.5",
      38.5, 14.5
    ),
    ("time,lat,lon,ns", "2024-06-15T08:00:00Z,38.5,14.5,some note", 38.5, 14.5),
    ("time;lat;lon;note, \"x", "2024-06-15T08:00:00Z;38.5;14.5;", 38.5, 14.5),
    ("sep=;\ntime;lat;lon", "2024-06-15T08:00:00Z;38,5;14,5", 38.5, 14.5),
    ("\"speed, m/s\";time;\"lat\";lon", "1;2024-06-15T08:00:00Z;38.5;14.5", 38.5, 14.5),
  ])
  func `a header is read with its quotes, and a column of hemispheres is heeded`(
    header: String,
    row: String,
    latitude: Double,
    longitude: Double
  ) throws {
    let reading = try Reading(header + "\n" + row + "\n")
    #expect(reading.fixes.map(\.coordinate.latitude) == [latitude], "\(header)")
    #expect(reading.fixes.map(\.coordinate.longitude) == [longitude], "\(header)")
  }

  @Test func `words with a comma do not make decimals of thousands`() throws {
    let reading = try Reading(
      "time,lat,lon,accuracy\n2024-06-15T10:30:00Z,\"n/a, indoors\",-2.5,4\n"
        + "2024-06-15T10:30:01Z,1.5,-2.5,\"1,200\"\n"
    )
    #expect(reading.fixes.count == 1)
    #expect(reading.fixes.allSatisfy { $0.horizontalAccuracyMeters != 1.2 })
  }

  @Test func `quotes in the first row of a table without a header part no fields`() throws {
    var options = TraceOptions()
    options.columns = try CSVColumns(parsing: "time=1,lat=3,lon=4")
    let row = "2024-06-15T08:00:0%Z,\"a, b\",38.5,14.5\n"
    let text = (0..<2).map { row.replacing("%", with: "\($0)") }.joined()
    let fixes = try Reading(text, options: options).fixes
    #expect(fixes.map(\.coordinate.latitude) == [38.5, 38.5])
  }

  @Test func `OwnTracks counts its speeds in kilometers per hour, in tables too`() throws {
    let fixes = try Reading("tst,lat,lon,vel\n1718438400,38.5,14.5,36\n").fixes
    #expect(fixes.map(\.speedMetersPerSecond) == [10])
    let traccar =
      #"[{"fixTime":"2024-06-15T08:00:00Z","latitude":38.5,"longitude":14.5,"speed":10}]"#
    let speed = try Reading(traccar).fixes.first?.speedMetersPerSecond ?? 0
    #expect(abs(speed - 5.144) < 0.001)
  }

  // MARK: Dates and times of the day

  @Test(arguments: [
    ("20240615,80000", "2024-06-15T08:00:00Z"),
    ("20240615,080000.000", "2024-06-15T08:00:00Z"),
    ("20240615,080000.25", "2024-06-15T08:00:00.250Z"),
    ("240615,080000", "2024-06-15T08:00:00Z"),
    ("240615 , 080000Z", "2024-06-15T08:00:00Z"),
    ("240615,080000+0200", "2024-06-15T06:00:00Z"),
    // Both would be dates: the year stands first.
    ("100203,100000", "2010-02-03T10:00:00Z"),
    // Only with the day first is it one.
    ("150699,080000.00", "1999-06-15T08:00:00Z"),
    ("990615,80005", "1999-06-15T08:00:05Z"),
    ("20240615,T103000", "2024-06-15T10:30:00Z"),
    ("20240615,08:00", "2024-06-15T08:00:00Z"),
    ("2024-06-15,80000.5", "2024-06-15T08:00:00.500Z"),
    ("15.06.2024,103000", "2024-06-15T10:30:00Z"),
    // A column that is an instant by itself needs no date.
    ("20240615,1718444200", "2024-06-15T09:36:40Z"),
    ("2024-06-15,2024-06-15T08:00:00+02:00", "2024-06-15T06:00:00Z"),
  ])
  func `a date and a time of digits alone are no count of seconds`(
    row: String,
    time: String
  ) throws {
    #expect(try times("date,time,lat,lon", row + ",1.5,-2.5") == [time], "\(row)")
  }

  @Test(arguments: [
    ("2024-06-15 9:05:10 AM", "2024-06-15T09:05:10Z"),
    ("2024-06-15 12:05 am", "2024-06-15T00:05:00Z"),
    ("2024-06-15 9:05PM", "2024-06-15T21:05:00Z"), ("15.6.2024 12:05 PM", "2024-06-15T12:05:00Z"),
    ("2024-06-15 9:05:10\u{202F}PM", "2024-06-15T21:05:10Z"),
    ("15-Jun-2024 9:05 PM", "2024-06-15T21:05:00Z"),
  ])
  func `hours of a half day are read`(time: String, instant: String) throws {
    #expect(try times("time;lat;lon", time + ";1.5;-2.5") == [instant])
    let zone = try Reading("time;lat;lon\n\(time);1.5;-2.5").report?.haveTimesNoZone
    #expect(zone == true)
    // The day and the clock apart.
    let parts = time.split(separator: " ", maxSplits: 1).joined(separator: ";")
    #expect(try times("date;time;lat;lon", parts + ";1.5;-2.5") == [instant])
  }

  @Test(arguments: [
    ("Jun 15, 2024 9:05:10", "2024-06-15T09:05:10Z", true),
    ("Jun 5, 2024, 9:05:10 PM", "2024-06-05T21:05:10Z", true),
    ("November 30 2026 09:05", "2026-11-30T09:05:00Z", true),
    ("Sat, 15 Jun 2024 09:05:10 GMT", "2024-06-15T09:05:10Z", false),
    ("Saturday, Jun 15, 2024 09:05:10 +0200", "2024-06-15T07:05:10Z", false),
  ])
  func `dates with the name of a month are read`(
    time: String,
    instant: String,
    isLocal: Bool
  ) throws {
    let reading = try Reading("time;lat;lon\n\(time);1.5;-2.5")
    #expect(reading.fixes.map { RFC3339.format($0.at) } == [instant])
    #expect(reading.report?.haveTimesNoZone == isLocal)
  }

  @Test(arguments: [
    "Jun15, 2024 9:05", "Jun 152024 9:05", "Ju 15, 2024 9:05", "Jun 31, 2024 9:05", "Mon,",
  ])
  func `what only seems to begin with a month is no time`(time: String) throws {
    #expect(try Reading("time;lat;lon\n\(time);1.5;-2.5").refusals == ["bad_time:1"])
  }

  @Test(arguments: [
    "2024-06-15 0:05 AM", "2024-06-15 9 : AM", "2024-06-15 :05 PM", "2024-06-15 AM",
  ])
  func `what only seems an hour of a half day is no time`(time: String) throws {
    #expect(try Reading("time;lat;lon\n\(time);1.5;-2.5").refusals == ["bad_time:1"])
  }

  @Test(arguments: [
    // The first that can be one only tells of all.
    ("12/5/2026 9:05|11/30/2026 9:05", "2026-12-05T09:05:00Z", "dates read as month/day/year"),
    ("12/5/2026 9:05|30/11/2026 9:05", "2026-05-12T09:05:00Z", "dates read as day/month/year"),
    (
      "12-05-2026T09:05|11-30-2026, 9:05:00 PM", "2026-12-05T09:05:00Z",
      "dates read as month/day/year"
    ),
  ])
  func `dates with slashes are read as all of them can be`(
    rows: String,
    first: String,
    doubt: String
  ) throws {
    let rows = rows.split(separator: "|").map(String.init)
    for text in [
      "time;lat;lon\n" + rows.map { $0 + ";1.5;-2.5\n" }.joined(),
      "date;time;lat;lon\n"
        + rows.map { $0.replacing("T", with: " ").replacing(" ", with: ";", maxReplacements: 1) }
        .map { $0 + ";1.5;-2.5\n" }.joined(),
    ] {
      let reading = try Reading(text)
      #expect(reading.fixes.count == 2, "\(text)")
      #expect(reading.fixes.first.map { RFC3339.format($0.at) } == first, "\(text)")
      #expect(reading.report?.doubts == [doubt])
      #expect(reading.report?.haveTimesNoZone == true)
    }
  }

  @Test func `dates that may be two are left out until somebody says what they are`() throws {
    let text = "time,lat,lon\n12/05/2026 9:05,1.5,-2.5\n12/05/2026 9:06,1.5,-2.5\n"
    let plain = try Reading(text)
    #expect(plain.refusals == ["bad_time:2"])
    #expect(
      plain.report?.doubts == [
        "2 times such as 12/05/2026 9:05 left out: "
          + "--dates mdy or --dates dmy says which number is the month"
      ]
    )
    let json = #"[{"time":"12/05/2026 9:05","lat":1.5,"lon":-2.5}]"#
    #expect(try Reading(json).report?.doubts.count == 1)
    for (order, day) in [(DateOrder.monthFirst, "12-05"), (.dayFirst, "05-12")] {
      var options = TraceOptions()
      options.dateOrder = order
      for (text, count) in [(text, 2), (json, 1)] {
        let said = try Reading(text, options: options)
        #expect(said.fixes.count == count)
        #expect(said.fixes.first.map { RFC3339.format($0.at) } == "2026-\(day)T09:05:00Z")
        #expect(said.report?.doubts == [])
      }
    }
  }

  @Test func `a date that is not of the order of the others is left out by name`() throws {
    let reading = try Reading(
      "time,lat,lon\n11/30/2026 9:05,1.5,-2.5\n30/11/2026 9:06,1.5,-2.5\n13/13/2026 9:06,1,2\n"
    )
    #expect(reading.refusals == ["bad_time:2"])
    #expect(
      reading.report?.doubts == [
        "dates read as month/day/year",
        "1 time such as 30/11/2026 9:06 left out, being no month/day/year",
      ]
    )
  }

  @Test func `a row of units does not say what dates are`() throws {
    let text =
      "date,time,lat,lon\nmm/dd/yyyy,hh:mm,deg,deg\n12/05/2026,9:05,1.5,-2.5\n11/30/2026,9:05,1,2\n"
    #expect(try times(text) == ["2026-12-05T09:05:00Z", "2026-11-30T09:05:00Z"])
  }

  @Test func `a date tells of all before it, how many they may be, but in a feed of 64 at most`()
    throws
  {
    for count in [64, 5_000] {
      let doubtful = (0..<count)
        .map { i in
          let (minute, second) = (i / 60 % 60, i % 60)
          func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
          return "12/05/2026 \(9 + i / 3_600):\(two(minute)):\(two(second)),1.5,-2.5\n"
        }
      let text = "time,lat,lon\n" + doubtful.joined() + "12/13/2026 9:05,1.5,-2.5\n"
      let reading = try Reading(text)
      #expect(reading.fixes.count == count + 1 && reading.refusals.isEmpty)
      #expect(reading.fixes.map(\.at) == reading.fixes.map(\.at).sorted())
      #expect(reading.records.map(\.line) == Array(2...count + 2))
      #expect(reading.fixes.first.map { RFC3339.format($0.at) } == "2026-12-05T09:00:00Z")
      #expect(reading.report?.doubts == ["dates read as month/day/year"])
      var options = TraceOptions()
      options.takesRowsAsTheyCome = true
      #expect(try Reading(text, options: options).refusals == ["bad_time:\(count + 1)"])
    }
  }

  @Test(arguments: [
    ("11/30/26 9:05 AM", "mdy", "2026-11-30T09:05:00Z"),
    ("30-11-26 9:05", "dmy", "2026-11-30T09:05:00Z"),
    ("30.11.26 9:05", "dmy", "2026-11-30T09:05:00Z"),
    ("5/6/99 9:05", "mdy", "1999-05-06T09:05:00Z"),
  ])
  func `years of two digits are read where somebody says what the numbers are`(
    time: String,
    order: String,
    instant: String
  ) throws {
    let text = "time;lat;lon\n\(time);1.5;-2.5\n\(time);1.5;-2.5\n"
    let plain = try Reading(text)
    // 26/11/30 may be one of both, with the year in front.
    #expect(plain.refusals == ["bad_time:2"])
    #expect(
      plain.report?.doubts == [
        "2 times such as \(time) left out: --dates mdy or --dates dmy says which number is the month"
      ]
    )
    var options = TraceOptions()
    options.dateOrder = DateOrder(rawValue: order)
    #expect(
      try Reading(text, options: options).fixes.map { RFC3339.format($0.at) } == [instant, instant]
    )
    options.dateOrder = order == "mdy" ? .dayFirst : .monthFirst
    let other = try Reading(text, options: options)
    #expect(time.hasPrefix("5/") ? other.fixes.count == 2 : other.refusals == ["bad_time:2"])
  }

  @Test(arguments: ["11/30/026 9:05", "1/2/3 9:05", "11.30.2026 9:05", "11/30/26x", "11.3.2.6"])
  func `what only seems a year of two digits is none`(time: String) throws {
    var options = TraceOptions()
    options.dateOrder = .monthFirst
    let reading = try Reading("time;lat;lon\n\(time);1.5;-2.5\n", options: options)
    #expect(reading.refusals == ["bad_time:1"])
  }

  @Test func `dates of EXIF are read, with colons in them`() throws {
    #expect(
      try times(
        "time,lat,lon",
        "2026:11:30 09:05:00,1.5,-2.5\n2026:11:30 09:05:01.250+01:00,1.5,-2.5"
      ) == ["2026-11-30T09:05:00Z", "2026-11-30T08:05:01.250Z"]
    )
    #expect(
      try times("date,time,lat,lon", "2026:11:30,9:05:10,1.5,-2.5") == ["2026-11-30T09:05:10Z"]
    )
    let json = try Reading(#"[{"time":"2026:11:30 09:05:00","lat":1.5,"lon":-2.5}]"#)
    #expect(json.fixes.map { RFC3339.format($0.at) } == ["2026-11-30T09:05:00Z"])
    #expect(try Reading("time,lat,lon\n2026:13:30 09:05:00,1,2\n").refusals == ["bad_time:1"])
  }

  @Test func `a table that may have been cut off in its last number says so`() throws {
    let rows = (0..<9).map { "2026-11-30T09:05:0\($0)Z,38.1234,-34.5678\n" }
    let whole = "time,lat,lon\n" + rows.joined()
    func doubts(_ text: String) throws -> [String] { try #require(try Reading(text).report).doubts }
    #expect(try doubts(whole) == [])
    // Many programs end no last line.
    #expect(try doubts(String(whole.dropLast())) == [])
    for count in [2, 5, 7, 9] {
      let said = try doubts(String(whole.dropLast(count)))
      #expect(
        said.count == 1 && said.first?.hasPrefix("line 10, the last, is shorter") == true,
        "\(said)"
      )
    }
    // One that is shorter than some, as numbers are that end with zeros, and a word.
    #expect(
      try doubts(
        whole + "2026-11-30T09:05:09Z,38.1234,-34.567\n2026-11-30T09:05:10Z,38.1234,-34.567"
      ) == []
    )
    let named = "time,lat,lon,name\n" + rows.map { $0.dropLast() + ",abc\n" }.joined()
    #expect(try doubts(named + "2026-11-30T09:05:09Z,38.1234,-34.5678,ab") == [])
  }

  @Test func `dates with slashes are of the assumed zone`() throws {
    var options = TraceOptions()
    options.assumedZone = UTCOffsetTable(
      identifier: "Test/One",
      initialOffsetSeconds: 3_600,
      eras: []
    )
    let text = "time,lat,lon\n11/30/2026 9:05 PM,1.5,-2.5\n11/30/2026 9:06 PMZ,1.5,-2.5\n"
    let fixes = try Reading(text, options: options).fixes
    #expect(fixes.map { RFC3339.format($0.at) } == ["2026-11-30T20:05:00Z"])
  }

  @Test func `remarks before a header are passed over, and a header may begin as one`() throws {
    let rows = "2024-06-15T10:30:00Z,1.5,-2.5\n"
    for head in [
      "# a log, of \"mine\"\n#\n\ntime,lat,lon\n", "# x\n# time,lat,lon\n", "#time,lat,lon\n",
    ] {
      let reading = try Reading(head + rows)
      #expect(reading.fixes.map(\.coordinate.latitude) == [1.5], "\(head)")
      var options = TraceOptions()
      options.columns = try CSVColumns(parsing: "time=1,lat=2,lon=3")
      #expect(try Reading(head + rows, options: options).fixes.count == 1, "\(head)")
      #expect(try Reading("# 1\n" + rows, options: options).fixes.count == 1)
    }
    #expect(try Reading("# lat\n# lon\n1,2\n").error?.code == .notATrace)
  }

  @Test func `rows with more in them than the header are counted, as of decimal commas`() throws {
    let text = "time,lat,lon\n2024-06-15T10:30:00Z,1.5,-2.5,\n2024-06-15T10:30:01Z,39,29,-76,61\n"
    let reading = try Reading(text)
    #expect(reading.fixes.count == 2)
    #expect(
      reading.report?.doubts == [
        "1 row has more fields than the header, the first on line 3: "
          + "what has the separator in it wants quotes"
      ]
    )
    let fine = try Reading("time;lat;lon\n2024-06-15T10:30:01Z;39,29;-76,61;; \n")
    #expect(fine.fixes.count == 1)
    #expect(fine.report?.doubts == [])
  }

  @Test func `of columns of the same name it is said which is taken`() throws {
    let text = "time,lat,lon,note,note,lat\n2024-06-15T10:30:00Z,1.5,-2.5,a,b,40\n"
    let reading = try Reading(text)
    #expect(reading.fixes.map(\.coordinate.latitude) == [1.5])
    let doubt = "of 2 columns lat column 2 is taken: --columns takes another by its number"
    #expect(reading.report?.doubts == [doubt])
    var options = TraceOptions()
    options.columns = try CSVColumns(parsing: "time=time,lat=lat,lon=lon")
    #expect(try Reading(text, options: options).report?.doubts == [doubt])
    options.columns = try CSVColumns(parsing: "time=time,lat=6,lon=lon")
    let other = try Reading(text, options: options)
    #expect(other.fixes.map(\.coordinate.latitude) == [40])
    #expect(other.report?.doubts == [])
  }

  @Test(arguments: [
    "20240615,250000", "20240615,0800", "20240615,080000000",
    "20240615,0.33",
    "991399,080000", "20241315,080000", "45458,080000", "1718444200,080000", "20240615,8 o'clock",
    "20240615,", "soon,80000",
  ])
  func `a date or a time that cannot be read is no time at all`(row: String) throws {
    let reading = try Reading("date,time,lat,lon\n2024-06-15,08:00,1,2\n\(row),1.5,-2.5\n")
    #expect(reading.fixes.count == 1, "\(row)")
    #expect(reading.refusals == [row.hasSuffix(",") ? "no_time:1" : "bad_time:1"], "\(row)")
  }

  /// Nil stands for a clock that is refused.
  @Test(arguments: [
    // Half past eight, or eight seconds and a bit: nobody knows.
    (["8.30", "14.30"], [nil, nil]), (["8", "30", "959"], [nil, nil, nil]),
    (["0", "1030", "1430.5"], [nil, nil, nil]),
    // A zero in front is that of an hour, also where it comes late.
    (["0830", "1030", "1430"], ["08:30:00", "10:30:00", "14:30:00"]),
    (["1430Z", "2359", "0000"], ["14:30:00", "23:59:00", "00:00:00"]),
    (["0830", "930", "103000", "83000", "2430"], ["08:30:00", nil, "10:30:00", nil, nil]),
    // Zeros that were lost.
    (["235959", "0", "59", "959"], ["23:59:59", "00:00:00", "00:00:59", "00:09:59"]),
    (["5", "80000"], ["00:00:05", "08:00:00"]),
    (["100000", "1000", "5.5", "05"], ["10:00:00", nil, nil, nil]),
    // A table that keeps them has lost none.
    (["080000", "5", "1030", "80001.5"], ["08:00:00", nil, nil, "08:00:01.500"]),
    (["08:00", "5", "0830"], ["08:00:00", nil, nil]),
  ])
  func `a short clock is a time only where its table says which`(
    clocks: [String],
    expected: [String?]
  ) throws {
    for date in ["20240615", "15.06.2024"] {
      let rows = clocks.map { "\(date);\($0);1;2\n" }.joined()
      let reading = try Reading("date;time;lat;lon\n" + rows)
      let times = reading.records.map { $0.fix.map { RFC3339.format($0.at) } }
      #expect(times == expected.map { $0.map { "2024-06-15T\($0)Z" } }, "\(clocks)")
      let bad = expected.count { $0 == nil }
      #expect(reading.refusals == (bad == 0 ? [] : ["bad_time:\(bad)"]), "\(clocks)")
    }
  }

  @Test func `what clocks are is decided once, and the first rows must tell`() throws {
    let short = (1...64).map { "20240615,\($0),1,2\n" }.joined()
    let reading = try Reading(
      "date,time,lat,lon\n" + short + "20240615,80000,1,2\n20240615,5,1,2\n"
    )
    #expect(reading.fixes.map { RFC3339.format($0.at) } == ["2024-06-15T08:00:00Z"])
    #expect(reading.records.map(\.line) == Array(2...67))
    #expect(reading.refusals == ["bad_time:65"])
  }

  @Test func `the layout of Columbus loggers is read`() throws {
    let text = """
      INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT,SPEED,HEADING,VOX
      1,T,240615,080000,48.100000N,011.500000E,519,0,90,
      2,T,240615,080001,48.100000N,011.500010E,519,3,90,
      """
    let fixes = try Reading(text).fixes
    #expect(
      fixes.map { RFC3339.format($0.at) } == ["2024-06-15T08:00:00Z", "2024-06-15T08:00:01Z"]
    )
    #expect(fixes.map(\.courseDegrees) == [90, 90])
  }

  // MARK: Days of spreadsheets

  @Test func `days as spreadsheets count them are told from seconds`() throws {
    let head = "time;lat;lon"
    let eight = "2024-06-15T08:00:00Z"
    #expect(
      try times(head, "45458,3333333333;1;2", "45458,3334;1;2")
        == [eight, "2024-06-15T08:00:05.760Z"]
    )
    // One alone, and a day that is whole between others.
    #expect(try times(head, "45458.3333333333;1;2") == [eight])
    #expect(
      try times(head, "45458.99;1;2", "45459;1;2").last == "2024-06-16T00:00:00Z"
    )
    let found = try Reading("time,lat,lon\n45458.5,1,2\n45458.5,1,2\n45458.501,1,2\n")
    #expect(found.fixes.count == 3 && found.records.map(\.line) == [2, 3, 4])
    #expect(
      found.report?.understanding
        == "columns time=time,lat=lat,lon=lon, times in days since 1899-12-30"
    )
  }

  @Test(arguments: ["(days),deg,deg", ",deg,deg", "n/a,1,2"])
  func `a row of units does not say what the numbers are`(units: String) throws {
    let reading = try Reading("time,lat,lon\n\(units)\n45458.5,1,2\n45458.501,1,2\n")
    #expect(
      reading.fixes.map { RFC3339.format($0.at) } == [
        "2024-06-15T12:00:00Z", "2024-06-15T12:01:26.400Z",
      ]
    )
    #expect(reading.records.map(\.line) == [2, 3, 4])
    // An instant does.
    let mixed = try times(
      "time,lat,lon",
      "2024-06-15T10:30:00Z,1,2",
      "45458.5,1,2",
      "45458.501,1,2"
    )
    #expect(mixed[1] == "1970-01-01T12:37:38.500Z")
  }

  @Test func `seconds of a day, counts since 1970 and times as text stay what they are`() throws {
    let head = "time,lat,lon"
    #expect(
      try times(head, "45458,1,2", "45459,1,2")
        == ["1970-01-01T12:37:38Z", "1970-01-01T12:37:39Z"]
    )
    #expect(try times(head, "45458.5,1,2", "45458.6,1,2").first == "1970-01-01T12:37:38.500Z")
    #expect(try times(head, "45458,1,2") == ["1970-01-01T12:37:38Z"])
    #expect(
      try times(head, "45458.5,1,2", "1718447400,1,2")
        == ["1970-01-01T12:37:38.500Z", "2024-06-15T10:30:00Z"]
    )
    let mixed = try Reading("\(head)\n45458.5,1,2\n,1,2\nsoon,1,2\n\"1")
    #expect(mixed.fixes.count == 1 && mixed.refusals == ["no_time:1", "bad_time:1"])
    #expect(mixed.error?.line == 5)
  }

  // MARK: Numbers

  private let odd = """
    time,lat,lon,accuracy,speed,course,segment
    2024-06-15T10:30:00Z,1,2,good,"3,5",90,1
    2024-06-15T10:30:01Z,1,2,8,fast,N/A,1
    2024-06-15T10:30:02Z,1,2,NaN,3,-,2
    """

  @Test func `a number that a fix can do without costs no fix, and is counted`() throws {
    let reading = try Reading(odd)
    #expect(reading.fixes.map(\.horizontalAccuracyMeters) == [20, 8, 20])
    #expect(reading.fixes.map(\.speedMetersPerSecond) == [nil, nil, 3])
    #expect(reading.fixes.map(\.courseDegrees) == [90, nil, nil])
    #expect(
      reading.report?.understanding?
        .hasSuffix(
          "segment=segment, 1 value of accuracy is no number, on line 2, "
            + "2 values of speed are no numbers, the first on line 2"
        ) == true,
      "\(reading.report?.understanding ?? "")"
    )
  }

  @Test(arguments: TraceWriter.Format.allCases.filter { $0 != .ndjson })
  func `what is no number is kept as it is`(_ format: TraceWriter.Format) throws {
    let points = try details(Array(odd.utf8))
    let back = try DetailTests.through(format, points, try TemporaryFolder())
    for points in [points, back] {
      #expect(points.map { $0.details["speed"] } == ["3,5", "fast", nil])
      #expect(points.map { $0.details["accuracy"] } == ["good", nil, nil])
      #expect(points.map { $0.details["course"] } == [nil, nil, nil])
      #expect(points.map { $0.record.fix?.horizontalAccuracyMeters } == [20, 8, 20])
    }
  }

  // MARK: Letters

  @Test func `text that is not UTF-8 is read as Windows-1252`() throws {
    let text = "Zeit,Breite,L\u{E4}nge,name\n2024-06-15T10:30:00Z,1.5,-2.5,"
    // ASCII and Latin-1 up to here, then a byte that only Windows-1252 has.
    let head = text.unicodeScalars.map { UInt8($0.value) }
    let points = try details(head + [0x80, 0x20, 0x43, 0x61, 0x66, 0xE9])
    #expect(points.map { $0.details["name"] } == ["€ Café"])
    let utf8 = try details(Array((text + "€ Café").utf8))
    #expect(utf8.map { $0.details["name"] } == ["€ Café"])
  }

  // MARK: Quotes and well-known text

  @Test func `a quote with a blank before it begins a field`() throws {
    let row = "2024-06-15T08:00:00Z,38.5,14.5, \"x, \"\"y\"\"\",z\n"
    let points = try details(Array("time,lat,lon,name,note\n\(row)".utf8))
    #expect(points.map { $0.details["name"] } == ["x, \"y\""])
    #expect(points.map { $0.details["note"] } == ["z"])
  }

  @Test func `a header of too many columns is refused, as a row is`() throws {
    let head = "time,lat,lon" + String(repeating: ",x", count: 1_100)
    let reading = try Reading(head + "\n2024-06-15T08:00:00Z,38.5,14.5\n")
    #expect(reading.fixes.isEmpty)
    #expect(reading.error?.code == .excessive)
    #expect(reading.error?.line == 1)
  }

  @Test func `a point of well-known text may say its system, its elevation and a measure`() throws {
    let rows = [
      "SRID=4326;POINT(14.5 38.5)", "srid=4326; POINT Z (14.5 38.5 120)", "POINT(14.5 38.5 120)",
      "POINT M (14.5 38.5 120)", "SRID=4326;POINTM(14.5 38.5 120)", "SRID=3857;POINT(14.5 38.5)",
    ]
    .enumerated().map { "2024-06-15T08:00:0\($0.offset)Z,\($0.element)\n" }
    let table = "time,geom\n" + rows.joined()
    let points = try details(Array(table.utf8))
    #expect(points.map { $0.record.fix?.coordinate.latitude } == [38.5, 38.5, 38.5, 38.5, 38.5])
    #expect(points.map { $0.record.fix?.coordinate.longitude } == [14.5, 14.5, 14.5, 14.5, 14.5])
    #expect(points.map { $0.details["ele"] } == [nil, "120", "120", nil, nil])
    // Of another system the numbers may be no degrees.
    #expect(try Reading(table).refusals == ["bad_number:1"])
  }
}
