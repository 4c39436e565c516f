import ArgumentParser
import CorpusFiles
import Foundation
import NearMeEngine
import Places
import Recurrence
import Replay
import Scoring
import Timeline
import TraceFiles
import Traces

/// `nearme explain`.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say why a reminder spoke, or did not, around an instant of a trace.",
    discussion: """
      Replays the trace and prints what the reminder said within half an hour of the instant, the \
      cause, and the numbers that decided. If NAME.truth.json and NAME.true.csv.gz lie beside the \
      trace NAME.gpx.gz, the cause is that of the ledger of `nearme score`.

        nearme explain traces/errands.gpx.gz --reminder meds \\
          --at 2026-03-03T14:38:00Z --cache pois.sqlite \\
          --reminders traces/reminders.json

      Of the reminders of a user database, `nearme reminder why` tells the same as it happened.
      """
  )

  @Argument(help: "A trace: GPX, CSV and the like, plain or compressed; - is standard input.")
  var trace: String

  @Option(help: ArgumentHelp("The id of the reminder.", valueName: "ID"))
  var reminder: String

  @Option(
    help: ArgumentHelp(
      "The instant, such as 2026-01-05T13:16:35Z; one without a zone is of the person's, as replay prints it.",
      valueName: "TIME"
    )
  )
  var at: String

  @OptionGroup var replayed: ScoredReplayOptions

  @Flag(help: "Also show the day in a browser, at the instant: map, time line, regions, screen.")
  var open = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where the page of --open is kept.", valueName: "FILE.html")
  )
  var output: String?

  @OptionGroup var page: DayPageOptions

  func validate() throws {
    if RFC3339.parse(at) == nil {
      throw ValidationError("--at \(at): write an instant such as 2026-01-05T13:16:35Z")
    }
    try refuse(output, among: replayed.inputs + page.inputs + [trace])
    if output != nil, !open { throw ValidationError("--output names the page of --open") }
    if !open { try page.refuse(unless: "--open") }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        try mappingCacheFailures {
          try mappingCorpusFailures { try explain() }
        }
      }
    }
  }

  /// The instant that is asked about.
  private func instant(in zone: UTCOffsetTable) -> Timestamp? {
    guard let time = WrittenTime(at), time.offsetSeconds == nil else { return RFC3339.parse(at) }
    return time.instant(in: zone)
  }

  private func explain() throws {
    let setup = try replayed.setup()
    let given = try replayed.person(in: setup.catalog)
    let truth = CorpusFolder.Day(besides: trace)
    let day = try truth?.read(person: given)
    // The page says it, too.
    if let day, !open { noteFixesOutside([day]) }
    // A trace that is not there is that, and not one without a truth.
    let fixes = try day?.fixes ?? TraceReader.fixes(path: trace)
    guard let person = given ?? day?.person else {
      throw CommandFailure(
        .usage,
        "\(trace) has no truth beside it that says what to be reminded of: name --reminders"
      )
    }
    guard let instant = instant(in: person.zone) else { return }
    guard let wanted = person.reminders.first(where: { $0.id == reminder }) else {
      let ids = person.reminders.map(\.id)
      let hint = nearestName(to: reminder, among: ids).map { "did you mean \($0)?" }
      throw CommandFailure(
        .usage,
        "no reminder has the id \"\(reminder)\": \(hint ?? ids.joined(separator: ", "))"
      )
    }
    guard let first = fixes.first,
      let last = day?.end ?? fixes.last?.at
    else {
      throw CommandFailure(.badInput, "\(trace): there is no usable fix in it")
    }
    // A visit before the first fix was missed, too.
    let begin = min(first.at, day?.truth.start ?? first.at)
    guard instant >= begin, instant <= last else {
      throw CommandFailure(
        .usage,
        "--at \(at) lies outside the day, which goes from \(RFC3339.format(begin)) to "
          + RFC3339.format(last)
      )
    }
    do {
      let explanation = try Explanation(
        fixes,
        of: person,
        setup,
        day: day,
        reminder: wanted,
        at: instant
      )
      print(explanation.outcome)
      for cause in explanation.causes { print("  because   \(cause)") }
      let service = replayed.service.monitor
      let others =
        service == .ideal ? "" : "; `nearme replay` takes ideal where --monitor is not given"
      for (label, text) in explanation.evidence + [("service", service.rawValue + others)] {
        print("  \(label.padding(toLength: 8, withPad: " ", startingAt: 0))  \(text)")
      }
    } catch {
      throw CommandFailure(.badInput, "\(replayed.reminders ?? trace): \(error)")
    }
    if open { try show(person, setup, instant) }
  }

  /// Writes the page of the day, and has it shown.
  private func show(_ person: Person, _ setup: ReplaySetup, _ instant: Timestamp) throws {
    let interrupt = InterruptFlag()
    let day = DayReplay(
      session: try setup.session(for: person, restore: EngineState.storedAndRead),
      person: person,
      setup: setup,
      options: TraceOptions(),
      interrupt: interrupt
    )
    let report = try day.run(trace, page)
    let path = try output ?? PageOpener.folder() + "/day.html"
    let file = try OutputFile(path: path, isPrivate: true)
    try file.write(ReportPage(report, page.library()).html)
    try file.finish()
    let id = reminder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    PageOpener().open(path, moment: "t=\(RFC3339.format(instant))&r=\(id)")
  }
}
