import Foundation
import NearMeEngine
import Places
import SettingsFiles
import Timeline

/// Repeats what a journal recorded: the same events, the same engine, the same lines.
package struct JournalReplay {
  /// What was read.
  package struct Report: Hashable, Sendable {
    /// How often the host was started.
    package var launches = 0
    /// How many events were handled.
    package var events = 0
    /// Whether the last line is incomplete, as a kill leaves it.
    package var endsTorn = false
  }

  private let path: String
  private let catalog: POICatalog

  /// Makes a replay.
  ///
  /// - Parameter catalog: the points of interest that the host had.
  package init(path: String, catalog: POICatalog) {
    self.path = path
    self.catalog = catalog
  }

  /// Runs it.
  ///
  /// Events at the end of one life whose outcome the next life did not know happen again there; what
  /// they tell is told once.
  ///
  /// - Parameter deliver: takes what a sink was told, with its key, and the zone of the host.
  /// - Throws: ``HostFailure`` that names the line that is wrong.
  package func run(
    _ deliver: (Delivery, UTCOffsetTable) throws -> Void
  ) throws -> Report {
    var report = Report()
    var launches: [(identity: String, serial: Int)] = []
    _ = try forEachLine { line, number in
      if let launch = try launch(line, number) {
        launches.append((launch.identity, launch.serial))
      }
    }
    guard !launches.isEmpty else {
      throw HostFailure(.badInput, "\(path): holds no launch: record one with nearme run --journal")
    }
    let fingerprint = CatalogFingerprint(catalog).text
    var life: Life?
    report.endsTorn = try forEachLine { line, number in
      if let launch = try launch(line, number) {
        guard launch.catalog == fingerprint else {
          throw HostFailure(
            .badInput,
            "\(path): line \(number): the host had another cache of places: give that one "
              + "(\(launch.catalog) there, \(fingerprint) here)"
          )
        }
        report.launches += 1
        let next = launches.count > report.launches ? launches[report.launches] : nil
        life = Life(
          launch,
          catalog,
          lastSerial: next?.identity == launch.identity ? next?.serial : nil
        )
      } else {
        let event = try decode(Event.self, line, number)
        guard let deliveries = life?.handle(event), let zone = life?.zone else {
          throw HostFailure(
            .badInput,
            "\(path): line \(number): an event before any launch: the file's beginning is missing"
          )
        }
        report.events += 1
        for delivery in deliveries { try deliver(delivery, zone) }
      }
    }
    return report
  }

  /// One life of the host, lived again.
  private struct Life {
    var zone: UTCOffsetTable { engine.zone }
    private let identity: String
    /// The last delivery that the next life knew of; nil if there is no next one.
    private let lastSerial: Int?
    private var serial: Int
    private var engine: Engine
    private var shown: ShownNews

    init(_ launch: JournalLaunch, _ catalog: POICatalog, lastSerial: Int?) {
      identity = launch.identity
      serial = launch.serial
      self.lastSerial = lastSerial
      engine = Engine(
        policy: launch.policy,
        zone: launch.zone,
        zones: SystemZones(),
        tones: launch.tones,
        catalog: catalog,
        monitoring: .everyFix,
        state: launch.state
      )
      shown = ShownNews(engine)
    }

    /// - Returns: what the host told, but for what the next life told again.
    mutating func handle(_ event: Event) -> [Delivery] {
      let effects = engine.handle(event)
      return shown.news(of: effects, event, engine)
        .compactMap { news in
          serial += 1
          guard serial <= lastSerial ?? .max else { return nil }
          return Delivery(key: "\(identity)-\(serial)", at: news.at, news.news)
        }
    }
  }

  private func launch(_ line: Data, _ number: Int) throws(HostFailure) -> JournalLaunch? {
    guard line.starts(with: Data("{\"launch\":".utf8)) else { return nil }
    return try decode(JournalLine.self, line, number).launch
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type,
    _ line: Data,
    _ number: Int
  ) throws(HostFailure) -> Value {
    do {
      return try JSONDecoder().decode(type, from: line)
    } catch {
      var message = "\(path): line \(number): is no line of a journal that this version reads"
      // Without a path it is no JSON at all, and the decoder's own words help nobody.
      if case .dataCorrupted(let context)? = error as? DecodingError, !context.codingPath.isEmpty {
        message += ": \(context.debugDescription)"
      }
      throw HostFailure(.badInput, message)
    }
  }

  /// - Returns: whether the last line has no end; it is not handed over.
  private func forEachLine(_ body: (Data, Int) throws -> Void) throws -> Bool {
    guard let file = fopen(path, "r") else {
      throw HostFailure(
        errno == ENOENT ? .missing : .inputOutput,
        "\(path): cannot be read: \(systemError(errno))"
      )
    }
    defer { fclose(file) }
    var text: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(text) }
    var number = 0
    while true {
      let count = getline(&text, &capacity, file)
      guard count > 0, let text else { break }
      number += 1
      let line = Data(bytes: text, count: count)
      guard line.last == 0x0A else { return true }
      try body(line.dropLast(), number)
    }
    guard ferror(file) == 0 else {
      if errno == EISDIR { throw HostFailure.folder(path, .badInput) }
      throw HostFailure(.inputOutput, "\(path): cannot be read to its end: check the disk")
    }
    return false
  }
}
