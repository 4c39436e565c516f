import ArgumentParser
import SettingsFiles
import Tones

/// `nearme tone`.
struct ToneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tone",
    abstract: "Look at the tones in which reminders can speak.",
    subcommands: [ToneListCommand.self, TonePreviewCommand.self]
  )
}

/// `nearme tone list`.
struct ToneListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the tones that there are, with how many sentences each has."
  )

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        let folder = DataFolder.ofThisProcess
        let names = folder.names(kind: "tones")
        if names.isEmpty { printError("nearme: note: \(folder.adviceWithoutFiles)") }
        for name in names.isEmpty ? [TonePack.plain.name] : names {
          let pack =
            try names.isEmpty
            ? .plain : ToneFile.read(path: try folder.path(of: name, kind: "tones"))
          let count = SentenceKind.allCases.reduce(0) { $0 + pack.texts(of: $1).count }
          print("\(name)  \(count) \(count == 1 ? "sentence" : "sentences")")
        }
      }
    }
  }
}

/// `nearme tone preview`.
struct TonePreviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Print what a tone would say of a reminder.",
    discussion: """
      Prints the first occasions of each kind, in the order in which they would be said. The same reminder says the \
      same things every time; --seed makes others.

        nearme tone preview sassy "call mum"
        nearme tone preview chaotic "buy milk" --place "the corner shop" \\
          --kind arrival --count 8
      """
  )

  @Argument(help: ArgumentHelp("A name of `nearme tone list` or a file.", valueName: "tone"))
  var tone: String

  @Argument(help: "What there is to do.")
  var title: String

  @Option(help: "Where.")
  var place = "the pharmacy"

  @Option(help: "How far it is.")
  var distance = "3 miles"

  @Option(help: "How long it is until then.")
  var span = "10 minutes"

  @Option(help: "Only this kind, such as arrival.")
  var kind: SentenceKind?

  @Option(help: "How many of each kind.")
  var count = 3

  @Option(help: "Makes other choices.")
  var seed: UInt64 = 0

  func validate() throws {
    guard (1...10_000).contains(count) else { throw ValidationError("--count must be 1 to 10000") }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        let pack = try Self.pack(tone)
        for kind in kind.map({ [$0] }) ?? SentenceKind.allCases { printSentences(pack, kind) }
      }
    }
  }

  /// The tone of a name or a file; the engine's own needs none.
  private static func pack(_ tone: String) throws(SettingsError) -> TonePack {
    let folder = DataFolder.ofThisProcess
    if tone == TonePack.plain.name, !folder.names(kind: "tones").contains(tone) { return .plain }
    return try ToneFile.read(path: try folder.path(of: tone, kind: "tones"))
  }

  private func printSentences(_ pack: TonePack, _ kind: SentenceKind) {
    print(kind.rawValue)
    var last: Int?
    for occurrence in 1...count {
      let sentence = pack.sentence(
        kind,
        SentenceValues(
          title: title,
          place: place,
          distance: distance,
          span: span,
          count: occurrence
        ),
        reminder: "preview",
        occurrence: "\(occurrence)",
        last: last,
        seed: seed
      )
      last = sentence.template
      print("  \(sentence.text)")
    }
  }
}

extension SentenceKind: ExpressibleByArgument {}
