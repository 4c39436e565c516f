import Geodesy
import Phones
import Testing
import Timeline
import Traces

@Suite struct OwnTracksReadingTests {
  @Test func `a location of an iPhone is a fix, with its battery and its mode`() throws {
    let reading = intake(
      .owntracks,
      """
      {"_type":"location","_id":"3f5a9c1e","acc":12,"alt":33,"batt":81,"bs":1,"cog":211,"conn":"w",
       "created_at":1772539210,"lat":39.2854173,"lon":-76.6089214,"m":1,"t":"c","tid":"an",
       "topic":"owntracks/anna/iphone","tst":1772539200,"vac":4,"vel":18,"SSID":"home","new_member":[1,{}],
       "inregions":["Near Me 07"],"inrids":["nearme07"],"motionactivities":["walking"]}
      """,
      userAgent: iPhoneAgent
    )
    let (fix, trigger) = try #require(reading.fixes.first)
    #expect(fix.at == noon)
    #expect(fix.coordinate == (try Coordinate(latitude: 39.2854173, longitude: -76.6089214)))
    #expect(fix.horizontalAccuracyMeters == 12)
    // 18 km/h.
    #expect(fix.speedMetersPerSecond == 5)
    #expect(fix.courseDegrees == 211)
    #expect(trigger == .region)
    #expect(
      reading.others == [
        .battery(percent: 81, isCharging: false, at: noon + .seconds(10)),
        .status([StatusValue("mode", "significant")]),
      ]
    )
    #expect(reading.messageID == "3f5a9c1e")
    #expect(reading.passedOver.isEmpty && !reading.isUnusable)
  }

  @Test func `Android leaves zeros out: accuracy and speed are unknown`() throws {
    let reading = intake(
      .owntracks,
      #"{"_type":"location","_id":"a1","lat":39.2854,"lon":-76.6089,"tst":1772539200,"created_at":1772539201,"#
        + #""conn":"m","m":1,"tid":"na","topic":"owntracks/anna/pixel"}"#,
      userAgent: androidAgent
    )
    let fix = try #require(reading.fixes.first?.fix)
    #expect(fix.horizontalAccuracyMeters == 20)
    #expect(fix.speedMetersPerSecond == nil && fix.courseDegrees == nil)
  }

  @Test(arguments: [
    ("c", IntakeTrigger.region), ("C", .followRegion), ("b", .beacon), ("r", .asked), ("u", .user),
    ("t", .timer),
    ("v", .visit), ("m", .motion), ("x", .ordinary),
  ])
  func `what made the app send is kept`(letter: String, trigger: IntakeTrigger) throws {
    let reading = intake(
      .owntracks,
      #"{"_type":"location","lat":39,"lon":-76,"tst":1772539200,"t":"\#(letter)"}"#
    )
    #expect(try #require(reading.fixes.first).trigger == trigger)
  }

  @Test func `Android's ping says "still here" and is no fix`() {
    let reading = intake(
      .owntracks,
      #"{"_type":"location","t":"p","lat":39.28,"lon":-76.6,"acc":20,"tst":1772535600,"created_at":1772539200}"#,
      userAgent: androidAgent
    )
    #expect(reading.items == [.still(at: noon, since: noon - .minutes(60))])
    #expect(reading.passedOver == [.ping: 1])
    #expect(!reading.isUnusable)
  }

  @Test func `the timer of an iPhone says an old position again, or a new one`() {
    func reading(_ tst: Int) -> IntakeReading {
      intake(
        .owntracks,
        #"{"_type":"location","t":"t","lat":39,"lon":-76,"tst":\#(tst),"created_at":1772539200}"#
      )
    }
    // It may be one that was never said: whether it is new is not for a single body to say.
    let old = reading(1_772_538_000)
    #expect(old.others == [.still(at: noon, since: noon - .minutes(20))])
    #expect(old.fixes.map(\.fix.at) == [noon - .minutes(20)])
    #expect(reading(1_772_539_190).items.count == 1)
    #expect(reading(1_772_539_190).fixes.map(\.trigger) == [.timer])
  }

  @Test func `Overland's seconds since 2001 are found out`() {
    let tst = 1_772_539_200 - 978_307_200
    let reading = intake(.owntracks, #"{"_type":"location","lat":39,"lon":-76,"tst":\#(tst)}"#)
    #expect(reading.fixes.map(\.fix.at) == [noon])
  }

  @Test func `Colota fills in OwnTracks' form with meters a second`() {
    let text =
      #"{"_type":"location","tid":"AA","lat":39,"lon":-76,"acc":9,"vel":10,"bear":90,"batt":50,"bs":2,"tst":1772539200}"#
    let colota = intake(.owntracks, text, userAgent: "okhttp/4.12.0")
    #expect(colota.fixes.map(\.fix.speedMetersPerSecond) == [10])
    #expect(colota.fixes.map(\.fix.courseDegrees) == [90])
    #expect(colota.others == [.battery(percent: 50, isCharging: true, at: noon)])
    // The app itself has km/h whatever a person calls it, and an owner's word stands above all.
    #expect(
      intake(.owntracks, text, userAgent: iPhoneAgent).fixes[0].fix.speedMetersPerSecond == 10 / 3.6
    )
    let asSaid = intake(.owntracks, text, userAgent: iPhoneAgent, speedUnit: .metersPerSecond)
    #expect(asSaid.fixes[0].fix.speedMetersPerSecond == 10)
  }

  @Test func `a transition is a crossing and not a fix`() {
    let iPhone = intake(
      .owntracks,
      """
      {"_type":"transition","event":"enter","desc":"Near Me 07","rid":"nearme07","wtst":946684807,"tst":1772539200,
       "lat":39,"lon":-76,"acc":30,"t":"c","tid":"an"}
      """
    )
    #expect(
      iPhone.items == [
        .crossing(
          region: "Near Me 07",
          slotID: "nearme07",
          isEnter: true,
          at: noon,
          isComputed: false
        )
      ]
    )
    let computed = intake(
      .owntracks,
      #"{"_type":"transition","event":"leave","desc":"Near Me 20","wtst":946684820,"tst":1772539200,"t":"l"}"#
    )
    #expect(
      computed.items == [
        .crossing(
          region: "Near Me 20",
          slotID: "nearme20",
          isEnter: false,
          at: noon,
          isComputed: true
        )
      ]
    )
    let ofTheirs = intake(
      .owntracks,
      #"{"_type":"transition","event":"enter","desc":"home","rid":"6da9cf","wtst":1600000000,"tst":1772539200,"t":"c"}"#
    )
    #expect(
      ofTheirs.items == [
        .crossing(region: "home", slotID: nil, isEnter: true, at: noon, isComputed: false)
      ]
    )
    #expect(
      intake(.owntracks, #"{"_type":"transition","event":"near","tst":1}"#).passedOver == [
        .badCrossing: 1
      ]
    )
  }

  @Test func `waypoints have a position and are no fixes`() throws {
    let all = intake(
      .owntracks,
      """
      {"_type":"waypoints","_creator":"iOS","waypoints":[
       {"_type":"waypoint","desc":"Near Me 01","rid":"nearme01","tst":946684801,"lat":39.1,"lon":-76.5,"rad":150},
       {"_type":"waypoint","desc":"home","tst":1600000000,"lat":39.2,"lon":-76.6,"rad":80},
       {"_type":"waypoint","desc":"a shop","tst":1600000001,"lat":39.3,"lon":-76.7},
       {"_type":"waypoint","desc":"gone","tst":946684802,"lat":200,"lon":0,"rad":100}, 7]}
      """
    )
    let held = [
      HeldRegion(
        name: "Near Me 01",
        slotID: "nearme01",
        center: try Coordinate(latitude: 39.1, longitude: -76.5),
        radiusMeters: 150
      ),
      HeldRegion(
        name: "home",
        slotID: nil,
        center: try Coordinate(latitude: 39.2, longitude: -76.6),
        radiusMeters: 80
      ),
      HeldRegion(
        name: "a shop",
        slotID: nil,
        center: try Coordinate(latitude: 39.3, longitude: -76.7),
        radiusMeters: 0
      ),
      HeldRegion(name: "gone", slotID: "nearme02", center: nil, radiusMeters: 100),
    ]
    #expect(all.items == [.held(held)])
    #expect(all.passedOver == [.unknownType: 1])
    let one = intake(
      .owntracks,
      #"{"_type":"waypoint","desc":"home","tst":1600000000,"lat":39.2,"lon":-76.6,"rad":80}"#
    )
    #expect(one.items == [.heldOne(held[1])])
  }

  @Test func `a status says why a phone is silent, and nothing else`() {
    let iPhone = intake(
      .owntracks,
      """
      {"_type":"status","_id":"x","iOS":{"version":"26.3.1","deviceModel":"iPhone","locale":"en_US",
       "deviceIdentifierForVendor":"A1B2","locationManagerAuthorizationStatus":"kCLAuthorizationStatusAuthorizedWhenInUse",
       "backgroundRefreshStatus":"UIBackgroundRefreshStatusDenied"}}
      """
    )
    #expect(
      iPhone.items == [
        .status([
          StatusValue("version", "26.3.1"), StatusValue("deviceModel", "iPhone"),
          StatusValue(
            "locationManagerAuthorizationStatus",
            "kCLAuthorizationStatusAuthorizedWhenInUse"
          ),
          StatusValue("backgroundRefreshStatus", "UIBackgroundRefreshStatusDenied"),
        ])
      ]
    )
    let android = intake(
      .owntracks,
      #"{"_type":"status","android":{"wifi":1,"ps":0,"bo":1,"hib":0,"loc":0,"other":"x"}}"#
    )
    #expect(
      android.items == [
        .status([
          StatusValue("bo", "1"), StatusValue("hib", "0"), StatusValue("loc", "0"),
          StatusValue("ps", "0"),
          StatusValue("wifi", "1"),
        ])
      ]
    )
  }

  @Test func `messages without a way are counted by their names`() {
    #expect(
      intake(.owntracks, #"{"_type":"encrypted","data":"AAAA"}"#).passedOver == [.encrypted: 1]
    )
    #expect(intake(.owntracks, #"{"_type":"encrypted","data":"AAAA"}"#).isUnusable)
    #expect(intake(.owntracks, "") == IntakeReading(passedOver: [.friendDeleted: 1]))
    #expect(
      intake(.owntracks, #"{"_type":"lwt","tst":1}"#)
        == IntakeReading(passedOver: [.otherMessage: 1])
    )
    let unknown = intake(.owntracks, #"{"_type":"hologram","_id":"7"}"#)
    #expect(
      unknown == IntakeReading(passedOver: [.unknownType: 1], isUnusable: true, messageID: "7")
    )
  }

  @Test func `what is wrong with a location is named, and its body worth keeping`() {
    func refusal(_ members: String) -> IntakeReading {
      intake(.owntracks, #"{"_type":"location","batt":40,"m":1,\#(members)}"#)
    }
    for (members, reason) in [
      (#""tst":1772539200"#, IntakeRefusal.noPosition),
      (#""lat":39,"tst":1772539200"#, .noPosition),
      (#""lat":0,"lon":0,"tst":1772539200"#, .noPosition),
      (#""lat":91,"lon":0,"tst":1772539200"#, .badCoordinate),
      (#""lat":39,"lon":-180.1,"tst":1772539200"#, .badCoordinate),
      (#""lat":39,"lon":-76"#, .noTime),
      (#""lat":39,"lon":-76,"tst":"soon""#, .badTime), (#""lat":39,"lon":-76,"tst":-5"#, .badTime),
      (#""lat":39,"lon":-76,"tst":9e18"#, .badTime), (#""lat":39,"lon":-76,"tst":1e308"#, .badTime),
    ] {
      let reading = refusal(members)
      #expect(reading.passedOver == [reason: 1], "\(members)")
      #expect(reading.isUnusable && reading.fixes.isEmpty, "\(members)")
    }
  }
}
