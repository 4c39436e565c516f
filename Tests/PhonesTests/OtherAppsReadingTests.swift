import Geodesy
import Phones
import Testing
import Timeline
import Traces

@Suite struct OverlandReadingTests {
  private static func feature(
    _ properties: String,
    at position: String = "[-76.6089,39.2854]"
  ) -> String {
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":\#(position)},"properties":{\#(properties)}}"#
  }

  @Test func `a batch is read in the order of time`() throws {
    let second = Self.feature(
      #""timestamp":"2026-03-03T12:00:10Z","speed":-1,"course":-1,"horizontal_accuracy":-1,"battery_level":0.5,"#
        + #""battery_state":"charging","device_id":"anna""#
    )
    let first = Self.feature(
      #""timestamp":"2026-03-03T12:00:00Z","altitude":33,"speed":4,"course":210,"horizontal_accuracy":12,"#
        + #""vertical_accuracy":4,"motion":["driving"],"battery_level":0.51,"battery_state":"unplugged","wifi":"""#
    )
    let reading = intake(
      .overland,
      #"{"locations":[\#(second),\#(first)],"current":\#(second),"trip":{"mode":"car"}}"#
    )
    #expect(reading.fixes.map(\.fix.at) == [noon, noon + .seconds(10)])
    #expect(reading.fixes.map(\.fix.horizontalAccuracyMeters) == [12, 20])
    #expect(reading.fixes.map(\.fix.speedMetersPerSecond) == [4, nil])
    #expect(reading.fixes.map(\.fix.courseDegrees) == [210, nil])
    #expect(reading.fixes.map(\.fix.coordinate.longitude) == [-76.6089, -76.6089])
    #expect(reading.others == [.battery(percent: 50, isCharging: true, at: noon + .seconds(10))])
    #expect(reading.passedOver == [.current: 1, .trip: 1])
  }

  @Test func `a visit is a position of its end, or of now while it lasts`() {
    let open = Self.feature(
      #""timestamp":"2026-03-03T12:00:00Z","action":"visit","arrival_date":"2026-03-03T11:50:00Z","departure_date":null,"#
        + #""horizontal_accuracy":30"#
    )
    let over = Self.feature(
      #""timestamp":"2026-03-03T12:00:00Z","action":"visit","arrival_date":null,"#
        + #""departure_date":"2026-03-03T11:55:00Z","horizontal_accuracy":30"#
    )
    let reading = intake(.overland, #"{"locations":[\#(open),\#(over)]}"#)
    #expect(reading.fixes.map(\.fix.at) == [noon - .minutes(5), noon])
    #expect(reading.fixes.allSatisfy { $0.trigger == .visit })
  }

  @Test func `actions, trips and entries without a place are no fixes`() {
    let action = Self.feature(
      #""timestamp":"2026-03-03T12:00:00Z","action":"paused_location_updates""#
    )
    let trip = Self.feature(
      #""type":"trip","start":"2026-03-03T11:00:00Z","end":"2026-03-03T12:00:00Z""#
    )
    let bare =
      #"{"type":"Feature","properties":{"timestamp":"2026-03-03T12:00:00Z","action":"enabled_tracking"}}"#
    let placeless =
      #"{"type":"Feature","geometry":null,"properties":{"timestamp":"2026-03-03T12:00:00Z"}}"#
    let reading = intake(
      .overland,
      #"{"locations":[\#(action),\#(trip),\#(bare),\#(placeless),3]}"#
    )
    #expect(reading.items.isEmpty)
    #expect(reading.passedOver == [.action: 2, .trip: 1, .noGeometry: 1, .unknownType: 1])
  }

  @Test func `a place that was set for a Wi-Fi network is not taken for a measured one`() {
    let zone = Self.feature(
      #""timestamp":"2026-03-03T12:00:00Z","altitude":-1,"speed":0,"horizontal_accuracy":1,"vertical_accuracy":0,"#
        + #""wifi":"home""#
    )
    let reading = intake(.overland, #"{"locations":[\#(zone)]}"#)
    #expect(reading.fixes.map(\.trigger) == [.zone])
    #expect(reading.fixes.map(\.fix.horizontalAccuracyMeters) == [50])
    #expect(reading.fixes.map(\.fix.speedMetersPerSecond) == [nil])
  }

  @Test func `the position that Colota makes up at a zone's center is left out`() {
    let invented = Self.feature(
      #""timestamp":"2026-03-03T11:59:59Z","horizontal_accuracy":50,"speed":0"#,
      at: "[-76.6,39.2]"
    )
    let real = Self.feature(
      #""timestamp":"2026-03-03T12:00:00Z","horizontal_accuracy":8,"speed":2"#,
      at: "[-76.6,39.201]"
    )
    let reading = intake(.overland, #"{"locations":[\#(invented),\#(real)]}"#)
    #expect(reading.fixes.map(\.fix.at) == [noon])
    #expect(reading.passedOver == [.inventedFix: 1])
    // Near the center, or with a speed, it may have been measured.
    let near = Self.feature(
      #""timestamp":"2026-03-03T12:00:00Z","horizontal_accuracy":8,"speed":2"#,
      at: "[-76.6,39.2001]"
    )
    #expect(intake(.overland, #"{"locations":[\#(invented),\#(near)]}"#).fixes.count == 2)
  }

  @Test func `no more than 5,000 are taken, and the rest is counted`() {
    let one = Self.feature(#""timestamp":"2026-03-03T12:00:00Z""#)
    let many = Array(repeating: one, count: 5_003).joined(separator: ",")
    let reading = intake(.overland, #"{"locations":[\#(many)]}"#)
    #expect(reading.fixes.count == 5_000)
    #expect(reading.passedOver == [.tooMany: 3])
    let lines = Array(repeating: #"{"lat":1,"lon":2,"time":1772539200}"#, count: 5_003)
      .joined(separator: "\n")
    #expect(intake(.fixes, lines).fixes.count == 5_000)
    #expect(intake(.fixes, lines).passedOver == [.tooMany: 3])
  }
}

@Suite struct TraccarReadingTests {
  private static let form =
    "id=anna&lat=39.2854&lon=-76.6089&timestamp=1772539200&accuracy=12.5&altitude=33.1&speed=10&bearing=211&batt=81"
    + "&charge=true&alarm=general"

  @Test func `Traccar Client 10 sends a form, with knots`() throws {
    let reading = intake(.traccar, Self.form, query: [("id", "anna"), ("interval", "300")])
    let fix = try #require(reading.fixes.first?.fix)
    #expect(fix.at == noon)
    #expect(fix.coordinate == (try Coordinate(latitude: 39.2854, longitude: -76.6089)))
    #expect(fix.horizontalAccuracyMeters == 12.5)
    #expect(abs((fix.speedMetersPerSecond ?? 0) - 5.144_444) < 1e-6)
    #expect(fix.courseDegrees == 211)
    #expect(reading.others == [.battery(percent: 81, isCharging: true, at: noon)])
  }

  @Test func `the same form at the address of OsmAnd is known by what is in it`() {
    let known = intake(.osmand, Self.form)
    #expect(abs((known.fixes[0].fix.speedMetersPerSecond ?? 0) - 5.144_444) < 1e-6)
    let osmAnd: [(name: String, value: String)] = [
      ("id", "anna"), ("lat", "39.2854"), ("lon", "-76.6089"), ("timestamp", "1772539200123"),
      ("hdop", "2.5"),
      ("altitude", "33"), ("speed", "10"), ("bearing", "211.5"),
    ]
    let query = intake(.osmand, query: osmAnd)
    #expect(query.fixes.map(\.fix.speedMetersPerSecond) == [10])
    #expect(query.fixes.map(\.fix.horizontalAccuracyMeters) == [12.5])
    #expect(query.fixes.map(\.fix.at) == [noon + Milliseconds(123)])
    let asSaid = intake(.osmand, query: osmAnd, speedUnit: .kilometersPerHour)
    #expect(asSaid.fixes.map(\.fix.speedMetersPerSecond) == [10 / 3.6])
  }

  @Test(arguments: [
    "1772539200", "1772539200000", "2026-03-03T12:00:00Z", "2026-03-03T13:00:00+01:00",
    "2026-03-03 12:00:00",
  ])
  func `OsmAnd's time comes in five forms`(time: String) {
    let reading = intake(
      .osmand,
      query: [("deviceid", "a"), ("location", "39.2854,-76.6089"), ("timestamp", time)]
    )
    #expect(reading.fixes.map(\.fix.at) == [noon])
    #expect(reading.fixes.map(\.fix.coordinate.latitude) == [39.2854])
  }

  @Test func `a heartbeat and a token are harmless, and a changed form is not`() {
    let heartbeat = intake(.traccar, "id=anna&timestamp=1772539200&batt=80")
    #expect(heartbeat.passedOver == [.heartbeat: 1] && !heartbeat.isUnusable)
    #expect(heartbeat.items == [.battery(percent: 80, isCharging: nil, at: noon)])
    let token = intake(.traccar, "id=anna&notificationToken=abc%3Adef")
    #expect(token == IntakeReading(passedOver: [.pushToken: 1]))
    // As when Traccar Client 10 came: new names, and nothing else to know it by.
    let changed = intake(.traccar, "device=anna&la=39&lo=-76&at=1772539200&batt=80")
    #expect(changed.passedOver == [.noPosition: 1] && changed.isUnusable)
    #expect(
      intake(.osmand, "id=a&lat=39&lon=-76&valid=false&timestamp=1").passedOver == [.invalidFix: 1]
    )
    #expect(
      intake(.osmand, query: [("id", "a"), ("lat", "39"), ("lon", "-76")]).passedOver == [
        .noTime: 1
      ]
    )
    #expect(intake(.osmand) == IntakeReading(passedOver: [.empty: 1]))
  }

  @Test func `Traccar Client 9 sends JSON, with meters a second`() throws {
    let reading = intake(
      .traccar,
      """
      {"device_id":"anna","location":{"timestamp":"2026-03-03T12:00:00.000Z","coords":{"latitude":39.2854,
       "longitude":-76.6089,"accuracy":8,"speed":3.5,"heading":90,"altitude":33},"is_moving":true,"odometer":12.5,
       "event":"motionchange","battery":{"level":0.81,"is_charging":false},"activity":{"type":"walking"}}}
      """
    )
    let fix = try #require(reading.fixes.first?.fix)
    #expect(fix.at == noon && fix.speedMetersPerSecond == 3.5 && fix.courseDegrees == 90)
    #expect(fix.horizontalAccuracyMeters == 8)
    #expect(reading.others == [.battery(percent: 81, isCharging: false, at: noon)])
    let heartbeat = intake(
      .traccar,
      #"{"device_id":"anna","location":{"timestamp":"2026-03-03T12:00:00Z","event":"heartbeat","is_moving":false}}"#
    )
    #expect(heartbeat == IntakeReading(passedOver: [.heartbeat: 1]))
  }
}

@Suite struct TemplateReadingTests {
  @Test func `GPSLogger's own words are known, in a form, a query and JSON`() {
    let all =
      "lat=39.2854&lon=-76.6089&sat=9&desc=&alt=33.0&acc=0.0&dir=90.0&prov=gps&spd_kph=36.0&spd=10.0"
      + "&timestamp=1772539200&timeoffset=2026-03-03T13%3A00%3A00.000%2B01%3A00&time=2026-03-03T12%3A00%3A00.000Z"
      + "&starttimestamp=1772530000&date=2026-03-03&batt=80.0&ischarging=true&aid=1f2e&ser=1f2e&act=&profile=Default"
    let pairs = all.split(separator: "&")
      .map { pair -> (name: String, value: String) in
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        return (
          parts[0],
          (parts.count > 1 ? parts[1] : "").replacing("%3A", with: ":").replacing("%2B", with: "+")
        )
      }
    let json =
      #"{"lat":39.2854,"lon":-76.6089,"acc":0.0,"spd":10,"dir":90,"timestamp":"1772539200","batt":80,"#
      + #""ischarging":"true"}"#
    for reading in [
      intake(.gpslogger, all), intake(.gpslogger, query: pairs), intake(.gpslogger, json),
    ] {
      #expect(reading.fixes.map(\.fix.at) == [noon])
      #expect(reading.fixes.map(\.fix.horizontalAccuracyMeters) == [20])
      #expect(reading.fixes.map(\.fix.speedMetersPerSecond) == [10])
      #expect(reading.fixes.map(\.fix.courseDegrees) == [90])
      #expect(reading.others == [.battery(percent: 80, isCharging: true, at: noon)])
    }
    let kilometers = intake(.gpslogger, "lat=39&lon=-76&time=2026-03-03T12:00:00Z&spd_kph=36")
    #expect(kilometers.fixes.map(\.fix.speedMetersPerSecond) == [10])
  }

  @Test func `GPSLogger also speaks as OwnTracks and as Overland do`() {
    let ownTracks = intake(
      .gpslogger,
      #"{"_type":"location","lat":39,"lon":-76,"tst":1772539200,"vel":36}"#
    )
    #expect(ownTracks.fixes.map(\.fix.speedMetersPerSecond) == [10])
    let overland = intake(
      .gpslogger,
      #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[-76,39]},"#
        + #""properties":{"timestamp":"2026-03-03T12:00:00.000Z","speed":10}}]}"#
    )
    #expect(overland.fixes.map(\.fix.speedMetersPerSecond) == [10])
  }

  @Test func `Colota's own form, its lists, and our own lines`() {
    let colota = intake(
      .fixes,
      #"{"lat":39.28,"lon":-76.6,"acc":9,"alt":30,"vel":3,"batt":70,"bs":1,"tst":1772539200,"bear":45.5}"#
    )
    #expect(colota.fixes.map(\.fix.speedMetersPerSecond) == [3])
    #expect(colota.fixes.map(\.fix.courseDegrees) == [45.5])
    #expect(colota.others == [.battery(percent: 70, isCharging: false, at: noon)])
    let lines = intake(
      .fixes,
      """
      {"time":"2026-03-03T12:00:05Z","lat":38.0038,"lon":-34.1551,"accuracy_m":5,"speed_mps":1.5}

      {"time":"2026-03-03T12:00:00Z","lat":38.0038,"lon":-34.1552,"accuracy_m":5}
      {"time":"2026-03-03T12:00:01Z","lat":38.00
      {"signal":"charging","to":"charging","at":"2026-03-03T12:00:03Z","id":7}
      {"time":"2026-03-03T12:00:01Z"}
      """
    )
    #expect(lines.items.map(\.at) == [noon, noon + .seconds(3), noon + .seconds(5)])
    #expect(
      lines.signals == [
        IntakeSignal(name: "charging", level: "charging", id: "7", at: noon + .seconds(3))
      ]
    )
    #expect(lines.passedOver == [.badJSON: 1, .noPosition: 1])
    let list = intake(
      .fixes,
      #"[{"lat":1,"lon":2,"time":1772539200},{"lat":1,"lon":3,"time":1772539201}]"#
    )
    #expect(list.fixes.count == 2 && list.messageID == nil)
  }

  @Test func `Home Assistant's usual form, and its companion's`() {
    let usual = intake(
      .fixes,
      """
      {"device_id":"anna","timestamp":"2026-03-03T12:00:00.123456+00:00","location":{"latitude":39.28,"longitude":-76.6,
       "accuracy":15,"altitude":30,"speed":2},"battery":{"level":77}}
      """
    )
    #expect(usual.fixes.map(\.fix.at) == [noon + Milliseconds(123)])
    #expect(usual.fixes.map(\.fix.horizontalAccuracyMeters) == [15])
    #expect(usual.others == [.battery(percent: 77, isCharging: nil, at: noon + Milliseconds(123))])
    let companion = intake(
      .fixes,
      """
      {"type":"update_location","data":{"gps":[39.28,-76.6],"gps_accuracy":15,"battery":77,"speed":-1,"course":-1,
       "altitude":30,"vertical_accuracy":4,"in_zones":["zone.home"]}}
      """
    )
    // It has no time of its own.
    #expect(companion.fixes.map(\.fix.at) == [noon + .seconds(30)])
    #expect(companion.fixes.map(\.fix.speedMetersPerSecond) == [nil])
    #expect(intake(.fixes, #"{"data":{"in_zones":[],"battery":5}}"#).passedOver == [.noPosition: 1])
  }

  @Test func `a form is read as it was meant, also one that was typed by hand`() {
    let odd = intake(
      .osmand,
      "lat=39.28%2&lon=-76.6%20&timestamp=2026-03-03+12:00:00&=x&&acc&speed=1=2&lat=39.28"
    )
    #expect(odd.fixes.map(\.fix.coordinate.latitude) == [39.28])
    #expect(odd.fixes.map(\.fix.at) == [noon])
    #expect(
      intake(.osmand, "\u{FEFF} {\"lat\":39,\"lon\":-76,\"timestamp\":1772539200}").fixes.count == 1
    )
    #expect(intake(.osmand, "{\"lat\":39,").passedOver == [.badJSON: 1])
    #expect(intake(.osmand, "{\"lat\":39,").isUnusable)
    // An address that keeps saying the same must not stand above what is said now.
    let both = intake(
      .osmand,
      "lat=39.28&lon=-76.6&timestamp=1772539200",
      query: [("lat", "1"), ("id", "a")]
    )
    #expect(both.fixes.map(\.fix.coordinate.latitude) == [39.28])
    #expect(intake(.fixes, "[]") == IntakeReading(passedOver: [.empty: 1]))
  }
}

@Suite struct SignalReadingTests {
  @Test func `a signal comes as JSON, as a query, as a form and in parts`() {
    let multipart = [
      "--B7", #"Content-Disposition: form-data; name="name""#, "", "unlock", "--B7",
      #"Content-Disposition: form-data; name="to""#, "", "on", "--B7--", "",
    ]
    .joined(separator: "\r\n")
    for reading in [
      intake(.signals, #"{"signal":"unlock","to":"on"}"#),
      intake(.signals, #"{"name":"unlock","level":"on"}"#),
      intake(.signals, query: [("name", "unlock"), ("to", "on"), ("id", "")]),
      intake(.signals, "name=unlock&to=on"),
      intake(.signals, multipart, contentType: #"multipart/form-data; boundary="B7""#),
    ] {
      #expect(reading.signals == [IntakeSignal(name: "unlock", level: "on")])
      #expect(reading.passedOver.isEmpty)
    }
    let timed = intake(
      .signals,
      #"[{"signal":"car","at":"2026-03-03T12:00:00Z","id":"b"},{"signal":"car","id":"a"}]"#
    )
    #expect(timed.signals.map(\.id) == ["b", "a"])
    #expect(timed.signals.map(\.at) == [noon, nil])
  }

  @Test func `a signal that cannot be meant is refused`() {
    let long = String(repeating: "x", count: 201)
    for text in [
      #"{"to":"on"}"#, #"{"signal":""}"#, #"{"signal":{}}"#, #"{"signal":"\#(long)"}"#,
      #"{"signal":"a","to":"\#(long)"}"#,
      #"{"signal":"a","id":[1]}"#, #"{"signal":"a","at":"soon"}"#,
      #"{"lat":1,"lon":2,"time":1772539200}"#,
    ] {
      let reading = intake(.signals, text)
      #expect(reading.passedOver == [.badSignal: 1] && reading.items.isEmpty, "\(text)")
    }
    // Positions have an address of their own, and so have signals.
    #expect(intake(.osmand, #"{"signal":"a"}"#).signals.isEmpty)
  }
}
