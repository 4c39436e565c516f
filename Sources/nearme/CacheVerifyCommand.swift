import ArgumentParser
import PlaceStore

/// `nearme cache verify`.
struct CacheVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check a cache through and through; exits with 1 if anything is wrong.",
    discussion: "  nearme cache verify pois.sqlite && nearme replay ..."
  )

  @Argument(help: "The cache.")
  var file: String

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        let problems: [String]
        do {
          problems = try POICache.open(file).problems()
        } catch let error as PlaceStoreError where error.code == .damaged {
          throw CommandFailure(.checkFailed, error.description)
        }
        for problem in problems { print("\(file): \(problem)") }
        guard problems.isEmpty else {
          throw CommandFailure(
            .checkFailed,
            "\(file) is not sound; rebuild it with `nearme cache build`"
          )
        }
        print("\(file): sound")
      }
    }
  }
}
