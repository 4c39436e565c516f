import Foundation

/// Whether there is a file to open as a database.
///
/// It is not opened here: POSIX lets go of all of a process's locks on a file as soon as any of its
/// descriptors is closed, also of those of another connection (sqlite.org/howtocorrupt.html, 2.2).
///
/// - Throws: ``UserStoreError`` for what is not a file, and for an empty one.
func isStoreFile(_ path: String) throws(UserStoreError) -> Bool {
  var status = stat()
  guard stat(path, &status) == 0 else {
    let number = errno
    if number == ENOENT { return false }
    throw systemError(number, path: path)
  }
  try requireFile(status, path: path)
  guard status.st_size > 0 else { throw UserStoreError(.empty, path: path) }
  return true
}

/// Refuses what is not a file.
func requireFile(_ status: stat, path: String) throws(UserStoreError) {
  let kind = status.st_mode & S_IFMT
  guard kind == S_IFREG else {
    throw UserStoreError(.notAFile, path: path, detail: kind == S_IFDIR ? "it is a folder" : "")
  }
}

/// Refuses to make a file in a folder that is not there.
func requireFolder(of path: String) throws(UserStoreError) {
  guard access(folder(of: path), F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return }
  throw UserStoreError(
    .missing,
    path: path,
    advice: "its folder is not there either: make that first"
  )
}

/// The error for a system call that failed.
func systemError(_ number: Int32, path: String) -> UserStoreError {
  let detail = String(cString: strerror(number))
  return switch number {
  case ENOENT, ENOTDIR:
    UserStoreError(.missing, path: path, advice: "check that its folder exists")
  case ENOSPC, EDQUOT, EFBIG: UserStoreError(.full, path: path, detail: detail)
  case EROFS, EACCES, EPERM: UserStoreError(.readOnly, path: path, detail: detail)
  default: UserStoreError(.inputOutput, path: path, detail: detail)
  }
}

/// Makes a file where there is none, for its owner alone: whole, or not at all.
///
/// It is written under another name, forced to the disk and then linked to its own. If another process
/// has made the file meanwhile, theirs stays, and this one goes.
///
/// - Parameter fill: writes the file, by its temporary path; it exists and is empty.
func makeFile(
  _ path: String,
  _ fill: (String) throws(UserStoreError) -> Void
) throws(UserStoreError) {
  let temporary = path + ".new-" + String(UInt32.random(in: 0 ... .max), radix: 16)
  let made = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  guard made >= 0 else { throw systemError(errno, path: path) }
  _ = close(made)
  defer {
    _ = unlink(temporary)
    _ = unlink(temporary + "-journal")
  }
  try fill(temporary)
  try sync(temporary, as: path)
  if link(temporary, path) != 0, errno != EEXIST { throw systemError(errno, path: path) }
  _ = unlink(temporary)
  try sync(folder(of: path), as: path)
}

/// Replaces a file by another one: before or after, never between.
func replaceFile(_ path: String, by new: String) throws(UserStoreError) {
  try sync(new, as: path)
  guard rename(new, path) == 0 else { throw systemError(errno, path: path) }
  try sync(folder(of: path), as: path)
}

/// Forces a file or a folder to the disk.
private func sync(_ target: String, as path: String) throws(UserStoreError) {
  let descriptor = open(target, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw systemError(errno, path: path) }
  defer { _ = close(descriptor) }
  guard fsync(descriptor) == 0 else { throw systemError(errno, path: path) }
}

private func folder(of path: String) -> String {
  let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
  return folder.isEmpty ? "." : folder
}
