import Places

extension POICatalog {
  /// All points of a cache file.
  ///
  /// - Throws: ``PlaceStoreError`` if there is no such file, or it is no cache.
  public init(cache path: String) throws(PlaceStoreError) {
    self.init(try POICache.open(path).allPointsOfInterest())
  }
}
