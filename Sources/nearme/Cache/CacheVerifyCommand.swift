import ArgumentParser
import CacheBuilder
import PlaceStore
import Places

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
        var problems: [String]
        do {
          let cache = try openCache(file)
          let line = ProgressLine()
          defer { line.clear() }
          problems = try cache.problems(known: knownCategories(of: cache)) { done, total in
            line.show("checking", done: Int64(done), of: Int64(total), in: .things("checks"))
          }
          if problems.isEmpty { try problems += wrongSelection(of: cache) }
        } catch let error as PlaceStoreError where error.code == .damaged {
          throw CommandFailure(.checkFailed, error.description)
        } catch let error as ImportError {
          throw CommandFailure(.checkFailed, "the recorded rules for categories: \(error)")
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

  /// What `cache update` could not read.
  private func wrongSelection(of cache: POICache) throws -> [String] {
    let selection = try cache.provenance().selection
    do {
      try SelectionOptions.check(recorded: selection)
      return []
    } catch let failure as CommandFailure {
      return [failure.message]
    }
  }

  /// What the rules of the cache make; nil if they cannot be read, which the check itself will tell.
  private func knownCategories(of cache: POICache) throws -> [CategoryID]? {
    guard let provenance = try? cache.provenance() else { return nil }
    let rules = try provenance.categoryRules.map { try CategoryRules(json: $0, path: file) }
    return (rules ?? .standard).categories.map(\.id)
  }
}
