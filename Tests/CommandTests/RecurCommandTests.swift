import Foundation
import Testing

/// `nearme recur` as people and programs run it.
@Suite struct RecurCommandTests {
  @Test func `it prints occurrences, one a line, with the weekday`() throws {
    let run = try Command([
      "recur", "FREQ=MONTHLY;BYDAY=-1FR", "--start", "2026-01-30T18:00", "--zone", "Europe/Malta",
      "--count", "3",
    ])
    #expect(run.status == 0)
    #expect(
      run.output == """
        2026-01-30T18:00:00+01:00 Fri
        2026-02-27T18:00:00+01:00 Fri
        2026-03-27T18:00:00+01:00 Fri

        """
    )
  }

  @Test func `it says the rule in words, after a time, between two`() throws {
    let words = try Command([
      "recur", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=12", "--start", "2026-01-30T18:00", "--explain",
      "--after", "2026-03-01", "--count", "1",
    ])
    #expect(
      words.output == """
        every month on the last Friday at 18:00, 12 times
        2026-03-27T18:00:00 Fri

        """
    )
    let between = try Command([
      "recur", "FREQ=WEEKLY;BYDAY=MO,WE", "--start", "2020-01-01T09:00", "--between", "2026-12-20",
      "2026-12-30", "--exdate", "2026-12-23",
    ])
    #expect(between.output == "2026-12-21T09:00:00 Mon\n2026-12-28T09:00:00 Mon\n")
  }

  @Test func `it answers what follows a completion, and reads and writes Yomo's form`() throws {
    let completion = try Command([
      "recur", "FREQ=DAILY;INTERVAL=3", "--start", "2026-01-01T08:00", "--anchor", "completion",
      "--completed-at", "2026-02-10T22:15",
    ])
    #expect(completion.output == "2026-02-13T08:00:00 Fri\n")
    let form = #"{"interval":3,"unit":"hour","time_range_start":"09:00","time_range_end":"18:00"}"#
    let read = try Command(["recur", form, "--start", "2026-01-01", "--count", "5"])
    #expect(
      read.output.split(separator: "\n").map { $0.dropFirst(5).prefix(8) }
        == ["01-01T09", "01-01T12", "01-01T15", "01-01T18", "01-02T09"]
    )
    let written = try Command(["recur", "FREQ=WEEKLY;BYDAY=MO", "--start", "2026-01-01", "--yomo"])
    #expect(written.output.hasPrefix(#"{"interval":1,"unit":"week","days_of_week":["mon"],"#))
    let last = ["recur", "FREQ=MONTHLY;BYDAY=-1FR", "--yomo", "--start"]
    #expect(try Command(last + ["2026-01-30"]).output.contains(#"["fri"]"#))
    let fourth = try Command(last + ["2026-02-27"])
    #expect(fourth.status == 65 && fourth.errors.contains("BYDAY=4FR"), "\(fourth.errors)")
  }

  @Test func `lines of JSON are answered one by one, whatever is wrong with some`() throws {
    let run = try Command(
      ["recur", "--stdin"],
      input: """
        {"id":"a","start":"2026-03-07T02:30","zone":"America/New_York","rrule":"FREQ=DAILY","limit":2}
        {"id":7,"start":"2026-03-07","zone":null,"rrule":null,"rdates":["2026-04-01T08:00:00Z"]}

        nonsense
        {"id":8,"start":"2026-03-07","rrule":"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}
        {"id":9,"start":"2026-03-07","rrule":"FREQ=DAILY","zone":"Mars/Olympus"}
        {"id":10,"start":"2026-03-07","rrule":"FREQ=DAILY","every":1}
        {"id":11,"start":"2026-03-07","rrule":"FREQ=DAILY","after":"2026-03-08","limit":1}
        """
    )
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    #expect(
      lines[0]
        == #"{"id":"a","occurrences":["2026-03-07T02:30:00-05:00","2026-03-08T03:30:00-04:00"]}"#
    )
    #expect(lines[1] == #"{"id":7,"occurrences":["2026-04-01T08:00:00"]}"#)
    #expect(lines[2].hasPrefix(#"{"id":null,"error":"line 4, byte "#))
    #expect(lines[3].hasPrefix(#"{"id":8,"error":"rule: no date from 2026-03-07T00:00:00"#))
    #expect(lines[4].hasPrefix(#"{"id":9,"error":"zone: this system has no zone"#))
    #expect(lines[5].hasPrefix(#"{"id":10,"error":"every: there is no such key"#))
    #expect(lines[6] == #"{"id":11,"occurrences":["2026-03-09T00:00:00"]}"#)
    #expect(lines.count == 7)
  }

  @Test(
    arguments: [
      (["FREQ=DALY", "--start", "2026-01-01"], 65, "FREQ: \"DALY\" is no frequency"),
      (["FREQ=DAILY", "--start", "2026-02-30"], 65, "--start: \"2026-02-30\" is no time"),
      (["FREQ=DAILY", "--start", "2026-01-01", "--zone", "Mars"], 65, "zone: this system has no"),
      (["FREQ=DAILY"], 64, "--start"), (["--start", "2026-01-01"], 64, "name a rule"),
      (["FREQ=DAILY", "--start", "2026-01-01", "--between", "2026-01-02"], 64, "two times"),
      (["FREQ=DAILY", "--start", "2026-01-01", "--anchor", "completion"], 64, "--completed-at"),
      (["FREQ=DAILY", "--stdin"], 64, "--stdin takes everything from its lines"),
    ] as [([String], Int32, String)]
  )
  func `what is wrong is said in a sentence`(
    arguments: [String],
    status: Int32,
    sentence: String
  ) throws {
    let run = try Command(["recur"] + arguments)
    #expect(run.status == status && run.output.isEmpty)
    #expect(run.errors.contains(sentence), "\(run.errors)")
  }

  @Test func `its help fits 80 columns where it shows what to type`() throws {
    let help = try Command(["help", "recur"]).output
    #expect(help.contains("nearme recur --stdin"))
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `random rules agree with dateutil and others, where those are installed`() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let modules = "import dateutil, icalendar, recurring_ical_events"
    guard try Self.python(["-c", modules]).status == 0 else {
      print("python-dateutil or recurring-ical-events is not installed: not compared")
      return
    }
    let check = try Self.python([
      root.appending(path: "scripts/recurrence_oracle.py").path, "--nearme", Command.binary.path,
      "--seed", "11", "--floating", "70", "--zoned", "1",
    ])
    #expect(check.status == 0, "\(check.output)")
    #expect(check.output.contains("0 differ"))
  }

  private static func python(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
