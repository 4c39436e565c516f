import Channels
import LiveHost
import NearMeEngine
import Testing
import Timeline

@Suite struct AnswerTests {
  @Test func `every action is read back from its name, and nothing else is`() {
    let actions: [AnswerAction] = [
      .complete, .snooze(minutes: 15), .snooze(minutes: 60), .snoozeToday,
      .snoozeUntilNextArrival, .mute, .dismiss, .open,
    ]
    for action in actions { #expect(AnswerAction(name: action.name) == action) }
    for name in [
      "", "Complete", "snooze", "snooze:", "snooze:m", "snooze:0m", "snooze:-5m", "snooze:+5m",
      "snooze:05m", "snooze:263521m", "snooze:99999999999999999999m", "unmute",
    ] {
      #expect(AnswerAction(name: name) == nil, "\(name)")
    }
    #expect(AnswerAction.snooze(minutes: 90).reminderAction == .snoozeFor(.minutes(90)))
    #expect(AnswerAction.open.reminderAction == nil)
    #expect(AnswerAction.snooze(minutes: 90).label == "90 min later")
    #expect(AnswerAction.snooze(minutes: 120).label == "2 h later")
  }

  @Test func `news of several reminders offers nothing that would finish them all`() throws {
    let one = AnswerAction.offered(for: try news())
    #expect(one.prefix(3) == [.complete, .snooze(minutes: 60), .snoozeUntilNextArrival])
    #expect(one.suffix(2) == [.snooze(minutes: 15), .mute])
    let leaving = AnswerAction.offered(for: try news(kind: .leave))
    #expect(!leaving.contains(.snoozeUntilNextArrival))
    let several = AnswerAction.offered(for: try news(["a", "b"]))
    #expect(several == [.snooze(minutes: 60), .snoozeToday, .snooze(minutes: 15)])
  }

  private func subject(
    person: String = "anna",
    notification: String = "n7",
    shownAt: Timestamp = someInstant,
    reminders: [String] = ["bins"],
    action: AnswerAction = .complete,
    channel: String = "ntfy"
  ) -> AnswerSubject {
    AnswerSubject(
      person: person,
      notification: notification,
      shownAt: shownAt,
      reminders: reminders,
      action: action,
      channel: channel
    )
  }

  @Test func `a token is the same for the same subject only`() throws {
    let tokens = try AnswerTokens(secret: Array(0..<32))
    let others = [
      subject(person: "ann", notification: "an7"), subject(notification: "n8"),
      subject(shownAt: someInstant + .seconds(1)), subject(reminders: ["bins", "milk"]),
      subject(reminders: []), subject(action: .mute), subject(channel: "mail"), subject(),
    ]
    #expect(Set(others.map { tokens.token(for: $0).text }).count == others.count)
    let token = tokens.token(for: subject())
    #expect(token == tokens.token(for: subject()))
    #expect(token.text.utf8.count == 22)
    #expect(try AnswerTokens(secret: Array(1..<33)).token(for: subject()) != token)
    #expect(AnswerToken(token.text) == token)
    for text in [
      "", String(token.text.dropLast()), token.text + "A", "!" + token.text.dropFirst(),
      // The last of 22 characters has four bits only that mean anything.
      String(token.text.dropLast()) + "B",
    ] {
      #expect(AnswerToken(text) == nil, "\(text)")
    }
    #expect(throws: HostFailure.self) { try AnswerTokens(secret: Array(0..<31)) }
  }

  @Test func `what ends is one way of a type, all of them, or all but some`() throws {
    let server = try ServiceAddress("https://ntfy.example.org/")
    let (one, other) = (
      AnswerWay.ntfy(server, topic: "a"), AnswerWay.ntfy(server, topic: "b")
    )
    #expect(one.name != other.name && !one.name.contains("example"))
    #expect(EndedWay.one(one).covers(one.name) && !EndedWay.one(one).covers(other.name))
    // Buttons of before name the type alone.
    #expect(EndedWay.one(one).covers("ntfy") && !EndedWay.one(one).covers("mail"))
    #expect(EndedWay.all(.ntfy).covers(one.name) && EndedWay.all(.ntfy).covers("ntfy"))
    #expect(!EndedWay.all(.ntfy).covers(AnswerWay.telegram(chat: 1).name))
    let butOne = EndedWay.all(.ntfy, but: [one])
    #expect(!butOne.covers(one.name) && butOne.covers(other.name) && butOne.covers("ntfy"))
    func settings(_ server: String, _ topics: [String]) throws -> ChannelSettings {
      try ChannelSettings(
        topics.map { .init(id: $0, .ntfy(server: server, topic: $0, allowsPlainHTTP: false)) }
          + [.init(id: "browsers", .webPush)]
      )
    }
    let plain = "https://ntfy.example.org"
    let both = try settings(plain, ["a", "b"])
    #expect(try both.ended(by: settings(plain, ["b"])) == [.one(one)])
    #expect(try both.ended(by: settings(plain + "/", ["b", "a"])).isEmpty)
    #expect(
      try both.ended(by: ChannelSettings([])) == [.one(one), .one(other), .all(.webPush)]
    )
  }

  @Test func `a page knows the map of what was told, and its buttons do not`() throws {
    let shelf = MemoryShelf()
    let told = try news(spot: #"{"lat":38.0041,"lon":-34.1562}"#)
    let (buttons, page) = try desk(shelf).buttons(for: told, channel: "mail")
    for (text, link) in [
      (String(page.suffix(22)), "geo:38.004100,-34.156200"), (buttons[0].token, nil),
    ] {
      let hash = try #require(AnswerToken(text)).hash
      guard case .fresh(let subject) = try shelf.look(hash, at: someInstant) else {
        Issue.record("\(text) is known")
        continue
      }
      #expect(subject.mapLink == link && subject.mapPage == (link == nil ? nil : told.mapPage))
    }
  }

  @Test func `a press does once what it says, and after its time nothing`() throws {
    let shelf = MemoryShelf()
    let (buttons, page) = try desk(shelf).buttons(for: news(), channel: "ntfy")
    #expect(
      buttons.map(\.label) == [
        "Done", "1 h later", "Next time", "Not today", "15 min later", "Mute",
      ]
    )
    #expect(buttons.allSatisfy { $0.url == "https://near.example.org/a/\($0.token)" })
    #expect(shelf.count == buttons.count + 1)
    // The same delivery again: the same buttons, and none of them anew on the shelf.
    #expect(try desk(shelf).buttons(for: news(), channel: "ntfy").buttons == buttons)
    #expect(shelf.count == buttons.count + 1)
    let hash = try #require(AnswerToken(buttons[0].token)).hash
    let now = someInstant + .minutes(5)
    guard case .fresh(let seen) = try shelf.look(hash, at: now),
      case .fresh(let used) = try shelf.use(hash, at: now),
      case .alreadyDone(let again) = try shelf.use(hash, at: now)
    else {
      Issue.record("looking uses nothing, the first press is fresh, the second is not")
      return
    }
    #expect(seen == used && used == again)
    let told = try news().text
    #expect(used.text == told)
    #expect(used.reminders == ["r0"] && used.action == .complete && used.person == "anna")
    let snooze = try #require(AnswerToken(buttons[1].token)).hash
    guard case .expired = try shelf.use(snooze, at: someInstant + .minutes(36 * 60)) else {
      Issue.record("36 hours are over")
      return
    }
    let open = try #require(AnswerToken(String(page.suffix(22)))).hash
    guard case .fresh(let opened) = try shelf.look(open, at: now) else {
      Issue.record("the page is known")
      return
    }
    #expect(opened.action == .open)
  }

  @Test func `bytes and base64url are the same thing in one way only`() {
    for (bytes, text) in [
      ([], ""), ([0], "AA"), ([255], "_w"), ([251, 255], "-_8"), ([1, 2, 3], "AQID"),
    ] as [([UInt8], String)] {
      #expect(Base64URL.encode(bytes) == text)
      #expect(Base64URL.decode(text) == bytes)
    }
    #expect(Base64URL.decode("AA==") == [0])
    #expect(Base64URL.decode("-_8=") == [251, 255])
    for text in ["A", "AB", "AA=", "AA===", "====", "A===", "+/8", "A A", "AAAAA"] {
      #expect(Base64URL.decode(text) == nil, "\(text)")
    }
  }
}
