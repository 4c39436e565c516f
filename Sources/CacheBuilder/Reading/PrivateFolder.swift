import Foundation

/// A folder among the temporary ones for what is read in a copy, which goes with the object.
public final class PrivateFolder {
  /// What the names of all of them begin with.
  public static let prefix = "nearme-"

  private let url: URL

  /// Makes one that nobody else can read, where `TMPDIR` says.
  ///
  /// - Throws: what the system says, also where `TMPDIR` is not there: if it were made, it would stay.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent(Self.prefix + UUID().uuidString)
    try FileManager.default.createDirectory(
      at: url,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in it.
  public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Where something cannot be kept, why, and what to do.
  public static func sentence(_ error: any Error) -> String {
    "\(FileManager.default.temporaryDirectory.path): \(reason(error)); make room there, "
      + "or name another folder with TMPDIR"
  }

  /// In the system's words, for Foundation's name no cause.
  private static func reason(_ error: any Error) -> String {
    var error = error as NSError
    while let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error {
      error = cause as NSError
    }
    return error.domain == NSPOSIXErrorDomain
      ? String(cString: strerror(Int32(error.code))) : error.localizedDescription
  }
}
