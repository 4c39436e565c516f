// swift-tools-version: 6.1
import PackageDescription

// The pure targets up to the scores, with an addition and its check: see scripts/additions.sh.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-warnings-as-errors"]),
]

// Each may use those before it.
let pure = [
  "Basics", "Geodesy", "Timeline", "Recurrence", "Tones", "Places", "Traces", "Arrivals",
  "Fencing",
  "NearMeEngine", "OutputLines", "Replay", "Scoring",
]

let package = Package(
  name: "additions",
  platforms: [.macOS(.v14)],
  targets: pure.enumerated()
    .map { i, name in
      .target(
        name: name,
        dependencies: pure[..<i].map { .byName(name: $0) },
        swiftSettings: settings
      )
    } + [
      .executableTarget(
        name: "Check",
        dependencies: pure.map { .byName(name: $0) },
        swiftSettings: settings
      )
    ]
)
