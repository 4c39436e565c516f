import CZlib
import Foundation
import TraceFiles
import Traces

/// All that a reader says of a file.
struct Reading {
  var records: [TraceRecord] = []
  var report: TraceReport?
  var error: TraceError?
  var templatePoints = 0

  var fixes: [Fix] { records.compactMap(\.fix) }

  /// The refusals as `reason:count`, in the order of their declaration.
  var refusals: [String] {
    report?.refusals.map { "\($0.reason.rawValue):\($0.count)" } ?? []
  }

  init(path: String, usesTemplates: Bool) {
    self.init(path: path, options: TraceOptions(usesTemplates: usesTemplates))
  }

  init(path: String, options: TraceOptions = TraceOptions()) {
    do throws(TraceError) {
      let reader = try TraceReader(path: path, options: options)
      defer {
        report = reader.report
        templatePoints = reader.templatePoints
      }
      while true {
        let batch = try reader.nextBatch()
        if batch.isEmpty { break }
        records += batch
      }
    } catch {
      self.error = error
    }
  }

  /// Reads bytes by way of a file, which is removed.
  init(bytes: [UInt8], options: TraceOptions = TraceOptions()) throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("near-me-\(UUID().uuidString).gpx")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    self.init(path: url.path, options: options)
  }

  init(_ text: String, options: TraceOptions = TraceOptions()) throws {
    try self.init(bytes: Array(text.utf8), options: options)
  }
}

/// A GPX 1.1 document around the inside of one track segment.
func gpx(_ points: String, declaration: String = #"<?xml version="1.0"?>"#) -> String {
  declaration + #"<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">"#
    + "<trk><trkseg>" + points + "</trkseg></trk></gpx>"
}

/// A point at 12:00 and so many seconds.
func trkpt(_ second: Int, inside: String = "", tag: String = "trkpt") -> String {
  let time = "2025-09-08T12:00:\(second < 10 ? "0" : "")\(second)Z"
  return #"<\#(tag) lat="39.28" lon="-76.6"><time>\#(time)</time>\#(inside)</\#(tag)>"#
}

/// Bytes packed as one gzip member.
func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
  var stream = z_stream()
  var input = bytes
  guard
    deflateInit2_(
      &stream,
      6,
      Z_DEFLATED,
      15 + 16,
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    ) == Z_OK
  else { throw CocoaError(.fileWriteUnknown) }
  defer { deflateEnd(&stream) }
  var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
  let status = input.withUnsafeMutableBufferPointer { from in
    output.withUnsafeMutableBufferPointer { to in
      stream.next_in = from.baseAddress
      stream.avail_in = UInt32(from.count)
      stream.next_out = to.baseAddress
      stream.avail_out = UInt32(to.count)
      return deflate(&stream, Z_FINISH)
    }
  }
  guard status == Z_STREAM_END else { throw CocoaError(.fileWriteUnknown) }
  return Array(output.prefix(Int(stream.total_out)))
}
