import Basics
import Simulation

/// Every shop of the island: a few where the day needs them, the others by chance.
enum Shops {
  static let pharmacy = Spot(10.02, 0.32)
  static let gasStation = Spot(9.62, 0.03)
  static let supermarket = Spot(10.6, -0.6)
  static let bank = Spot(11.22, 0.2)
  static let postOffice = Spot(13.1, -0.34)

  /// The nearest of each category, and those that must not count.
  private static let staged: [Shop] = [
    Shop("gas_station", gasStation, "Causeway Fuel", more: [("brand", "Petrelle")]),
    Shop("pharmacy", pharmacy, "Lantern Pharmacy", more: [("opening_hours", "Mo-Sa 08:00-19:00")]),
    Shop("pharmacy", Spot(10.66, -0.5), "Market Pharmacy"),
    Shop(
      "grocery",
      supermarket,
      "Greenlarder",
      tags: [("shop", "supermarket")],
      more: [("brand", "Greenlarder"), ("opening_hours", "Mo-Su 07:00-22:00")],
      shape: .building(widthMeters: 190, depthMeters: 120)
    ),
    Shop("grocery", Spot(10.38, 0.82), "Corner Larder"),
    Shop("bank", bank, "Meridian Bank", more: [("brand", "Meridian Bank"), ("atm", "yes")]),
    Shop("post_office", postOffice, "Ardent Post, Harbor"),
    Shop("post_office", Spot(13.42, 1.88), nil),
    Shop(
      "grocery",
      Spot(12.62, -1.02),
      "Tidewater Market",
      tags: [("shop", "supermarket")],
      shape: .halves(widthMeters: 90, depthMeters: 50)
    ),
    Shop("pharmacy", Spot(11.24, 6.32), "Cove Pharmacy"),
    Shop("grocery", Spot(11.17, 6.2), "Cove Stores", tags: [("shop", "greengrocer")]),
    Shop("gas_station", Spot(11.23, 5.22), nil),
    Shop(
      "post_office",
      Spot(11.4, 6.4),
      "Ardent Post, North Cove",
      tags: [("amenity", "post_partner")]
    ),
    // These lie on the way from home: if they counted, the whole day would sound different.
    Shop(
      nil,
      Spot(-9.2, 0.35),
      "Boat Club Pump",
      tags: [("amenity", "fuel"), ("access", "private")]
    ),
    Shop(nil, Spot(-12.4, -0.2), "Old Pharmacy", tags: [("disused:amenity", "pharmacy")]),
    Shop(nil, Spot(-4.1, -0.7), "Canteen", tags: [("amenity", "cafe")]),
  ]

  /// How many of each category chance adds, and what they are called.
  private static let crowd: [(category: String, count: Int, names: [String], brand: String)] = [
    ("gas_station", 6, ["Quay Fuel", "Cape Service Station", "Eastgate Fuel"], "Petrelle"),
    (
      "pharmacy", 9, ["Dock Pharmacy", "Mooring Pharmacy", "St. Elmo Pharmacy", "Cape Chemist"],
      "Salve"
    ),
    (
      "grocery", 16,
      [
        "Saltmarsh Grocer", "Kelp & Co.", "Daily Catch Foods", "Harbor Mini Mart", "Jetty Stores",
        "Half Moon Market",
      ],
      "Greenlarder Express"
    ),
    (
      "bank", 12, ["Island Savings", "Mariners' Bank", "Fisher Credit Union", "Meridian Bank"],
      "Meridian Bank"
    ),
    ("post_office", 1, ["Ardent Post, Eastgate"], "Ardent Post"),
  ]

  /// All shops, in the order in which they get their ids.
  static let all: [Shop] = {
    var random = SplitMix64(seed: 20_260_303)
    var shops = staged
    for (category, count, names, brand) in crowd {
      for index in 0..<count {
        let spot = freeSpot(&random, shops, west: category == "post_office" ? 13.1 : 10.5)
        let name = index % 4 == 3 ? nil : names[index % names.count]
        let more: MapData.Tags = index % 3 == 1 ? [("brand", brand)] : []
        let shape: Shop.Shape =
          random.integer(0...4) == 0
          ? .building(
            widthMeters: random.uniform(18...45),
            depthMeters: random.uniform(12...30)
          ) : .point
        shops.append(Shop(category, spot, name, more: more, shape: shape))
      }
    }
    return shops
  }()

  /// A place at a street of the town that leaves the stops of the day alone.
  private static func freeSpot(
    _ random: inout SplitMix64,
    _ taken: [Shop],
    west: Double
  ) -> Spot {
    let keptClear = [
      pharmacy, gasStation, supermarket, bank, postOffice, Island.friend, Spot(10.6, -0.4),
    ]
    while true {
      let along = random.integer(0...3_800)
      let aside = Double(random.integer(18...34)) * (random.integer(0...1) == 0 ? 1 : -1)
      let north = Double(random.integer(0...9) * 4 - 16) / 10 + aside / 1_000
      let spot = Spot(Double(9_900 + along) / 1_000, north)
      if spot.east >= west, spot.east < 13.6,
        keptClear.allSatisfy({ $0.distanceMeters(to: spot) > 330 }),
        taken.allSatisfy({ $0.spot.distanceMeters(to: spot) > 60 })
      {
        return spot
      }
    }
  }
}
