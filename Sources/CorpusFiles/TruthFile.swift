import Basics
import Foundation
import Geodesy
import Places
import Scoring
import Timeline

/// Reads a `NAME.truth.json`.
///
/// Keys that scores do not need are passed over: other simulators and hand-made truths have others.
package struct TruthFile: Sendable {
  /// What it says.
  package let truth: DayTruth
  /// The name of the time zone that the person lived in; nil if it does not say.
  package let zoneName: String?
  /// Whether the trace is all that is known of the way: recordings have no true path.
  package let isPathUnknown: Bool

  /// Reads a file.
  ///
  /// - Throws: ``CorpusError`` that names the key.
  package init(path: String) throws(CorpusError) {
    try self.init(PackedFile.read(path), file: path)
  }

  init(_ bytes: [UInt8], file: String) throws(CorpusError) {
    let document: Document
    do {
      document = try JSONDecoder().decode(Document.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw CorpusError(.malformed, file, Self.sentence(error))
    } catch {
      throw CorpusError(.malformed, file, "it is no JSON: \(error)")
    }
    try Self.refuseMisspelled(bytes, file)
    do {
      truth = try document.truth()
    } catch let fault as TruthFault {
      throw CorpusError(.malformed, file, fault.description)
    } catch {
      throw CorpusError(.malformed, file, "\(error)")
    }
    zoneName = document.tz
    guard document.true_path ?? "trace" == "trace" else {
      throw CorpusError(
        .malformed,
        file,
        "\"true_path\" can only be \"trace\": then the trace stands for the true path"
      )
    }
    isPathUnknown = document.true_path != nil
  }

  /// Refuses a key that was most likely meant to be one that is not there: without it, scores would look better.
  private static func refuseMisspelled(_ bytes: [UInt8], _ file: String) throws(CorpusError) {
    let keys = bytes.withUnsafeBytes { try? JSONValue.parse($0) }?.members?.map(\.key) ?? []
    // Short names are like many words that others may mean.
    let missing = Document.CodingKeys.allCases.map(\.rawValue)
      .filter { $0.count >= 8 && !keys.contains($0) }
    for key in keys where Document.CodingKeys(rawValue: key) == nil {
      guard let meant = nearestName(to: key, among: missing) else { continue }
      throw CorpusError(
        .malformed,
        file,
        "\"\(key)\" says nothing here: did you mean \"\(meant)\"? Correct it, or name it otherwise"
      )
    }
  }

  private static func sentence(_ error: DecodingError) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.reduce("") { text, key in
        key.intValue.map { "\(text)[\($0)]" }
          ?? (text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)")
      }
    }
    switch error {
    case .keyNotFound(let key, let context):
      return "the key \"\(place(context.codingPath + [key]))\" is missing: a truth file needs it"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      let wanted =
        type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
        ? "a number" : type == String.self ? "a text" : "a list or an object"
      return context.codingPath.isEmpty
        ? "it is no JSON object: make or copy it again"
        : "\"\(place(context.codingPath))\" has a value of the wrong kind: \(wanted) belongs there"
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      return "\"\(place(context.codingPath))\": \(context.debugDescription)"
    default: return "it is no JSON, or it breaks off: make or copy it again"
    }
  }

  // MARK: The file

  /// Named as in the file.
  private struct Document: Decodable {
    let id: String
    let person: String?
    let tz: String?
    let true_path: String?
    let start_utc: Instant
    let end_utc: Instant
    let noise_preset: String?
    let sampling: Sampling?
    let home: Spot?
    let work: Spot?
    let visits: [Visit]
    let decoy_stops: [Decoy]?
    let drive_bys: [Pass]?
    let near_stays: [Pass]?
    let stays: [Stay]?
    let trips: [Trip]?
    let gaps: [Gap]?

    enum CodingKeys: String, CodingKey, CaseIterable {
      case id, person, tz, true_path, start_utc, end_utc, noise_preset, sampling, home, work
      case visits, decoy_stops, drive_bys, near_stays, stays, trips, gaps
    }

    func truth() throws -> DayTruth {
      try DayTruth(
        id: id,
        person: person ?? id,
        start: start_utc.value,
        end: end_utc.value,
        noise: noise_preset ?? "unnamed",
        sampling: sampling?.name ?? "unnamed",
        home: try home?.coordinate(),
        work: try work?.coordinate(),
        visits: try visits.map { try $0.visit() },
        encounters: (drive_bys ?? []).map { $0.encounter(.driveBy) }
          + (near_stays ?? []).map { $0.encounter(.nearStay) }
          + (decoy_stops ?? []).map(\.encounter),
        stays: try stays?.map { try $0.stay() },
        trips: (trips ?? [])
          .map {
            DayTruth.Trip(mode: $0.mode, depart: $0.depart_utc.value, arrive: $0.arrive_utc.value)
          },
        gaps: (gaps ?? [])
          .map {
            DayTruth.Gap(start: $0.start_utc.value, end: $0.end_utc.value, reason: $0.reason)
          }
      )
    }
  }

  private struct Instant: Decodable {
    let value: Timestamp

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      guard let value = RFC3339.parse(text) else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "\"\(text)\" is no time such as 2026-01-05T13:16:35Z"
        )
      }
      self.value = value
    }
  }

  private struct Sampling: Decodable {
    let name: String
  }

  private struct Spot: Decodable {
    let lat: Double
    let lon: Double

    func coordinate() throws -> Coordinate { try Coordinate(latitude: lat, longitude: lon) }
  }

  private struct Visit: Decodable {
    let place_id: String
    let category: String
    let lat: Double
    let lon: Double
    let arrive_utc: Instant
    let leave_utc: Instant
    let mode_in: String?

    func visit() throws -> DayTruth.Visit {
      DayTruth.Visit(
        poi: place_id,
        category: CategoryID(category),
        coordinate: try Coordinate(latitude: lat, longitude: lon),
        arrive: arrive_utc.value,
        leave: leave_utc.value,
        mode: mode_in ?? "unnamed"
      )
    }
  }

  private struct Pass: Decodable {
    let place_id: String
    let category: String
    let within_100m_from_utc: Instant
    let within_100m_to_utc: Instant

    func encounter(_ kind: Encounter.Kind) -> Encounter {
      Encounter(
        kind: kind,
        poi: place_id,
        category: CategoryID(category),
        from: within_100m_from_utc.value,
        to: within_100m_to_utc.value
      )
    }
  }

  private struct Decoy: Decodable {
    let near_place_id: String
    let category: String
    let arrive_utc: Instant
    let leave_utc: Instant

    var encounter: Encounter {
      Encounter(
        kind: .decoy,
        poi: near_place_id,
        category: CategoryID(category),
        from: arrive_utc.value,
        to: leave_utc.value
      )
    }
  }

  private struct Stay: Decodable {
    let kind: String
    let lat: Double
    let lon: Double
    let indoor: Bool?
    let arrive_utc: Instant
    let leave_utc: Instant

    func stay() throws -> DayTruth.Stay {
      DayTruth.Stay(
        kind: kind,
        coordinate: try Coordinate(latitude: lat, longitude: lon),
        arrive: arrive_utc.value,
        leave: leave_utc.value,
        isIndoors: indoor ?? false
      )
    }
  }

  private struct Trip: Decodable {
    let mode: String
    let depart_utc: Instant
    let arrive_utc: Instant
  }

  private struct Gap: Decodable {
    let start_utc: Instant
    let end_utc: Instant
    let reason: String
  }
}
