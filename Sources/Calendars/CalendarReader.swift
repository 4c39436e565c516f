import Basics
import Geodesy
import NearMeEngine
import Places
import Recurrence
import Timeline

/// Reads reminders from calendars: tasks and events of RFC 5545 with the alarms of RFC 9074, and of Apple.
public struct CalendarReader: Sendable {
  /// What a file came to.
  public struct Reading: Sendable {
    /// The reminders and places that could be taken.
    public var document = CalendarDocument()
    /// Why others could not be.
    public var refusals: [CalendarError] = []
    /// Whether one of those is a task or an event.
    package fileprivate(set) var hasRefusedTasks = false
    /// What of those that were taken was left out.
    public var notices: [CalendarNotice] = []
    /// Where each place stands in the document.
    fileprivate var indexOfPlace: [String: Int] = [:]
  }

  private let zones: any ZoneSource
  private let now: Timestamp?
  private let here: UTCOffsetTable?

  /// Makes one.
  ///
  /// - Parameters:
  ///   - zones: knows the zones that times are written in; where a name leaves doubt, the file's definition tells which.
  ///   - now: alarms at earlier instants are past; nil: at those before the file's own dates.
  ///   - here: the zone of whole days whose alarms are at instants, where the file names none; nil: UTC.
  public init(zones: any ZoneSource, now: Timestamp? = nil, here: UTCOffsetTable? = nil) {
    self.zones = zones
    self.now = now
    self.here = here
  }

  /// Reads the calendars of a file.
  ///
  /// What is wrong with one task refuses that task and no other.
  ///
  /// - Throws: ``CalendarError`` for a file that is no calendar.
  /// - Complexity: O(bytes).
  public func read(_ bytes: [UInt8]) throws(CalendarError) -> Reading {
    var reading = Reading()
    var tasks = Tasks()
    for calendar in try CalendarComponent.calendars(bytes) {
      // What is left out of a calendar is none of its tasks.
      reading.refusals += calendar.faults
      addPlaces(of: calendar, to: &reading)
      var context = CalendarContext(calendar, zones, here: here)
      context.now = now
      read(calendar.components, context, into: &reading, &tasks)
    }
    move(tasks, &reading)
    return reading
  }

  /// The tasks of a file, whose UIDs are its own, however many calendars it has.
  private struct Tasks {
    /// Those that are no occurrence of another.
    var read: [String: Task] = [:]
    /// An occurrence that was moved is a task of its own with its series' UID.
    var moved: [(component: CalendarComponent, context: CalendarContext)] = []
  }

  private struct Task {
    /// Where it stands in the document.
    let index: Int
    /// What it says by the standard.
    let standard: Reminder
    /// What of it was left out.
    let losses: [String]
    /// Those of its triggers that follow its time, and by how many seconds.
    let later: [(seconds: Int64, trigger: Trigger)]
  }

  private func read(
    _ components: [CalendarComponent],
    _ context: CalendarContext,
    into reading: inout Reading,
    _ tasks: inout Tasks
  ) {
    for component in components {
      switch component.name {
      case "VTIMEZONE": continue
      case "VTODO", "VEVENT":
        if component["RECURRENCE-ID"] != nil {
          tasks.moved.append((component, context))
          continue
        }
        do throws(CalendarError) {
          var task = try StandardTask.read(component, context: context)
          Self.recognizePlaces(of: &task, component)
          let standard = task.item.reminder
          task.item = try Self.merged(task, with: component, context)
          guard tasks.read[standard.id] == nil else {
            throw CalendarError(component.number, "the UID \(standard.id) comes twice")
          }
          tasks.read[standard.id] = Task(
            index: reading.document.items.count,
            standard: standard,
            losses: task.losses,
            later: task.later
          )
          add(task, component, to: &reading)
        } catch {
          reading.refusals.append(error)
          reading.hasRefusedTasks = true
        }
      default:
        reading.refusals.append(
          CalendarError(component.number, "\(component.name) is neither a task nor an event")
        )
      }
    }
  }

  private func add(
    _ task: StandardTask.Reading,
    _ component: CalendarComponent,
    to reading: inout Reading
  ) {
    var task = task
    giveFreeIDs(to: &task, besides: reading)
    let id = task.item.reminder.id
    for place in task.places { add(place, to: &reading) }
    addPlaces(of: component, to: &reading, unless: task.places)
    reading.document.items.append(task.item)
    if !task.losses.isEmpty {
      reading.notices.append(
        CalendarNotice(id, "left out: " + task.losses.joined(separator: ", "))
      )
    }
  }

  /// Gives places whose ids other ones of the file have ids of their own, the same for the same place.
  private func giveFreeIDs(to task: inout StandardTask.Reading, besides reading: Reading) {
    var ids: [String: String] = [:]
    for (i, place) in task.places.enumerated() {
      guard let k = reading.indexOfPlace[place.id],
        !Self.isSame(reading.document.places[k], place)
      else { continue }
      let point = place.coordinate
      let hash = FNV1a("\(point.latitude),\(point.longitude)\n\(place.name)")
      let id = place.id + "-" + hash.text
      ids[place.id] = id
      task.places[i] = Place(
        id: id,
        name: place.name,
        kind: place.kind,
        coordinate: point,
        arrivalRadiusMeters: place.arrivalRadiusMeters
      )
    }
    if !ids.isEmpty { task.item.reminder = task.item.reminder.renamingPlaces(ids) }
  }

  private static func isSame(_ one: Place, _ other: Place) -> Bool {
    one.asTold.name == other.asTold.name && one.lies(where: other)
  }

  /// Adds the places of our own property.
  ///
  /// - Parameter told: the places that the task's alarms name, which count: another program may have moved them.
  private func addPlaces(
    of component: CalendarComponent,
    to reading: inout Reading,
    unless told: [Place] = []
  ) {
    for line in component.all(StandardTask.placeProperty) {
      do throws(CalendarError) {
        let place = try Self.place(line)
        if told.contains(where: { $0.id == place.id && $0 != place.asTold }) { continue }
        add(place, to: &reading)
      } catch {
        reading.refusals.append(error)
      }
    }
  }

  /// Has the places of alarms that another program wrote anew be those that our own property names.
  private static func recognizePlaces(
    of task: inout StandardTask.Reading,
    _ component: CalendarComponent
  ) {
    guard component[StandardTask.ownProperty] != nil, !task.places.isEmpty else { return }
    let noted = component.all(StandardTask.placeProperty).compactMap { try? place($0) }
    var ids: [String: String] = [:]
    for place in task.places where !noted.contains(where: { $0.id == place.id }) {
      ids[place.id] =
        noted.first { isSame($0, place) }?.id
    }
    task.item.reminder = task.item.reminder.renamingPlaces(ids)
    task.places.removeAll { ids[$0.id] != nil }
  }

  private func add(_ place: Place, to reading: inout Reading) {
    guard let i = reading.indexOfPlace[place.id] else {
      reading.indexOfPlace[place.id] = reading.document.places.count
      reading.document.places.append(place)
      return
    }
    let known = reading.document.places[i]
    if known.asTold == place.asTold {
      // A name's control characters are in our own property only.
      if known == known.asTold { reading.document.places[i] = place }
    } else {
      reading.notices.append(CalendarNotice(place.id, "is there twice: the first one counts"))
    }
  }

  /// Puts the times of occurrences that have a task of their own into their series.
  private func move(_ tasks: Tasks, _ reading: inout Reading) {
    var changes: [Int: (trigger: Int, times: MovedTimes)] = [:]
    for (component, context) in tasks.moved {
      do throws(CalendarError) {
        let task = try StandardTask.read(component, context: context)
        let times = TaskTimes(task: component, context: context)
        try move(task, at: times, of: tasks, &changes, &reading)
      } catch {
        reading.refusals.append(error)
        reading.hasRefusedTasks = true
      }
    }
    for series in tasks.read.values {
      guard let change = changes[series.index] else { continue }
      for trigger in reading.document.items[series.index].reminder.triggers.indices.reversed() {
        let known = reading.document.items[series.index].reminder.triggers[trigger]
        let later = series.later.first { $0.trigger == known }?.seconds
        guard let schedule = known.schedule, later != nil || trigger == change.trigger else {
          continue
        }
        let times = later.map { change.times.later(by: $0) } ?? change.times
        let zone = schedule.zone.flatMap { zones.zone(named: $0) }
        reading.document.items[series.index].reminder.triggers
          .replaceSubrange(trigger...trigger, with: times.triggers(of: schedule, zone: zone))
      }
    }
  }

  private func move(
    _ task: StandardTask.Reading,
    at times: TaskTimes,
    of tasks: Tasks,
    _ changes: inout [Int: (trigger: Int, times: MovedTimes)],
    _ reading: inout Reading
  ) throws(CalendarError) {
    let component = times.task
    let id = task.item.reminder.id
    guard let line = component["RECURRENCE-ID"], let series = tasks.read[id],
      let trigger = reading.document.items[series.index].reminder.triggers
        .firstIndex(where: { $0.schedule?.recurs ?? false }),
      let schedule = reading.document.items[series.index].reminder.triggers[trigger].schedule
    else {
      throw CalendarError(component.number, "RECURRENCE-ID: \(id) is no series of the file")
    }
    guard line["RANGE"]?.uppercased() != "THISANDFUTURE" else {
      throw CalendarError(
        line.number,
        "RECURRENCE-ID with RANGE=THISANDFUTURE: \(id) has other times from then on, which are not taken: "
          + "write them as a series of their own, and end the first one with UNTIL"
      )
    }
    let was = try times.time(line, in: schedule.zone)
    var new: WrittenTime?
    let isStillToCome = task.item.reminder.status == .active
    if isStillToCome, component["DTSTART"] == nil, component["DUE"] == nil {
      // It says nothing of its time.
      new = was
    } else if isStillToCome, let moved = task.item.reminder.triggers.firstSchedule, !moved.recurs {
      new =
        moved.zone == schedule.zone || moved.start.isDate
        ? moved.start : times.instant(moved.start, in: moved.zone)
    }
    changes[series.index, default: (trigger, MovedTimes())].times
      .add(was, movedTo: new, in: schedule)
    let lost = Self.lost(task, series, isStillToCome: isStillToCome)
    if !lost.isEmpty {
      reading.notices.append(
        CalendarNotice(id, "left out of \(was): " + lost.joined(separator: ", "))
      )
    }
  }

  /// What an occurrence says otherwise than its series, but its time.
  ///
  /// - Parameter isStillToCome: of one that is done only the title is named.
  private static func lost(
    _ task: StandardTask.Reading,
    _ series: Task,
    isStillToCome: Bool
  ) -> [String] {
    let (its, all) = (task.item.reminder, series.standard)
    var lost: [String] = []
    if its.title != all.title { lost.append("another title") }
    guard isStillToCome else { return lost }
    if its.notes != all.notes { lost.append("other notes") }
    if its.priority != all.priority { lost.append("another priority") }
    let (first, second) = (its.triggers.alarms, all.triggers.alarms)
    let others = first.others.filter { trigger in !task.later.contains { $0.trigger == trigger } }
    let allOthers = second.others.filter { trigger in
      !series.later.contains { $0.trigger == trigger }
    }
    if its.nag != all.nag || first.leads != second.leads || others != allOthers
      || task.later.map(\.seconds) != series.later.map(\.seconds)
    {
      lost.append("other alarms")
    }
    return lost + task.losses.filter { !series.losses.contains($0) }
  }

  // MARK: - Our own property

  private static func place(_ line: CalendarLine) throws(CalendarError) -> Place {
    let place: Place = try decoded(line)
    guard
      (try? Coordinate(
        latitude: place.coordinate.latitude,
        longitude: place.coordinate.longitude
      )) != nil, place.arrivalRadiusMeters.map({ $0 > 0 && $0 <= Tier.longestMeters }) ?? true
    else { throw CalendarError(line.number, "\(line.name): no such position or radius") }
    return place
  }

  private static func reminder(_ line: CalendarLine) throws(CalendarError) -> Reminder {
    let reminder: Reminder = try decoded(line)
    // As a reminders file has it.
    guard (-1_000...1_000).contains(reminder.priority) else {
      throw CalendarError(line.number, "\(line.name): a priority is from -1000 to 1000")
    }
    if let nag = reminder.nag, nag.every < .minutes(1) || !(1...1_000).contains(nag.atMost) {
      throw CalendarError(line.number, "\(line.name): a nag comes every minute at most, 1000 times")
    }
    return reminder
  }

  private static func decoded<Value: Decodable>(
    _ line: CalendarLine
  ) throws(CalendarError) -> Value {
    do { return try JSONValue.parse(line.text).decoded(Value.self) } catch {
      var reason = "\(error)"
      if case .dataCorrupted(let context) = error as? DecodingError {
        reason = context.debugDescription
      } else if let json = error as? JSONError {
        reason = json.reason
      }
      throw CalendarError(line.number, "\(line.name) is not as we write it: \(reason)")
    }
  }

  /// What our own property says beyond the task; where another program has changed the task since, the task counts.
  private static func merged(
    _ reading: StandardTask.Reading,
    with component: CalendarComponent,
    _ context: CalendarContext
  ) throws(CalendarError) -> CalendarDocument.Item {
    var item = reading.item
    if let line = component[StandardTask.answersProperty] { item.answers = try decoded(line) }
    guard let line = component[StandardTask.ownProperty] else { return item }
    let task = item.reminder
    var own = Reminder(try reminder(line), id: task.id)
    if own.title.isEmpty { own.title = task.title }
    if own.notes == nil { own.notes = task.notes }
    let noted: [Place] = try component.all(StandardTask.placeProperty)
      .map { (line) throws(CalendarError) in try place(line) }
    // What the task said when our property was written.
    let written = StandardTask.component(
      CalendarDocument.Item(own),
      places: reading.places + noted,
      zones: context.zones,
      stamp: Timestamp(milliseconds: 0)
    )
    let known = Set((reading.places + noted).map { Reminder.Target.place($0.id) })
    // Its alarm was taken out, and older versions of ours named the place there only.
    own.triggers.removeAll { trigger in
      guard let target = trigger.target, case .place = target else { return false }
      return !known.contains(target)
    }
    let was: Reminder
    do throws(CalendarError) {
      was = try StandardTask.read(written, context: context).item.reminder
    } catch {
      throw CalendarError(line.number, "\(line.name): \(error.reason)")
    }
    if was.title != task.title { own.title = task.title }
    if was.notes != task.notes { own.notes = task.notes }
    if was.status != task.status { own.status = task.status }
    if was.priority != task.priority { own.priority = task.priority }
    if was.nag != task.nag { own.nag = task.nag }
    if was.triggers != task.triggers {
      let (mine, its) = (own.triggers.firstSchedule, task.triggers.firstSchedule)
      // What was answered belongs to the times of before, but where only some of them are left out or added.
      let series = its?.series
      if series == nil || series != was.triggers.firstSchedule?.series { item.answers = [] }
      own.triggers =
        own.triggers(keptBy: task, saidAs: was)
        + task.triggers.filter { !was.triggers.contains($0) }
        .map { trigger in
          guard let mine, let its, trigger == .schedule(its) else { return trigger }
          return .schedule(its.keeping(mine))
        }
    }
    item.reminder = own
    return item
  }
}

extension Place {
  /// The place with its name as a calendar has it.
  fileprivate var asTold: Place {
    Place(
      id: id,
      name: CalendarLine("NAME", text: name).text,
      kind: kind,
      coordinate: coordinate,
      arrivalRadiusMeters: arrivalRadiusMeters
    )
  }
}

extension [Trigger] {
  /// The lead times of a task's own time, and its alarms that are triggers of their own.
  fileprivate var alarms: (leads: [Milliseconds], others: [Trigger]) {
    guard let time = first?.schedule else { return ([], self) }
    return (time.leads, Array(dropFirst()))
  }
}

extension Schedule {
  /// The same with what a task cannot say, from the one in whose place it comes.
  fileprivate func keeping(_ own: Schedule) -> Schedule {
    var schedule = self
    schedule.gap = own.gap
    guard recurs else { return schedule }
    schedule.anchor = own.anchor
    if let rule, var before = own.rule {
      let skip = before.skip
      (before.skip, before.until) = (.omit, rule.until)
      if before == rule { schedule.rule?.skip = skip }
    }
    return schedule
  }
}

extension Reminder {
  /// Its triggers but those that a task said and does not say any more.
  fileprivate func triggers(keptBy task: Reminder, saidAs was: Reminder) -> [Trigger] {
    var hasSchedule = false
    return triggers.filter { trigger in
      let said: Trigger?
      switch trigger {
      case .schedule:
        // A task has one time: the first.
        said = hasSchedule ? nil : was.triggers.first { $0.schedule != nil }
        hasSchedule = true
      case .place(let target, _): said = .place(target, tiers: [.arrival])
      default: said = trigger
      }
      guard let said, was.triggers.contains(said) else { return true }
      return task.triggers.contains(said)
    }
  }
}
