import Basics
import Geodesy
import SimulatedPhones
import Timeline
import Traces

/// Where the made-up phones are let in.
let account = Account(
  user: "anna/phone",
  password: "secret",
  token: "token",
  path: "/in/app",
  device: "phone"
)

let start = Timestamp(seconds: 1_772_539_200)

/// A fix some seconds after the start, so many meters north of 38° N 34° W.
func fix(_ second: Int64, northMeters: Double = 0, speed: Double? = nil) -> Fix {
  Fix(
    at: start + .seconds(second),
    coordinate: Coordinate(uncheckedLatitude: 38 + northMeters / 111_000, longitude: -34),
    horizontalAccuracyMeters: 5,
    speedMetersPerSecond: speed
  )
}

func taken(_ body: String = "[]") -> Answer { .status(200, body: Array(body.utf8)) }

/// An answer that sets regions, given as number, meters to the north and radius.
func setting(_ regions: [(number: Int, northMeters: Double, radius: Int)]) -> Answer {
  setting(regions.map { waypoint($0.number, 38 + $0.northMeters / 111_000, $0.radius) })
}

func setting(_ waypoints: [String]) -> Answer {
  let list = "{\"_type\":\"waypoints\",\"waypoints\":\(JSONText.array(waypoints))}"
  return command("setWaypoints", "\"waypoints\":\(list)")
}

func waypoint(_ number: Int, _ latitude: Double, _ radius: Int, name: String? = nil) -> String {
  "{\"_type\":\"waypoint\",\"desc\":\"\(name ?? "R\(number)")\",\"rid\":\"r\(number)\",\"tst\":\(1_000 + number),"
    + "\"lat\":\(latitude),\"lon\":-34,\"rad\":\(radius)}"
}

func command(_ action: String, _ rest: String = "") -> Answer {
  taken("[{\"_type\":\"cmd\",\"action\":\"\(action)\"\(rest.isEmpty ? "" : ",")\(rest)}]")
}

func monitoring(_ mode: Int) -> Answer {
  command(
    "setConfiguration",
    "\"configuration\":{\"_type\":\"configuration\",\"monitoring\":\(mode)}"
  )
}

/// What was sent, as values.
func values(_ request: OutgoingRequest) -> JSONValue {
  (try? JSONValue.parse(String(decoding: request.body, as: UTF8.self))) ?? .null
}

extension PhoneApp {
  /// Sends all that waits and can be sent, and gives each the same answer.
  mutating func sendAll(at now: Timestamp, _ answer: Answer = taken()) -> [OutgoingRequest] {
    var sent: [OutgoingRequest] = []
    while sent.count < 100 {
      let requests = nextRequests(at: now)
      guard !requests.isEmpty else { break }
      for request in requests { answered(request.id, answer, at: now) }
      sent += requests
    }
    return sent
  }

  /// Sends what is due once, and answers it.
  mutating func sendOnce(at now: Timestamp, _ answer: Answer = taken()) -> [OutgoingRequest] {
    let requests = nextRequests(at: now)
    for request in requests { answered(request.id, answer, at: now) }
    return requests
  }
}

/// The kinds of messages, with what names them best.
func kinds(_ requests: [OutgoingRequest]) -> [String] {
  requests.map { request in
    let json = values(request)
    return [json["_type"]?.text, json["event"]?.text ?? json["t"]?.text, json["desc"]?.text]
      .compactMap(\.self).joined(separator: " ")
  }
}
