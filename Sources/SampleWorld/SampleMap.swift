import Geodesy

/// The map of the island, and what of it reminders can aim at.
struct SampleMap {
  /// A shop with the id that the map gave it.
  struct Listed {
    let shop: Shop
    let type: String
    let id: Int64
    let point: SurfacePoint

    var sourceID: String { "\(type)/\(id)" }
  }

  private(set) var map = MapData()
  /// The shops of the five categories.
  private(set) var listed: [Listed] = []

  init() {
    _ = map.addNode(Spot(11.2, 0.02).coordinate, [("place", "town"), ("name", "Port Ardent")])
    _ = map.addNode(Spot(11.2, 6.3).coordinate, [("place", "village"), ("name", "North Cove")])
    _ = map.addNode(Spot(-13.5, 0.1).coordinate, [("place", "hamlet"), ("name", "West Landing")])
    for shop in Shops.all {
      let (type, id) = shop.add(to: &map)
      guard shop.category != nil else { continue }
      listed.append(
        Listed(shop: shop, type: type, id: id, point: SurfacePoint(shop.spot.coordinate))
      )
    }
    Roads.add(to: &map)
    var coast = Island.coast().map { map.addNode($0.coordinate) }
    coast.append(coast[0])
    _ = map.addWay(coast, [("natural", "coastline")])
  }
}
