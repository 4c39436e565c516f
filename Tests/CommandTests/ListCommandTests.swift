import Foundation
import NearMeEngine
import TestSupport
import Testing
import Timeline

/// Reminders as a list, as people keep it: what comes next, search, history, and what a profile has to say.
@Suite struct ListCommandTests {
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
    return run.output
  }

  @Test func `what speaks once does not nag, and what nags does not speak once`() throws {
    let both = try run("reminder", "add", "pay", "--at", "2099-01-01", "--once", "--nag", "5m")
    #expect(both.status == 64)
    #expect(both.errors.contains("choose one of them"), "\(both.errors)")
    _ = try done("reminder", "add", "pay", "--at", "2099-01-01", "--once")
    let nags = try run("reminder", "edit", "r1", "--nag", "5m")
    #expect(nags.status == 64)
    #expect(nags.errors.contains("--no once"), "\(nags.errors)")
    _ = try done("reminder", "edit", "r1", "--nag", "5m", "--no", "once")
    _ = try done("reminder", "edit", "r1", "--at", "2099-01-02")
  }

  @Test func `what was done ahead of its time is said, and can be taken back`() throws {
    _ = try done("reminder", "add", "gym", "--at", "2098-05-04T18:00", "--every", "2 days")
    let first = try run("reminder", "complete", "r1")
    #expect(first.output == "r1: gym: done for 2098-05-04 18:00, next 2098-05-06 18:00\n")
    #expect(first.errors.contains("ahead of its time; `nearme reminder reopen r1` takes it back"))
    let second = try done("reminder", "complete", "r1")
    #expect(second == "r1: gym: done for 2098-05-06 18:00, next 2098-05-08 18:00\n")
    let history = try done("reminder", "history").split(separator: "\n")
    #expect(
      history.map { $0.drop { $0 != "r" } } == [
        "r1  done for 2098-05-06 18:00  gym", "r1  done for 2098-05-04 18:00  gym",
      ]
    )
    _ = try done("reminder", "reopen", "r1")
    let left = try done("reminder", "history")
    #expect(left.contains("2098-05-04") && !left.contains("2098-05-06"))
  }

  @Test func `what was told once is out of the way, and in the history`() throws {
    let file = folder.path("told.json")
    try
      (#"{"id":"x1","title":"call Ann","triggers":[{"type":"PHONE_UNLOCK"}],"conditions":[],"#
      + #""status":"fired","createdAt":1767600000123}"#)
      .write(toFile: file, atomically: true, encoding: .utf8)
    _ = try done("reminder", "import", file)
    #expect(try done("reminder", "list").hasPrefix("nothing to be done; --all shows 1 that is"))
    #expect(try done("reminder", "list", "--all").contains("told once"))
    #expect(try done("reminder", "history").hasSuffix("  x1  told once  call Ann\n"))
    let over = try done("reminder", "dismiss", "x1")
    #expect(over == "x1: call Ann, on unlock, once: told once\n")
  }

  @Test func `every window is said, and hours that are taken away hold nothing back`() throws {
    let two = try done(
      "reminder",
      "add",
      "x",
      "--on",
      "unlock",
      "--if",
      "sat,sun",
      "--if",
      "10:00-12:00"
    )
    #expect(two == "r1: x, on unlock, sat,sun 00:00-24:00, if 10:00-12:00: live\n")
    #expect(try done("reminder", "show", "r1").hasPrefix(two))
    #expect(try done("reminder", "edit", "r1", "--when", "always") == "r1: x, on unlock: live\n")
    _ = try done(
      "reminder",
      "add",
      "y",
      "--when",
      "mon-fri",
      "--if",
      "09:00-12:00",
      "--if",
      "at:any:bank"
    )
    let weekdays = "r2: y, -, mon,tue,wed,thu,fri 00:00-24:00"
    #expect(try done("reminder", "edit", "r2", "--no", "if") == "\(weekdays): live\n")
    let other = try done("reminder", "edit", "r2", "--if", "car")
    #expect(other == "\(weekdays), if car: live\n")
    _ = try done("reminder", "edit", "r2", "--if", "20:00-21:00")
    #expect(try done("reminder", "edit", "r2", "--no", "if") == "\(weekdays): live\n")
    // Hours that are all there is are what is to go.
    #expect(try done("reminder", "edit", "r2", "--no", "if") == "r2: y, -: live\n")
  }

  private func ids(_ output: String) -> [String] {
    output.split(separator: "\n").dropFirst().map { String($0.prefix { $0 != " " }) }
  }

  @Test
  func
    `YOMO-4.3a, TODO-FR1, TODO-FR2, TODO-FR3, TODO-FR4: what is next comes first, or what was made last`()
    throws
  {
    #expect(try done("reminder", "add", "think of a name") == "r1: think of a name, -: live\n")
    _ = try done("reminder", "add", "new year", "--at", "2099-01-01")
    _ = try done("reminder", "add", "pills", "--at", "2098-12-31T08:00", "--priority", "high")
    let list = try done("reminder", "list")
    #expect(ids(list) == ["r3", "r2", "r1"])
    #expect(list.hasPrefix("ID  NEXT "))
    #expect(list.contains("2098-12-31 08:00") && list.contains("2099-01-01 09:00"))
    #expect(ids(try done("reminder", "list", "--sort", "most_recent")) == ["r3", "r2", "r1"])
    #expect(ids(try done("reminder", "list", "--sort", "made")) == ["r1", "r2", "r3"])
    #expect(ids(try done("reminder", "list", "--profile", "morning")) == ["r3", "r2", "r1"])
    #expect(ids(try done("reminder", "list", "--priority", "high")) == ["r3"])
    _ = try done("reminder", "edit", "r1", "--priority", "low")
    #expect(ids(try done("reminder", "list", "--priority", "low")) == ["r1"])
    #expect(
      try run("reminder", "edit", "r1", "--priority", "urgent").errors.contains("low, medium")
    )
  }

  @Test
  func
    `YOMO-4.2a, YOMO-4.2d, MOM-2, MOM-4, MOM-16: time, frequency and tone, and another time later`()
    throws
  {
    let made = try done(
      "reminder",
      "add",
      "call mum",
      "--at",
      "2098-03-03T18:00",
      "--every",
      "week",
      "--tone",
      "sweet"
    )
    #expect(made.contains("FREQ=WEEKLY"))
    let shown = try done("reminder", "show", "r1", "--times", "3").split(separator: "\n")
    #expect(
      shown.dropFirst() == [
        "next  2098-03-03 18:00", "next  2098-03-10 18:00", "next  2098-03-17 18:00",
      ]
    )
    _ = try done("reminder", "edit", "r1", "--at", "2098-03-04T07:30", "--every", "day")
    #expect(try done("reminder", "show", "r1").contains("next  2098-03-05 07:30"))
    _ = try done("reminder", "edit", "r1", "--no", "at", "--on", "unlock", "--tone", "sassy")
    let signal = try done("reminder", "show", "r1", "--format", "json")
    let read = try JSONDecoder().decode(Reminder.self, from: Data(signal.utf8))
    #expect(read.triggers == [.signal("unlock")])
    #expect(read.tone == "sassy")
    #expect(try run("reminder", "edit", "r1").status == 64)
    #expect(try run("reminder", "show", "r7").errors.contains("`nearme reminder list` shows them"))
  }

  @Test func `MOM-8: search looks at titles and notes, whatever their case and accents`() throws {
    for (title, notes) in [
      ("Buy CRÈME brûlée", "two of them"), ("call Ann", "about the crème"), ("fix the fence", "r1"),
    ] { _ = try done("reminder", "add", title, "--notes", notes) }
    #expect(ids(try done("reminder", "list", "--search", "creme")) == ["r1", "r2"])
    #expect(ids(try done("reminder", "list", "--search", "THE FENCE")) == ["r3"])
    // An id is no word of the user's.
    #expect(ids(try done("reminder", "list", "--search", "r1")) == ["r3"])
    _ = try done("reminder", "edit", "r3", "--title", "mend the gate")
    #expect(try done("reminder", "list", "--search", "fence").hasPrefix("nothing found"))
    #expect(ids(try done("reminder", "list", "--search", "gate")) == ["r3"])
    _ = try done("reminder", "complete", "r1")
    #expect(ids(try done("reminder", "list", "--search", "creme")) == ["r2"])
    #expect(ids(try done("reminder", "list", "--search", "creme", "--all")) == ["r1", "r2"])
    _ = try done("reminder", "delete", "r2")
    #expect(try done("reminder", "list", "--search", "ann", "--all").hasPrefix("nothing found"))
  }

  @Test
  func
    `TODO-FR13, TODO-FR14, TODO-FR30: what is done is out of the way, newest first, for ever, and can be had back`()
    throws
  {
    for number in 1...5 { _ = try done("reminder", "add", "number \(number)") }
    for number in [2, 4, 5] { _ = try done("reminder", "complete", "r\(number)") }
    #expect(ids(try done("reminder", "list")) == ["r1", "r3"])
    let first = try run("reminder", "history", "--limit", "2")
    let lines = first.output.split(separator: "\n")
    #expect(lines.map { $0.suffix(14) } == ["done  number 5", "done  number 4"])
    let place = try #require(first.errors.split(separator: " ").last?.dropLast())
    let second = try done("reminder", "history", "--limit", "2", "--after", String(place))
    #expect(second.hasSuffix("r2  done  number 2\n"))
    #expect(second.split(separator: "\n").count == 1)
    #expect(try run("reminder", "edit", "r2", "--title", "x").errors.contains("r2 is done"))
    #expect(try run("reminder", "complete", "r2").status == 1)
    #expect(try done("reminder", "reopen", "r2") == "r2: number 2, -: live\n")
    #expect(ids(try done("reminder", "list", "--sort", "made")) == ["r1", "r2", "r3"])
    #expect(try run("reminder", "reopen", "r2").status == 1)
    #expect(try run("reminder", "history", "--after", "yesterday").status == 64)
  }

  @Test
  func `CTX-P3, CTX-P4, CTX-P5, CTX-2.6, CTX-5.3: a profile says what its plan does not take`()
    throws
  {
    func context(_ arguments: String...) throws -> Command {
      try Command(arguments + ["--db", database, "--profile", "context"])
    }
    _ = try done("place", "add", "Home", "--kind", "home", "--at", "39.2904,-76.6122")
    let place = try context("reminder", "add", "x", "--place", "p1")
    #expect(place.status == 1)
    #expect(place.errors.contains("trigger.place is not on the free plan of context"))
    let schedule = try context("reminder", "add", "x", "--at", "08:00")
    #expect(schedule.errors.contains("context has no trigger.schedule"))
    for number in 1...3 {
      #expect(try context("reminder", "add", "\(number)", "--on", "unlock").status == 0)
    }
    let fourth = try context("reminder", "add", "4", "--on", "unlock")
    #expect(fourth.status == 1)
    #expect(fourth.errors.contains("3 reminders are live"))
    let compound = try context(
      "reminder",
      "edit",
      "r1",
      "--if",
      "connectivity=online",
      "--when",
      "sat,sun"
    )
    #expect(compound.errors.contains("condition.compound"))
    // Who paid has them, and the one profile that has everything takes all of it.
    _ = try done("plan", "premium")
    #expect(try context("reminder", "add", "4", "--place", "p1").status == 0)
    #expect(try done("reminder", "add", "5", "--at", "08:00").hasSuffix(": live\n"))
  }

  @Test
  func
    `CTX-1.1, CTX-5.1, CTX-6.3, CTX-9.2, CTX-P3, conflicts 6 and 7: what is made here is what comes in`()
    throws
  {
    func context(_ arguments: String...) throws -> Command {
      try Command(arguments + ["--db", database, "--profile", "context"])
    }
    let signal = try context("reminder", "add", "a", "--on", "unlock")
    #expect(signal.output == "r1: a, on unlock, once: live\n")
    let window = try context("reminder", "add", "b", "--when", "18:00-22:00")
    #expect(window.output == "r2: b, in its hours, 18:00-22:00, once: live\n", "\(window.errors)")
    #expect(window.errors.contains("context sets no timers"))
    // As it comes in where its document has the window as a trigger.
    let form = try context("reminder", "export", "--format", "context")
    #expect(form.status == 0, "\(form.errors)")
    #expect(form.output.contains(#""triggers":[{"type":"TIME_WINDOW""#))
    let file = folder.path("c.json")
    try form.output.write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try done("reminder", "import", file).contains("2 there already"))
    // Its hours are what wakes it, whatever they are.
    let later = try context("reminder", "edit", "r2", "--when", "sat 19:00-23:00")
    #expect(later.output == "r2: b, in its hours, sat 19:00-23:00, once: live\n")
    #expect(try context("reminder", "show", "r2").output.contains(" 19:00\n"))
    let asleep = try context("reminder", "edit", "r2", "--no", "at")
    #expect(asleep.output == "r2: b, -, sat 19:00-23:00, once: live\n")
    let both = try context("reminder", "edit", "r2", "--on", "unlock")
    #expect(both.output == "r2: b, on unlock, sat 19:00-23:00, once: live\n")
    let said = try context("remember", "only between 9 and 11: think of a name", "--yes")
    #expect(said.output.contains(", once: live\n"), "\(said.output)\(said.errors)")
    // Another product has hours as a condition alone, and goes on until it is done.
    #expect(try done("reminder", "add", "c", "--on", "unlock").hasSuffix(": c, on unlock: live\n"))
    #expect(try done("reminder", "add", "d", "--when", "18:00-22:00").contains(": d, -, 18:00"))
  }

  @Test func `TODO-FR24: beyond a soft quota one more is taken, and that is said`() throws {
    var notes: [Int] = []
    for number in 1...51 {
      let run = try run("reminder", "add", "number \(number)", "--profile", "morning")
      #expect(run.status == 0)
      if run.errors.contains("50 reminders can be made in a month on the free plan of morning") {
        notes.append(number)
      }
      // What is done or deleted was made all the same.
      if number == 10 { _ = try done("reminder", "delete", "r10") }
    }
    #expect(notes == [51])
  }

  @Test
  func
    `TODO-NFR9: what is erased is gone, with its key, and only when it is asked for in so many words`()
    throws
  {
    _ = try done("reminder", "add", "buy milk")
    let asked = try run("privacy", "erase")
    #expect(asked.status == 64)
    #expect(asked.errors.contains("1 reminder") && asked.errors.contains("--yes"))
    #expect(try done("reminder", "list").contains("buy milk"))
    #expect(try done("privacy", "erase", "--yes").contains("is deleted, with 1 reminder"))
    #expect(folder.names.isEmpty)
    #expect(try run("privacy", "erase", "--yes").status == 66)
  }

  @Test func `what the phone says goes to the engine, and is one happening for one id`() throws {
    _ = try done("reminder", "add", "call Ann", "--on", "unlock")
    #expect(try done("signal", "unlock", "--id", "1") == "unlock\n")
    #expect(try done("signal", "charging", "--to", "charging") == "charging to charging\n")
    #expect(try run("signal", "").status == 64)
    #expect(try done("privacy", "show").contains("4 changes not yet taken in"))
  }

  @Test func `a reminder that can never speak is taken, and that is said`() throws {
    let never = try run("reminder", "add", "x", "--at", "08:00", "--if", "mon", "--if", "tue")
    #expect(never.status == 0)
    #expect(never.errors.contains("never hold together"))
    let unknown = try run("reminder", "add", "x", "--at", "08:00", "--zone", "Mars/Olympus")
    #expect(unknown.status != 0)
    #expect(unknown.errors.contains("Mars/Olympus"))
    let bad = try run(
      "reminder",
      "add",
      "x",
      "--at",
      "08:00",
      "--every",
      "FREQ=YEARLY;BYMONTHDAY=30;BYMONTH=2"
    )
    #expect(bad.status != 0)
  }
}
