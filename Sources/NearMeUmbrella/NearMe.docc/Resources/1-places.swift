import NearMe

let catalog = POICatalog([
  PointOfInterest(
    sourceID: "node/1",
    categories: [CategoryID("pharmacy")],
    name: "Corner Pharmacy",
    coordinate: try Coordinate(latitude: 39.29, longitude: -76.61)
  )
])
