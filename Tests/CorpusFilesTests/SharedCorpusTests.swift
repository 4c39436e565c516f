import CacheBuilder
import CorpusFiles
import Fencing
import Foundation
import NearMeEngine
import Places
import Replay
import Scoring
import TestSupport
import Testing
import Timeline

@Suite(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
struct SharedCorpusTests {
  @Test(arguments: [("corpus-dev", 60, 192), ("corpus-dev-wide", 20, 47)])
  func `the development corpora are read whole`(
    _ name: String,
    _ dayCount: Int,
    _ visitCount: Int
  ) throws {
    let data = try #require(SharedData.folder)
    let folder = try CorpusFolder(path: data.appendingPathComponent(name).path)
    #expect(folder.days.count == dayCount)
    let days = try folder.days.map { try $0.read() }
    #expect(days.reduce(0) { $0 + $1.truth.visits.count } == visitCount)
    #expect(days.allSatisfy { $0.path.rows.count > 100 && $0.fixes.count > 20 })
  }

  /// A plain radius and dwell, scored on some days: the figures are those of the notes.
  @Test func `longer dwells notify at fewer drive-bys, and evidence at fewer still`() throws {
    let data = try #require(SharedData.folder)
    let map = try importPlaces(
      path: data.appendingPathComponent("osm/us-virgin-islands.osm.pbf").path
    )
    let catalog = POICatalog(map.places)
    let folder = try CorpusFolder(path: data.appendingPathComponent("corpus-dev-wide").path)
    let days = try folder.days.map { try $0.read() }
    var rates: [Double] = []
    for seconds in [0, 60, 180] as [Int64] {
      var policy = Policy.measuring
      policy.tiers.arrivalRadiusMeters = 50
      policy.fencing.arrivalBeyondFootprintMeters = 0
      policy.fencing.arrivalHold = .seconds(seconds)
      policy.fencing.slowSpeedMetersPerSecond = 1_000
      let setup = ReplaySetup(policy: policy, catalog: catalog, service: .stream)
      let scores = try days.map { try DayScore($0, setup, keepsLedger: false) }
      let corpus = CorpusScore(scores, seed: 1, resamples: 100)
      let rate = try #require(corpus.whole[.falsePositiveRate])
      rates.append(rate.value)
      #expect(rate.low <= rate.value && rate.value <= rate.high)
      #expect(corpus.whole.total[.driveBys] + corpus.whole.total[.nearStays] > 500)
      #expect(try #require(corpus.whole[.recall5min]).value > 0.7)
    }
    #expect(rates[0] > 2 * rates[1])
    #expect(rates[1] > rates[2])
    #expect(rates[2] > 0)
    let weighed = try days.map {
      try DayScore(
        $0,
        ReplaySetup(policy: Policy(), catalog: catalog, service: .stream),
        keepsLedger: false
      )
    }
    let corpus = CorpusScore(weighed, seed: 1, resamples: 100)
    #expect(try #require(corpus.whole[.falsePositiveRate]).value < rates[2])
    #expect(try #require(corpus.whole[.recall5min]).value > 0.7)
  }
}
