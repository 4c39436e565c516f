import Basics
import Foundation
import Geodesy
import NearMeEngine
import TestSupport
import Timeline
import Traces

/// A long recording as a GPX file: a drive through the towns of ``World``, a fix a second.
struct BigTrace {
  let fixes: [Fix]

  /// Twenty tracks of one segment each, 132 bytes a point: latitude, longitude, elevation, time and
  /// dilution, as loggers write them.
  func writeGPX(to path: String) throws {
    let output = try FileOutput(path)
    output.write(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"bench\" "
        + "xmlns=\"http://www.topografix.com/GPX/1/1\">\n"
    )
    let perTrack = max(1, fixes.count / 20)
    for start in stride(from: 0, to: fixes.count, by: perTrack) {
      output.write("  <trk><name>day</name><trkseg>\n")
      for (i, fix) in fixes[start..<min(fixes.count, start + perTrack)].enumerated() {
        output.write(
          "      <trkpt lat=\"\(fixed(fix.coordinate.latitude, 7))\" "
            + "lon=\"\(fixed(fix.coordinate.longitude, 7))\">"
            + "<ele>\(fixed(Double(i % 4_000) / 10, 1))</ele><time>\(RFC3339.format(fix.at))</time>"
            + "<hdop>\(fixed(fix.horizontalAccuracyMeters / 5, 1))</hdop></trkpt>\n"
        )
      }
      output.write("  </trkseg></trk>\n")
    }
    output.write("</gpx>\n")
    try output.close()
  }

  /// Time, latitude, longitude and accuracy as little-endian 64-bit numbers, for the other tools.
  func writeBinary(to path: String) throws {
    let output = try FileOutput(path)
    for fix in fixes {
      for value in [
        Double(fix.at.milliseconds), fix.coordinate.latitude, fix.coordinate.longitude,
        fix.horizontalAccuracyMeters,
      ] {
        withUnsafeBytes(of: value.bitPattern.littleEndian) { output.write($0) }
      }
    }
    try output.close()
  }
}

/// A file that is written a megabyte at a time.
final class FileOutput {
  private let file: FileHandle
  private let path: String
  private var pending = Data()
  private var failure: (any Error)?

  init(_ path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
    self.file = file
    self.path = path
  }

  func write(_ text: String) {
    pending.append(contentsOf: text.utf8)
    flush(from: 1 << 20)
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    pending.append(contentsOf: bytes)
    flush(from: 1 << 20)
  }

  /// - Throws: what kept a part of it from being written.
  func close() throws {
    flush(from: 1)
    do {
      if let failure { throw failure }
      try file.close()
    } catch {
      throw BenchFailure(status: 74, message: "\(path): cannot be written: \(error)")
    }
  }

  private func flush(from count: Int) {
    guard pending.count >= count, failure == nil else { return }
    do {
      try file.write(contentsOf: pending)
    } catch {
      failure = error
    }
    pending.removeAll(keepingCapacity: true)
  }
}
