import Basics
import Fencing
import Timeline

/// What is answered to a POST of OwnTracks: a JSON array of commands, `[]` when there is nothing to say.
///
/// iOS is given the whole plan whenever something of it changed, and compares by itself; a latitude off the
/// globe takes a slot away. Android is given changed slots only, since each one that is listed begins anew
/// there, with an "enter" if one stands in it; an empty slot is parked, for it cannot be taken away without
/// taking all. Both are told what was in an answer that may have been lost once more. Every command is one
/// that both apps know: Android throws away an answer with another.
///
/// - Parameter slots: what sits where; where it may be older than the last answer, ``SlotPlan/doubt()`` it.
/// - Parameter knownHeld: what the phone has said in this very request that it holds: what differs is said again.
///   Nil at all other requests, or the same would be said over and over.
/// - Source: what OwnTracks for iOS 26.3 and for Android 2.6 obey.
package func ownTracksAnswer(
  kind: PhoneKind,
  orders: PhoneOrders,
  slots: inout SlotPlan,
  knownHeld: [HeldRegion]? = nil,
  options: AnswerOptions = AnswerOptions()
) -> String {
  guard kind != .unknown, options.allowsCommands else { return "[]" }
  var commands: [String] = []
  let isOld = !options.later.isEmpty
  let lost = slots.told(since: (options.message.map { [$0] } ?? []) + options.later)
  var told: [Int] = []
  if kind == .android || kind == .iOS && options.allowsConfiguration {
    told = isOld ? [] : slots.toTell(orders.regions, knownHeld, options)
    told = Set(told + lost.flatMap(\.slots)).sorted()
    if !told.isEmpty {
      let listed = kind == .iOS ? Array(0..<SlotPlan.slotCount) : told
      commands.append(setWaypoints(listed.map { slots.waypoint($0, for: kind) }))
    }
  }
  var mode: Int?
  if options.allowsConfiguration {
    let isChanged = !isOld && slots.changeMode(orders)
    if isChanged || lost.contains(where: \.hasMode) { mode = slots.askedMode }
  }
  if let mode { commands.append(setMode(mode)) }
  if let message = options.message, !isOld, !told.isEmpty || mode != nil {
    slots.note(ToldAnswer(message: message, slots: told, hasMode: mode != nil))
  }
  if orders.wantsPosition { commands.append(command("reportLocation").closed) }
  if orders.wantsHeldRegions { commands.append(command("waypoints").closed) }
  if orders.wantsStatus { commands.append(command("status").closed) }
  return JSONText.array(commands)
}

/// The same, for a phone with both switches on.
package func ownTracksAnswer(
  kind: PhoneKind,
  orders: PhoneOrders,
  slots: inout SlotPlan,
  hasFollowRegion: Bool
) -> String {
  ownTracksAnswer(
    kind: kind,
    orders: orders,
    slots: &slots,
    options: AnswerOptions(hasFollowRegion: hasFollowRegion)
  )
}

private func command(_ action: String) -> JSONText {
  var json = JSONText()
  json.add("_type", "cmd")
  json.add("action", action)
  return json
}

private func setWaypoints(_ waypoints: [String]) -> String {
  var list = JSONText()
  list.add("_type", "waypoints")
  list.add("waypoints", json: JSONText.array(waypoints))
  var json = command("setWaypoints")
  json.add("waypoints", json: list.closed)
  return json.closed
}

private func setMode(_ mode: Int) -> String {
  var configuration = JSONText()
  configuration.add("_type", "configuration")
  configuration.add("monitoring", mode)
  var json = command("setConfiguration")
  json.add("configuration", json: configuration.closed)
  return json.closed
}

extension SlotPlan {
  /// Regions move, every position: the app's numbers for its modes.
  static let (significantMode, moveMode) = (1, 2)

  /// Where empty slots are parked on Android: on the ice of the Antarctic, one beside the other.
  ///
  /// - Source: a radius of 0 is refused by Google's services; 100 m is the least that they advise.
  static let (parkedLatitude, parkedRadiusMeters) = (-85, 100)

  /// Places the regions, and says of which slots the phone has to be told.
  fileprivate mutating func toTell(
    _ regions: [Region],
    _ knownHeld: [HeldRegion]?,
    _ options: AnswerOptions
  ) -> [Int] {
    let changed = place(
      regions,
      capacity: options.hasFollowRegion ? Self.slotCount - 1 : Self.slotCount
    )
    if isDoubted {
      isDoubted = false
      return Array(0..<Self.slotCount)
    }
    return changed + (knownHeld.map(differing) ?? [])
  }

  /// A slot as an app reads it.
  fileprivate func waypoint(_ slot: Int, for kind: PhoneKind) -> String {
    var json = JSONText()
    json.add("_type", "waypoint")
    json.add("desc", Self.name(slot))
    if kind == .iOS { json.add("rid", Self.id(slot)) }
    json.add("tst", Self.seconds(slot))
    if let region = regions[slot] {
      let circle = SlotCircle(region)
      json.add("lat", json: circle.latitude)
      json.add("lon", json: circle.longitude)
      json.add("rad", circle.radiusMeters)
    } else {
      json.add("lat", kind == .iOS ? 200 : Self.parkedLatitude)
      json.add("lon", kind == .iOS ? 0 : slot)
      json.add("rad", Self.parkedRadiusMeters)
    }
    return json.closed
  }

  /// The mode to ask for: every position while something is followed, and then what it was before.
  ///
  /// It is asked for once: a person who chooses another mode meanwhile has the last word. A phone that is in
  /// it by itself is left alone.
  ///
  /// - Returns: whether it is another one than was asked for.
  fileprivate mutating func changeMode(_ orders: PhoneOrders) -> Bool {
    var wanted = askedMode
    if orders.followUntil != nil {
      if askedMode != Self.moveMode, orders.mode != "move" { wanted = Self.moveMode }
    } else if askedMode == Self.moveMode {
      wanted = Self.significantMode
    }
    defer { askedMode = wanted }
    return wanted != askedMode
  }
}
