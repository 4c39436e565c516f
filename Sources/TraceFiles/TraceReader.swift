import Traces

/// Reads a trace file point by point: GPX, plain or in gzip, from a path or standard input.
///
/// - Complexity: O(1) memory, whatever the size of the file.
package final class TraceReader {
  private static let chunkBytes = 1 << 16

  private let source: ByteSource
  private let parser: GPXParser
  private let chunk: UnsafeMutableRawBufferPointer
  private var queue: [TraceRecord] = []
  private var next = 0
  private var hasEnded = false
  private var failure: TraceError?
  /// What accuracies are taken to be where the file does not say.
  package let accuracyModel: AccuracyModel

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: ``TraceError`` if there is no such file or it cannot be read.
  package init(path: String, accuracyModel: AccuracyModel = AccuracyModel()) throws(TraceError) {
    source = try ByteSource(path: path)
    parser = try GPXParser(file: path, model: accuracyModel)
    self.accuracyModel = accuracyModel
    chunk = .allocate(byteCount: Self.chunkBytes, alignment: 16)
  }

  deinit { chunk.deallocate() }

  /// What has been read so far.
  package var report: TraceReport { parser.report }

  /// The next point; nil at the end.
  ///
  /// - Throws: ``TraceError`` at the place of the fault, after all points before it.
  package func nextRecord() throws(TraceError) -> TraceRecord? {
    while next == queue.count {
      if let failure { throw failure }
      if hasEnded { return nil }
      fill()
    }
    defer { next += 1 }
    return queue[next]
  }

  private func fill() {
    do {
      let count = try source.fill(chunk)
      hasEnded = count == 0
      parser.push(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
      failure = parser.failure
    } catch {
      failure = error
    }
    queue = parser.takeReady()
    next = 0
  }
}
