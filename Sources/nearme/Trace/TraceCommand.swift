import ArgumentParser

/// `nearme trace`: converts traces and looks into them.
struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Convert recorded traces, and see what is in them.",
    discussion: """
      A trace is what a phone or a receiver recorded: positions with times. Whatever `nearme replay` \
      takes, these take as well.

        nearme trace convert day.nmea -o day.gpx
        nearme trace check day.gpx
      """,
    subcommands: [TraceConvertCommand.self, TraceCheckCommand.self]
  )
}
