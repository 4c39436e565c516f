import Geodesy
import Timeline

/// Where the rows of a cache came from, and under which license.
public struct CacheProvenance: Hashable, Sendable {
  /// One file that was read.
  public struct Input: Hashable, Sendable {
    /// Its name without the folders.
    public let name: String
    /// What it was: `osm-pbf`, `osm-xml`, `geojson`, `csv`, `overpass-json`, `kml` or `geopackage`.
    public let format: String
    /// Its size in bytes.
    public let byteCount: Int64
    /// CRC-32 of its bytes in 8 hexadecimal digits: tells two files apart, proves nothing.
    public let crc32: String
    /// When the map was as the file shows it, RFC 3339; nil where the file does not say.
    public let dataTimestamp: String?
    /// The license of the data; nil where it is not known.
    public let license: String?
    /// Whom to name beside the data; nil where it is not known.
    public let attribution: String?
    /// How many places of the cache came from it.
    public let placeCount: Int

    /// Makes a line of the table.
    public init(
      name: String,
      format: String,
      byteCount: Int64,
      crc32: String,
      dataTimestamp: String?,
      license: String?,
      attribution: String?,
      placeCount: Int
    ) {
      self.name = name
      self.format = format
      self.byteCount = byteCount
      self.crc32 = crc32
      self.dataTimestamp = dataTimestamp
      self.license = license
      self.attribution = attribution
      self.placeCount = placeCount
    }
  }

  /// The files, in the order in which they were named.
  public var inputs: [Input]
  /// When the cache was built.
  public var builtAt: Timestamp
  /// The version of the tool that built it.
  public var toolVersion: String
  /// Which part of the inputs was taken, as options of `nearme cache build`; empty for everything.
  public var selection: String

  /// The rules for the categories as JSON; nil for those that are compiled in.
  public var categoryRules: String?

  /// Makes a record of a build.
  public init(
    inputs: [Input],
    builtAt: Timestamp,
    toolVersion: String,
    selection: String,
    categoryRules: String? = nil
  ) {
    self.inputs = inputs
    self.builtAt = builtAt
    self.toolVersion = toolVersion
    self.selection = selection
    self.categoryRules = categoryRules
  }
}
