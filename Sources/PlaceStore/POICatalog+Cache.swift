import Places

extension POICatalog {
  /// All points of a cache file, or of all cells of a folder.
  ///
  /// - Throws: ``PlaceStoreError`` if there is no such file, or it is no cache.
  public init(cache path: String) throws(PlaceStoreError) {
    self.init(
      CellIndex.isThere(path)
        ? try CellFolder(path).allPointsOfInterest() : try POICache.open(path).allPointsOfInterest()
    )
  }
}
