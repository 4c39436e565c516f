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
    /// What of those that were taken was left out.
    public var notices: [CalendarNotice] = []
    /// Where each place stands in the document.
    fileprivate var indexOfPlace: [String: Int] = [:]
  }

  private let zones: any ZoneSource

  /// Makes one.
  ///
  /// - Parameter zones: knows the zones that times are written in; the definitions in the file are not looked at.
  public init(zones: any ZoneSource) { self.zones = zones }

  /// Reads the calendars of a file.
  ///
  /// What is wrong with one task refuses that task and no other.
  ///
  /// - Throws: ``CalendarError`` for a file that is no calendar.
  /// - Complexity: O(bytes).
  public func read(_ bytes: [UInt8]) throws(CalendarError) -> Reading {
    var reading = Reading()
    for calendar in try CalendarComponent.calendars(bytes) {
      // What is left out of a calendar is none of its tasks.
      reading.refusals += calendar.faults
      addPlaces(of: calendar, to: &reading)
      read(calendar.components, into: &reading)
    }
    return reading
  }

  private func read(_ components: [CalendarComponent], into reading: inout Reading) {
    // An occurrence that was moved is a task of its own with its series' UID.
    var series: [String: Int] = [:]
    var moved: [CalendarComponent] = []
    for component in components {
      switch component.name {
      case "VTIMEZONE": continue
      case "VTODO", "VEVENT":
        if component["RECURRENCE-ID"] != nil {
          moved.append(component)
          continue
        }
        do throws(CalendarError) {
          var task = try StandardTask.read(component, zones: zones)
          task.item = try Self.merged(task, with: component, zones)
          add(task, component, to: &reading, &series)
        } catch {
          reading.refusals.append(error)
        }
      default:
        reading.refusals.append(
          CalendarError(component.number, "\(component.name) is neither a task nor an event")
        )
      }
    }
    for component in moved { move(component, series, &reading) }
  }

  private func add(
    _ task: StandardTask.Reading,
    _ component: CalendarComponent,
    to reading: inout Reading,
    _ series: inout [String: Int]
  ) {
    let id = task.item.reminder.id
    guard series[id] == nil else {
      reading.refusals.append(CalendarError(component.number, "the UID \(id) comes twice"))
      return
    }
    addPlaces(of: component, to: &reading)
    for place in task.places { add(place, to: &reading) }
    series[id] = reading.document.items.count
    reading.document.items.append(task.item)
    if !task.losses.isEmpty {
      reading.notices.append(
        CalendarNotice(id, "left out: " + task.losses.joined(separator: ", "))
      )
    }
  }

  private func addPlaces(of component: CalendarComponent, to reading: inout Reading) {
    for line in component.all(StandardTask.placeProperty) {
      do throws(CalendarError) { add(try Self.place(line), to: &reading) } catch {
        reading.refusals.append(error)
      }
    }
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

  /// Takes an occurrence out of its series, and puts in the time that it was moved to.
  private func move(
    _ component: CalendarComponent,
    _ series: [String: Int],
    _ reading: inout Reading
  ) {
    do throws(CalendarError) {
      let task = try StandardTask.read(component, zones: zones)
      let id = task.item.reminder.id
      guard let line = component["RECURRENCE-ID"], let i = series[id],
        let t = reading.document.items[i].reminder.triggers
          .firstIndex(where: {
            $0.schedule?.recurs ?? false
          }),
        var schedule = reading.document.items[i].reminder.triggers[t].schedule
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
      let times = TaskTimes(task: component, zones: zones)
      let was = try times.time(line, in: schedule.zone)
      schedule.excluded.append(was)
      let moved = task.item.reminder.triggers.lazy.compactMap(\.schedule).first
      if task.item.reminder.status == .active, let moved, !moved.recurs {
        schedule.added.append(
          moved.zone == schedule.zone || moved.start.isDate
            ? moved.start : times.instant(moved.start, in: moved.zone)
        )
      }
      reading.document.items[i].reminder.triggers[t] = .schedule(schedule)
      if task.item.reminder.title != reading.document.items[i].reminder.title {
        reading.notices.append(CalendarNotice(id, "left out: another title of \(was)"))
      }
    } catch {
      reading.refusals.append(error)
    }
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
    _ zones: any ZoneSource
  ) throws(CalendarError) -> CalendarDocument.Item {
    var item = reading.item
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
      zones: zones,
      stamp: Timestamp(milliseconds: 0)
    )
    let was: Reminder
    do throws(CalendarError) {
      was = try StandardTask.read(written, zones: zones).item.reminder
    } catch {
      throw CalendarError(line.number, "\(line.name): \(error.reason)")
    }
    if was.title != task.title { own.title = task.title }
    if was.notes != task.notes { own.notes = task.notes }
    if was.status != task.status { own.status = task.status }
    if was.priority != task.priority { own.priority = task.priority }
    if was.nag != task.nag { own.nag = task.nag }
    if was.triggers != task.triggers {
      own.triggers =
        own.triggers(keptBy: task, saidAs: was)
        + task.triggers.filter { !was.triggers.contains($0) }
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
