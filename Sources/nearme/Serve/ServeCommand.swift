import ArgumentParser
import Basics
import Channels
import Door
import Foundation
import LiveHost
import Logging
import NearMeEngine
import Places
import PlaceStore
import Profiles
import SettingsFiles
import Timeline

/// `nearme serve`.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Let phones in: OwnTracks, Overland, Traccar Client, OsmAnd, GPSLogger.",
    discussion: """
      Listens for what the phones' own apps post, keeps it before it answers, and decides what to say. An \
      OwnTracks phone is told in the same answer which 20 regions to watch, and may sleep between them. \
      Everything is in one folder: a file of the door's own, and a user database for each person, which the other \
      commands take with --db.

        nearme person add anna --home family
        nearme phone add anna iphone --home family
        nearme reminder add "pick up the prescription" --category pharmacy \\
          --db family/people/anna.db
        nearme serve --home family --cache pois.sqlite

      It listens on this machine alone. For phones on the road put a proxy with a certificate before it, and \
      say --behind-proxy, or give it a certificate itself with --tls-cert and --tls-key. SIGTERM and Ctrl-C end it \
      with status 0; killed at any instant, it loses nothing that it has answered.
      """
  )

  @OptionGroup var home: DoorFolderOptions

  @Option(help: ArgumentHelp("The cache of places.", valueName: "FILE"))
  var cache: String

  @Option(
    help: ArgumentHelp(
      "Where to listen: HOST:PORT, or unix:PATH for a proxy on this machine.",
      valueName: "ADDRESS"
    )
  )
  var listen = "127.0.0.1:8787"

  @Option(
    help: ArgumentHelp("The certificate with its chain, PEM; read at the start.", valueName: "FILE")
  )
  var tlsCert: String?

  @Option(help: ArgumentHelp("The certificate's key, PEM.", valueName: "FILE"))
  var tlsKey: String?

  @Flag(
    help:
      "A proxy on the way does the encryption: plain HTTP on other addresses than this machine's is wanted."
  )
  var behindProxy = false

  @Option(
    help: ArgumentHelp("Numbers that differ from the defaults, YAML or JSON.", valueName: "FILE")
  )
  var policy: String?

  @OptionGroup var profile: ProfileOptions

  @Option(
    help: ArgumentHelp(
      "Also tell each person's news to FOLDER/NAME.ndjson: ndjson:FOLDER.",
      valueName: "SINK"
    )
  )
  var sink: [String] = []

  @Option(
    help: ArgumentHelp(
      "The address at which phones and browsers reach the door: the buttons of notifications and the links that confirm "
        + "addresses lead there. "
        + "(default: where it listens)",
      valueName: "URL"
    )
  )
  var origin: String?

  @Option(
    help: ArgumentHelp(
      "Push to browsers; push services may ask there about pushes: mailto:ADDRESS or an https address.",
      valueName: "CONTACT"
    )
  )
  var pushContact: String?

  @Option(
    help: ArgumentHelp("Offer mail, from this address, by --sendmail.", valueName: "ADDRESS")
  )
  var mailFrom: String?

  @Option(help: ArgumentHelp("What mails are handed to, with -t -i.", valueName: "PROGRAM"))
  var sendmail = "/usr/sbin/sendmail"

  @Option(
    help: ArgumentHelp(
      "Offer Telegram, by the bot whose token BotFather gave out; no other program may ask for its updates.",
      valueName: "FILE"
    )
  )
  var telegramTokenFile: String?

  @Option(
    help: ArgumentHelp(
      "Count what the door does at /metrics, for whoever sends the token in this file.",
      valueName: "FILE"
    )
  )
  var metricsTokenFile: String?

  @Option(
    help: ArgumentHelp(
      "So many requests a second of one browser or program are answered in the long run, ten times as many at once.",
      valueName: "COUNT"
    )
  )
  var requestsPerSecond = DoorLimits().requestsPerSecond

  @Option(
    help: """
      Where the time comes from: wall, for phones on the road; fixes, for recorded days that are posted as fast as \
      they can be.
      """
  )
  var clock = TimeSource.wall

  @Option(help: ArgumentHelp("Midnight and quiet hours are there. (default: the system's)"))
  var timeZone: String?

  @Option(
    help: ArgumentHelp(
      "How long what an app sends in any order waits to be put in order.",
      valueName: "SECONDS"
    )
  )
  var hold = 2.0

  @Option(
    help: "What to say on standard error: trace, debug, info, notice, warning, error or critical."
  )
  var logLevel = Logger.Level.notice

  func validate() throws {
    guard (0...60).contains(hold) else {
      throw ValidationError("--hold must lie between 0 and 60 seconds")
    }
    guard (1...1e6).contains(requestsPerSecond) else {
      throw ValidationError("--requests-per-second must lie between 1 and 1000000")
    }
    guard (tlsCert == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-cert and --tls-key go together")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        try mappingCacheFailures { try mappingHostFailures { try serve() } }
      }
    }
  }

  private func serve() throws {
    signal(SIGPIPE, SIG_IGN)
    raiseFileLimit()
    let address = try DoorAddress(listen)
    guard address.isLocal || tlsCert != nil || behindProxy else {
      throw CommandFailure(
        .usage,
        "--listen \(listen): positions and passwords would go over the network in the clear: give --tls-cert and "
          + "--tls-key, or --behind-proxy where a proxy on the way encrypts"
      )
    }
    let store = try home.open(.madeUnlessMisspelled)
    let lock = try HostLock(database: store.folder.database)
    defer { withExtendedLifetime(lock) {} }
    let level = logLevel
    let log = Logger(label: "nearme") { _ in
      HostLogHandler(level: level, clock: SystemClock(), write: printError)
    }
    let folders = try sinkFolders()
    try store.keepTold(in: folders)
    let catalog = try POICatalog(cache: cache)
    let product = try profile.read()
    var configuration = DoorConfiguration(
      address: address,
      tls: tlsCert.flatMap { certificate in tlsKey.map { (certificate, $0) } },
      policy: try policy.map { try PolicyFile.read(path: $0, over: product.policy) }
        ?? product.policy,
      zone: try zone(),
      tones: try ProfileOptions.tones(product.profile),
      catalog: catalog,
      time: clock,
      hold: Milliseconds(Int64((hold * 1_000).rounded())),
      sinks: { person in
        folders.map { SteadyFileSink(path: DoorStore.told(person.name, in: $0)) }
      }
    )
    configuration.words = product.profile.texts.map { ($0.key, $0.text) }
    configuration.points = pointSearch(catalog)
    configuration.channels = try channelServices()
    configuration.trustsProxy = behindProxy
    configuration.metricsToken = try metricsTokenFile.map(metricsToken)
    configuration.limits.requestsPerSecond = requestsPerSecond
    configuration.limits.requestBurst = 10 * requestsPerSecond
    let link = try firstLink(store)
    let server = try DoorServer(configuration, store: store, clock: SystemClock(), log: log)
    try waiting {
      try await server.run { address in
        // Somebody who starts it from a script reads the port here.
        FileHandle.standardOutput.write(Data("listening on \(address)\n".utf8))
        guard let link, address.hasPrefix("http") else { return }
        let words = "to sign \(link.person) in, once, within an hour: "
        let line = words + joinLink(link.secret, url: address) + "\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      }
    }
  }

  private func channelServices() throws -> ChannelServices {
    let here = listen.hasPrefix("unix:") ? "127.0.0.1" : listen
    let address = origin ?? "\(tlsCert == nil ? "http" : "https")://\(here)"
    try requireAddress(address, option: "--origin")
    var services = ChannelServices(origin: address)
    // Where it listens is nowhere for whoever reads a mail elsewhere: a link there could not be opened.
    services.asks = origin != nil
    services.contact = try pushContact.map { try VAPIDContact($0) }
    services.mail = try mailFrom.map { (try MailAddress($0), [sendmail, "-t", "-i"]) }
    services.telegram = try telegramTokenFile.map(bot)
    return services
  }

  private func bot(_ path: String) throws -> TelegramBot {
    try TelegramBot(
      server: ServiceAddress("https://api.telegram.org"),
      token: secret(in: path, option: "--telegram-token-file")
    )
  }

  private func metricsToken(_ path: String) throws -> String {
    let (option, least) = ("--metrics-token-file", 20)
    let token = try secret(in: path, option: option)
    guard token.utf8.count >= least, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw CommandFailure(
        .usage,
        "\(option) \(path): a line of \(least) or more printable characters without blanks is needed: "
          + "`openssl rand -hex 20` makes one"
      )
    }
    return token
  }

  /// What stands in a file that not everybody on the machine may read.
  private func secret(in path: String, option: String) throws -> String {
    let data = try contents(ofFile: path)
    let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    guard let mode, mode & 0o007 == 0 else {
      throw CommandFailure(
        .usage,
        "\(option) \(path): everybody on this machine may read it: `chmod 600` it"
      )
    }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A link for the first person, while nobody is signed in; without anybody, there is one from now on.
  private func firstLink(_ store: DoorStore) throws -> (person: String, secret: String)? {
    guard try !store.isAnybodyIn(at: presentInstant()) else { return nil }
    let login = NSUserName().lowercased()
    let person =
      try store.people().first
      ?? store.addPerson(DoorFolder.isName(login) ? login : "me", at: presentInstant())
    let secret = try store.makeLink(for: person, at: presentInstant(), span: .minutes(60))
    return (person.name, secret)
  }

  /// Finds points by name and, in a cache that is one file, by address.
  private func pointSearch(_ catalog: POICatalog) -> PointSearch {
    guard !CellIndex.isThere(cache), let file = try? POICache.open(cache) else {
      return PointSearch(catalog)
    }
    return PointSearch(
      catalog,
      categories: file.knownCategories,
      details: { (try? file.attributes(of: $0)) ?? [:] },
      addresses: {
        ((try? file.allAttributes()) ?? [:])
          .compactMapValues { (try? JSONValue.parse($0))?["address"]?.text }
      }
    )
  }

  private func zone() throws -> UTCOffsetTable {
    guard let timeZone else { return localZone() }
    guard let zone = UTCOffsetTable(systemZone: timeZone) else {
      throw CommandFailure(
        .usage,
        "--time-zone \(timeZone): this system knows no such zone; one is America/New_York"
      )
    }
    return zone
  }

  private func sinkFolders() throws -> [String] {
    try sink.map { text in
      guard text.hasPrefix("ndjson:"), text.utf8.count > 7 else {
        throw CommandFailure(.usage, "--sink \(text): known is ndjson:FOLDER")
      }
      let folder = String(text.dropFirst(7))
      guard
        (try? FileManager.default.createDirectory(
          atPath: folder,
          withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700]
        )) != nil
      else {
        throw CommandFailure(.inputOutput, "\(folder): cannot be made: check the folder above it")
      }
      return folder
    }
  }

  /// A file for each person who is there, a connection for each phone: as many as the system lets us have.
  private func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
