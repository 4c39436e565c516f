import Foundation
import NearMeEngine
import TestSupport
import Testing
import Timeline

/// `nearme reminder`, `place`, `plan`, `privacy` and `focus` as people run them.
@Suite struct UserCommandTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.path("my.db")
  }

  private func run(_ arguments: String...) throws -> Command {
    try Command(arguments + ["--db", database])
  }

  /// Runs a command that must succeed.
  private func done(_ arguments: String...) throws -> String {
    let run = try Command(arguments + ["--db", database])
    #expect(run.status == 0, "\(arguments): \(run.errors)")
    #expect(run.errors.isEmpty)
    return run.output
  }

  @Test
  func
    `NM-2.1, NM-2.2, NM-2.4, NM-3.1, NM-5.4, MOM-1, MOM-7, YOMO-4.3g: a person adds, lists, snoozes, completes and deletes`()
    throws
  {
    #expect(
      try done("place", "add", "Home", "--kind", "home", "--at", "39.2904,-76.6122")
        == "p1: Home, home, 39.29040,-76.61220\n"
    )
    #expect(
      try done("reminder", "add", "take out the trash", "--place", "p1")
        == "r1: take out the trash, Home (p1): live\n"
    )
    #expect(
      try done("reminder", "add", "pick up the prescription", "--category", "pharmacy")
        == "r2: pick up the prescription, any pharmacy: live\n"
    )
    #expect(
      try done("reminder", "list") == """
        ID  WHERE         STATE  TITLE
        r1  Home (p1)     live   take out the trash
        r2  any pharmacy  live   pick up the prescription

        """
    )
    #expect(try done("reminder", "snooze", "r1", "next-arrival").contains("until next arrival"))
    #expect(try done("reminder", "snooze", "r1", "15m").contains("snoozed until"))
    #expect(try done("reminder", "complete", "r2").hasSuffix(": done\n"))
    #expect(try !done("reminder", "why", "r2").contains("deleted"))
    #expect(try !done("reminder", "list").contains("r2"))
    #expect(try done("reminder", "list", "--all").contains("r2"))
    #expect(try done("reminder", "delete", "r1") == "r1: take out the trash: deleted\n")
    #expect(try done("reminder", "list").hasPrefix("nothing to be done"))
    #expect(try done("place", "edit", "p1", "--at", "-33.9,18.4").contains("-33.90000,18.40000"))
    #expect(try done("place", "delete", "p1") == "p1: deleted\n")
  }

  @Test func `a reminder on a signal that is most likely misspelled is made, and that is said`()
    throws
  {
    for (option, text) in [("--on", "unlok"), ("--if", "conectivity=online")] {
      let made = try run("reminder", "add", "call Ann", option, text)
      #expect(made.status == 0)
      #expect(made.errors.contains("\(option) \(text): no phone says"), "\(made.errors)")
      #expect(made.errors.contains("did you mean"), "\(made.errors)")
    }
    let own = try run("reminder", "add", "call Ann", "--on", "doorbell", "--if", "car=connected")
    #expect(own.status == 0 && !own.errors.contains("did you mean"), "\(own.errors)")
  }

  @Test func `what comes too late for its time is said to be told at once`() throws {
    let policy = folder.path("policy.yaml")
    try "schedules: {date_time: \"00:00\"}\n"
      .write(toFile: policy, atomically: true, encoding: .utf8)
    let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    let today = String(RFC3339.format(now).prefix(10))
    func notes(_ day: String) throws -> String {
      try Command(
        ["reminder", "add", "call Ann", "--at", day, "--policy", policy, "--db", database],
        environment: ["TZ": "UTC"]
      )
      .errors
    }
    #expect(try notes(today).contains("\(today) at 00:00 has passed, so it is told as soon as"))
    #expect(try notes("2026-01-05").contains("2026-01-05 at 00:00 has passed"))
    #expect(try notes("2026-01-05T10:00").contains("2026-01-05T10:00 has passed"))
    #expect(try notes("2199-01-05").isEmpty)
  }

  @Test func `a signal that no reminder listens to is handed in, and said to be one`() throws {
    _ = try done("reminder", "add", "call ann", "--on", "unlock")
    #expect(try done("signal", "unlock") == "unlock\n")
    #expect(try done("signal", "battery", "--to", "17") == "battery to 17\n")
    let misspelled = try run("signal", "unlok")
    #expect(misspelled.status == 0 && misspelled.output == "unlok\n")
    #expect(
      misspelled.errors
        == "nearme: note: no reminder listens to unlok: did you mean unlock?\n"
    )
  }

  @Test func `a line has all that was asked for, and a wrong zone is named by its option`() throws {
    #expect(
      try done(
        "reminder",
        "add",
        "water the plants",
        "--at",
        "2030-12-01T09:30",
        "--every",
        "2 weeks",
        "--before",
        "10m,1h,10m",
        "--from",
        "done",
        "--tone",
        "sassy"
      )
        == "r1: water the plants, at 2030-12-01T09:30, FREQ=WEEKLY;INTERVAL=2, also 1h, 10m before, "
        + "counted from when it was done, in the tone sassy: live\n"
    )
    let wrong = try run("reminder", "add", "x", "--at", "08:00", "--zone", "Mars/Base")
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("--zone Mars/Base: this system has no such time zone"))
    let bare = try run("reminder", "add", "x", "--at", "08:00", "--before", "10")
    #expect(bare.status == 64)
    #expect(bare.errors.contains("--before 10: write spans with their units, such as 10m,1h"))
  }

  @Test func `JSON is JSON, and says what the table says`() throws {
    _ = try done("place", "add", "Home \"sweet\"", "--kind", "home", "--at", "39.2904,-76.6122")
    _ = try done(
      "reminder",
      "add",
      "feed\tthe cat",
      "--place",
      "p1",
      "--notes",
      "twice",
      "--tiers",
      "2mi,arrival",
      "--when",
      "fri-mon 22:00-02:00",
      "--priority",
      "2"
    )
    let json = try done("reminder", "list", "--format", "json")
    let list = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    let first = try #require(list?.first)
    #expect(first["id"] as? String == "r1")
    #expect(first["title"] as? String == "feed\tthe cat")
    #expect(first["notes"] as? String == "twice")
    #expect((first["target"] as? [String: Any])?["place"] as? String == "p1")
    #expect(first["standing"] as? String == "live")
    let window = first["window"] as? [String: Any]
    #expect(window?["days"] as? [String] == ["mon", "fri", "sat", "sun"])
    #expect(window?["start"] as? String == "22:00")
    #expect(window?["end"] as? String == "02:00")
    #expect(first["muted"] == nil && first["snoozed_until"] == nil)
    #expect(first["priority"] as? Int == 2)
    #expect(first["tiers"] as? [String] == ["approach:2mi", "arrival"])
    let read = try JSONDecoder().decode([Reminder].self, from: Data(json.utf8))
    #expect(
      read == [
        Reminder(
          id: "r1",
          title: "feed\tthe cat",
          notes: "twice",
          target: .place("p1"),
          tiers: [.approach(miles: 2), .arrival],
          priority: 2,
          window: WeeklyWindow(
            days: [.monday, .friday, .saturday, .sunday],
            startMinute: 1_320,
            endMinute: 120
          )
        )
      ]
    )
    let muted = try done("reminder", "mute", "r1", "--format", "json")
    #expect(muted.hasSuffix("}\n") && muted.split(separator: "\n").count == 1)
    #expect(muted.contains(#""muted":true,"notes":"twice","#))
    #expect(muted.contains(#""standing":"muted","#))
    #expect(try JSONDecoder().decode(Reminder.self, from: Data(muted.utf8)).isMuted)
    #expect(try done("reminder", "list").contains("feed the cat"))
    let places = try done("place", "list", "--format", "json")
    let place = try JSONSerialization.jsonObject(with: Data(places.utf8)) as? [[String: Any]]
    #expect(place?.first?["name"] as? String == "Home \"sweet\"")
    #expect(place?.first?["lat"] as? Double == 39.2904)
    #expect(place?.first?["reminders"] as? [String] == ["r1"])
  }

  @Test func `a policy has other limits for a snooze`() throws {
    _ = try done("reminder", "add", "milk", "--category", "grocery")
    #expect(try run("reminder", "snooze", "r1", "90m").status == 64)
    #expect(try run("reminder", "snooze", "r1", "2h").status == 64)
    let policy = folder.path("longer.yaml")
    try Data("snooze: {least: 5m, most: 2h}\n".utf8).write(to: URL(fileURLWithPath: policy))
    for span in ["90m", "2h", "5m"] {
      let answer = try done("reminder", "snooze", "r1", span, "--policy", policy)
      #expect(answer.contains("snoozed until"))
    }
    for span in ["121m", "4m", "1m"] {
      let refused = try run("reminder", "snooze", "r1", span, "--policy", policy)
      #expect(refused.status == 64)
      #expect(refused.errors.contains("write 5m to 120m"), "\(refused.errors)")
    }
    let missing = try run("reminder", "snooze", "r1", "90m", "--policy", folder.path("none.yaml"))
    #expect(missing.status == 66)
    // A tier within the radius of arrival is refused; a policy may have a smaller one.
    let near = ["reminder", "add", "near", "--category", "bank", "--tiers", "100m,arrival"]
    #expect(try Command(near + ["--db", database]).status == 64)
    try Data("tiers: {arrival_radius: 50m}\n".utf8).write(to: URL(fileURLWithPath: policy))
    let added = try Command(near + ["--policy", policy, "--db", database])
    #expect(added.status == 0, "\(added.errors)")
  }

  @Test func `what is misspelled or impossible says what to do`() throws {
    _ = try done("place", "add", "Home", "--at", "39.2904,-76.6122", "--id", "home")
    _ = try done("reminder", "add", "milk", "--category", "grocery", "--id", "milk")
    for (arguments, status, hint) in [
      (["reminder", "add", "x", "--category", "farmacy"], 64, "did you mean pharmacy?"),
      (["reminder", "add", "x", "--category", "zoo"], 64, "--cache"),
      (["reminder", "add", "x", "--leave", "any:grocerie"], 64, "did you mean grocery?"),
      (["reminder", "add", "x", "--on", "unlock", "--if", "at:any:zoo"], 64, "category zoo"),
      (["reminder", "edit", "milk", "--if", "not-at:any:zoo"], 64, "category zoo"),
      (
        ["reminder", "add", "x", "--on", "unlock", "--expires", "2020-01-01"], 64,
        "--expires 2020-01-01 is past: a date is its midnight"
      ),
      (["reminder", "add", "x", "--at", "08:00", "--every", "sometimes"], 64, "write day"),
      (["reminder", "add", "x", "--place", "hom"], 64, "did you mean home?"),
      (["reminder", "add", "x", "--place", "home", "--category", "bank"], 64, "not both"),
      (["reminder", "add", " ", "--place", "home"], 64, "at least one letter"),
      (["reminder", "add", "x", "--place", "home", "--tiers", "2mi,arival"], 64, "arival"),
      (
        ["reminder", "add", "x", "--place", "home", "--tiers", "post_arrival:5m,post_arrival:9m"],
        64, "at most one"
      ),
      (["reminder", "add", "x", "--place", "home", "--when", "mon-fry"], 64, "mon-fri"),
      (["reminder", "add", "x", "--place", "home", "--when", "25:00-26:00"], 64, "--when"),
      (["reminder", "add", "x", "--place", "home", "--when", "9:00-9:00"], 64, "--when"),
      (["reminder", "add", "x", "--place", "home", "--priority", "11"], 64, "0 to 9"),
      (["reminder", "add", "x", "--place", "home", "--id", "r1"], 64, "cannot be an id"),
      (["reminder", "mute", "mlik"], 64, "did you mean milk?"),
      (["reminder", "snooze", "milk", "61m"], 64, "1m to 60m"),
      (["reminder", "snooze", "milk", "0m"], 64, "1m to 60m"),
      (["reminder", "snooze", "milk", "1.5m"], 64, "1m to 60m"),
      (["reminder", "snooze", "milk", "tomorrow"], 64, "today"),
      (["reminder", "unmute", "milk"], 1, "already"),
      (["reminder", "edit", "milk"], 64, "say what to change"),
      (["reminder", "edit", "milk", "--title", "milk"], 1, "already"),
      (["place", "add", "x"], 64, "--at"),
      (["place", "add", "x", "--at", "91,0"], 64, "latitude 91"),
      (["place", "add", "x", "--at", "39.29"], 64, "a latitude and a longitude"),
      (["place", "add", "x", "--at", "1,2", "--radius", "-5m"], 64, "--radius"),
      (["place", "add", "x", "--at", "1,2", "--radius", "1e3"], 64, "--radius"),
      (["place", "add", "x", "--at", "1,2", "--radius", "500"], 64, "500m, 500km or 500mi"),
      (["reminder", "add", "x", "--place", "home", "--tiers", "2,arrival"], 64, "2m, 2km or 2mi"),
      (["place", "delete", "hme"], 64, "did you mean home?"),
    ] {
      let run = try Command(arguments + ["--db", database])
      #expect(run.status == Int32(status), "\(arguments): \(run.status) \(run.errors)")
      #expect(run.errors.contains(hint), "\(arguments): \(run.errors)")
      #expect(run.output.isEmpty)
    }
    _ = try done("reminder", "add", "y", "--place", "home", "--id", "y")
    let kept = try run("place", "delete", "home")
    #expect(kept.status == 1)
    #expect(kept.errors.contains("--with-reminders"))
    #expect(try done("place", "delete", "home", "--with-reminders") == "home: deleted, and y\n")
  }

  @Test func `a place is found by its name, and what would make one is said where it can be`()
    throws
  {
    _ = try done("place", "add", "Home", "--at", "39.2904,-76.6122")
    for (word, hint) in [
      ("Home", "did you mean p1 (Home)?"), ("hme", "did you mean p1 (Home)?"),
      ("Shed_2", "`nearme place add \"Shed_2\" --id Shed_2 --at LAT,LON` makes one"),
    ] {
      let run = try run("reminder", "add", "x", "--place", word)
      #expect(run.status == 64 && run.errors.contains(hint), "\(run.errors)")
    }
    let numbered = try run("reminder", "add", "x", "--place", "p29")
    #expect(numbered.status == 64 && !numbered.errors.contains("place add"), "\(numbered.errors)")
    #expect(try run("place", "delete", "home").errors.contains("did you mean p1 (Home)?"))
    for _ in 2...10 { _ = try done("place", "add", "Shed", "--at", "39.3,-76.7") }
    let rows = try done("place", "list").split(separator: "\n").dropFirst()
    #expect(rows.map { $0.prefix { $0 != " " } } == (1...10).map { "p\($0)" })
  }

  @Test func `days may be written out, and a date ends with its beginning`() throws {
    for (every, rule) in [
      ("daily", "FREQ=DAILY"), ("Monday", "BYDAY=MO"), ("weekdays", "BYDAY=MO,TU,WE,TH,FR"),
    ] {
      let made = try done(
        "reminder",
        "add",
        "x",
        "--at",
        "2098-03-03T18:00",
        "--every",
        every,
        "--if",
        "charging +10m",
        "--expires",
        "2098-12-24"
      )
      #expect(made.contains(rule), "\(made)")
      #expect(made.contains(", until 2098-12-24T00:00"), "\(made)")
    }
  }

  @Test(arguments: [
    ("2098-01-31T18:00", "month", "FREQ=MONTHLY, in shorter months on the last day", "2098-02-28"),
    ("2098-11-30", "3 months", "INTERVAL=3, in shorter months on the last day", "2099-02-28"),
    ("2096-02-29", "year", "FREQ=YEARLY, in other years on the day before", "2097-02-28"),
    ("2098-01-28", "month", "FREQ=MONTHLY: live", "2098-02-28"),
    ("2098-02-28", "year", "FREQ=YEARLY: live", "2099-02-28"),
    // A rule is taken at its word.
    ("2098-01-31", "FREQ=MONTHLY", "FREQ=MONTHLY: live", "2098-03-31"),
  ])
  func `on a day that not all months have it is the last day of the others`(
    start: String,
    every: String,
    words: String,
    next: String
  ) throws {
    let made = try done("reminder", "add", "rent", "--at", start, "--every", every)
    #expect(made.contains(words), "\(made)")
    let complete = try run("reminder", "complete", "r1")
    #expect(complete.status == 0 && complete.errors.contains("ahead of its time"))
    let list = try done("reminder", "list")
    #expect(list.contains(next), "\(list)")
  }

  @Test func `the last answer of what recurs is taken back once`() throws {
    _ = try done("reminder", "add", "x", "--at", "2098-03-03T18:00", "--every", "day")
    #expect(try run("reminder", "reopen", "r1").status == 1)
    #expect(try run("reminder", "complete", "r1").status == 0)
    _ = try done("reminder", "reopen", "r1")
    let again = try run("reminder", "reopen", "r1")
    #expect(again.status == 1 && again.errors.contains("nothing to change"), "\(again.errors)")
  }

  @Test func `a category in other words is told with the one that was meant`() throws {
    for (word, meant) in [("groceries", "grocery"), ("drugstore", "pharmacy"), ("banks", "bank")] {
      let refused = try run("reminder", "add", "milk", "--category", word)
      #expect(refused.status == 64)
      #expect(
        refused.errors.contains("unknown category \(word); did you mean \(meant)?"),
        "\(refused.errors)"
      )
    }
  }

  @Test func `without a database, or with a wrong one, the message names the file`() throws {
    let none = try Command(["reminder", "list"])
    #expect(none.status == 64)
    #expect(none.errors.contains("NEARME_DB"))
    let missing = try run("reminder", "list")
    #expect(missing.status == 66)
    #expect(missing.errors.hasPrefix("nearme: --db \(database): there is no such file"))
    #expect(missing.errors.contains("reminder add"))
    let nowhere = folder.path("no/such.db")
    for verb in [["list"], ["add", "milk"]] {
      let lost = try Command(["reminder"] + verb + ["--db", nowhere])
      #expect(lost.status == 66)
      #expect(lost.errors.hasPrefix("nearme: --db \(nowhere): "), "\(lost.errors)")
    }
    let shell = Process()
    shell.executableURL = Command.binary
    shell.arguments = ["reminder", "add", "milk"]
    shell.environment = ProcessInfo.processInfo.environment
      .merging(["NEARME_DB": nowhere]) { _, new in new }
    let errors = Pipe()
    shell.standardError = errors
    try shell.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(said.hasPrefix("nearme: NEARME_DB \(nowhere): "), "\(said)")
    #expect(said.contains("its folder is not there either"), "\(said)")
    #expect(folder.names.isEmpty, "looking makes no file")
    _ = try done("reminder", "add", "milk", "--category", "grocery")
    #expect(folder.names == ["my.db", "my.db-journal", "my.db.key"])
    #expect(chmod(database + ".key", 0o644) == 0)
    let open = try run("reminder", "list")
    #expect(open.status == 65)
    #expect(open.errors.contains("chmod 600"))
    #expect(chmod(database + ".key", 0o600) == 0)
    try FileManager.default.removeItem(atPath: database + ".key")
    #expect(try run("reminder", "add", "x", "--category", "bank").status == 66)
    try Data("hello".utf8).write(to: URL(fileURLWithPath: database))
    #expect(try run("reminder", "list").status == 65)
    let full = try Command(
      ["reminder", "add", "x", "--category", "bank", "--db", "/dev/full"]
    )
    #expect(full.status == 65)
  }

  @Test func `of many processes that add at once exactly three succeed`() throws {
    let processes = try (0..<10)
      .map { number in
        let process = Process()
        process.executableURL = Command.binary
        process.arguments = [
          "reminder", "add", "number \(number)", "--category", "bank", "--db", database,
          "--profile", "nearme",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
      }
    for process in processes { process.waitUntilExit() }
    let statuses = processes.map(\.terminationStatus).sorted()
    #expect(statuses == [0, 0, 0] + [Int32](repeating: 1, count: 7))
    let list = try done("reminder", "list")
    #expect(list.split(separator: "\n").count == 4)
  }

  @Test func `the way back from premium says who goes on speaking`() throws {
    func done(_ arguments: String...) throws -> String {
      let run = try Command(arguments + ["--db", database, "--profile", "nearme"])
      #expect(run.status == 0, "\(arguments): \(run.errors)")
      return run.output
    }
    _ = try done("reminder", "add", "1", "--category", "bank")
    #expect(try done("plan") == "free: 1 of 3 reminders are live\n")
    #expect(try done("plan", "premium").hasPrefix("premium: any number"))
    for title in ["2", "3", "4", "5"] {
      _ = try done("reminder", "add", title, "--category", "bank")
    }
    #expect(
      try done("plan", "free") == """
        free: these 3 go on speaking
          r1  1
          r2  2
          r3  3
        these wait until one of them is done, muted or deleted, in this order
          r4  4
          r5  5

        """
    )
    #expect(try done("reminder", "list").contains("waits (free plan)"))
    let fourth = try run("reminder", "add", "6", "--category", "bank", "--profile", "nearme")
    #expect(fourth.status == 1)
    #expect(fourth.errors.contains("nearme plan premium"))
  }

  @Test func `NM-9.5: nothing is counted unless one opts in`() throws {
    _ = try done("reminder", "add", "1", "--category", "bank")
    #expect(try done("privacy", "show").contains("events: not counted"))
    #expect(try done("privacy", "opt-in").contains("opt-out ends it"))
    #expect(try done("privacy", "show").contains("counted at your wish"))
    #expect(try done("privacy", "opt-out").hasPrefix("no events are counted"))
    #expect(try done("focus", "on") == "focus on\n")
  }

  @Test func `a key of another name is used where it is said`() throws {
    let key = folder.path("secret")
    let made = try Command([
      "reminder", "add", "1", "--category", "bank", "--db", database, "--key-file", key,
    ])
    #expect(made.status == 0, "\(made.errors)")
    #expect(folder.names == ["my.db", "my.db-journal", "secret"])
    #expect(try run("reminder", "list").status == 66)
    let list = try Command(["reminder", "list", "--db", database, "--key-file", key])
    #expect(list.output.contains("any bank"))
  }

  @Test func `every command's help shows an example`() throws {
    for command in [
      ["reminder"], ["reminder", "add"], ["reminder", "list"], ["reminder", "edit"],
      ["reminder", "complete"], ["reminder", "delete"], ["reminder", "mute"],
      ["reminder", "unmute"], ["reminder", "snooze"], ["reminder", "dismiss"], ["reminder", "why"],
      ["place"],
      ["place", "add"], ["place", "list"], ["place", "edit"], ["place", "delete"], ["plan"],
      ["privacy"], ["privacy", "show"], ["focus"],
    ] {
      let help = try Command(command + ["--help"])
      #expect(help.status == 0)
      #expect(help.output.contains("nearme \(command.joined(separator: " "))"), "\(command)")
      #expect(!help.output.contains("(values:  )"))
    }
  }
}
