import Basics
import Fencing
import Foundation
import Geodesy
import HTTPTypes
import LiveHost
import NearMeEngine
import Phones
import Timeline
import UserStore

/// Phones, how they are, what they are to watch, and what they say.
struct PhoneRoutes: Sendable {
  let side: PersonSide

  var routes: [APIRoute] {
    [
      APIRoute(method: .get, path: "/phones", scope: .read, handler: list),
      APIRoute(
        method: .post,
        path: "/phones",
        scope: .phones,
        hasBody: true,
        edits: "phones",
        handler: add
      ),
      APIRoute(
        method: .delete,
        path: "/phones/:id",
        scope: .phones,
        edits: "phones",
        handler: remove
      ),
      APIRoute(method: .get, path: "/regions", scope: .read, handler: regions),
      APIRoute(
        method: .post,
        path: "/signals",
        scope: .write,
        hasBody: true,
        isKept: true,
        handler: signal
      ),
    ]
  }

  /// A person has so many phones at most: more are a mistake of a program.
  private static let mostPhones = 50

  // MARK: Looking

  private func list(_ call: APICall) async throws -> APIReply {
    let devices = try side.store.devices(of: call.person)
    let page = try call.page(devices, id: \.name)
    let memory = try await side.household.desk(call.person).look { _, _, memory in memory }
    return .page(
      try page.items.map { try json($0, memory, at: call.now) },
      next: page.next
    )
  }

  /// All of a person's phones, for the export.
  func all(of person: DoorPerson, _ memory: DeskMemory, at now: Timestamp) throws -> [String] {
    try side.store.devices(of: person).map { try json($0, memory, at: now) }
  }

  private func json(
    _ device: DoorDevice,
    _ memory: DeskMemory,
    at now: Timestamp
  ) throws -> String {
    let known = memory[device: device.id]
    let seen = try side.store.lastSeen(device)
    let refusals = try side.setup.ledger.passedOver(device.id)
    let isLeading = memory.leading == device.id
    var json = JSONText()
    json.add("id", device.name)
    json.add("name", device.name)
    json.add("leading", json: isLeading ? "true" : "false")
    json.add("last_seen", seen.map(RFC3339.format))
    json.add("app", known.userAgent)
    if let mode = known.status["mode"] { json.add("mode", mode) }
    if let battery = known.battery { json.add("battery_percent", battery) }
    if !known.status.isEmpty {
      var status = JSONText()
      for (name, value) in known.status.sorted(by: { $0.key < $1.key }) { status.add(name, value) }
      json.add("status", json: status.closed)
    }
    if known.slots.isEmpty {
      json.add("regions", nil as String?)
    } else {
      var regions = JSONText()
      regions.add("asked", known.slots.count)
      regions.add(
        "held",
        known.hasShownRegions ? max(0, known.slots.count - known.missing.count) : 0
      )
      regions.add("missing", known.missing)
      json.add("regions", json: regions.closed)
    }
    json.add("refusals", objects: refusals) { refusal, object in
      object.add("name", refusal.reason)
      object.add("count", refusal.count)
      object.add("last", RFC3339.format(refusal.last))
    }
    let advice = known.advice(seen: seen, passedOver: refusals, isLeading: isLeading, at: now)
    json.add("advice", json: JSONText.array(advice.map(\.json)))
    return json.closed
  }

  private func regions(_ call: APICall) async throws -> APIReply {
    let devices = try side.store.devices(of: call.person)
    return try await side.household.desk(call.person)
      .look { _, state, memory in
        let leading = devices.first { $0.id == memory.leading }
        let missing = Set(leading.map { memory[device: $0.id].missing } ?? [])
        var json = JSONText()
        json.add("phone", leading?.name)
        json.add("items", objects: state.currentRegions) { region, object in
          object.add("id", region.id)
          object.add("kind", region.kind.rawValue)
          object.add("lat", json: plainText(region.center.latitude))
          object.add("lon", json: plainText(region.center.longitude))
          object.add("radius_m", Int(region.radiusMeters.rounded()))
          object.add("missing", json: missing.contains(region.id) ? "true" : "false")
        }
        return APIReply(json: json.closed)
      }
  }

  // MARK: Changing

  private func add(_ call: APICall) async throws -> APIReply {
    let body = try APIBody(call.body, keys: ["name"])
    try body.refuseNull("name")
    let name = try body.needed("name", most: 32)
    guard DoorFolder.isName(name) else {
      throw APIRefusal.badMember(
        "name",
        "a phone's name has 1 to 32 of a-z, 0-9, - and _, and does not begin with -"
      )
    }
    let present = try side.store.devices(of: call.person)
    guard present.count < Self.mostPhones else {
      throw APIRefusal(409, "too_many_phones", "take one off first: there are \(present.count)")
    }
    guard !present.contains(where: { $0.name == name }) else {
      throw APIRefusal(
        409,
        "name_taken",
        "you have a phone \(name): take it off first, or name it otherwise"
      )
    }
    let credentials = try side.store.addDevice(name, of: call.person, at: call.now)
    side.setup.credentials.followChange()
    let set = PhoneSetup(
      credentials,
      person: call.person.name,
      phone: name,
      url: call.origin
    )
    return APIReply(status: .created, json: set.json)
  }

  private func remove(_ call: APICall) async throws -> APIReply {
    let id = call.id
    guard try side.store.devices(of: call.person).contains(where: { $0.name == id }) else {
      throw APIRefusal.notFound(id)
    }
    try side.store.removeDevice(id, of: call.person)
    side.setup.credentials.followChange()
    return .done
  }

  private func signal(_ call: APICall) async throws -> APIReply {
    let body = try APIBody(call.body, keys: ["signal", "level", "id"])
    try body.refuseNull("signal")
    let signal = Signal(
      name: try Self.word(body, "signal")
        ?? { throw APIRefusal.badMember("signal", "is missing") }(),
      id: try Self.word(body, "id") ?? "\(call.now.milliseconds)",
      level: try Self.word(body, "level")
    )
    let now = call.now
    try await side.household.desk(call.person).edit { try $0.giveSignal(signal, at: now) }
    return APIReply(status: .accepted)
  }

  /// A word of 200 characters at most, as `nearme signal` takes them.
  private static func word(_ body: APIBody, _ key: String) throws(APIRefusal) -> String? {
    try body.text(key, most: 200)
  }
}
