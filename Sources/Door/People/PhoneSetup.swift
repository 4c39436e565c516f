import Basics
import Foundation

/// How each app is told who it is and where to post.
package struct PhoneSetup: Sendable {
  private let credentials: DeviceCredentials
  private let person: String
  private let phone: String
  private let url: String

  /// Puts it together.
  ///
  /// - Parameter url: where phones reach the door, such as `https://near.example.org`.
  package init(_ credentials: DeviceCredentials, person: String, phone: String, url: String) {
    self.credentials = credentials
    self.person = person
    self.phone = phone
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
  }

  private var paths: [(app: String, path: String)] {
    [
      ("owntracks", "/in/owntracks"), ("overland", "/in/overland"),
      ("traccar", "/in/traccar/\(credentials.pathSecret)"),
      ("osmand", "/in/osmand/\(credentials.pathSecret)"), ("gpslogger", "/in/gpslogger"),
      ("fixes", "/in/fixes"), ("signals", "/in/signals"),
    ]
  }

  /// The links that set an app up by themselves, for a camera: of OwnTracks and Overland.
  package var links: [(app: String, link: String)] {
    [("OwnTracks", ownTracksLink), ("Overland", overlandLink)]
  }

  /// All of it, for programs.
  package var json: String {
    var text = JSONText()
    text.add("person", person)
    text.add("phone", phone)
    text.add("user", credentials.user)
    text.add("password", credentials.password)
    text.add("token", credentials.password)
    text.add("secret", credentials.pathSecret)
    var roads = JSONText()
    for (app, path) in paths { roads.add(app, path) }
    text.add("paths", json: roads.closed)
    text.add("owntracks", ownTracksLink)
    text.add("overland", overlandLink)
    return text.closed
  }

  /// All of it, for people.
  package var text: [String] {
    [
      "user \(credentials.user), password \(credentials.password) (shown once; `nearme phone renew` makes a new one)",
      "",
      "OwnTracks: switch on Settings > external configuration, then open on the phone",
      "  \(ownTracksLink)",
      "  and for regions switch on cmd and remote configuration",
      "Overland: open on the phone",
      "  \(overlandLink)",
      "Traccar Client: server address",
      "  \(url)/in/traccar/\(credentials.pathSecret)",
      "OsmAnd, Colota: address",
      "  \(url)/in/osmand/\(credentials.pathSecret)"
        + "?lat={0}&lon={1}&timestamp={2}&hdop={3}&altitude={4}&speed={5}&bearing={6}",
      "GPSLogger: custom URL with user and password, POST",
      "  \(url)/in/gpslogger?lat=%LAT&lon=%LON&acc=%ACC&spd=%SPD&timestamp=%TIMESTAMP&batt=%BATT",
      "Shortcuts, Home Assistant: POST {\"signal\":\"unlock\"} with Authorization: Bearer PASSWORD to",
      "  \(url)/in/signals",
    ]
  }

  /// As OwnTracks takes its configuration from a link; HTTP mode is 3.
  private var ownTracksLink: String {
    var text = JSONText()
    text.add("_type", "configuration")
    text.add("mode", json: "3")
    text.add("url", "\(url)/in/owntracks")
    text.add("auth", json: "true")
    text.add("username", credentials.user)
    text.add("password", credentials.password)
    text.add("deviceId", phone)
    text.add("tid", String(phone.prefix(2)))
    text.add("cmd", json: "true")
    text.add("remoteConfiguration", json: "true")
    text.add("monitoring", json: "1")
    let inline = Data(text.closed.utf8).base64EncodedString()
    return "owntracks:///config?inline=\(escaped(inline))"
  }

  private var overlandLink: String {
    "overland://setup?url=\(escaped("\(url)/in/overland"))&token=\(credentials.password)"
      + "&device_id=\(phone)"
  }

  private func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }
}
