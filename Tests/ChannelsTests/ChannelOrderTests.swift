import Channels
import Foundation
import LiveHost
import Testing
import Timeline

@Suite struct ChannelOrderTests {
  private let order: ChannelOrder

  /// The phone and the browser at once, mail after ten minutes, the chat after twenty more.
  init() throws {
    order = ChannelOrder(
      try ChannelSettings([
        .init(
          id: "phone",
          .ntfy(server: "https://ntfy.example.org", topic: "anna", allowsPlainHTTP: false)
        ),
        .init(id: "browser", .webPush),
        .init(id: "mail", .mail(to: "a@example.org"), afterMinutes: 10),
        .init(id: "chat", .telegram(chat: 5), afterMinutes: 20),
      ])
    )
  }

  private func minute(_ minutes: Int64) -> Timestamp { someInstant + .minutes(minutes) }

  private func story(told: [String] = [], failed: Set<String> = []) -> ChannelStory {
    var story = ChannelStory(postedAt: someInstant)
    (story.told, story.failed) = (told, failed)
    return story
  }

  @Test func `the first are told at once, the others when nobody has looked`() {
    #expect(
      order.next(story(), now: minute(0)) == .init(tell: ["phone", "browser"], again: minute(10))
    )
    let told = story(told: ["phone", "browser"])
    #expect(order.next(told, now: minute(9)) == .init(tell: [], again: minute(10)))
    #expect(order.next(told, now: minute(10)) == .init(tell: ["mail"], again: minute(30)))
    let mailed = story(told: ["phone", "browser", "mail"])
    #expect(order.next(mailed, now: minute(30)) == .init(tell: ["chat"], again: nil))
    let all = story(told: ["phone", "browser", "mail", "chat"])
    #expect(order.next(all, now: minute(31)) == .init(tell: [], again: nil))
  }

  @Test func `what was opened or withdrawn goes no further`() {
    var opened = story(told: ["phone", "browser"])
    opened.seenAt = minute(3)
    #expect(order.next(opened, now: minute(60)) == .init(tell: [], again: nil))
    var gone = story(told: ["phone", "browser"])
    gone.isWithdrawn = true
    #expect(order.next(gone, now: minute(60)) == .init(tell: [], again: nil))
    // Withdrawn before anybody was told.
    gone.told = []
    #expect(order.next(gone, now: minute(0)) == .init(tell: [], again: nil))
  }

  @Test func `where all before have given up, nobody waits`() {
    let one = story(told: ["phone", "browser"], failed: ["phone"])
    #expect(order.next(one, now: minute(1)) == .init(tell: [], again: minute(10)))
    let both = story(told: ["phone", "browser"], failed: ["phone", "browser"])
    #expect(order.next(both, now: minute(1)) == .init(tell: ["mail"], again: minute(20)))
  }

  @Test func `a server that was off tells at once whom it should have told`() {
    #expect(
      order.next(story(), now: minute(300))
        == .init(tell: ["phone", "browser", "mail", "chat"], again: nil)
    )
    // A channel that was added since is told, too; one that was taken away is not missed.
    #expect(
      order.next(story(told: ["phone", "pager"]), now: minute(0))
        == .init(tell: ["browser"], again: minute(10))
    )
  }

  @Test func `settings come back as they were written`() throws {
    let json = """
      {"channels":[{"id":"a","plain_http":true,"server":"http://10.0.0.2","topic":"t","type":"ntfy"},\
      {"id":"b","phone":"iphone","server":"https://ha.example.org","service":"phone",\
      "type":"home_assistant"},{"after_minutes":10,"id":"c","to":"a@example.org","type":"mail"},\
      {"id":"d","type":"web_push"},{"chat":-5,"id":"e","type":"telegram"}]}
      """
    let settings = try JSONDecoder().decode(ChannelSettings.self, from: Data(json.utf8))
    #expect(settings.channels.map(\.afterMinutes) == [0, 0, 10, 0, 0])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(String(decoding: try encoder.encode(settings), as: UTF8.self) == json)
  }

  @Test func `settings that make no sense are refused`() throws {
    let mail = { (id: String, after: Int) in
      ChannelSettings.Channel(id: id, .mail(to: "a@example.org"), afterMinutes: after)
    }
    for channels in [
      [mail("a", 0), mail("a", 1)], [mail("a", 1)], [mail("a", 0), mail("b", -1)],
      [mail("a", 0), mail("b", 1_441)], [mail("", 0)], [mail("a b", 0)],
      (0..<9).map { mail("c\($0)", 0) }, [.init(id: "a", .mail(to: "nobody"))],
      [.init(id: "a", .ntfy(server: "http://10.0.0.2", topic: "t", allowsPlainHTTP: false))],
      [.init(id: "a", .ntfy(server: "https://ntfy.sh", topic: "a/b", allowsPlainHTTP: false))],
      [
        .init(
          id: "a",
          .homeAssistant(
            server: "https://ha",
            service: "a/b",
            phone: .android,
            allowsPlainHTTP: false
          )
        )
      ],
    ] {
      #expect(throws: HostFailure.self) { try ChannelSettings(channels) }
    }
    for json in ["{}", "[]", #"{"channels":[{"id":"a","type":"pager"}]}"#] {
      #expect(throws: (any Error).self) {
        try JSONDecoder().decode(ChannelSettings.self, from: Data(json.utf8))
      }
    }
    #expect(try ChannelSettings([]).channels.isEmpty)
  }
}
