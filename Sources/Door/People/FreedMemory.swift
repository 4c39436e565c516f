import Foundation

/// What the process has freed and the C library keeps.
enum FreedMemory {
  /// Gives it back to the system: of a crowd that was put away most is free, in pieces between what is not.
  ///
  /// Only glibc keeps it so, and its module does not export the call.
  static func giveBack() {
    #if os(Linux)
    typealias Trim = @convention(c) (Int) -> CInt
    guard let trim = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(trim, to: Trim.self)(0)
    #endif
  }
}
