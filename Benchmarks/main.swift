import Basics
import CExpat
import CacheBuilder
import Fencing
import Foundation
import Geodesy
import NearMeEngine
import PlaceStore
import Places
import Replay
import TestSupport
import Timeline
import TraceFiles
import Traces

// Figures of this machine, for comparing two changes on it or two tools in one run: medians of five
// runs. Nothing here is a test.

if let command = CommandLine.arguments.dropFirst().first {
  exit(runCommand(command, Array(CommandLine.arguments.dropFirst(2))))
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("nearme-bench-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

func report(_ figure: Figure, note: String = "") {
  let name = figure.name.padding(toLength: 48, withPad: " ", startingAt: 0)
  let rate = figure.rateText.padding(toLength: 22, withPad: " ", startingAt: 0)
  print("\(name) \(rate) \(figure.size)\(note.isEmpty ? "" : "; " + note)")
}

func times(_ a: Figure, _ b: Figure) -> String { "\((a.rate / b.rate * 10).rounded() / 10) times" }

let world = World(points: 10_000)
let catalog = POICatalog(world.pois)
let fixes = world.drive(fixes: 300_000)

// MARK: GPX

let gpx = folder.appendingPathComponent("drive.gpx").path
do {
  var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"bench\" "
  text +=
    "xmlns=\"http://www.topografix.com/GPX/1/1\" xmlns:f=\"urn:near-me:fix:1\"><trk><trkseg>\n"
  for fix in fixes {
    text += "<trkpt lat=\"\(fixed(fix.coordinate.latitude, 7))\" "
    text += "lon=\"\(fixed(fix.coordinate.longitude, 7))\"><ele>12.0</ele>"
    text += "<time>\(RFC3339.format(fix.at))</time><extensions><f:hacc>8.0</f:hacc>"
    text += "<f:speed>\(fixed(fix.speedMetersPerSecond ?? 0, 2))</f:speed></extensions></trkpt>\n"
  }
  text += "</trkseg></trk></gpx>\n"
  try Data(text.utf8).write(to: URL(fileURLWithPath: gpx))
}
let gpxBytes = try Data(contentsOf: URL(fileURLWithPath: gpx))
let megabytes = Double(gpxBytes.count) / 1e6
let gpxSize = "\(fixes.count) points, \(Int(megabytes)) MB"

let reading = try measure("GPX file to fixes", size: gpxSize, work: megabytes, unit: "MB") {
  let reader = try TraceReader(path: gpx)
  var count = 0
  while true {
    let columns = try reader.nextColumns()
    if columns.pointCount == 0 { break }
    count += columns.count
  }
  precondition(count == fixes.count, "the reader lost points")
}
let bareExpat = measure(
  "  peer: bare expat, events thrown away",
  size: gpxSize,
  work: megabytes,
  unit: "MB"
) {
  guard let parser = XML_ParserCreate(nil) else { return }
  XML_SetElementHandler(parser, { _, _, _ in }, { _, _ in })
  XML_SetCharacterDataHandler(parser) { _, _, _ in }
  gpxBytes.withUnsafeBytes { bytes in
    _ = XML_Parse(
      parser,
      bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
      Int32(bytes.count),
      1
    )
  }
  XML_ParserFree(parser)
}
report(reading, note: "\(times(reading, bareExpat)) bare expat's rate, decoding included")
report(bareExpat)

// MARK: Replay

try measureReplay(gpx: gpx)

// MARK: Region plans

try measurePlanner(world, catalog, fixes)

// MARK: Arrivals

measureArrivals(fixes, catalog)

// MARK: Nearest of a category

for points in [10_000, 1_000_000] {
  let large = points == 10_000 ? world : World(points: points)
  let index = points == 10_000 ? catalog : POICatalog(large.pois)
  let positions = large.drive(fixes: 100_000).map { SurfacePoint($0.coordinate) }
  let size = "\(points) POIs, 5 categories"
  let tree = measure(
    "nearest of a category",
    size: size,
    work: Double(positions.count),
    unit: "queries"
  ) {
    for (i, position) in positions.enumerated() { keep(index.nearest(slot: i % 5, to: position)) }
  }
  if points == 10_000 {
    let some = positions.prefix(2_000)
    let members = (0..<5).map { index.indices(slot: $0) }
    let scan = measure(
      "  peer: scan of all",
      size: size,
      work: Double(some.count),
      unit: "queries",
      runs: 3
    ) {
      for (i, position) in some.enumerated() {
        var best = (chord: Double.infinity, index: -1)
        for member in members[i % 5] {
          let chord = index.positions[member].chordSquared(to: position)
          if chord < best.chord { best = (chord, member) }
        }
        precondition(index.nearest(slot: i % 5, to: position)?.index == best.index, "they differ")
      }
    }
    report(tree, note: "\(times(tree, scan)) a scan's rate")
    report(scan)
  } else {
    report(tree)
  }
}

// MARK: Cache

let rows = 50_000
let csv = folder.appendingPathComponent("places.csv").path
var csvText = "id,lat,lon,category,name\n"
for poi in World(points: rows).pois {
  csvText += "\(poi.sourceID),\(fixed(poi.coordinate.latitude, 7)),"
  csvText += "\(fixed(poi.coordinate.longitude, 7)),\(poi.categories[0]),\(poi.name ?? "")\n"
}
try csvText.write(toFile: csv, atomically: true, encoding: .utf8)

func build(_ input: String) throws -> Int {
  try CacheBuild(
    inputs: [input],
    output: folder.appendingPathComponent("pois.sqlite").path,
    builtAt: Timestamp(milliseconds: 0),
    toolVersion: "bench"
  )
  .run().placeCount
}
report(
  try measure("CSV to cache", size: "\(rows) POIs", work: Double(rows), unit: "POIs", runs: 3) {
    let count = try build(csv)
    precondition(count == rows, "the builder lost rows")
  }
)
report(
  try measure(
    "cache opened and loaded",
    size: "\(rows) POIs",
    work: Double(rows),
    unit: "POIs",
    runs: 3
  ) {
    let cache = try POICache.open(folder.appendingPathComponent("pois.sqlite").path)
    keep(POICatalog(try cache.allPointsOfInterest()))
  }
)
if let extract = SharedData.folder?.appendingPathComponent("osm/mt-malta.osm.pbf").path {
  let bytes = try FileManager.default.attributesOfItem(atPath: extract)[.size] as? Int ?? 0
  let count = try build(extract)
  report(
    try measure(
      "OSM PBF to cache",
      size: "Malta, \(bytes / 1_000) kB, \(count) POIs",
      work: Double(bytes) / 1e6,
      unit: "MB"
    ) { keep(try build(extract)) }
  )
}
