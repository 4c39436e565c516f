// swift-tools-version: 6.1
import PackageDescription

// An app that embeds the engine, as docs/embedding.md tells it: see scripts/check-embedding.sh.
let package = Package(
  name: "app",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "near-me", path: "near-me", traits: [])],
  targets: [
    .executableTarget(name: "App", dependencies: [.product(name: "NearMe", package: "near-me")]),
    // The last page of the tutorial.
    .executableTarget(
      name: "Tutorial",
      dependencies: [.product(name: "NearMe", package: "near-me")]
    ),
  ]
)
