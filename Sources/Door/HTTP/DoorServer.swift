import Channels
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import LiveHost
import Logging
import NIOCore
import NIOSSL
import NearMeEngine
import Places
import ServiceLifecycle
import Timeline
import Tones

/// Where the door listens.
package enum DoorAddress: Hashable, Sendable {
  /// A host and a port; port 0 is any that is free.
  case network(host: String, port: Int)
  /// A Unix socket.
  case socket(path: String)

  /// Reads `127.0.0.1:8787`, `[::1]:8787` or `unix:PATH`.
  ///
  /// - Throws: `.usage` with what would be right.
  package init(_ text: String) throws(HostFailure) {
    if text.hasPrefix("unix:"), text.utf8.count > 5 {
      self = .socket(path: String(text.dropFirst(5)))
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port), colon != text.startIndex
    else {
      throw HostFailure(
        .usage,
        "--listen \(text): give HOST:PORT, such as 127.0.0.1:8787, or unix:PATH"
      )
    }
    let host = text[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    self = .network(host: host, port: port)
  }

  /// As it is read.
  package var text: String {
    switch self {
    case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .socket(let path): "unix:\(path)"
    }
  }

  /// Whether only this machine can reach it.
  package var isLocal: Bool {
    switch self {
    case .socket: true
    case .network(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
  }
}

/// What a door is made of.
package struct DoorConfiguration: Sendable {
  /// Where it listens.
  package var address: DoorAddress
  /// Certificate and key, as files of PEM; nil: plain HTTP.
  package var tls: (certificate: String, key: String)?
  /// What decides.
  package var policy: Policy
  /// Where midnight and quiet hours are.
  package var zone: UTCOffsetTable
  /// The tones that reminders can speak in.
  package var tones: TonePacks
  /// The points of interest.
  package var catalog: POICatalog
  /// Where the engine's time comes from.
  package var time: TimeSource
  /// How long what an app may send in any order waits to be put in order.
  package var hold: Milliseconds
  /// How long the round waits for what is done at one person's desk before it goes on to others.
  package var longestWait = Duration.seconds(3)
  /// Who is told of a person's news, beside the person's own channels.
  package var sinks: @Sendable (DoorPerson) throws(HostFailure) -> [any Sink]
  /// Finds points of interest for the pages; nil: in the catalog, by name.
  package var points: PointSearch?
  /// What people's channels have of the door's owner.
  package var channels: ChannelServices
  /// How much may be asked of the pages' side.
  package var limits = DoorLimits()
  /// Whether what a proxy on this machine says of addresses and https is believed.
  package var trustsProxy = false
  /// What the door's owner reads `/metrics` with; nil: nobody does.
  package var metricsToken: String?
  /// What the product says in words of its own, by key; the pages have words for all else.
  package var words: [(key: String, text: String)] = []

  /// Makes a configuration.
  package init(
    address: DoorAddress,
    tls: (certificate: String, key: String)? = nil,
    policy: Policy,
    zone: UTCOffsetTable,
    tones: TonePacks = TonePacks(),
    catalog: POICatalog,
    time: TimeSource = .wall,
    hold: Milliseconds = .seconds(2),
    sinks: @escaping @Sendable (DoorPerson) throws(HostFailure) -> [any Sink] = { _ in [] }
  ) {
    self.address = address
    self.tls = tls
    self.policy = policy
    self.zone = zone
    self.tones = tones
    self.catalog = catalog
    self.time = time
    self.hold = hold
    self.sinks = sinks
    channels = ChannelServices(origin: "http://127.0.0.1:8787")
  }
}

/// The door: phones post to it, and people look in.
package struct DoorServer: Sendable {
  private let configuration: DoorConfiguration
  private let household: Household
  package let side: PersonSide
  private let log: Logger

  /// Makes a door over an open store.
  ///
  /// - Throws: ``HostFailure`` if its file cannot be read.
  package init(
    _ configuration: DoorConfiguration,
    store: DoorStore,
    clock: any HostClock,
    log: Logger
  ) throws(HostFailure) {
    self.configuration = configuration
    self.log = log
    store.hold.serve(DatabaseHold(store.folder.database, clock: clock, log: log))
    let hub = EventHub()
    let channels = try PersonChannels(configuration.channels, store: store, clock: clock, log: log)
    household = Household(
      DoorSetup(
        store: store,
        intake: try IntakeLog(store),
        ledger: DeviceLedger(store),
        credentials: try Credentials(store),
        policy: configuration.policy,
        zone: configuration.zone,
        tones: configuration.tones,
        catalog: configuration.catalog,
        make: EngineMake(
          policy: configuration.policy,
          tones: configuration.tones,
          catalog: configuration.catalog
        ),
        time: configuration.time,
        clock: clock,
        hold: configuration.hold,
        longestWait: configuration.longestWait,
        sinks: { person, hurry throws(HostFailure) in
          try configuration.sinks(person) + [PageSink(person: person, hub: hub)]
            + channels.sinks(of: person, hurry: hurry)
        },
        areOver: { person throws(HostFailure) in try channels.areOver(of: person) },
        log: log
      )
    )
    side = try PersonSide(
      household,
      hub: hub,
      channels: channels,
      limits: configuration.limits,
      points: configuration.points ?? PointSearch(configuration.catalog),
      hasTLS: configuration.tls != nil,
      trustsProxy: configuration.trustsProxy,
      words: configuration.words
    )
  }

  /// Listens until it is told to end by SIGTERM or SIGINT; then everything is in the people's databases.
  ///
  /// - Parameter listening: is called once with the address, as `http://HOST:PORT`.
  /// - Throws: ``HostFailure`` if it cannot listen.
  package func run(listening: @escaping @Sendable (String) -> Void) async throws(HostFailure) {
    let scheme = configuration.tls == nil ? "http" : "https"
    let (opened, opening) = AsyncStream.makeStream(of: Void.self)
    let application = Application(
      router: router(),
      server: try server(),
      configuration: ApplicationConfiguration(
        address: bindAddress,
        serverName: nil,
        backlog: 1_024,
        availableConnectionsDelegate: MaximumAvailableConnections(Self.mostConnections)
      ),
      onServerRunning: { channel in
        defer { opening.finish() }
        guard let address = channel.localAddress, let host = address.ipAddress,
          let port = address.port
        else { return listening(channel.localAddress?.pathname ?? "") }
        listening("\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)")
      },
      logger: Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
    )
    let household = household
    let rounds = Task {
      // To look after everybody takes a while; the phones do not wait for it.
      for await _ in opened {}
      await household.run()
    }
    let hearing = Task { await hearTelegram() }
    let dailyMails = side.dailyMails
    let mailing = Task { await dailyMails.run() }
    // A press and a mail that are on their way are waited for, and then everybody is put away.
    let tasks = [hearing, mailing, rounds]
    do {
      try await application.runService()
    } catch {
      await end(tasks)
      throw HostFailure(.inputOutput, Self.reason(error, listeningOn: configuration.address))
    }
    await end(tasks)
  }

  /// Ends what is done beside the answers, one after the other.
  private func end(_ tasks: [Task<Void, Never>]) async {
    for task in tasks {
      task.cancel()
      await task.value
    }
  }

  private static func reason(_ error: any Error, listeningOn address: DoorAddress) -> String {
    let isTaken = (error as? IOError)?.errnoCode == EADDRINUSE
    return "the door cannot listen on \(address.text): "
      + (isTaken ? "another program does; end it, or name another place with --listen" : "\(error)")
  }

  /// Asks Telegram for presses of buttons; nil where no bot is offered.
  ///
  /// - Parameter waitSeconds: how long Telegram keeps a request that has nothing to hear yet.
  package func telegramPoller(waitSeconds: Int = 50) -> TelegramPoller? {
    side.channels.telegramPoller(waitSeconds: waitSeconds) { token, chat in
      try await pressed(token, in: chat)
    }
  }

  /// Does what a button says that was pressed in a chat.
  ///
  /// - Returns: words for the person.
  /// - Throws: where nothing was done, and may be later.
  package func pressed(_ token: AnswerToken, in chat: Int64) async throws -> String {
    guard try side.channels.mayPress(token, in: chat) else {
      return AnswerPresses.Outcome.unknown.text
    }
    return try await AnswerPresses(side: side).press(token.stored).text
  }

  /// Hears presses until it is canceled.
  private func hearTelegram() async {
    guard let poller = telegramPoller() else { return }
    let (log, counts) = (log, side.counts)
    await poller.run(generator: SystemRandomNumberGenerator()) { round in
      switch round {
      case .heard(let answered, _): if answered > 0 { counts.note("telegram_pressed") }
      case .failed(let reason, _):
        counts.note("telegram_failed")
        log.warning("Telegram was not heard", metadata: ["reason": "\(reason)"])
      }
    }
  }

  /// All that can be asked of it.
  package func router() -> Router<DoorContext> {
    let router = Router(context: DoorContext.self)
    // It sees what is added after it.
    router.add(middleware: SecureFromNowOn(side: side))
    router.get("/healthz") { _, _ in "ok\n" }
    IntakeRoutes(household).add(to: router)
    DoorPages(side, metricsToken: configuration.metricsToken).add(to: router)
    return router
  }

  /// Two fifths of the files that the system lets us have; who comes beyond that waits to be let in, where all of them
  /// are being answered: else the one that has asked for nothing for longest is closed.
  ///
  /// People's databases need the others, and libdispatch ends the process where it gets none.
  private static var mostConnections: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 400 }
    return max(100, Int(clamping: limit.rlim_cur) / 5 * 2)
  }

  private var bindAddress: BindAddress {
    switch configuration.address {
    case .network(let host, let port): .hostname(host, port: port)
    case .socket(let path): .unixDomainSocket(path: path)
    }
  }

  private func server() throws(HostFailure) -> HTTPServerBuilder {
    // Less than may be open at all: what is told to close is open until it is closed.
    let line = ConnectionLine(most: Self.mostConnections / 8 * 7)
    let http = HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [ConnectionLimits(line)],
        idleTimeout: .seconds(60)
      )
    )
    guard let tls = configuration.tls else { return http }
    try Self.requireReadable(tls.certificate, "--tls-cert")
    try Self.requireReadable(tls.key, "--tls-key")
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(tls.certificate)
      let settings = Self.withoutOldVersions(
        TLSConfiguration.makeServerConfiguration(
          certificateChain: chain.map { .certificate($0) },
          privateKey: .privateKey(try NIOSSLPrivateKey(file: tls.key, format: .pem))
        )
      )
      return try .tls(http, tlsConfiguration: settings)
    } catch {
      throw HostFailure(
        .badInput,
        "\(tls.certificate), \(tls.key): cannot be used as certificate and key in PEM: \(error)"
      )
    }
  }

  /// How https is spoken: with nobody in a version of TLS that is given up.
  ///
  /// - Source: RFC 8996: TLS 1.0 and 1.1 must not be used.
  package static func withoutOldVersions(_ settings: TLSConfiguration) -> TLSConfiguration {
    var settings = settings
    settings.minimumTLSVersion = .tlsv12
    return settings
  }

  /// Refuses what cannot be read, of which the certificate's reader says no more than that.
  private static func requireReadable(_ path: String, _ option: String) throws(HostFailure) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw HostFailure(.missing, "\(option) \(path): there is no such file")
    }
    guard !isFolder.boolValue else {
      throw HostFailure.folder("\(option) \(path)", .badInput)
    }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw HostFailure(.inputOutput, "\(option) \(path): cannot be read: check its permissions")
    }
  }
}
