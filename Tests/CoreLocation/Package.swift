// swift-tools-version: 6.1
import PackageDescription

// The adapter for Core Location with the signatures of Apple's modules in place of these, so that it is
// type-checked and tried where there is no phone: see scripts/check-core-location.sh.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-warnings-as-errors"]),
]

// Each may use those before it.
let pure = [
  "Basics", "Geodesy", "Timeline", "Recurrence", "Tones", "Places", "Traces", "Arrivals",
  "Fencing", "NearMeEngine",
]

let package = Package(
  name: "core-location",
  platforms: [.macOS(.v14)],
  targets: pure.enumerated()
    .map { i, name in
      .target(
        name: name,
        dependencies: pure[..<i].map { .byName(name: $0) },
        path: "Engine/\(name)",
        swiftSettings: settings
      )
    } + [
      .target(
        name: "NearMe",
        dependencies: pure.map { .byName(name: $0) },
        path: "Engine/NearMeUmbrella",
        swiftSettings: settings
      ),
      .target(
        name: "TimeZones",
        dependencies: ["Timeline"],
        path: "Engine/TimeZones",
        swiftSettings: settings
      ),
      // Signatures, from the public documentation; nothing behind them works.
      .target(name: "CoreLocation", path: "Apple/CoreLocation", swiftSettings: settings),
      .target(name: "UserNotifications", path: "Apple/UserNotifications", swiftSettings: settings),
      .target(
        name: "NearMeCoreLocation",
        dependencies: ["NearMe", "TimeZones", "CoreLocation", "UserNotifications"],
        path: "Engine/NearMeCoreLocation",
        swiftSettings: settings
      ),
      .testTarget(
        name: "PhoneTests",
        dependencies: ["NearMe", "NearMeCoreLocation", "CoreLocation", "UserNotifications"],
        path: "PhoneTests",
        swiftSettings: settings
      ),
    ]
)
