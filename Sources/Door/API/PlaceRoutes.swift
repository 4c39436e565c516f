import Basics
import Foundation
import Geodesy
import HTTPTypes
import NearMeEngine
import Places
import UserStore

/// The person's places, and the points of the cache.
struct PlaceRoutes: Sendable {
  let side: PersonSide

  var routes: [APIRoute] {
    [
      APIRoute(method: .get, path: "/places", scope: .read) { call in
        try await desk(call)
          .look { store, _, _ in
            let reminders = try store.reminders()
            let page = try call.page(try store.places(), id: \.id)
            return .page(page.items.map { Self.json($0, reminders) }, next: page.next)
          }
      },
      APIRoute(
        method: .post,
        path: "/places",
        scope: .write,
        hasBody: true,
        isKept: true,
        edits: "places",
        handler: add
      ),
      APIRoute(method: .get, path: "/places/:id", scope: .read) { call in
        try await picture(call, call.id, status: .ok)
      },
      APIRoute(
        method: .put,
        path: "/places/:id",
        scope: .write,
        hasBody: true,
        isKept: true,
        edits: "places",
        handler: edit
      ),
      APIRoute(
        method: .delete,
        path: "/places/:id",
        scope: .write,
        isKept: true,
        edits: "places",
        handler: delete
      ),
      APIRoute(method: .get, path: "/near", scope: .read, handler: near),
    ]
  }

  private func desk(_ call: APICall) -> Desk { side.household.desk(call.person) }

  // MARK: Looking

  private func picture(
    _ call: APICall,
    _ id: String,
    status: HTTPResponse.Status
  ) async throws -> APIReply {
    try await desk(call)
      .look { store, _, _ in
        guard let place = try store.places().first(where: { $0.id == id }) else {
          throw APIRefusal.notFound(id)
        }
        return .thing(
          Self.json(place, try store.reminders()),
          etag: Self.etag(place),
          status: status,
          location: status == .created ? "\(APIRoutes.root)/places/\(id)" : nil
        )
      }
  }

  /// The parts of a place that its owner can change.
  private static func stored(_ place: Place) -> JSONText {
    var json = JSONText()
    json.add("id", place.id)
    json.add("name", place.name)
    json.add("kind", place.kind.rawValue)
    json.add("lat", json: plainText(place.coordinate.latitude))
    json.add("lon", json: plainText(place.coordinate.longitude))
    json.add("arrival_radius_m", json: place.arrivalRadiusMeters.map(plainText) ?? "null")
    return json
  }

  private static func etag(_ place: Place) -> String { etagOf(stored(place).closed) }

  /// A place, with the reminders that aim at it.
  static func json(_ place: Place, _ reminders: [Reminder]) -> String {
    var json = stored(place)
    json.add(
      "reminders",
      reminders.filter { $0.aims(at: .place(place.id)) && $0.status == .active }.map(\.id)
    )
    json.add("etag", etag(place))
    return json.closed
  }

  // MARK: Changing

  /// The id of the first home: sentences such as "when I get home" mean the place of this id.
  private static func homeID(_ form: PlaceForm, among places: [Place]) -> String? {
    let name = "home"
    guard form.place(id: name).kind == .home, !places.contains(where: { $0.id == name }) else {
      return nil
    }
    return name
  }

  private func add(_ call: APICall) async throws -> APIReply {
    let form = try PlaceForm(call.body)
    let (now, isAgain) = (call.now, call.begunAt != nil)
    let made = try await desk(call)
      .edit { store in
        if isAgain, let found = try store.places().first(where: { form.place(id: $0.id) == $0 }) {
          return found
        }
        let id = try form.id ?? Self.homeID(form, among: store.places())
        return try store.addPlace(id: id, at: now) { form.place(id: $0) }.get()
      }
    return try await picture(call, made.id, status: .created)
  }

  private func edit(_ call: APICall) async throws -> APIReply {
    try call.ifMatch(isNeeded: true)
    let form = try PlaceForm(call.body)
    guard form.id == nil || form.id == call.id else {
      throw APIRefusal.badMember("id", "must be that of the address: a place keeps its id")
    }
    let (id, now) = (call.id, call.now)
    try await desk(call)
      .edit { store in
        guard let old = try store.places().first(where: { $0.id == id }) else {
          throw APIRefusal.notFound(id)
        }
        if call.begunAt == nil { try call.match(Self.etag(old), isNeeded: true) }
        let changed = try store.editPlace(id, at: now) { form.place(id: $0.id) }
        if case .failure(let refusal) = changed, !refusal.isSoAlready { throw refusal }
      }
    return try await picture(call, id, status: .ok)
  }

  private func delete(_ call: APICall) async throws -> APIReply {
    try call.ifMatch(isNeeded: false)
    let withReminders = try call.bool("with_reminders") ?? false
    let (id, now) = (call.id, call.now)
    try await desk(call)
      .edit { store in
        guard let old = try store.places().first(where: { $0.id == id }) else {
          if call.begunAt != nil { return }
          throw APIRefusal.notFound(id)
        }
        try call.match(Self.etag(old), isNeeded: false)
        _ = try store.deletePlace(id, withReminders: withReminders, at: now).get()
      }
    return .done
  }

  // MARK: The cache

  private func near(_ call: APICall) async throws -> APIReply {
    guard let latitude = try call.number("lat", in: -90...90),
      let longitude = try call.number("lon", in: -180...180)
    else { throw APIRefusal.badQuery("lat, lon", "say where: lat=38.0038&lon=-34.1551") }
    let category = try call.text("category", most: 60).map(CategoryID.init)
    let known = side.points.categories
    if let category, !known.isEmpty, !known.contains(category) {
      throw APIRefusal.badQuery("category", APIRefusal.unknown(category, among: known))
    }
    let hits = await side.points.find(
      near: try Coordinate(latitude: latitude, longitude: longitude),
      radiusMeters: try call.number("radius_m", in: 1...100_000),
      category: category,
      text: try call.text("text", most: 200),
      limit: try call.integer("limit", in: 1...200) ?? 100
    )
    var json = JSONText()
    json.add("items", json: JSONText.array(hits.map { self.json($0, category) }))
    return APIReply(json: json.closed)
  }

  private func json(_ hit: PointSearch.Hit, _ category: CategoryID?) -> String {
    let point = hit.point
    var json = JSONText()
    json.add("id", point.sourceID)
    json.add("name", point.name)
    if let brand = point.brand { json.add("brand", brand) }
    json.add("category", (category ?? point.categories[0]).name)
    json.add("categories", point.categories.map(\.name))
    json.add("lat", json: plainText(point.coordinate.latitude))
    json.add("lon", json: plainText(point.coordinate.longitude))
    json.add("distance_m", Int(hit.distanceMeters.rounded()))
    let details = side.points.details(of: point)
    if let address = details["address"] { json.add("address", address) }
    if let hours = details["opening_hours"] { json.add("hours", hours) }
    return json.closed
  }
}

/// A place as a client sends it.
struct PlaceForm: Sendable {
  /// The id that the client chose; nil for none.
  let id: String?
  private let name: String
  private let kind: PlaceKind
  private let coordinate: Coordinate
  private let radiusMeters: Double?

  init(_ value: JSONValue) throws(APIRefusal) {
    let body = try APIBody(
      value,
      keys: ["id", "name", "kind", "lat", "lon", "arrival_radius_m", "reminders", "etag"]
    )
    try body.refuseNull("name", "kind", "lat", "lon", "reminders", "etag")
    for told in try body.list("reminders", most: 100_000) ?? [] where told.text == nil {
      throw .badMember("reminders", "must be a list of texts")
    }
    if let etag = body["etag"], etag.text == nil { throw .badMember("etag", "must be a text") }
    id = try body.text("id", most: UserStore.longestID)
    name = try body.needed("name", most: UserStore.longestTitle)
    kind =
      try body.word("kind", of: PlaceKind.allCases.map(\.rawValue))
      .flatMap(PlaceKind.init) ?? .other
    let latitude = try body.needed("lat", in: -90...90)
    let longitude = try body.needed("lon", in: -180...180)
    do {
      coordinate = try Coordinate(latitude: latitude, longitude: longitude)
    } catch {
      throw .badMember("lat", "\(error)")
    }
    radiusMeters = try body.number("arrival_radius_m", in: 1...100_000)
  }

  /// The place.
  func place(id: String) -> Place {
    Place(
      id: id,
      name: name,
      kind: kind,
      coordinate: coordinate,
      arrivalRadiusMeters: radiusMeters
    )
  }
}
