import Foundation
import SampleWorld
import Timeline

/// The parts of the committed truth that tests hold the replay to.
struct SampleTruth {
  struct Visit {
    let category: String
    let arrival: Timestamp
  }

  struct Pass {
    let name: String?
    let minDistanceMeters: Double
    let closest: Timestamp
  }

  /// The truth has a key or a value that it should not have.
  struct Malformed: Error {}

  let visits: [Visit]
  let driveBys: [Pass]
  let nearStayCount: Int
  let decoyStopCount: Int

  init() throws {
    let data = try Data(contentsOf: SampleDay.root.appendingPathComponent(SampleFiles.truthPath))
    let truth = try JSONDecoder().decode(Document.self, from: data)
    visits = try truth.visits.map {
      Visit(category: $0.category, arrival: try Self.instant($0.arrive_utc))
    }
    driveBys = try truth.drive_bys.map {
      Pass(
        name: $0.name,
        minDistanceMeters: $0.min_distance_m,
        closest: try Self.instant($0.closest_utc)
      )
    }
    nearStayCount = truth.near_stays.count
    decoyStopCount = truth.decoy_stops.count
  }

  private static func instant(_ text: String) throws -> Timestamp {
    guard let instant = RFC3339.parse(text) else { throw Malformed() }
    return instant
  }

  /// Named as in the file.
  private struct Document: Decodable {
    struct Visit: Decodable {
      let category: String
      let arrive_utc: String
    }

    struct Pass: Decodable {
      let name: String?
      let min_distance_m: Double
      let closest_utc: String
    }

    struct DecoyStop: Decodable {
      let near_place_id: String
    }

    let visits: [Visit]
    let drive_bys: [Pass]
    let near_stays: [Pass]
    let decoy_stops: [DecoyStop]
  }
}
