import Basics
import FaultyDisk
import Foundation
import Geodesy
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import UserStore

/// What lies in the files after a day of use: nothing that says who, what or where.
@Suite struct SealTests {
  @Test func `NM-8.5: no title, name or coordinate is in the bytes of the files`() throws {
    let user = try User()
    let home = try user.add(place: "Gartenhaus", .home, 39.290412, -76.612189)
    let work = try user.add(place: "Uhrmacherei", .work, 39.301507, -76.600873)
    _ = try user.add("Kartoffeln ernten", at: home, notes: "Spaten im Schuppen")
    _ = try user.add("Taschenuhr abholen", at: work)
    _ = try user.add("Rezept einlösen", "pharmacy")
    let shop = PointOfInterest(
      sourceID: "node/4711",
      categories: [CategoryID("pharmacy")],
      name: "Löwenapotheke",
      coordinate: Coordinate(uncheckedLatitude: 39.295733, longitude: -76.606311)
    )
    var host = try Host(user, catalog: POICatalog([shop]))
    var visited: [Coordinate] = [home.coordinate, work.coordinate, shop.coordinate]
    var generator = SeededGenerator(seed: 5)
    for hour in 0..<8 {
      let stop = visited[hour % 3]
      for step in 0..<20 {
        let way = Double(step) / 19
        let from = Coordinate(uncheckedLatitude: 39.4, longitude: -76.5)
        let here = Coordinate(
          uncheckedLatitude: from.latitude + (stop.latitude - from.latitude) * way
            + generator.uniform(-1e-5...1e-5),
          longitude: from.longitude + (stop.longitude - from.longitude) * way
        )
        visited.append(here)
        try host.fix(here.latitude, here.longitude, at: user.tick())
      }
      try host.arrive(stop.latitude, stop.longitude, at: user.tick())
      if hour == 3 {
        _ = try user.store.act(.snoozeToday, on: "r2", at: user.tick(), zone: .utc).get()
        _ = try user.store
          .editPlace("p1", at: user.tick()) { old in
            Place(id: old.id, name: "Datsche", kind: old.kind, coordinate: old.coordinate)
          }
          .get()
        try host.takeInbox()
      }
      if hour == 5 { _ = try user.store.deleteReminder("r1", at: user.tick()).get() }
    }
    #expect(host.said.count > 8, "\(host.said)")
    let texts =
      [
        "Gartenhaus", "Uhrmacherei", "Datsche", "Kartoffeln", "ernten", "Spaten", "Schuppen",
        "Taschenuhr", "Rezept", "einlösen", "Löwenapotheke", "node/4711", "Arriving", "You're",
      ] + visited.flatMap(Self.spellings)
    let numbers = visited.flatMap(Self.encodings)
    let files = user.folder.names.filter { !$0.hasSuffix(".key") }
    #expect(files.contains("user.db"))
    var searched = 0
    for file in files {
      let bytes = try Data(contentsOf: user.folder.url.appendingPathComponent(file))
      searched += bytes.count
      for text in texts {
        #expect(bytes.range(of: Data(text.utf8)) == nil, "\(file) holds \(text)")
      }
      for number in numbers {
        #expect(bytes.range(of: number) == nil, "\(file) holds \(number.hex)")
      }
    }
    print("searched \(searched) bytes for \(texts.count) texts and \(numbers.count) numbers: none")
    // The search would find them: the state in the clear is full of them.
    let plain = try JSONEncoder().encode(host.engine.state)
    #expect(texts.contains { plain.range(of: Data($0.utf8)) != nil })
  }

  /// A coordinate as text: every spelling with five digits or more begins like these.
  private static func spellings(_ coordinate: Coordinate) -> [String] {
    [coordinate.latitude, coordinate.longitude].map { fixed($0, 7).dropLast(2) }.map(String.init)
  }

  /// A coordinate as IEEE 754 in both byte orders, as a float, and in ten-millionths of a degree.
  private static func encodings(_ coordinate: Coordinate) -> [Data] {
    [coordinate.latitude, coordinate.longitude]
      .flatMap { degrees in
        let bits = degrees.bitPattern
        let short = Float(degrees).bitPattern
        let e7 = Int32((degrees * 1e7).rounded())
        return [
          withUnsafeBytes(of: bits.littleEndian) { Data($0) },
          withUnsafeBytes(of: bits.bigEndian) { Data($0) },
          withUnsafeBytes(of: short.littleEndian) { Data($0) },
          withUnsafeBytes(of: short.bigEndian) { Data($0) },
          withUnsafeBytes(of: e7.littleEndian) { Data($0) },
          withUnsafeBytes(of: e7.bigEndian) { Data($0) },
        ]
      }
  }

  @Test func `a journal that a crash leaves behind holds nothing either`() throws {
    FaultyDisk.install()
    let user = try User()
    let home = try user.add(place: "Gartenhaus", .home, 39.290412, -76.612189)
    _ = try user.add("Kartoffeln ernten", at: home)
    var host = try Host(user)
    try host.fix(39.3, -76.6, at: user.tick())
    // The disk goes once the journal is full and the database is being written.
    FaultyDisk.plan(user.path, .broken, atWrite: nil)
    try host.fix(39.301, -76.6, at: user.tick())
    let writes = FaultyDisk.writes(user.path)
    FaultyDisk.plan(user.path, .broken, atWrite: writes - 1)
    #expect(throws: UserStoreError.self) { try host.fix(39.302, -76.6, at: user.tick()) }
    let journal = try Data(contentsOf: URL(fileURLWithPath: user.path + "-journal"))
    #expect(journal.count > 4_096)
    for text in ["Gartenhaus", "Kartoffeln", "39.29041", "76.61218", "39.30"] {
      #expect(journal.range(of: Data(text.utf8)) == nil, "the journal holds \(text)")
    }
    try FaultyDisk.repair(user.path)
  }

  @Test
  func
    `NM-8.2, CTX-7.3c: of the way only the newest position is kept, even for one who has the key`()
    throws
  {
    let user = try User()
    _ = try user.add("Rezept einlösen", "pharmacy")
    var host = try Host(user)
    for step in 0..<50 {
      try host.fix(39.30 + Double(step) * 0.000_123, -76.6, at: user.tick())
    }
    let size = try Data(contentsOf: URL(fileURLWithPath: user.path)).count
    for step in 50..<500 {
      try host.fix(39.30 + Double(step) * 0.000_123, -76.6, at: user.tick())
    }
    // Were older states kept, sealed or not, the file would have grown by them.
    #expect(try Data(contentsOf: URL(fileURLWithPath: user.path)).count == size)
    let journal = FileManager.default.contents(atPath: user.path + "-journal") ?? Data()
    #expect(journal.isEmpty)
    // And the state itself holds no way.
    let text = String(decoding: try JSONEncoder().encode(host.engine.state), as: UTF8.self)
    let held = (0..<500).count { text.contains(fixed(39.30 + Double($0) * 0.000_123, 6)) }
    #expect(held <= 3, "\(held) of 500 positions are in the state")
  }

  @Test func `sealing the same twice gives different bytes`() throws {
    let user = try User()
    var host = try Host(user)
    try host.take(Event(at: user.tick(), .timer))
    let first = try Data(contentsOf: URL(fileURLWithPath: user.path))
    _ = try user.store.load()
    try user.store.commit(Turn(state: host.engine.state))
    #expect(try Data(contentsOf: URL(fileURLWithPath: user.path)) != first)
  }

  @Test func `NM-10.6: what is redacted is not shown by print, dump or interpolation`() {
    let home = Redacted(Coordinate(uncheckedLatitude: 39.290412, longitude: -76.612189))
    let title = Redacted("Kartoffeln ernten")
    var dumped = ""
    dump(home, to: &dumped)
    dump([title], to: &dumped)
    for text in ["\(home) \(title)", String(describing: title), String(reflecting: home), dumped] {
      #expect(!text.contains("39.29") && !text.contains("Kartoffeln"), "\(text)")
      #expect(text.contains("<redacted>") || text == dumped)
    }
    #expect(title.value == "Kartoffeln ernten")
    let key = StoreKey(bytes: [UInt8](repeating: 0xAB, count: 32))
    var keyText = "\(key) \(String(reflecting: key))"
    dump(key, to: &keyText)
    #expect(!keyText.contains("171") && !keyText.lowercased().contains("abab"))
  }
}
