import Foundation
import Geodesy
import LiveHost
import Phones
import Timeline
import Traces

/// What a desk must know after a kill, kept in the same transaction as the engine's state.
struct DeskMemory: Hashable, Sendable, Codable, HostGuest {
  /// Things of a body, one after the other: bodies are taken in thing by thing.
  struct Items: Hashable, Sendable, Codable {
    let serial: Int64
    /// The first of them.
    var index: Int
    /// How many; nil is one.
    var count: Int?

    var range: Range<Int> { index..<index + (count ?? 1) }
  }

  /// The door's file whose numbers these are; nil where an earlier version has written them.
  var door: String?
  /// Bodies up to this serial have been taken in.
  var workedOff: Int64 = 0
  /// What of later bodies has been taken in: they are put in order of time together.
  var done: [Items] = []
  /// The phone whose positions count.
  var leading: Int64?
  /// What is known of each phone, in the order of their numbers.
  var devices: [DeviceMemory] = []

  init(door: String) { self.door = door }

  /// What is still so at a door: numbers of another one, or of the present one before its file was put back, are of
  /// other bodies and phones.
  ///
  /// - Parameter newest: the newest serial that can have been taken in.
  func at(door identity: String, newestSerial newest: Int64) -> DeskMemory {
    guard door.map({ $0 == identity }) ?? (workedOff <= newest) else {
      return DeskMemory(door: identity)
    }
    var memory = self
    memory.door = identity
    if workedOff > newest { (memory.workedOff, memory.done) = (newest, []) }
    return memory
  }

  /// Notes that a thing of a body is taken in.
  ///
  /// - Returns: whether it is for the first time.
  /// - Complexity: O(bodies), where the things of each come in its own order.
  mutating func noteDone(serial: Int64, index: Int) -> Bool {
    var next: Int?
    for (i, items) in done.enumerated() where items.serial == serial {
      if items.range.contains(index) { return false }
      if items.range.upperBound == index { next = i }
    }
    if let next {
      done[next].count = done[next].range.count + 1
    } else {
      done.append(Items(serial: serial, index: index))
    }
    return true
  }

  /// What is known of a phone; a new entry where nothing is.
  subscript(device id: Int64) -> DeviceMemory {
    get { devices.first { $0.id == id } ?? DeviceMemory(id: id) }
    set {
      if let index = devices.firstIndex(where: { $0.id == id }) {
        devices[index] = newValue
      } else {
        devices.append(newValue)
        devices.sort { $0.id < $1.id }
      }
    }
  }

  var stored: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("what a desk remembers can always be written")
    }
    return data
  }
}

/// What is known of one phone of a person.
struct DeviceMemory: Hashable, Sendable, Codable {
  /// Its number.
  let id: Int64
  /// From where it would have to move to count as moving.
  var anchor: Fix?
  /// When it moved last.
  var movedAt: Timestamp?
  /// When its newest position, and none before it, was somewhere else than where it has lain; nil if it was not.
  var jumpedAt: Timestamp?
  /// The newest fix it sent.
  var newestFix: Timestamp?
  /// What says that its clock is behind.
  var clockLag: ClockLag?
  /// Which regions sit in which slots of it.
  var slots = SlotPlan()
  /// Bodies that it has sent since regions were asked of it and it has shown none.
  var bodiesWithoutRegions = 0
  /// Whether it has shown regions of ours.
  var hasShownRegions = false
  /// What it did not hold when it was last asked.
  var missing: [String] = []
  /// Whether it is to be asked what it holds, with the next answer.
  var isToBeAsked = false
  /// So many bodies it has sent since it was last asked what it holds; nil if it never was.
  var bodiesSinceAsked: Int?
  /// What it had been told when it was asked what it holds; nil while no question is open.
  var slotsWhenAsked: SlotPlan?
  /// What the last answer asked for: it is asked for again where that answer was lost.
  var lastQuestions: PhoneQuestions?
  /// The messages that it has sent last; nil: none.
  var messages: RecentMessages?
  /// What it calls itself.
  var userAgent: String?
  /// What it said of itself last, by name.
  var status: [String: String] = [:]
  /// The charge in percent that the engine was told of last; 100 while it is charged.
  var charge: Int?
  /// The charge in percent that it told of last.
  var battery: Int?

  init(id: Int64) { self.id = id }
}

extension DeskMemory {
  /// A phone that is this far from where it was has moved, in meters; more where its positions are worse.
  ///
  /// - Source: beyond the scatter of a phone that lies indoors, 15 to 65 m in our recordings.
  private static let movedMeters = 100.0
  /// A phone that lies while another one moves for so long has been left behind.
  private static let leftBehind = Milliseconds.minutes(5)

  /// What has moved within this is on the way: a position somewhere else needs no second one.
  ///
  /// - Source: judgment: longer than the spans between positions of a phone on the way.
  private static let movesOnFor = Milliseconds.minutes(15)

  /// A position that may be off by so many meters says nothing of who carries which phone.
  ///
  /// - Source: judgment: as far as a cell of a town reaches.
  private static let worstMeters = 1_000.0

  /// Takes in a fix of a phone, and decides whose positions count.
  ///
  /// The phone that moves is on the person; one that lies at home or on a desk is not. With both on the person the
  /// leading one stays.
  ///
  /// - Returns: whether this fix counts.
  mutating func follow(_ fix: Fix, of id: Int64) -> Bool {
    guard fix.horizontalAccuracyMeters <= Self.worstMeters else {
      return leading == nil || leading == id
    }
    var device = self[device: id]
    device.newestFix = max(fix.at, device.newestFix ?? fix.at)
    if let anchor = device.anchor {
      let scatter = 2 * max(fix.horizontalAccuracyMeters, anchor.horizontalAccuracyMeters)
      if anchor.coordinate.distanceMeters(to: fix.coordinate) <= max(Self.movedMeters, scatter) {
        device.jumpedAt = nil
      } else if device.jumpedAt == nil,
        device.movedAt.map({ fix.at - $0 > Self.movesOnFor }) ?? true
      {
        // A single position of what lies still may lie itself: the next one has to be somewhere else, too.
        device.jumpedAt = fix.at
      } else {
        device.anchor = fix
        device.movedAt = fix.at
        device.jumpedAt = nil
      }
    } else {
      device.anchor = fix
      device.movedAt = fix.at
    }
    self[device: id] = device
    guard let current = leading, devices.contains(where: { $0.id == current }) else {
      leading = id
      return true
    }
    guard current != id else { return true }
    guard let moved = device.movedAt, moved == fix.at,
      moved - (self[device: current].movedAt ?? moved) > Self.leftBehind
    else { return false }
    leading = id
    return true
  }
}
