import Basics
import Foundation

/// Standard input line by line, as the lines come, in their own bytes.
struct InputLines {
  private var buffer: [UInt8] = []
  /// Where the next line begins in the buffer, and up to where no line feed is.
  private var begin = 0
  private var searched = 0
  private var hasEnded = false
  private var isFirst = true

  /// Hands over the next line without its line feed.
  ///
  /// - Returns: nil at the end.
  mutating func next<Answer>(_ body: (UnsafeRawBufferPointer) -> Answer) -> Answer? {
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer {
          begin = end + 1
          searched = begin
        }
        return buffer[begin..<end].withUnsafeBytes(body)
      }
      searched = buffer.count
      if hasEnded {
        guard begin < buffer.count else { return nil }
        defer { begin = buffer.count }
        return buffer[begin...].withUnsafeBytes(body)
      }
      readMore()
    }
  }

  private mutating func readMore() {
    buffer.removeFirst(begin)
    searched -= begin
    begin = 0
    let data = FileHandle.standardInput.availableData
    if data.isEmpty { hasEnded = true } else { buffer.append(contentsOf: data) }
    if isFirst, buffer.count >= byteOrderMark.count || hasEnded {
      begin = buffer.withoutByteOrderMark.startIndex
      searched = max(searched, begin)
      isFirst = false
    }
  }
}
