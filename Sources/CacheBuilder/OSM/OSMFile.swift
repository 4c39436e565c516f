/// The elements of an OpenStreetMap file that rules ask for, with the nodes of their outlines.
///
/// - Parameter what: what no other kind of file holds, for the message.
/// - Throws: ``ImportError``; also for a file of another kind.
func readOSM(
  _ job: ImportJob,
  lacking what: String
) throws(ImportError) -> (OSMAssembly, NodeLocations) {
  switch try InputFormat.recognize(path: job.path) {
  case .osmPBF:
    let (assembly, nodes, _) = try readPBF(job)
    return (assembly, nodes)
  case .osmXML:
    let (assembly, nodes, _) = try readOSMXML(job)
    return (assembly, nodes)
  case .geoJSON, .csv, .overpass, .kml, .geoPackage:
    throw ImportError(
      .unsupported,
      path: job.path,
      "it holds no \(what): give an OpenStreetMap extract, .osm.pbf or .osm"
    )
  }
}
