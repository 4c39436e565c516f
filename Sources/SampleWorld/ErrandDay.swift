import Timeline

/// What one person really does from eight in the morning to half past seven the next day.
struct ErrandDay {
  struct Stay {
    let kind: String
    let spot: Spot
    /// The shop that it is a visit to.
    let shop: Spot?
    let isIndoors: Bool
    let arrival: Int
    let departure: Int
  }

  struct Trip {
    let departure: Int
    let arrival: Int
    let meters: Double
    let stops: [(second: Int, stop: Way.Stop, spot: Spot)]
  }

  /// The day begins at 08:00 in a zone one hour behind UTC.
  static let start = 1_772_528_400
  static let end = start + (23 * 60 + 30) * 60

  private(set) var moments: [Moment] = []
  private(set) var stays: [Stay] = []
  private(set) var trips: [Trip] = []
  private var second = Self.start
  private var spot = Island.home

  init() {
    live()
  }

  /// Seconds since 1970 of a time of the day, counted on past midnight.
  static func at(_ hour: Int, _ minute: Int, _ second: Int = 0) -> Int {
    start + (hour - 8) * 3_600 + minute * 60 + second
  }

  private mutating func live() {
    stay("home", until: Self.at(8, 20))
    travel { way in
      way.walk(to: Spot(-13.6, 0.4))
      way.drive(to: Island.mainRoad(-13.6))
      way.mainRoad(from: -13.6, to: -4)
      way.drive(to: Spot(-4, -0.98))
      way.walk(to: Island.work)
    }
    stay("work", until: Self.at(12, 0))
    travel { way in
      way.walk(to: Spot(-4, -0.98))
      way.drive(to: Island.mainRoad(-4))
      way.mainRoad(from: -4, to: -0.4)
      way.wait(100, "roadworks")
      way.mainRoad(from: -0.4, to: 4.4)
      way.drive(to: Spot(4.4, 0.75))
      way.walk(to: Island.fortHillLibrary)
    }
    stay("address", until: Self.at(12, 46))
    travel { way in
      way.walk(to: Spot(4.4, 0.75))
      way.drive(to: Island.mainRoad(4.4))
      way.mainRoad(from: 4.4, to: 7.2)
      way.drive(to: Spot(7.2, -0.8))
      way.walk(to: Island.cafe)
    }
    stay("address", until: Self.at(13, 24))
    runErrands()
    spendEvening()
  }

  private mutating func runErrands() {
    travel { way in
      way.walk(to: Spot(7.2, -0.8))
      way.drive(to: Island.mainRoad(7.2))
      way.mainRoad(from: 7.2, to: 10)
      way.drive(to: Spot(10, 0.31))
      way.walk(to: Spot(10.015, 0.318))
    }
    stay("poi", shop: Shops.pharmacy, until: Self.at(13, 41))
    travel { way in
      way.walk(to: Spot(10, 0.31))
      way.drive(to: Spot(10, -0.4))
      way.drive(to: Spot(10.59, -0.4))
      way.walk(to: Spot(10.6, -0.56))
    }
    stay("poi", shop: Shops.supermarket, until: Self.at(14, 15))
    travel { way in
      way.walk(to: Spot(10.59, -0.4))
      way.drive(to: Spot(13.1, -0.4))
    }
    stay("kerb_wait", isIndoors: false, until: second + 240)
    travel { way in
      way.drive(to: Spot(13.2, -0.4))
      way.drive(to: Spot(13.2, 0))
      way.mainRoad(from: 13.2, to: 11.2)
      way.drive(to: Spot(11.2, 0.19))
      way.walk(to: Spot(11.215, 0.197))
    }
    stay("poi", shop: Shops.bank, until: second + 120)
    travel { way in
      way.walk(to: Spot(11.2, 0.19))
      way.drive(to: Spot(11.2, 0))
      way.mainRoad(from: 11.2, to: -13.6)
      way.drive(to: Spot(-13.6, 0.4))
      way.walk(to: Island.home)
    }
    stay("home", until: Self.at(18, 10))
  }

  private mutating func spendEvening() {
    travel { way in
      way.walk(to: Spot(-13.6, 0.4))
      way.drive(to: Island.mainRoad(-13.6))
      way.mainRoad(from: -13.6, to: 9.6)
      way.drive(to: Spot(9.61, 0.022), 5)
    }
    stay("poi", shop: Shops.gasStation, isIndoors: false, until: second + 150)
    travel { way in
      way.drive(to: Spot(9.6, 0), 5)
      way.mainRoad(from: 9.6, to: 12.4)
      way.drive(to: Spot(12.4, 2))
      way.walk(to: Island.friend)
    }
    stay("address", until: Self.at(21, 50))
    travel { way in
      way.walk(to: Spot(12.4, 2))
      way.drive(to: Spot(12.4, 0))
      way.mainRoad(from: 12.4, to: -13.6)
      way.drive(to: Spot(-13.6, 0.4))
      way.walk(to: Island.home)
    }
    stay("home", until: Self.end)
  }

  private mutating func stay(
    _ kind: String,
    shop: Spot? = nil,
    isIndoors: Bool = true,
    until end: Int
  ) {
    precondition(end > second, "nobody leaves before having come")
    moments.append(
      Moment(
        second: second,
        seconds: end - second,
        spot: spot,
        metersPerSecond: 0,
        courseDegrees: 0,
        mode: .still,
        isIndoors: isIndoors
      )
    )
    stays.append(
      Stay(
        kind: kind,
        spot: spot,
        shop: shop,
        isIndoors: isIndoors,
        arrival: second,
        departure: end
      )
    )
    second = end
  }

  private mutating func travel(_ plan: (inout Way) -> Void) {
    var way = Way(from: spot)
    plan(&way)
    let (trip, stops) = Mover(way).moments(from: second)
    let arrival = trip.last.map { $0.second + $0.seconds } ?? second
    trips.append(
      Trip(
        departure: second,
        arrival: arrival,
        meters: way.meters,
        stops: stops.map { ($0.second, $0.stop, way.spots[$0.stop.index]) }
      )
    )
    moments += trip
    spot = way.spots[way.spots.count - 1]
    second = arrival
  }
}
