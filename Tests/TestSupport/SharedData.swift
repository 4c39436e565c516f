import Foundation

/// Where the larger test data lies: a folder `shared` beside the checkout, which may be absent.
public enum SharedData {
  /// The folder's `data`, or nil where there is none.
  public static let folder: URL? = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let data = folder.appendingPathComponent("shared/data")
    return FileManager.default.fileExists(atPath: data.path) ? data : nil
  }()

  /// Why a test that needs it is skipped.
  public static let absent: String = "needs the folder shared/data beside the checkout"
}
