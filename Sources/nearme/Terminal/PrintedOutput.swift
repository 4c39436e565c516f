#if canImport(Glibc)
@preconcurrency import Glibc
#else
@preconcurrency import Darwin
#endif

/// Brings what `print` has kept to standard output.
///
/// - Returns: whether all that was ever printed could be written; `print` itself does not say.
func flushPrintedOutput() -> Bool { fflush(stdout) == 0 && ferror(stdout) == 0 }
