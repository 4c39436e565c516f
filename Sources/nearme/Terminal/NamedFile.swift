import Foundation

/// What a file holds that a person named.
///
/// - Throws: ``CommandFailure`` where there is none, where it is a folder, and where it cannot be read.
func contents(ofFile path: String) throws -> Data {
  var isFolder: ObjCBool = false
  guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
    throw CommandFailure(.inputMissing, "\(path): there is no such file")
  }
  guard !isFolder.boolValue else {
    throw CommandFailure(.badInput, OutputFile.folderSentence(path))
  }
  guard let data = FileManager.default.contents(atPath: path) else {
    throw CommandFailure(.inputOutput, "\(path): cannot be read: check its permissions")
  }
  return data
}
