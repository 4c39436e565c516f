import Basics
import Channels
import Crypto
import Foundation
import LiveHost
import NearMeEngine
import TimeZones
import Timeline

/// What a person has set; all else is as the door has it.
package struct PersonSettings: Hashable, Sendable {
  /// When nothing is said, in minutes after midnight; nil: as the policy has it.
  package var quietHours: DailyWindow?
  /// The zone of the person's clock, such as `Europe/Malta`; nil: the door's.
  package var zone: String?
  /// How sentences are read; nil: as in the United States.
  package var locale: String?
  /// How news reaches the person, as a list in JSON.
  package var channels = "[]"
  /// The mail a day with what is to be done; nil: there is none.
  package var dailyMail: DailyMail?
  /// Whether the introduction was seen.
  package var isOnboarded = false

  /// What nobody has changed.
  package init() {}

  static let keys = ["quiet_hours", "zone", "locale", "channels", "daily_mail", "onboarded"]
  /// Channels have so many bytes at most.
  private static let longestChannels = 16 << 10

  /// Reads them.
  init(_ value: JSONValue) throws(APIRefusal) {
    let body = try APIBody(value, keys: Self.keys)
    try body.refuseNull("channels", "onboarded")
    if let hours = try body.object("quiet_hours", keys: ["from", "until"]) {
      quietHours = DailyWindow(
        startMinute: try Self.minute(hours, "from", in: "quiet_hours"),
        endMinute: try Self.minute(hours, "until", in: "quiet_hours")
      )
    }
    zone = try body.text("zone", most: 60)
    if let zone, !Self.canBeZone(zone) || SystemZones().zone(named: zone) == nil {
      throw .badMember("zone", "this system knows no such zone; one is Europe/Malta")
    }
    locale = try body.word("locale", of: Languages.locales)
    if let list = try body.list("channels", most: 20) {
      guard list.allSatisfy({ $0.members != nil }) else {
        throw .badMember("channels", "must be a list of objects")
      }
      channels = JSONValue.array(list).compact
      guard channels.utf8.count <= Self.longestChannels else {
        throw .badMember("channels", "must have at most 16 KiB")
      }
      do throws(HostFailure) { _ = try channelSettings() } catch {
        throw .badMember("channels", error.description)
      }
    }
    if let mail = try body.object("daily_mail", keys: ["to", "at", "mode"]) {
      dailyMail = try Self.dailyMail(mail)
    }
    isOnboarded = try body.bool("onboarded") ?? false
  }

  private static func dailyMail(_ body: APIBody) throws(APIRefusal) -> DailyMail {
    try body.refuseNull("at", "mode")
    let text = try body.needed("to", most: 254)
    let to: MailAddress
    do throws(HostFailure) { to = try MailAddress(text) } catch {
      throw .badMember("daily_mail.to", error.description)
    }
    let mode = try body.word("mode", of: DailyMail.Mode.allCases.map(\.rawValue))
    return DailyMail(
      to: to,
      minuteOfDay: body["at"] == nil
        ? DailyMail.usualMinute : try minute(body, "at", in: "daily_mail"),
      mode: mode.flatMap(DailyMail.Mode.init) ?? .carryOver
    )
  }

  /// Zones are files on many systems: what could be a path is none.
  private static func canBeZone(_ name: String) -> Bool {
    name.first?.isLetter ?? false
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/_+-".contains($0)) }
  }

  private static func minute(
    _ body: APIBody,
    _ key: String,
    in path: String
  ) throws(APIRefusal) -> Int {
    let text = try body.needed(key, most: 5)
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
      let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
    else { throw .badMember("\(path).\(key)", "must be a time of day such as 22:00") }
    return hour * 60 + minute
  }

  /// A person's settings; what cannot be read any more is as nobody has changed it.
  package init(of person: DoorPerson, in store: DoorStore) throws(HostFailure) {
    self.init()
    guard let data = try store.settings(of: person),
      let value = try? APIBody.parse([UInt8](data)), let known = try? PersonSettings(value)
    else { return }
    self = known
  }

  /// As they are read and stored.
  package var json: String {
    var json = JSONText()
    if let quietHours {
      var hours = JSONText()
      hours.add("from", timeOfDay(minute: quietHours.startMinute))
      hours.add("until", timeOfDay(minute: quietHours.endMinute))
      json.add("quiet_hours", json: hours.closed)
    } else {
      json.add("quiet_hours", nil as String?)
    }
    json.add("zone", zone)
    json.add("locale", locale)
    json.add("channels", json: channels)
    if let dailyMail {
      var mail = JSONText()
      mail.add("to", dailyMail.to.text)
      mail.add("at", timeOfDay(minute: dailyMail.minuteOfDay))
      mail.add("mode", dailyMail.mode.rawValue)
      json.add("daily_mail", json: mail.closed)
    } else {
      json.add("daily_mail", nil as String?)
    }
    json.add("onboarded", json: isOnboarded ? "true" : "false")
    return json.closed
  }

  /// As whoever came in with a credential is told them.
  ///
  /// A program that may only look is not told an ntfy topic: who knows it hears the news, and may press its buttons.
  func json(for credential: APICall.Credential) -> String {
    guard credential.session.kind != .session, let list = try? JSONValue.parse(channels) else {
      return json
    }
    var shown = self
    shown.channels =
      JSONValue.array(
        (list.elements ?? [])
          .map { .object(($0.members ?? []).filter { $0.key != Self.secretMember }) }
      )
      .compact
    return shown.json
  }

  private static let secretMember = "topic"

  var etag: String { etagOf(json) }

  /// The channels as they are told.
  ///
  /// - Throws: `.usage` with a sentence for what makes no sense.
  package func channelSettings() throws(HostFailure) -> ChannelSettings {
    try Self.decoded(Data("{\"channels\":\(channels)}".utf8))
  }

  private static func decoded(_ form: Data) throws(HostFailure) -> ChannelSettings {
    let result = Result { try JSONDecoder().decode(ChannelSettings.self, from: form) }
    switch result {
    case .success(let settings): return settings
    case .failure(let failure as HostFailure): throw failure
    case .failure(DecodingError.keyNotFound(let key, _)):
      throw HostFailure(.usage, "a channel lacks \"\(key.stringValue)\"")
    case .failure:
      throw HostFailure(
        .usage,
        "a channel has an id, a type (ntfy, web_push, home_assistant, mail, telegram) and what the type needs: see "
          + "docs/channels.md"
      )
    }
  }

  /// Replaces the channels.
  package mutating func setChannels(_ settings: ChannelSettings) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(settings.channels) else {
      preconditionFailure("checked channels can be written")
    }
    channels = String(decoding: data, as: UTF8.self)
  }

  /// The first channel that is new here and would reach into private networks: only the door's owner may say so.
  func reachesIn(beyond old: PersonSettings) -> String? {
    guard let new = try? channelSettings().channels else { return nil }
    let known = (try? old.channelSettings().channels) ?? []
    return new.first { $0.kind.allowsPlainHTTP && !known.map(\.kind).contains($0.kind) }?.id
  }
}

extension ChannelSettings.Kind {
  /// Whether it may go to this machine or a private network, in the clear.
  fileprivate var allowsPlainHTTP: Bool {
    switch self {
    case .ntfy(_, _, let plain), .homeAssistant(_, _, _, let plain): plain
    case .webPush, .mail, .telegram: false
    }
  }
}

/// A short name of a text that changes with it, in quotes as headers have it.
func etagOf(_ text: String) -> String {
  let hash = SHA256.hash(data: Data(text.utf8)).prefix(8)
  return "\"" + hash.map { String(format: "%02x", $0) }.joined() + "\""
}
