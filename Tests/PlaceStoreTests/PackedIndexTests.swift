import CSpatiaLite
import Foundation
import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing

extension Tool {
  fileprivate func expectSound(_ comment: Comment) throws {
    #expect(try rows("SELECT CheckSpatialIndex('poi', 'geom')") == ["1"], comment)
    #expect(try rows("SELECT rtreecheck('idx_poi_geom')") == ["ok"], comment)
    #expect(try rows("PRAGMA integrity_check") == ["ok"], comment)
    #expect(
      try rows("SELECT count(*) FROM idx_poi_geom") == rows("SELECT count(*) FROM poi"),
      comment
    )
  }
}

/// The index that is written at once is one that SQLite and SpatiaLite take for their own.
@Suite struct PackedIndexTests {
  // 51 points fill a node, 51 × 51 two levels.
  @Test(arguments: [0, 1, 2, 50, 51, 52, 102, 103, 2_600, 2_601, 2_602, 7_000])
  func `the index is sound for every depth`(count: Int) throws {
    let folder = try TemporaryFolder()
    try writeCache(randomWorld(seed: UInt64(count), count: count), to: folder.path("a.sqlite"))
    try Tool(folder.path("a.sqlite")).expectSound("\(count) places")
    #expect(try POICache.open(folder.path("a.sqlite")).problems() == [])
  }

  @Test(arguments: [1, 51, 52, 3_000])
  func `what other tools change later is kept in the index`(count: Int) throws {
    let folder = try TemporaryFolder()
    try writeCache(randomWorld(seed: 5, count: count), to: folder.path("a.sqlite"))
    let tool = try Tool(folder.path("a.sqlite"))
    var generator = SeededGenerator(seed: 6)
    func point() -> String {
      let coordinate = randomCoordinate(&generator)
      return "MakePoint(\(coordinate.longitude), \(coordinate.latitude), 4326)"
    }
    for index in 0..<400 {
      try tool.rows(
        """
        INSERT INTO poi (source_id, footprint_radius_m, geom) VALUES ('new/\(index)', 0, \(point()))
        """
      )
    }
    try tool.expectSound("inserted into \(count)")
    try tool.rows("UPDATE poi SET geom = \(point()) WHERE id % 3 = 0")
    try tool.expectSound("moved in \(count)")
    try tool.rows("DELETE FROM poi WHERE id % 5 <> 0")
    try tool.expectSound("deleted from \(count)")
    try tool.rows("DELETE FROM poi")
    try tool.expectSound("all deleted of \(count)")
  }

  @Test func `the schema and its triggers are those of an index that SpatiaLite makes`() throws {
    let folder = try TemporaryFolder()
    let world = randomWorld(seed: 8, count: 300)
    try writeCache(world, to: folder.path("packed.sqlite"))
    let writer = try POICacheWriter(target: folder.path("inserted.sqlite"))
    writer.trustsPackedIndex = false
    try writer.write(world, categories: testCategories, provenance: testProvenance(300))
    let (packed, inserted) = (
      try Tool(folder.path("packed.sqlite")), try Tool(folder.path("inserted.sqlite"))
    )
    let schema = "SELECT type || name || tbl_name || ifnull(sql, '') FROM sqlite_master ORDER BY 1"
    #expect(try packed.rows(schema) == inserted.rows(schema))
    #expect(try packed.rows("SELECT count(*) FROM sqlite_master WHERE tbl_name = 'poi'") != ["0"])
    try inserted.expectSound("inserted")
    #expect(try POICache.open(folder.path("inserted.sqlite")).allPointsOfInterest().count == 300)
  }

  @Test func `every box of the tree holds its point, and no more than the next floats`() throws {
    let folder = try TemporaryFolder()
    try writeCache(randomWorld(seed: 9, count: 3_000), to: folder.path("a.sqlite"))
    let wrong = try Tool(folder.path("a.sqlite"))
      .rows(
        """
        SELECT count(*) FROM poi JOIN idx_poi_geom ON pkid = id
        WHERE NOT (ST_X(geom) BETWEEN xmin AND xmax AND ST_Y(geom) BETWEEN ymin AND ymax
          AND xmax - xmin < 2e-5 AND ymax - ymin < 1e-5)
        """
      )
    #expect(wrong == ["0"])
  }
}
