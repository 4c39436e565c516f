import Basics
import Phones
import Testing
import Timeline

@Suite struct HealthTests {
  private static func troubles(_ change: (inout PhoneFacts) -> Void) -> [PhoneTrouble] {
    var facts = PhoneFacts(lastSeen: noon, newestFix: noon, kind: .iOS, askedRegions: 20)
    change(&facts)
    return PhoneHealth(facts, at: noon + .minutes(60)).troubles
  }

  @Test func `a phone that does well has no troubles`() {
    #expect(Self.troubles { _ in } == [])
    #expect(
      Self.troubles { $0.passedOver = [.ping: 900, .heartbeat: 50, .tooMany: 3, .noPosition: 1] }
        == []
    )
    #expect(
      Self.troubles {
        $0.status = [
          StatusValue(
            "locationManagerAuthorizationStatus",
            "kCLAuthorizationStatusAuthorizedAlways"
          ),
          StatusValue("backgroundRefreshStatus", "UIBackgroundRefreshStatusAvailable"),
          StatusValue("mode", "move"),
        ]
      } == []
    )
  }

  @Test func `silence is named, by what an app does when all is well`() {
    #expect(PhoneHealth(PhoneFacts(), at: noon).troubles == [.neverSeen])
    #expect(Self.troubles { $0.lastSeen = noon - .minutes(24 * 60) } == [.silent])
    #expect(
      Self.troubles {
        $0.lastSeen = noon - .minutes(90)
        $0.kind = .android
      } == [.silent]
    )
    #expect(Self.troubles { $0.newestFix = nil } == [.noFixes])
    #expect(
      Self.troubles {
        $0.newestFix = nil
        $0.passedOver = [.noPosition: 12]
      } == [.noFixes, .unreadable]
    )
  }

  @Test(arguments: [
    (
      "locationManagerAuthorizationStatus", "kCLAuthorizationStatusDenied",
      PhoneTrouble.locationDenied
    ),
    (
      "locationManagerAuthorizationStatus", "kCLAuthorizationStatusAuthorizedWhenInUse",
      .locationLimited
    ),
    ("backgroundRefreshStatus", "UIBackgroundRefreshStatusDenied", .backgroundRefreshOff),
    ("mode", "quiet", .quietMode),
    ("bo", "1", .batteryOptimized), ("hib", "1", .hibernation), ("ps", "1", .powerSave),
    ("loc", "-2", .locationLimited),
  ])
  func `what the app says of itself is understood`(
    name: String,
    value: String,
    trouble: PhoneTrouble
  ) {
    #expect(Self.troubles { $0.status = [StatusValue(name, value)] } == [trouble])
  }

  @Test func `regions that are not taken are named`() {
    #expect(Self.troubles { $0.requestsWithoutRegions = 5 } == [.regionsNotTaken])
    #expect(
      Self.troubles {
        $0.missingRegions = 2
        $0.strangeRegions = 2
      } == [.regionsMissing, .otherRegions]
    )
    #expect(Self.troubles { $0.kind = .androidWithoutRegions } == [.noRegions])
    #expect(Self.troubles { $0.passedOver = [.encrypted: 1] } == [.encrypted])
  }

  @Test func `every trouble has a sentence of what to do, and a name of its own`() {
    for trouble in PhoneTrouble.allCases {
      #expect(trouble.advice.hasSuffix(".") && trouble.advice.count > 30, "\(trouble)")
    }
    #expect(Set(PhoneTrouble.allCases.map(\.advice)).count == PhoneTrouble.allCases.count)
  }
}

@Suite struct ShortAnswerTests {
  @Test func `every road has an answer that its app takes`() throws {
    #expect(shortAnswer(to: .owntracks).body == "[]")
    #expect(shortAnswer(to: .overland).body == #"{"result":"ok"}"#)
    for source in IntakeSource.allCases
    where shortAnswer(to: source).contentType == "application/json" {
      _ = try JSONValue.parse(shortAnswer(to: source).body)
    }
  }
}
