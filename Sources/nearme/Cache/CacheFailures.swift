import CacheBuilder
import PlaceStore

/// Opens a cache that a person named.
func openCache(_ file: String) throws -> POICache {
  try refuseEmptyNames([file])
  return try POICache.open(file)
}

/// Refuses names of files that are empty, which say nothing in a message.
func refuseEmptyNames(_ names: [String]) throws {
  guard !names.contains("") else {
    throw CommandFailure(.usage, "the name of a file is empty: is a variable of the shell unset?")
  }
}

/// Runs a body and gives its errors the exit status that scripts may rely on.
func mappingCacheFailures(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let error as ImportError {
    throw CommandFailure(status(of: error), error.description)
  } catch let error as PlaceStoreError {
    throw CommandFailure(status(of: error), error.description)
  }
}

private func status(of error: ImportError) -> ExitStatus {
  switch error.code {
  case .missing: .inputMissing
  case .inputOutput: .inputOutput
  case .interrupted: .interrupted
  case .tooLarge: .usage
  case .notAFile, .empty, .noPlace, .unknownFormat, .unsupported, .truncated, .malformed, .badRow,
    .badRules:
    .badInput
  }
}

private func status(of error: PlaceStoreError) -> ExitStatus {
  switch error.code {
  case .missing: .inputMissing
  case .inputOutput, .busy: .inputOutput
  case .interrupted: .interrupted
  case .notAFile, .notADatabase, .foreignDatabase, .otherKind, .otherSchemaVersion, .damaged,
    .invalidValue:
    .badInput
  }
}
