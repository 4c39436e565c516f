import ArgumentParser
import Foundation
import SampleWorld

@main
struct MakeSamples: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make-samples",
    abstract: "Write the sample map and the sample day.",
    discussion: """
      Invents the island of Port Ardent and one day of errands on it, and writes both under a \
      directory: data/port-ardent.osm.pbf, traces/errands.gpx.gz, traces/errands.truth.json, \
      traces/errands.true.csv.gz, traces/reminders.json and traces/policy.yaml. The same files come out every time.
      """
  )

  @Argument(help: "Where data/ and traces/ are, or are to be made.")
  var directory = "."

  func run() throws {
    let folder = URL(fileURLWithPath: directory)
    for file in SampleFiles().files {
      let target = folder.appendingPathComponent(file.path)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(file.bytes).write(to: target, options: .atomic)
      print("\(file.bytes.count)\t\(file.path)")
    }
  }
}
