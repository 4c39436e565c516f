import Basics
import Fencing
import Geodesy

/// Which region sits in which of twenty fixed slots on an OwnTracks phone.
///
/// A slot has a name, an id and a time that never change: iOS knows a region by its `rid`, Android by its
/// `tst`. What is put into a slot replaces what was there, and nothing else is touched; a region that stays
/// keeps its slot.
package struct SlotPlan: Hashable, Sendable, Codable {
  /// As many as Core Location watches for one app.
  package static let slotCount = 20

  /// The region in each slot; nil for an empty one.
  package private(set) var regions: [Region?]
  /// What the newest answers held, the oldest first: each of them may have been lost.
  package internal(set) var answers: [ToldAnswer]
  /// The mode that was last asked for, in OwnTracks' numbers; nil if none was.
  package internal(set) var askedMode: Int?
  /// Whether the phone may have been told something else, so that it is told everything.
  package internal(set) var isDoubted = false

  /// A plan of empty slots.
  package init() {
    regions = Array(repeating: nil, count: Self.slotCount)
    answers = []
  }

  /// How many slots hold a region.
  package var count: Int { regions.count { $0 != nil } }

  /// Whether no slot holds a region.
  package var isEmpty: Bool { count == 0 }

  /// Reads a plan; one that was stored with another number of slots keeps those that there are.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let stored = try container.decode([Region?].self, forKey: .regions)
    regions = (0..<Self.slotCount).map { $0 < stored.count ? stored[$0] : nil }
    answers = try container.decode([ToldAnswer].self, forKey: .answers)
      .map {
        ToldAnswer(
          message: $0.message,
          slots: $0.slots.filter { (0..<Self.slotCount).contains($0) },
          hasMode: $0.hasMode
        )
      }
    askedMode = try container.decodeIfPresent(Int.self, forKey: .askedMode)
    isDoubted = try container.decodeIfPresent(Bool.self, forKey: .isDoubted) ?? false
  }

  // MARK: - Lost answers

  /// So many answers are known: a request that is sent again comes soon, and so do late copies of older ones.
  private static let mostAnswers = 16

  /// What was told from the first answer to any of some requests on: that one was lost, if its request comes again.
  func told(since messages: [UInt64]) -> [ToldAnswer] {
    guard let first = answers.firstIndex(where: { messages.contains($0.message) }) else {
      return []
    }
    return Array(answers[first...])
  }

  /// Notes what an answer holds.
  mutating func note(_ answer: ToldAnswer) {
    answers.append(answer)
    answers.removeFirst(max(0, answers.count - Self.mostAnswers))
  }

  // MARK: - The fixed names

  /// The id of a slot: `nearme01` for the first.
  package static func id(_ slot: Int) -> String { "nearme" + twoDigits(slot + 1) }

  /// What the phone shows for a slot.
  ///
  /// Unique, since it is the system's identifier on an iPhone; without a colon, a bar, or a plus or minus in
  /// front, which mean something there; and without a reminder's words, which are nobody else's business on a
  /// lock screen.
  package static func name(_ slot: Int) -> String { "Near Me " + twoDigits(slot + 1) }

  /// The time of a slot, in Unix seconds: its identity on Android.
  ///
  /// In the first minute of 2000 no person made a region.
  package static func seconds(_ slot: Int) -> Int { 946_684_801 + slot }

  /// The slot that a phone speaks of; nil for a region of the person's own.
  static func slotID(rid: String?, tst: Double?) -> String? {
    if let rid { return (0..<slotCount).contains { id($0) == rid } ? rid : nil }
    guard let tst, tst >= Double(seconds(0)), tst <= Double(seconds(slotCount - 1)),
      tst == tst.rounded()
    else {
      return nil
    }
    return id(Int(tst) - seconds(0))
  }

  /// The slot of an id.
  package static func slot(id: String) -> Int? { (0..<slotCount).first { Self.id($0) == id } }

  // MARK: - Placing

  /// Puts regions into slots.
  ///
  /// - Parameter capacity: how many slots may be used; those beyond it are emptied.
  /// - Parameter regions: the first ones are taken if there are more than fit, and one of an id.
  /// - Returns: the slots that are not what they were for the phone, in order. A region that only has another id,
  ///   or moved by less than is written, is none.
  package mutating func place(_ regions: [Region], capacity: Int = Self.slotCount) -> [Int] {
    let before = self.regions
    var wanted: [String: Region] = [:]
    var order: [String] = []
    for region in regions
    where order.count < max(0, min(capacity, Self.slotCount)) && wanted[region.id] == nil {
      wanted[region.id] = region
      order.append(region.id)
    }
    for slot in self.regions.indices {
      guard let id = self.regions[slot]?.id, slot < capacity,
        let region = wanted.removeValue(forKey: id)
      else {
        self.regions[slot] = nil
        continue
      }
      self.regions[slot] = region
    }
    var free = self.regions.indices.filter { self.regions[$0] == nil }[...]
    for id in order {
      guard let region = wanted[id], let slot = free.popFirst() else { continue }
      self.regions[slot] = region
    }
    return self.regions.indices.filter { Self.circle(before[$0]) != Self.circle(self.regions[$0]) }
  }

  /// Forgets what a phone was told: it was set up anew.
  package mutating func forget() { self = SlotPlan() }

  /// Has everything told with the next answer: what is known here may be older than the last one.
  package mutating func doubt() { isDoubted = true }

  private static func circle(_ region: Region?) -> SlotCircle? { region.map(SlotCircle.init) }
}

/// What an answer told a phone, which may have lost it.
package struct ToldAnswer: Hashable, Sendable, Codable {
  /// The number of the request.
  let message: UInt64
  /// The slots of which it spoke, in order.
  let slots: [Int]
  /// Whether it asked for a mode.
  let hasMode: Bool
}

/// A region as it is written for a phone.
struct SlotCircle: Hashable {
  let latitude: String
  let longitude: String
  let radiusMeters: Int

  /// Writes a region.
  ///
  /// Seven digits are a centimeter. The radius is whole, since Android reads no other: rounded so that the
  /// phone wakes us rather too early than too late.
  init(_ region: Region) {
    latitude = fixed(region.center.latitude, 7)
    longitude = fixed(region.center.longitude, 7)
    let meters = region.radiusMeters.rounded(region.kind == .enter ? .up : .down)
    radiusMeters = meters.isFinite ? Int(min(max(meters, 1), 10_000_000)) : 10_000_000
  }
}
