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

// Most tests run once for each time that they are compiled, and the optimizer takes longer than it saves; what they test
// is optimized. Those that compute much themselves, as to compare with brute force, have the settings of all others. The
// second flag has the compiler read a module once, as it does where it optimizes.
let testSettings: [SwiftSetting] =
  settings + [
    .unsafeFlags(
      ["-Onone", "-no-emit-module-separately-wmo"],
      .when(configuration: .release)
    )
  ]

// An app that embeds the engine writes `traits: []`, and nothing else is fetched; see docs/embedding.md.
let tools: TargetDependencyCondition? = .when(traits: ["Tools"])
let stores: TargetDependencyCondition? = .when(traits: ["Stores"])

// For `nearme --version`; a C target, so that a new commit compiles one line anew and not the command. From the
// environment, which scripts/dist.sh sets: SwiftPM evaluates a manifest anew when its text or the environment changes,
// and not when only the commit does.
let commit: [CSetting] =
  (Context.environment["NEARME_COMMIT"].flatMap { $0.isEmpty ? nil : $0 })
  .map { [.define("NEARME_COMMIT", to: $0)] } ?? []

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
    .library(name: "NearMe", targets: ["NearMe"]),
    .library(name: "NearMeCoreLocation", targets: ["NearMeCoreLocation"]),
    .library(name: "NearMePlaceStore", targets: ["PlaceStore"]),
    .library(name: "NearMeUserStore", targets: ["UserStore"]),
    .executable(name: "nearme", targets: ["NearMeCommand"]),
  ],
  traits: [
    .default(enabledTraits: ["Tools"]),
    .trait(
      name: "Tools",
      description: "The command nearme, and all that reads maps, traces and settings.",
      enabledTraits: ["Stores"]
    ),
    .trait(name: "Stores", description: "Caches of places and user databases, in SQLite files."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.5.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird",
      from: "2.28.0",
      traits: ["FullFoundation"]
    ),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
  ],
  targets: [
    // Pure: standard library only. No clock, no files, no randomness.
    .target(
      name: "Basics",
      swiftSettings: settings,
      // Square roots; an app on Linux without Foundation has no other reason to link it.
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
    ),
    .target(name: "Geodesy", dependencies: ["Basics"], swiftSettings: settings),
    .target(name: "Timeline", swiftSettings: settings),
    .target(name: "Places", dependencies: ["Geodesy"], swiftSettings: settings),
    .target(
      name: "Traces",
      dependencies: ["Basics", "Geodesy", "Timeline"],
      swiftSettings: settings
    ),
    .target(
      name: "Fencing",
      dependencies: ["Basics", "Geodesy", "Timeline", "Places", "Traces"],
      swiftSettings: settings
    ),
    .target(
      name: "Arrivals",
      dependencies: ["Basics", "Geodesy", "Timeline", "Places", "Traces"],
      swiftSettings: settings
    ),
    .target(
      name: "Recurrence",
      dependencies: ["Basics", "Timeline"],
      swiftSettings: settings
    ),
    .target(
      name: "NearMeEngine",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "Recurrence",
        "Tones",
      ],
      swiftSettings: settings
    ),
    // All of these under one name, for apps.
    .target(
      name: "NearMe",
      dependencies: [
        "Geodesy", "Timeline", "Recurrence", "Tones", "Places", "Traces", "Arrivals", "Fencing",
        "NearMeEngine",
      ],
      // Not Sources/NearMe, which some file systems take for Sources/nearme.
      path: "Sources/NearMeUmbrella",
      swiftSettings: settings
    ),
    .target(
      name: "Phones",
      dependencies: ["Basics", "Geodesy", "Timeline", "Traces", "Fencing"],
      swiftSettings: settings
    ),
    .target(
      name: "TraceDoctor",
      dependencies: ["Geodesy", "Timeline", "Traces"],
      swiftSettings: settings
    ),
    .target(
      name: "OutputLines",
      dependencies: ["Basics", "Geodesy", "Timeline", "Traces", "Fencing", "NearMeEngine"],
      swiftSettings: settings
    ),
    .target(
      name: "Replay",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
        "OutputLines", "Tones",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "Scoring",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
        "OutputLines", "Replay",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "Tuning",
      dependencies: ["Basics", "Geodesy", "Traces", "NearMeEngine", "Replay", "Scoring"],
      swiftSettings: settings
    ),
    .target(
      name: "DayReports",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine", "OutputLines",
        "Replay", "Scoring", "Streets",
      ],
      swiftSettings: settings
    ),
    .target(name: "Streets", dependencies: ["Geodesy"], swiftSettings: settings),
    .target(
      name: "Simulation",
      dependencies: ["Basics", "Geodesy", "Timeline", "Places", "Traces", "Streets"],
      swiftSettings: settings
    ),
    // The apps on people's phones, as they behave: what the door is checked with.
    .target(
      name: "SimulatedPhones",
      dependencies: ["Basics", "Geodesy", "Timeline", "Traces"],
      swiftSettings: settings
    ),
    .target(
      name: "Profiles",
      dependencies: ["Basics", "Timeline", "Recurrence"],
      swiftSettings: settings
    ),
    .target(name: "Tones", dependencies: ["Basics"], swiftSettings: settings),
    .target(
      name: "ReminderForms",
      dependencies: ["Basics", "Timeline", "Places", "Recurrence", "NearMeEngine"],
      swiftSettings: settings
    ),
    .target(
      name: "Sentences",
      dependencies: ["Basics", "Timeline", "Places", "Recurrence", "NearMeEngine"],
      swiftSettings: settings
    ),
    .target(
      name: "Calendars",
      dependencies: ["Basics", "Geodesy", "Timeline", "Places", "Recurrence", "NearMeEngine"],
      swiftSettings: settings
    ),

    // Edges: each touches one piece of the world.
    .target(
      name: "PlaceStore",
      dependencies: [
        "Geodesy", "Timeline", "Places",
        .product(name: "GRDB", package: "GRDB.swift", condition: stores),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: stores),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "ByteStreams",
      dependencies: ["CZlib", "CBzip2", "CDeflate"],
      swiftSettings: settings
    ),
    .target(name: "TimeZones", dependencies: ["Timeline"], swiftSettings: settings),
    // Where there is no Core Location, only its host; Tests/CoreLocation has the signatures for the rest.
    .target(
      name: "NearMeCoreLocation",
      dependencies: ["NearMe", "TimeZones"],
      swiftSettings: settings
    ),
    .target(name: "ParallelWork", swiftSettings: settings),
    .target(name: "CBuild", cSettings: commit),
    .target(
      name: "CacheBuilder",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Streets", "PlaceStore", "ByteStreams",
        "ParallelWork", "CExpat", "CDeflate",
        .product(name: "GRDB", package: "GRDB.swift", condition: stores),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: stores),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "TraceFiles",
      dependencies: ["Basics", "Geodesy", "Timeline", "Traces", "ByteStreams", "CExpat"],
      swiftSettings: settings
    ),
    .target(
      name: "SettingsFiles",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
        "Profiles", "TimeZones", "Tones", "Sentences",
        .product(name: "Yams", package: "Yams", condition: tools),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "TrialFiles",
      dependencies: [
        "Geodesy", "Timeline", "Recurrence", "Places", "NearMeEngine", "Replay", "Tuning",
        "SettingsFiles",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "CorpusFiles",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Replay", "Scoring", "Simulation",
        "ByteStreams", "TraceFiles", "SettingsFiles",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "UserStore",
      dependencies: [
        "Geodesy", "Timeline", "Recurrence", "Places", "NearMeEngine", "Tones",
        .product(name: "GRDB", package: "GRDB.swift", condition: stores),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: stores),
        .product(name: "Crypto", package: "swift-crypto", condition: stores),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "LiveHost",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine",
        "OutputLines", "Tones", "ByteStreams", "TraceFiles", "SettingsFiles", "UserStore", "CCurl",
        .product(name: "Logging", package: "swift-log", condition: tools),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "Channels",
      dependencies: [
        "Basics", "Timeline", "NearMeEngine", "LiveHost",
        .product(name: "Crypto", package: "swift-crypto", condition: stores),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "Door",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine",
        "OutputLines", "Tones", "TraceFiles", "SettingsFiles", "TimeZones", "UserStore", "LiveHost",
        "Phones", "Channels", "Recurrence", "Sentences",
        .product(name: "Crypto", package: "swift-crypto", condition: stores),
        .product(name: "GRDB", package: "GRDB.swift", condition: stores),
        .product(name: "Hummingbird", package: "hummingbird", condition: tools),
        .product(name: "HummingbirdTLS", package: "hummingbird", condition: tools),
        .product(name: "Logging", package: "swift-log", condition: tools),
      ],
      // In the binary itself: a bundle would be looked for in the folder of the build.
      resources: [.embedInCode("Assets")],
      swiftSettings: settings
    ),
    .executableTarget(
      // Not nearme, from which some file systems cannot tell the library.
      name: "NearMeCommand",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
        "OutputLines", "Replay", "Scoring", "DayReports", "Tuning", "Streets", "TraceDoctor",
        "Simulation", "PlaceStore", "ParallelWork", "CacheBuilder", "TraceFiles", "SettingsFiles",
        "TrialFiles", "CorpusFiles",
        "UserStore", "LiveHost", "Channels", "Door", "Recurrence", "Profiles", "Tones",
        "ReminderForms", "Calendars", "Sentences", "CBuild",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
        .product(name: "Crypto", package: "swift-crypto", condition: stores),
        .product(name: "Logging", package: "swift-log", condition: tools),
      ],
      path: "Sources/nearme",
      // In the binary itself: a bundle would be looked for in the folder of the build.
      resources: [.embedInCode("Reports/Assets")],
      swiftSettings: settings
    ),

    .executableTarget(
      name: "nearme-bench",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
        "OutputLines", "Replay", "Recurrence", "PlaceStore", "CacheBuilder", "TraceFiles",
        "SettingsFiles", "UserStore", "Sentences", "TestSupport", "CExpat", "CDeflate",
        .product(name: "GRDB", package: "GRDB.swift", condition: stores),
      ],
      path: "Benchmarks",
      exclude: ["counters.json"],
      swiftSettings: settings
    ),
    // Fits the weights of the arrival detector to days with known truth.
    .executableTarget(
      name: "arrival-fit",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
        "Replay", "PlaceStore", "TraceFiles",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
      ],
      path: "Sources/ArrivalFit",
      swiftSettings: settings
    ),
    // Drives days through the door of `nearme serve` as phones would, and compares what it tells.
    .executableTarget(
      name: "phone-check",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine",
        "OutputLines", "Replay", "Scoring", "SimulatedPhones", "PlaceStore", "TimeZones",
        "TraceFiles", "TrialFiles", "CorpusFiles", "UserStore",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
      ],
      path: "Sources/PhoneCheck",
      swiftSettings: settings
    ),
    // The invented island and day in data/ and traces/.
    .target(
      name: "SampleWorld",
      dependencies: ["Basics", "Geodesy", "Timeline", "Traces", "Simulation", "ByteStreams"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "make-samples",
      dependencies: [
        "SampleWorld",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
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
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-gnutls-dev", brew: "curl"),
    system("CProj", pkgConfig: "proj", apt: "libproj-dev", brew: "proj"),

    .target(
      name: "TestSupport",
      dependencies: ["Basics"],
      path: "Tests/TestSupport",
      swiftSettings: settings
    ),
    // SQLite on a disk that fails, is full, or loses its power at a given write.
    .target(
      name: "FaultyDisk",
      dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift", condition: stores)],
      path: "Tests/FaultyDisk",
      swiftSettings: settings
    ),
    // What the sources say of themselves.
    .testTarget(name: "TidyTests", swiftSettings: testSettings),
    .testTarget(
      name: "BasicsTests",
      dependencies: ["Basics"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ParallelWorkTests",
      dependencies: ["Basics", "ParallelWork"],
      swiftSettings: testSettings
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
      dependencies: ["Geodesy", "Places", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ArrivalsTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "NearMeEngineTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine", "NearMe",
        "Recurrence", "Tones", "TestSupport",
      ],
      exclude: ["States"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "PlaceStoreTests",
      dependencies: ["Geodesy", "Timeline", "Places", "PlaceStore", "TestSupport", "CSpatiaLite"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "CacheBuilderTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "PlaceStore", "CacheBuilder", "TestSupport",
        "CZlib", "CBzip2", .product(name: "GRDB", package: "GRDB.swift", condition: stores),
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "TraceFilesTests",
      dependencies: ["Geodesy", "Timeline", "Traces", "TraceFiles", "TestSupport", "CZlib"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "TraceDoctorTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Traces", "TraceDoctor", "ByteStreams", "TraceFiles",
        "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["Geodesy", "Timeline", "Places", "Traces", "Streets", "Simulation"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SimulatedPhonesTests",
      dependencies: ["Basics", "Geodesy", "Timeline", "Traces", "SimulatedPhones"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "UserStoreTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Fencing", "Recurrence",
        "NearMeEngine", "UserStore",
        "TestSupport", "FaultyDisk",
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: stores),
        .product(name: "Crypto", package: "swift-crypto", condition: stores),
      ],
      exclude: ["OldFiles"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "LiveHostTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine",
        "OutputLines", "Replay", "CacheBuilder", "TraceFiles", "TrialFiles", "UserStore",
        "LiveHost", "TestSupport", "FaultyDisk",
        .product(name: "Logging", package: "swift-log", condition: tools),
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "ChannelsTests",
      dependencies: [
        "Basics", "Timeline", "NearMeEngine", "LiveHost", "Channels", "TestSupport",
        .product(name: "Crypto", package: "swift-crypto", condition: stores),
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "DoorTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Traces", "Places", "NearMeEngine", "UserStore",
        "LiveHost",
        "Phones", "Door", "Channels", "Recurrence", "TestSupport",
        .product(name: "Crypto", package: "swift-crypto", condition: stores),
        .product(name: "GRDB", package: "GRDB.swift", condition: stores),
        .product(name: "Hummingbird", package: "hummingbird", condition: tools),
        .product(name: "Logging", package: "swift-log", condition: tools),
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "FencingTests",
      dependencies: ["Basics", "Geodesy", "Timeline", "Places", "Fencing", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "PhonesTests",
      dependencies: [
        "Phones", "Basics", "Geodesy", "Timeline", "Traces", "Fencing", "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "CommandTests",
      // The command itself is run as people run it. Whoever builds tests builds all programs; named here, it would have to
      // be compiled before these are.
      dependencies: [
        "Timeline", "Recurrence", "Places", "NearMeEngine", "Replay", "Scoring", "DayReports",
        "Tuning", "TrialFiles", "UserStore", "TestSupport", "CZlib",
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: stores),
      ],
      exclude: ["OldFiles"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "ReplayTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
        "OutputLines", "Replay", "CacheBuilder", "TraceFiles", "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "RecurrenceTests",
      dependencies: ["Basics", "Timeline", "Recurrence", "SettingsFiles", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SentencesTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Recurrence", "NearMeEngine", "Sentences",
        "SettingsFiles", "TestSupport",
      ],
      exclude: ["HeldOut", "Phrases"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ProfilesTests",
      dependencies: [
        "Timeline", "NearMeEngine", "Recurrence", "Profiles", "SettingsFiles", "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ReminderFormsTests",
      dependencies: [
        "Timeline", "Recurrence", "Places", "NearMeEngine", "ReminderForms", "SettingsFiles",
        "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CalendarsTests",
      dependencies: [
        "Basics", "Geodesy", "Timeline", "Places", "Recurrence", "NearMeEngine", "Calendars",
        "SettingsFiles", "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "TonesTests",
      dependencies: ["Basics", "Tones", "SettingsFiles", "TestSupport"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "ScoringTests",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Arrivals", "Fencing", "NearMeEngine",
        "OutputLines", "Replay", "Scoring", "Tuning", "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "DayReportsTests",
      dependencies: [
        "Geodesy", "Timeline", "Places", "Traces", "Fencing", "NearMeEngine", "Replay", "Streets",
        "DayReports", "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "TuningTests",
      dependencies: ["Scoring", "Tuning", "TestSupport"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "SettingsFilesTests",
      dependencies: ["Timeline", "Arrivals", "Fencing", "NearMeEngine", "SettingsFiles"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "TrialFilesTests",
      dependencies: [
        "Timeline", "Places", "Arrivals", "Fencing", "NearMeEngine", "Tuning", "SettingsFiles",
        "TrialFiles", "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "CorpusFilesTests",
      dependencies: [
        "Timeline", "Places", "Traces", "Fencing", "NearMeEngine", "Replay", "Scoring",
        "CacheBuilder", "CorpusFiles", "TestSupport", "CZlib",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "SampleDataTests",
      dependencies: [
        "Timeline", "Places", "Fencing", "NearMeEngine", "OutputLines", "Replay", "CacheBuilder",
        "SettingsFiles", "TrialFiles", "SampleWorld", "CDeflate",
      ],
      swiftSettings: testSettings
    ),
  ]
)

// `make demo` sets NEARME_WITHOUT_DOOR where there is no door yet: a web server and its TLS take more time to
// build than all that the demo shows.
if Context.environment["NEARME_WITHOUT_DOOR"] != nil {
  package.dependencies.removeAll {
    guard case .sourceControl(_, let location, _) = $0.kind else { return false }
    return location.hasSuffix("/hummingbird")
  }
  package.targets.removeAll { ["Door", "DoorTests"].contains($0.name) }
  for target in package.targets where target.name == "NearMeCommand" {
    target.dependencies.removeAll {
      guard case .byNameItem(let name, _) = $0 else { return false }
      return name == "Door"
    }
    target.exclude.append("Serve")
    target.swiftSettings = settings + [.define("NEARME_WITHOUT_DOOR")]
  }
}
