import Foundation
import TestSupport
import Testing

/// `nearme reminder export` and `import` as people run them.
@Suite struct ExchangeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(
    _ database: String,
    _ arguments: [String],
    input: String = ""
  ) throws -> Command {
    try Command(["reminder"] + arguments + ["--db", folder.path(database)], input: input)
  }

  private func done(_ database: String, _ arguments: [String], input: String = "") throws -> String
  {
    let command = try run(database, arguments, input: input)
    #expect(command.status == 0, "\(arguments): \(command.errors)")
    return command.output
  }

  /// A database with reminders of every kind.
  private func make(_ database: String) throws {
    let path = folder.path(database)
    for arguments in [
      ["plan", "premium"],
      ["place", "add", "Home; \"sweet\"", "--kind", "home", "--at", "39.29,-76.6"],
      ["place", "add", "Shed", "--at", "39.3,-76.7", "--radius", "80m"],
    ] {
      let command = try Command(arguments + ["--db", path])
      #expect(command.status == 0, "\(arguments): \(command.errors)")
    }
    for arguments in [
      [
        "take out the trash", "--place", "p1", "--fallback", "18:00", "--notes",
        "paper, glass\nand tin",
      ],
      ["fetch meds", "--category", "pharmacy", "--when", "mon-fri 17:00-20:00", "--priority", "9"],
      ["take the pills", "--at", "2026-12-01T08:00", "--every", "day", "--nag", "10m"],
      ["call the bank", "--at", "2026-12-01T09:30", "--before", "1h", "--id", "bank"],
      ["take the keys", "--leave", "p2", "--if", "connectivity=online", "--expires", "2098-01-07"],
      ["look up", "--on", "unlock", "--once"],
    ] { _ = try done(database, ["add"] + arguments) }
    _ = try done(database, ["mute", "r2"])
    _ = try done(database, ["complete", "bank"])
    _ = try done(database, ["snooze", "r1", "next-arrival"])
  }

  /// What is exported, without the time at which that was.
  private func exported(_ database: String, _ format: String) throws -> String {
    try done(database, ["export", "--format", format])
      .replacing(/DTSTAMP:\d{8}T\d{6}Z/, with: "DTSTAMP:")
  }

  @Test func `a category or a tone that is misspelt is named`() throws {
    let text = #"""
      {"time_zone": "UTC", "places": [], "reminders": [
        {"id": "a", "title": "a", "target": {"category": "pharmcy"}}]}
      """#
    let taken = try run("misspelt.db", ["import", "-"], input: text)
    #expect(taken.status == 0 && taken.errors.contains("did you mean pharmacy?"), "\(taken.errors)")
    let toned = try run("misspelt.db", ["add", "call Ann", "--tone", "sasy"])
    #expect(toned.status == 0 && toned.errors.contains("did you mean sassy?"), "\(toned.errors)")
  }

  @Test func `a file that is named as a calendar is one`() throws {
    _ = try done("my.db", ["add", "call Ann"])
    let calendar = folder.path("cal.ics")
    _ = try done("my.db", ["export", "-o", calendar])
    #expect(try String(contentsOfFile: calendar, encoding: .utf8).hasPrefix("BEGIN:VCALENDAR"))
    for (format, name) in [("yomo", "cal.ics"), ("ics", "all.json")] {
      let wrong = try run("my.db", ["export", "--format", format, "-o", folder.path(name)])
      #expect(wrong.status == 64 && wrong.errors.contains("contradict"), "\(wrong.errors)")
    }
  }

  @Test(arguments: ["reminders", "ics"])
  func `what is exported is taken in again, and exported the same`(format: String) throws {
    try make("a.db")
    let first = try exported("a.db", format)
    let file = folder.path("out")
    #expect(try done("a.db", ["export", "--format", format, "-o", file]) == "")
    let written = try String(contentsOfFile: file, encoding: .utf8)
    // The free plan has room for three, so it says so.
    let path = folder.path("b.db")
    #expect(try Command(["plan", "premium", "--db", path]).status == 0)
    #expect(try done("b.db", ["import", file]) == "6 reminders and 2 places added\n")
    #expect(try exported("b.db", format) == first)
    // Once more nothing is new, also from standard input.
    #expect(
      try done("b.db", ["import", "-"], input: written)
        == "0 reminders and 0 places added, 8 there already\n"
    )
    // Ids that we give go on behind those that came.
    #expect(try done("b.db", ["add", "buy milk", "--category", "grocery"]).hasPrefix("r8: "))
    #expect(try done("b.db", ["list", "--all"]).contains("call the bank"))
    #expect(try done("b.db", ["list"]).contains("muted"))
  }

  @Test func `a reminder that is there is not overwritten without a word`() throws {
    try make("a.db")
    let file = folder.path("out")
    _ = try done("a.db", ["export", "-o", file])
    _ = try done("a.db", ["edit", "r3", "--title", "take no pills"])
    let refused = try run("a.db", ["import", file])
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains(
        "refused: \(file): r3: another one has the id r3: --replace puts this one in its place"
      )
    )
    #expect(refused.output == "0 reminders and 0 places added, 7 there already, 1 refused\n")
    #expect(try done("a.db", ["list"]).contains("take no pills"))
    #expect(
      try done("a.db", ["import", "--replace", file])
        == "0 reminders and 0 places added, 1 replaced, 7 there already\n"
    )
    #expect(try !done("a.db", ["list"]).contains("take no pills"))
  }

  // MARK: - What was answered

  @Test(arguments: ["reminders", "ics"])
  func `what was done this time is done elsewhere, too, and after a change`(format: String) throws {
    let first = ["--at", "2097-12-01T08:00", "--every"]
    _ = try done("a.db", ["add", "rent"] + first + ["month"])
    _ = try done("a.db", ["add", "filter"] + first + ["90 days", "--from", "done"])
    for id in ["r1", "r2", "r1"] { _ = try done("a.db", ["complete", id]) }
    let list = try done("a.db", ["list"])
    #expect(list.contains("2098-02-01 08:00") && list.contains("2098-03-01 08:00"), "\(list)")
    let file = folder.path("out")
    _ = try done("a.db", ["export", "--format", format, "-o", file])
    let written = try exported("a.db", format)
    // What is counted from when it was done has no times that others could leave out.
    let left = written.split(separator: "\r\n").filter { $0.hasPrefix("EXDATE") }
    #expect(left == (format == "ics" ? ["EXDATE:20971201T080000,20980101T080000"] : []))
    #expect(try done("b.db", ["import", file]) == "2 reminders and 0 places added\n")
    #expect(try done("b.db", ["list"]) == list)
    #expect(try exported("b.db", format) == written)
    // Another title leaves it where it is.
    let renamed = written.replacing("rent", with: "pay the rent")
    for database in ["a.db", "b.db"] {
      let replaced = try done(database, ["import", "--replace", "-"], input: renamed)
      #expect(replaced.contains("1 replaced, 1 there already"), "\(replaced)")
      let again = try done(database, ["list"])
      #expect(again.contains("2098-02-01 08:00") && again.contains("pay the rent"), "\(again)")
      #expect(try exported(database, format) == renamed)
    }
  }

  @Test func `answers that cannot be read refuse their reminder, by the line`() throws {
    let text = """
      reminders:
        - {id: a, title: a, triggers: [], answers: [{due: soon, at: 2026-03-02T07:00:00Z}]}
        - {id: b, title: b, triggers: [], answers: []}

      """
    let taken = try run("a.db", ["import", "-"], input: text)
    #expect(taken.output == "1 reminder and 0 places added, 1 refused\n")
    #expect(taken.errors.contains("standard input:2: reminders[0].answers[0].due: \"soon\" is no"))
  }

  // MARK: - Places that have other ids here

  @Test(arguments: ["reminders", "ics"])
  func `places whose ids others have get new ones, and the reminders aim at those`(
    format: String
  ) throws {
    func place(_ database: String, _ name: String, _ at: String) throws {
      let command = try Command(
        ["place", "add", name, "--at", at, "--db", folder.path(database)]
      )
      #expect(command.status == 0, "\(command.errors)")
    }
    try place("a.db", "Home", "39.29,-76.6")
    try place("a.db", "Gym", "39.3,-76.7")
    for arguments in [
      ["take medicine", "--place", "p1"], ["train", "--leave", "p2", "--if", "not-at:p1"],
    ] { _ = try done("a.db", ["add"] + arguments) }
    let file = folder.path("out")
    _ = try done("a.db", ["export", "--format", format, "-o", file])
    // The first place of both is p1; the second one there is the first one here, some meters off.
    try place("b.db", "Gym", "39.30005,-76.7")
    let taken = try run("b.db", ["import", file])
    #expect(taken.status == 0)
    #expect(taken.output == "2 reminders and 1 place added, 1 there already\n")
    #expect(taken.errors.contains("place p1 (Home) is p3 here"), "\(taken.errors)")
    #expect(taken.errors.contains("place p2 (Gym) is p1 here"), "\(taken.errors)")
    let all = try done("b.db", ["export"])
    #expect(all.contains(#"{"id": "p3", "name": "Home""#), "\(all)")
    let reminders = try #require(all.split(separator: #""reminders""#).last)
    #expect(reminders.contains("p3") && reminders.contains("p1") && !reminders.contains("p2"))
    // Once more nothing is new, replaced or not.
    for options in [[], ["--replace"]] {
      let again = try run("b.db", ["import", file] + options)
      #expect(again.status == 0, "\(again.errors)")
      #expect(again.output.hasPrefix("0 reminders and 0 places added"), "\(again.output)")
    }
    #expect(
      try done("b.db", ["import", file])
        == "0 reminders and 0 places added, 4 there already\n"
    )
  }

  @Test(arguments: ["reminders", "ics"])
  func `a place that was renamed here does not come again as a second one`(format: String) throws {
    func place(_ arguments: String...) throws {
      let command = try Command(["place"] + arguments + ["--db", folder.path("a.db")])
      #expect(command.status == 0, "\(command.errors)")
    }
    try place("add", "Gym", "--at", "39.3,-76.7")
    _ = try done("a.db", ["add", "train", "--place", "p1"])
    let file = folder.path("out")
    _ = try done("a.db", ["export", "--format", format, "-o", file])
    try place("edit", "p1", "--name", "Fitness")
    let again = try run("a.db", ["import", file])
    #expect(again.output == "0 reminders and 0 places added, 2 there already\n")
    #expect(again.errors.contains("place p1 (Gym) keeps the name Fitness: --replace takes"))
    #expect(
      try done("a.db", ["import", "--replace", file])
        == "0 reminders and 0 places added, 1 replaced, 1 there already\n"
    )
  }

  @Test func `a reminder of a place that is refused is refused, too`() throws {
    let text = #"""
      {"places": [{"id": "my home", "name": "Home", "kind": "home", "lat": 39.29, "lon": -76.6}],
       "reminders": [{"id": "a", "title": "a", "target": {"place": "my home"}},
        {"id": "b", "title": "b", "triggers": []}]}
      """#
    let gym = ["place", "add", "Gym", "--at", "39.3,-76.7", "--db", folder.path("a.db")]
    #expect(try Command(gym).status == 0)
    let taken = try run("a.db", ["import", "-"], input: text)
    #expect(taken.status == 1)
    #expect(taken.output == "1 reminder and 0 places added, 2 refused\n", "\(taken.errors)")
    #expect(taken.errors.contains("a: is about the place my home, which is refused"))
  }

  @Test func `a place whose reminders are all refused does not stay behind`() throws {
    func text(_ places: [String], _ reminders: [String]) -> String {
      let places = places.map {
        #"{"id": "\#($0)", "name": "\#($0)", "kind": "other", "lat": 39.3, "lon": -76.7}"#
      }
      return #"{"places": [\#(places.joined(separator: ","))], "#
        + #""reminders": [\#(reminders.joined(separator: ","))]}"#
    }
    func placesHere() throws -> String {
      try Command(["place", "list", "--db", folder.path("a.db")]).output
    }
    let lost = #"{"id": "a", "title": "a", "triggers": [{"leave": {"place": "gym"}}], "wrong": 1}"#
    let taken = #"{"id": "b", "title": "b", "triggers": [{"leave": {"place": "hut"}}]}"#
    // Its id is taken by another one.
    _ = try done("a.db", ["add", "look up", "--on", "unlock", "--id", "c"])
    let refused = #"{"id": "c", "title": "c", "triggers": [{"leave": {"place": "gym"}}]}"#
    for reminders in [[refused], [lost], [refused, lost]] {
      let all = try run("a.db", ["import", "-"], input: text(["gym", "den"], reminders))
      #expect(all.status == 1)
      let count = reminders.count
      #expect(
        all.output == "0 reminders and 0 places added, \(count) refused\n",
        "\(all.errors)"
      )
      #expect(!(try placesHere()).contains("gym"))
    }
    // A place of the file that none of its reminders is about is taken in beside one that is.
    let places = text(["gym", "hut", "den"], [refused, taken])
    let some = try run("a.db", ["import", "-"], input: places)
    #expect(some.output == "1 reminder and 2 places added, 1 refused\n", "\(some.errors)")
    #expect(!(try placesHere()).contains("gym"))
    // Places alone are taken as ever.
    let alone = try done("b.db", ["import", "-"], input: text(["gym", "hut"], []))
    #expect(alone == "0 reminders and 2 places added\n")
  }

  @Test func `a calendar of places alone keeps those that can be read`() throws {
    func text(_ lines: [String]) -> String {
      let place =
        #"X-NEARME-PLACE:{"id":"gym"\,"name":"Gym"\,"kind":"other"\,"#
        + #""coordinate":{"lat":39.3\,"lon":-76.7}}"#
      return (["BEGIN:VCALENDAR", "VERSION:2.0", place] + lines + ["END:VCALENDAR", ""])
        .joined(separator: "\r\n")
    }
    let damaged = [
      ["X-NEARME-PLACE:{"], ["no line of a calendar"], ["BEGIN:VJOURNAL", "END:VJOURNAL"],
    ]
    for (number, lines) in damaged.enumerated() {
      let taken = try run("\(number).db", ["import", "--format", "ics", "-"], input: text(lines))
      #expect(taken.output == "0 reminders and 1 place added, 1 refused\n", "\(taken.errors)")
    }
    // A task is a reminder that is refused.
    let task = text(["BEGIN:VTODO", "SUMMARY:look up", "DUE:never", "END:VTODO"])
    let none = try run("none.db", ["import", "--format", "ics", "-"], input: task)
    #expect(none.output == "0 reminders and 0 places added, 1 refused\n", "\(none.errors)")
  }

  @Test func `many are taken in together, and what is wrong with one undoes that one alone`() throws
  {
    let count = 600
    let tasks = (1...count)
      .map { number in
        // Every hundredth aims at a place that is not there.
        let trigger = number % 100 == 0 ? #"{"leave":{"place":"none"}}"# : #"{"signal":"unlock"}"#
        return #"{"id":"t\#(number)","title":"t","triggers":[\#(trigger)]}"#
      }
    let text = #"{"reminders":[\#(tasks.joined(separator: ","))]}"#
    let path = folder.path("many.db")
    #expect(try Command(["plan", "premium", "--db", path]).status == 0)
    let taken = try run("many.db", ["import", "-"], input: text)
    #expect(taken.output == "594 reminders and 0 places added, 6 refused\n")
    let again = try run("many.db", ["import", "-"], input: text)
    #expect(again.output == "0 reminders and 0 places added, 594 there already, 6 refused\n")
  }

  // MARK: - The documents' own forms

  /// Takes lines in, writes them out, takes those in and writes them out once more.
  private func roundTrip(_ format: String, _ lines: String) throws {
    let path = folder.path("a.db")
    #expect(try Command(["plan", "premium", "--db", path]).status == 0)
    #expect(try Command(["plan", "premium", "--db", folder.path("b.db")]).status == 0)
    let place = [
      "place", "add", "Home", "--id", "home", "--kind", "home", "--at", "39.29,-76.6", "--db",
    ]
    for database in ["a.db", "b.db"] {
      #expect(try Command(place + [folder.path(database)]).status == 0)
    }
    let count = lines.split(separator: "\n").count
    // The form is seen from the keys.
    let taken = try done("a.db", ["import", "-"], input: lines)
    #expect(taken.hasPrefix("\(count) reminder"), "\(taken)")
    let first = try done("a.db", ["export", "--format", format])
    #expect(first == lines)
    _ = try done("b.db", ["import", "--format", format, "-"], input: first)
    #expect(try done("b.db", ["export", "--format", format]) == first)
    // A list of them is taken as well.
    let list = "[" + lines.split(separator: "\n").joined(separator: ",\n") + "]"
    #expect(try done("b.db", ["import", "-"], input: list).hasSuffix("\(count) there already\n"))
  }

  @Test func `CTX-5.1: a Context document goes in and out, to the byte`() throws {
    try roundTrip(
      "context",
      """
      {"id":"c1","title":"call Ann","triggers":[{"type":"PHONE_UNLOCK"},\
      {"type":"LOCATION_ENTER","place":"home"},{"type":"LOCATION_ENTER","category":"pharmacy"},\
      {"type":"CHARGING_STARTED"},{"type":"APP_OPENED","token":"a\\"b"},\
      {"type":"TIME_WINDOW","days":["mon","fri"],"from":"22:00","to":"02:00"}],\
      "conditions":[{"type":"TIME_WINDOW","days":["sat"],"from":"00:00","to":"24:00"}],\
      "status":"waiting","createdAt":1767600000123}
      {"id":"c2","title":"done","triggers":[{"type":"PHONE_UNLOCK"}],"conditions":[],\
      "status":"fired","createdAt":0}

      """
    )
  }

  @Test func `YOMO-4.6.1c: a Yomo document goes in and out, to the byte`() throws {
    let rest = #""createdAt":"2026-02-05T10:00:00Z","updatedAt":"2026-02-06T10:00:00Z","#
    func line(_ id: String, _ zone: String, _ recurrence: String, _ end: String) -> String {
      #"{"id":"\#(id)","title":"Water the plants","notes":"twice","triggerDate":"2026-02-06T15:00:00Z","#
        + #""timeZone":\#(zone),"recurrence":\#(recurrence),\#(end)"# + "\n"
    }
    func recurrence(_ type: String, _ parts: String) -> String {
      #"{"type":"\#(type)",\#(parts)}"#
    }
    let none =
      #""interval":null,"unit":null,"daysOfWeek":null,"monthOrdinal":null,"monthDay":null,"#
      + #""timeRangeStart":null,"timeRangeEnd":null,"basedOnCompletion":false"#
    let days = none.replacing(#""daysOfWeek":null"#, with: #""daysOfWeek":["tue","fri"]"#)
    let hours =
      #""interval":3,"unit":"hour","daysOfWeek":null,"monthOrdinal":null,"monthDay":null,"#
      + #""timeRangeStart":"09:00","timeRangeEnd":"18:00","basedOnCompletion":false"#
    let month =
      #""interval":2,"unit":"month","daysOfWeek":null,"monthOrdinal":-1,"monthDay":"fri","#
      + #""timeRangeStart":null,"timeRangeEnd":null,"basedOnCompletion":true"#
    let active = #""status":"active","snoozedUntil":null,"# + rest + #""completedAt":null}"#
    let done =
      #""status":"completed","snoozedUntil":null,"# + rest
      + #""completedAt":"2026-02-07T10:00:00Z"}"#
    try roundTrip(
      "yomo",
      line("y1", "null", recurrence("none", none), active)
        + line("y2", #""Europe/Malta""#, recurrence("daily", none), active)
        + line("y3", #""Europe/Malta""#, recurrence("weekly", days), done)
        + line("y4", #""America/New_York""#, recurrence("custom", hours), active)
        + line("y5", "null", recurrence("custom", month), active)
    )
  }

  @Test func `MOM-17: a Your Mom document goes in and out, to the byte`() throws {
    let id = "E621E1F8-C36C-495A-93FC-0C247A3E6E5"
    try roundTrip(
      "yourmom",
      #"{"id":"\#(id)F","title":"drink water","time":"2026-02-06T15:00:00Z","frequency":"daily","#
        + #""momTone":"chaotic","isCompleted":false}"# + "\n"
        + #"{"id":"\#(id)E","title":"call mum","time":"2026-02-06T15:00:00Z","frequency":"weekly","#
        + #""momTone":"sweet","isCompleted":true}"# + "\n"
    )
  }

  @Test func `CTX-6.3: the window that wakes stays the same where a title is changed`() throws {
    let text =
      #"{"id":"r1","title":"call Ann","triggers":[{"type":"TIME_WINDOW","days":["mon"],"#
      + #""from":"09:00","to":"17:00"}],"conditions":[{"type":"TIME_WINDOW","days":["mon"],"#
      + #""from":"12:00","to":"14:00"}],"status":"waiting","createdAt":0}"#
    _ = try done("a.db", ["import", "--format", "context", "-"], input: text)
    let export = ["export", "--format", "context"]
    let before = try done("a.db", export)
    _ = try done("a.db", ["edit", "r1", "--title", "call Bob"])
    #expect(try done("a.db", export) == before.replacing("call Ann", with: "call Bob"))
  }

  @Test func `MOM-17: what is made here has a UUID of its own, and is the same again`() throws {
    let mom = ["--profile", "yourmom"]
    let sassy = ["add", "a", "--at", "2098-05-04T09:00", "--every", "day", "--tone", "sweet"]
    _ = try done("a.db", sassy + mom)
    _ = try done("a.db", ["add", "b", "--at", "2098-05-04T09:00", "--every", "week"] + mom)
    let export = ["export", "--format", "yourmom"] + mom
    let first = try done("a.db", export)
    #expect(first == (try done("a.db", export)))
    let lines = first.split(separator: "\n")
    #expect(lines.map { $0.contains(#""momTone":"sweet""#) } == [true, false])
    // Without a tone of its own it speaks in the profile's.
    #expect(lines.map { $0.contains(#""momTone":"sassy""#) } == [false, true])
    let id = try #require(first.firstMatch(of: /"id":"([^"]*)"/)?.output.1)
    let uuid = try #require(UUID(uuidString: String(id))).uuid
    #expect(uuid.6 >> 4 == 5 && uuid.8 >> 6 == 2)
    let take = ["import", "-"] + mom
    #expect(try done("a.db", take, input: first).hasSuffix("2 there already\n"))
    #expect(try done("b.db", take, input: first).hasPrefix("2 reminders"))
    #expect(try done("b.db", take, input: first).hasSuffix("2 there already\n"))
    #expect(try done("b.db", export) == first)
    // One that came in with a UUID of its own and no tone has no tone afterward, either.
    let own = "1F0E5B5C-6D2C-4F39-9C56-7A43E4E0A001"
    let task = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VTODO", "UID:\(own)", "SUMMARY:buy milk",
      "DTSTART:20980228T090000", "RRULE:FREQ=DAILY", "BEGIN:VALARM", "ACTION:DISPLAY",
      "DESCRIPTION:x", "TRIGGER:PT0S", "END:VALARM", "END:VTODO", "END:VCALENDAR", "",
    ]
    _ = try done("d.db", ["import", "-"], input: task.joined(separator: "\r\n"))
    let told = try run("d.db", export)
    #expect(told.output.contains(own), "\(told.errors)")
    #expect(try done("d.db", take, input: told.output).hasSuffix("1 there already\n"))
    // A new database has names of its own.
    _ = try done("c.db", sassy + mom)
    #expect(try !done("c.db", export).contains(id))
    // The usual tone is none of the form's.
    let plain = try run("a.db", ["export", "--format", "yourmom"])
    #expect(plain.status == 1 && plain.errors.contains("r2: tone: "), "\(plain.errors)")
  }

  @Test func `TODO-FR2, TODO-FR3: captured tasks go in and out, to the byte`() throws {
    let end = #""createdAt":"2026-02-05T10:00:00Z","completedAt":"#
    try roundTrip(
      "morning",
      #"{"id":"t1","text":"buy milk","dueDate":"2026-02-28","priority":"High",\#(end)null}"# + "\n"
        + #"{"id":"t2","text":"sow","dueDate":"2026-03-01","priority":null,"#
        + end + #""2026-02-06T07:00:00Z"}"# + "\n"
        + #"{"id":"t3","text":"mow","dueDate":"2026-03-01","priority":"Low",\#(end)null}"# + "\n"
    )
    // High, Medium and Low are PRIORITY 1, 5 and 9 of calendars.
    let calendar = try done("a.db", ["export", "--format", "ics"])
    #expect(calendar.contains("SUMMARY:buy milk\r\nSTATUS:NEEDS-ACTION\r\nPRIORITY:1\r\n"))
    #expect(calendar.contains("SUMMARY:mow\r\nSTATUS:NEEDS-ACTION\r\nPRIORITY:9\r\n"))
    #expect(calendar.contains("COMPLETED:20260206T070000Z\r\n"))
  }

  // MARK: - What does not come through

  @Test
  func `conflict 22, TODO-NFR9: all that is kept of a user's can be taken away, whatever the form`()
    throws
  {
    try make("a.db")
    let all = try done("a.db", ["export"])
    for word in ["trash", "Home; ", "paper, glass", "meds", "\"completed\"", "next_arrival", "p2"] {
      #expect(all.contains(word), "\(word)")
    }
    // What a form has no place for is named, and the rest is written.
    let some = try run("a.db", ["export", "--format", "context"])
    #expect(some.status == 1)
    #expect(some.output.split(separator: "\n").count == 1 && some.output.contains("look up"))
    #expect(some.errors.contains("left out: r2: muted: this form has no place for it"))
    #expect(some.errors.contains("5 reminders of 6 left out; --format reminders has them all"))
    let calendar = try run("a.db", ["export", "--format", "ics"])
    #expect(calendar.status == 0)
    #expect(
      calendar.errors.contains("r6: other programs do not see its trigger on unlock, persistence")
    )
  }

  @Test func `an event whose series is over is left out, one that goes on is taken`() throws {
    func event(_ id: String, _ rule: String) -> String {
      "BEGIN:VEVENT\nUID:\(id)\nSUMMARY:meet\nDTSTART:20200106T090000Z\nRRULE:\(rule)\nEND:VEVENT\n"
    }
    let calendar =
      "BEGIN:VCALENDAR\n" + event("over", "FREQ=WEEKLY;COUNT=3") + event("on", "FREQ=WEEKLY")
      + "END:VCALENDAR\n"
    let command = try run("a.db", ["import", "-"], input: calendar)
    #expect(command.status == 0)
    #expect(command.output == "1 reminder and 0 places added\n")
    #expect(command.errors.contains("left out: 1 event that is over"))
  }

  @Test func `what cannot be taken in is named with its line, and all else is taken`() throws {
    let calendar = """
      BEGIN:VCALENDAR
      BEGIN:VTODO
      UID:a task of ours
      SUMMARY:call Ann
      DUE:20260302T070000Z
      END:VTODO
      BEGIN:VTODO
      UID:b
      SUMMARY:water
      DUE:soon
      END:VTODO
      BEGIN:VTODO
      UID:c
      SUMMARY:no time
      END:VTODO
      END:VCALENDAR

      """
    let file = folder.path("tasks.ics")
    try calendar.write(toFile: file, atomically: true, encoding: .utf8)
    let taken = try run("a.db", ["import", file])
    #expect(taken.status == 1)
    #expect(taken.output == "2 reminders and 0 places added, 1 refused\n")
    #expect(taken.errors.contains("refused: \(file):10: DUE:soon is no time such as"))
    #expect(taken.errors.contains("\(file): a task of ours has the id import-"))
    let lines = try run(
      "a.db",
      ["import", "--format", "yourmom", "-"],
      input: "{\"id\":1}\nnothing\n{\"id\":\"x\"}\n"
    )
    #expect(lines.status == 1)
    #expect(lines.errors.contains("standard input:1: id: must be a text"))
    #expect(lines.errors.contains("standard input:2: is no object of JSON"))
    let file2 = folder.path("r.yaml")
    try
      "reminders:\n  - {id: x, title: y, target: {place: z}}\n  - {id: b, title: y, target: {category: bank}}\n"
      .write(toFile: file2, atomically: true, encoding: .utf8)
    let reminders = try run("a.db", ["import", file2])
    #expect(reminders.output == "1 reminder and 0 places added, 1 refused\n")
    #expect(reminders.errors.contains("\(file2):2: reminders[0].target.place: no place has the id"))
  }

  @Test func `a calendar is there already once one of its alarms has passed`() async throws {
    func text(_ instant: Date) -> String {
      instant.formatted(.iso8601).replacing("-", with: "").replacing(":", with: "")
    }
    let alarm = Date(timeIntervalSinceNow: 4)
    let file = folder.path("tasks.ics")
    try """
    BEGIN:VCALENDAR
    BEGIN:VTODO
    UID:a
    SUMMARY:tax
    DUE:\(text(alarm + 604_800))
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER;VALUE=DATE-TIME:\(text(alarm))
    END:VALARM
    END:VTODO
    END:VCALENDAR

    """
    .write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try done("a.db", ["import", file]) == "1 reminder and 0 places added\n")
    try await Task.sleep(for: .seconds(max(0, alarm.timeIntervalSinceNow) + 1))
    let again = try run("a.db", ["import", file])
    #expect(again.output == "0 reminders and 0 places added, 1 there already\n", "\(again.errors)")
  }

  @Test func `a calendar that is folded within a letter is read, a wrong byte refuses its task`()
    throws
  {
    func task(_ id: String, _ title: [UInt8]) -> [UInt8] {
      Array("BEGIN:VTODO\r\nUID:\(id)\r\nSUMMARY:".utf8) + title + Array("\r\nEND:VTODO\r\n".utf8)
    }
    // "für", parted between the bytes of "ü"; "Käse" in Latin-1.
    let folded: [UInt8] = [0x66, 0xC3] + Array("\r\n ".utf8) + [0xBC, 0x72]
    let bytes =
      Array("BEGIN:VCALENDAR\r\n".utf8) + task("a", folded) + task("b", [0x4B, 0xE4, 0x73, 0x65])
      + Array("END:VCALENDAR\r\n".utf8)
    let file = folder.path("folded")
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let taken = try run("a.db", ["import", file])
    #expect(taken.output == "1 reminder and 0 places added, 1 refused\n", "\(taken.errors)")
    #expect(taken.errors.contains("\(file):9: is not UTF-8"), "\(taken.errors)")
    #expect(try done("a.db", ["list"]).contains("für"))
    // The other forms are text as a whole.
    try Data([0x7B, 0xE4, 0x7D]).write(to: URL(fileURLWithPath: file))
    let refused = try run("a.db", ["import", file])
    #expect(refused.status == 65 && refused.errors.contains("is not UTF-8"), "\(refused.errors)")
  }

  @Test func `files that are none, and files that are not there`() throws {
    #expect(try run("a.db", ["import", folder.path("none.ics")]).status == 66)
    #expect(try run("a.db", ["import", "-"], input: "BEGIN:VCALENDAR nothing").status == 65)
    #expect(try run("a.db", ["import", "-"], input: "hello: [").status == 65)
    #expect(try run("a.db", ["import", "--format", "ics", "-"], input: "").status == 65)
    #expect(try run("none.db", ["export"]).status == 66)
  }

  @Test func `more reminders than the free plan has are refused, by name`() throws {
    let tasks = (1...5)
      .map { "BEGIN:VTODO\nUID:t\($0)\nSUMMARY:task \($0)\nDUE:20260302T070000Z\nEND:VTODO\n" }
    let taken = try run(
      "a.db",
      ["import", "--profile", "nearme", "-"],
      input: "BEGIN:VCALENDAR\n\(tasks.joined())END:VCALENDAR\n"
    )
    #expect(taken.output == "3 reminders and 0 places added, 2 refused\n")
    #expect(taken.errors.contains("t4: 3 reminders are live"))
  }
}
