import Foundation
import GRDB

extension POICache {
  /// What the map knows of a place beyond its name: `opening_hours`, `phone`, `website`, `address`,
  /// `operator`, as far as it has them.
  ///
  /// Apart from ``PointOfInterest``, of which the engine holds thousands: this is for the one place
  /// that a person looks at.
  ///
  /// - Returns: nothing for a place that is not in the cache.
  public func attributes(of sourceID: String) throws(PlaceStoreError) -> [String: String] {
    try database.read { database in
      let text = try String.fetchOne(
        database,
        sql: "SELECT attributes FROM poi WHERE source_id = ?",
        arguments: [sourceID]
      )
      guard let text else { return [:] }
      do { return try JSONDecoder().decode([String: String].self, from: Data(text.utf8)) } catch {
        throw damaged("\(sourceID) has attributes that are not JSON texts")
      }
    }
  }

  /// The attributes of every place that has any, as the JSON text of the file, by source id.
  ///
  /// - Throws: ``PlaceStoreError`` that names the first row whose attributes are no object of JSON.
  /// - Complexity: holds all of them in memory.
  package func allAttributes() throws(PlaceStoreError) -> [String: String] {
    try database.read { database in
      var all: [String: String] = [:]
      let rows = try Row.fetchCursor(
        database,
        // What is no JSON has no type, and would be asked for it in vain.
        sql: """
          SELECT id, source_id, attributes,
            CASE WHEN json_valid(attributes) THEN json_type(attributes) = 'object' ELSE 0 END
          FROM poi WHERE attributes IS NOT NULL ORDER BY id
          """
      )
      while let row = try rows.next() {
        let sourceID = try row.decode(String.self, atIndex: 1)
        guard try row.decode(Bool.self, atIndex: 3),
          let text = try? row.decode(String.self, atIndex: 2)
        else {
          let id = try row.decode(Int64.self, atIndex: 0)
          throw damaged("table poi, row \(id) (\(quoted(sourceID))): its attributes are no JSON")
        }
        all[sourceID] = text
      }
      return all
    }
  }
}
