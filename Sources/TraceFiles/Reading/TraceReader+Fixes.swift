import Traces

extension TraceReader {
  /// All fixes of a trace; points that are not fixes are left out.
  ///
  /// - Parameter check: asked now and then; what it throws ends the reading.
  /// - Throws: ``TraceError`` if there is no such file, or it is damaged.
  package static func fixes(path: String, check: () throws -> Void = {}) throws -> [Fix] {
    let reader = try TraceReader(path: path)
    var fixes: [Fix] = []
    while true {
      try check()
      let batch = try reader.nextBatch()
      if batch.isEmpty { return fixes }
      fixes += batch.compactMap(\.fix)
    }
  }
}
