import ArgumentParser
import Foundation
import NearMeEngine
import Profiles
import SettingsFiles
import Timeline
import UserStore

/// Which user database: options of every command that works on one.
struct UserDatabaseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The user database, such as my.db; without this option, the one that NEARME_DB names.",
      valueName: "FILE"
    )
  )
  var db: String?

  @Option(
    help: ArgumentHelp("The key that it is sealed with. (default: FILE.key)", valueName: "FILE")
  )
  var keyFile: String?

  @OptionGroup var profile: ProfileOptions

  /// The database's path.
  var path: String { get throws { try named.path } }

  /// The database's path, and what names it.
  private var named: (path: String, by: String) {
    get throws {
      if let db, !db.isEmpty { return (db, "--db") }
      if let named = ProcessInfo.processInfo.environment["NEARME_DB"], !named.isEmpty {
        return (named, "NEARME_DB")
      }
      throw CommandFailure(
        .usage,
        "name the user database with --db FILE, or once for all with `export NEARME_DB=FILE`"
      )
    }
  }

  /// The files that are read.
  var inputs: [String?] {
    guard let path = try? path else { return [profile.profile] }
    return [path, keyFile ?? path + ".key", profile.profile]
  }

  /// Where its key is.
  var key: KeySource {
    get throws { try keyFile.map { .file($0) } ?? .besides(path) }
  }

  /// Opens it.
  ///
  /// - Parameter policy: says which edits are taken; nil: the profile's.
  func open(_ access: UserStore.Access, policy: Policy? = nil) throws -> UserStore {
    var chosen = policy ?? Policy()
    if policy == nil { try mappingSettingsFailures { chosen = try profile.read().policy } }
    let (named, key) = (try named, try key)
    do throws(UserStoreError) {
      return try UserStore(
        path: named.path,
        key: key,
        access: access,
        policy: chosen,
        zones: SystemZones()
      )
    } catch {
      guard error.code == .missing, error.path == named.path else { throw error }
      throw CommandFailure(.inputMissing, "\(named.by) \(error)")
    }
  }
}

/// By which policy an edit is judged: an option of the commands that a policy may refuse.
struct EditPolicyOptions: ParsableArguments {
  @Option(
    name: .customLong("policy"),
    help: ArgumentHelp(
      "The policy that the host has: it says what may be asked for.",
      valueName: "FILE"
    )
  )
  var file: String?

  /// The policy; without a file, the profile's.
  func read(_ profile: ProfileOptions) throws -> Policy {
    var policy = Policy()
    try mappingSettingsFailures {
      policy = try profile.read().policy
      if let file { policy = try PolicyFile.read(path: file, over: policy) }
    }
    return policy
  }
}

/// How results are printed.
enum ListFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

/// Runs a body and gives errors of user databases the exit status that scripts may rely on.
func mappingUserFailures(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let error as UserStoreError {
    throw CommandFailure(status(of: error), error.description)
  } catch let refusal as EditRefusal {
    throw CommandFailure(status(of: refusal), refusal.description)
  }
}

private func status(of error: UserStoreError) -> ExitStatus {
  switch error.code {
  case .missing, .keyMissing: .inputMissing
  case .inputOutput, .full, .readOnly, .busy, .stateMoved: .inputOutput
  case .notAFile, .empty, .notADatabase, .foreignDatabase, .newerSchema, .unreadableState, .damaged,
    .keyReadableByOthers, .keyMalformed, .wrongKey:
    .badInput
  case .closed, .notLoaded: .internalError
  }
}

private func status(of refusal: EditRefusal) -> ExitStatus {
  switch refusal {
  // Nothing is wrong with the command; the state of things forbids it.
  case .limitReached, .planRefuses, .placeInUse, .completed, .hasExpired, .nothingToChange:
    .checkFailed
  default: .usage
  }
}

/// The instant at which a command runs: the only place where the commands on a user database read a
/// clock.
func presentInstant() -> Timestamp {
  Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded()))
}

/// Says whose clock shows the times that were printed.
func noteZoneOfTimes() {
  printError("nearme: times are those of \(localZone().identifier)")
}

/// The zone in which people at this system read times.
func localZone() -> UTCOffsetTable {
  UTCOffsetTable(systemZone: TimeZone.current.identifier) ?? .utc
}
