// swift-tools-version: 6.1
import PackageDescription

// `make` sets NEARME_STRICT, so that a warning fails our builds and never an embedding app's.
let strict: [SwiftSetting] =
  Context.environment["NEARME_STRICT"] == nil ? [] : [.unsafeFlags(["-warnings-as-errors"])]

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + strict

func system(_ name: String, pkgConfig: String? = nil, apt: String, brew: String) -> Target {
  .systemLibrary(
    name: name,
    pkgConfig: pkgConfig,
    providers: [.apt([apt]), .brew([brew])]
  )
}

let package = Package(
  name: "near-me",
  platforms: [.macOS(.v14), .iOS(.v17)],
  products: [
    .library(
      name: "NearMe",
      targets: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
      ]
    ),
    .library(name: "NearMePlaceStore", targets: ["PlaceStore"]),
    .library(name: "NearMeUserStore", targets: ["UserStore"]),
    .executable(name: "nearme", targets: ["nearme"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.5.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.24.0"),
  ],
  targets: [
    // Pure: standard library only. No clock, no files, no randomness.
    .target(name: "Geodesy", swiftSettings: settings),
    .target(name: "Timeline", swiftSettings: settings),
    .target(name: "Places", dependencies: ["Geodesy"], swiftSettings: settings),
    .target(name: "Traces", dependencies: ["Geodesy", "Timeline"], swiftSettings: settings),
    .target(
      name: "Fencing",
      dependencies: ["Geodesy", "Timeline", "Places", "Traces"],
      swiftSettings: settings
    ),
    .target(
      name: "Arrivals",
      dependencies: ["Geodesy", "Timeline", "Places", "Traces"],
      swiftSettings: settings
    ),
    .target(
      name: "NearMeEngine",
      dependencies: ["Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing"],
      swiftSettings: settings
    ),
    .target(
      name: "TraceDoctor",
      dependencies: ["Geodesy", "Timeline", "Traces"],
      swiftSettings: settings
    ),
    .target(
      name: "Replay",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "Scoring",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine", "Replay",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "Tuning",
      dependencies: ["Geodesy", "Timeline", "Traces", "NearMeEngine", "Replay", "Scoring"],
      swiftSettings: settings
    ),

    .target(
      name: "Simulation",
      dependencies: ["Geodesy", "Timeline", "Places", "Traces"],
      swiftSettings: settings
    ),

    // Edges: each touches one piece of the world.
    .target(
      name: "PlaceStore",
      dependencies: [
        "Geodesy", "Timeline", "Places", "CSpatiaLite",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "ByteStreams",
      dependencies: ["CZlib", "CBzip2", "CDeflate"],
      swiftSettings: settings
    ),
    .target(name: "ParallelWork", swiftSettings: settings),
    .target(
      name: "CacheBuilder",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Simulation", "PlaceStore", "ByteStreams",
        "ParallelWork", "CExpat", "CZlib", "CDeflate",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "TraceFiles",
      dependencies: ["Geodesy", "Timeline", "Traces", "ByteStreams", "CExpat"],
      swiftSettings: settings
    ),
    .target(
      name: "SettingsFiles",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine", "Replay",
        "Tuning",
        .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "CorpusFiles",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Replay", "Scoring", "TraceFiles",
        "SettingsFiles", "ByteStreams", "Simulation",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "UserStore",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "LiveHost",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine", "Replay", "UserStore",
        "TraceFiles",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "nearme",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine", "Replay",
        "PlaceStore", "CacheBuilder", "TraceFiles", "TraceDoctor", "SettingsFiles", "Scoring",
        "CorpusFiles", "Simulation", "UserStore", "LiveHost", "ParallelWork", "Tuning",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      // In the binary itself: a bundle would be looked for in the folder of the build.
      resources: [.embedInCode("Reports/Assets")],
      swiftSettings: settings
    ),

    .executableTarget(
      name: "nearme-bench",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine", "Replay",
        "PlaceStore", "CacheBuilder", "TraceFiles", "UserStore", "TestSupport", "CExpat",
        "CDeflate",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Benchmarks",
      exclude: ["counters.json"],
      swiftSettings: settings
    ),
    // Fits the weights of the arrival detector to days with known truth.
    .executableTarget(
      name: "arrival-fit",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine", "Replay",
        "PlaceStore", "TraceFiles",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/ArrivalFit",
      swiftSettings: settings
    ),
    // The invented island and day in data/ and traces/.
    .target(
      name: "SampleWorld",
      dependencies: ["Geodesy", "Timeline", "Traces", "Simulation", "ByteStreams"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "make-samples",
      dependencies: [
        "SampleWorld", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/MakeSamples",
      swiftSettings: settings
    ),

    system("CSpatiaLite", pkgConfig: "spatialite", apt: "libspatialite-dev", brew: "libspatialite"),
    system("CExpat", pkgConfig: "expat", apt: "libexpat1-dev", brew: "expat"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    // Not every release of bzip2 comes with a file for pkg-config.
    system("CBzip2", apt: "libbz2-dev", brew: "bzip2"),
    system("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
    system("CProj", pkgConfig: "proj", apt: "libproj-dev", brew: "proj"),

    .target(
      name: "TestSupport",
      dependencies: ["Geodesy", "Timeline", "Places", "Traces"],
      path: "Tests/TestSupport",
      swiftSettings: settings
    ),
    // SQLite on a disk that fails, is full, or loses its power at a given write.
    .target(
      name: "FaultyDisk",
      dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")],
      path: "Tests/FaultyDisk",
      swiftSettings: settings
    ),
    .testTarget(
      name: "GeodesyTests",
      dependencies: ["Geodesy", "TestSupport", "CProj"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "TimelineTests",
      dependencies: ["Timeline", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "PlacesTests",
      dependencies: ["Places", "Geodesy", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ArrivalsTests",
      dependencies: ["Geodesy", "Timeline", "Places", "Traces", "Arrivals", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "NearMeEngineTests",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
        "TestSupport",
      ],
      exclude: ["States"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "PlaceStoreTests",
      dependencies: [
        "PlaceStore", "Places", "Geodesy", "Timeline", "TestSupport", "CSpatiaLite",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CacheBuilderTests",
      dependencies: [
        "CacheBuilder", "PlaceStore", "Places", "Geodesy", "Timeline", "TestSupport", "CZlib",
        "CBzip2",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "TracesTests",
      dependencies: ["Traces", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "TraceFilesTests",
      dependencies: ["TraceFiles", "Traces", "Timeline", "Geodesy", "CZlib", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "TraceDoctorTests",
      dependencies: [
        "TraceDoctor", "TraceFiles", "ByteStreams", "Traces", "Timeline", "Geodesy",
        "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["Simulation", "Geodesy", "Timeline", "Places", "Traces", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "UserStoreTests",
      dependencies: [
        "UserStore", "NearMeEngine", "Fencing", "Traces", "Places", "Timeline", "Geodesy",
        "TestSupport", "FaultyDisk",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      exclude: ["OldFiles"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "LiveHostTests",
      dependencies: [
        "LiveHost", "UserStore", "NearMeEngine", "Fencing", "Traces", "Places", "Timeline",
        "Geodesy", "Replay", "TraceFiles", "CacheBuilder", "SettingsFiles", "TestSupport",
        "FaultyDisk",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "FencingTests",
      dependencies: ["Geodesy", "Timeline", "Places", "Traces", "Fencing", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CommandTests",
      // The command itself is run as people run it; naming it here has it built first.
      dependencies: [
        "nearme", "SettingsFiles", "Fencing", "NearMeEngine", "Replay", "Scoring", "Timeline",
        "Tuning", "TestSupport", "UserStore", "CZlib",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ReplayTests",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine", "Replay",
        "CacheBuilder", "TraceFiles", "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ScoringTests",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine", "Replay",
        "Scoring", "Tuning", "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "TuningTests",
      dependencies: [
        "Timeline", "Arrivals", "Fencing", "NearMeEngine", "Scoring", "Tuning", "SettingsFiles",
        "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CorpusFilesTests",
      dependencies: [
        "CorpusFiles", "Scoring", "Geodesy", "Timeline", "Places", "Traces", "Fencing",
        "NearMeEngine", "Replay", "CacheBuilder", "TestSupport", "CZlib",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SampleDataTests",
      dependencies: [
        "SampleWorld", "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine",
        "Replay", "CacheBuilder", "SettingsFiles", "CDeflate",
      ],
      swiftSettings: settings
    ),
  ]
)
