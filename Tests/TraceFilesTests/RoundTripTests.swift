import Geodesy
import TestSupport
import Testing
import Timeline
import Traces

import TraceFiles

/// What is written is read again, to the last bit.
@Suite struct RoundTripTests {
  @Test(arguments: TraceWriter.Format.allCases, 1...100 as ClosedRange<UInt64>)
  func `fixes come back as they were`(format: TraceWriter.Format, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let model = AccuracyModel()
    var records: [TraceRecord] = []
    var milliseconds = Int64(random.integer(-1_000_000_000_000...4_000_000_000_000))
    for index in 0..<random.integer(1...40) {
      let source = AccuracySource.allCases[random.integer(0...2)]
      let accuracy =
        switch source {
        case .reported: random.uniform(0.001...5_000)
        case .modeledFromHDOP: Double(random.integer(1...9_999)) / 100 * model.metersPerHDOP
        case .assumed: model.defaultMeters
        }
      milliseconds += Int64(random.integer(1...100_000))
      let isTiny = random.integer(0...9) == 0
      records.append(
        TraceRecord(
          outcome: .fix(
            Fix(
              at: Timestamp(milliseconds: milliseconds),
              coordinate: Coordinate(
                uncheckedLatitude: isTiny ? 1e-9 * random.unit() : random.uniform(-90...90),
                longitude: isTiny ? -1e-12 * random.unit() : random.uniform(-180...180)
              ),
              horizontalAccuracyMeters: accuracy,
              speedMetersPerSecond: random.integer(0...1) == 0 ? nil : random.uniform(0...300),
              courseDegrees: random.integer(0...1) == 0 ? nil : random.uniform(0...359.9)
            )
          ),
          accuracySource: source,
          startsSegment: index == 0 || random.integer(0...4) == 0,
          line: 0
        )
      )
    }
    var writer = TraceWriter(format, accuracyModel: model)
    var text = writer.head
    for record in records {
      guard let fix = record.fix else { continue }
      text += writer.add(
        fix,
        accuracySource: record.accuracySource,
        startsSegment: record.startsSegment
      )
    }
    text += writer.end()
    let reading = try Reading(text)
    #expect(reading.error == nil, "seed \(seed)")
    #expect(reading.fixes == records.compactMap(\.fix), "seed \(seed)")
    #expect(reading.records.map(\.accuracySource) == records.map(\.accuracySource), "seed \(seed)")
    #expect(reading.records.map(\.startsSegment) == records.map(\.startsSegment), "seed \(seed)")
  }

  @Test(arguments: TraceWriter.Format.allCases)
  func `nothing at all is a file all the same`(format: TraceWriter.Format) throws {
    var writer = TraceWriter(format)
    let reading = try Reading(writer.head + writer.end())
    #expect(reading.fixes.isEmpty)
    #expect(format == .ndjson || reading.error == nil)
  }
}
