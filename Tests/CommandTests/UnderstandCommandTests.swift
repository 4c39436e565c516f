import Foundation
import TestSupport
import Testing

/// `nearme understand` and `nearme remember` as people and programs use them.
@Suite struct UnderstandCommandTests {
  @Test func `YOMO-4.1e, YOMO-4.1a: the placeholder's sentence is a line of JSON`() throws {
    let question =
      #"{"id":1,"text":"Water plants every Tuesday at 3pm","now":"2026-02-13T10:00:00","zone":"America/New_York"}"#
    let command = try Command(["understand", "--stdin"], input: question + "\n")
    #expect(command.status == 0)
    #expect(
      command.output == #"{"id":1,"title":"Water plants","spans":["#
        + #"{"from":13,"to":33,"kind":"repeat","value":"2026-02-17T15:00:00","grain":"minute","until":null},"#
        + #"{"from":27,"to":33,"kind":"time","value":"2026-02-17T15:00:00","grain":"minute","until":null}],"#
        + #""start":"2026-02-17T15:00:00","rrule":"FREQ=WEEKLY;BYDAY=TU","anchor":"catch_up","#
        + #""triggers":[{"schedule":{"start":"2026-02-17T15:00","rrule":"FREQ=WEEKLY;BYDAY=TU"}}],"conditions":[],"#
        + #""sentence":"Water plants, every Tuesday at 3 pm; next on Tuesday, 17 February"}"# + "\n"
    )
  }

  @Test func `every line has an answer, with its id, also a wrong one`() throws {
    let command = try Command(
      ["understand", "--stdin"],
      input: """
        {"id":"a","text":"x","zone":"Nowhere/None"}
        {"id":2}
        nonsense

        {"id":4,"text":"ring the vet on 3/4","now":"2026-02-13T10:00","zone":"Etc/GMT-3","locale":"en-GB"}
        {"id":5,"text":"","now":"2026-02-13T10:00","zone":null}
        {"id":6,"text":"x","local":"de"}

        """
    )
    #expect(command.status == 0)
    let lines = command.output.split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines[0].hasPrefix(#"{"id":"a","error":"zone: "#))
    #expect(lines[1].hasPrefix(#"{"id":2,"error":"text: "#))
    #expect(lines[2].hasPrefix(#"{"id":null,"error":"line 3, byte "#))
    #expect(lines[3].contains(#""start":"2026-04-03""#))
    #expect(lines[4].hasPrefix(#"{"id":5,"title":"","spans":[],"start":null,"rrule":null"#))
    #expect(lines[5].contains("there is no such key: did you mean locale?"), "\(lines[5])")
    let doubled = try Command(["understand", "--stdin", "--now", "2026-02-13T10:00"], input: "")
    #expect(doubled.status == 64 && doubled.errors.contains("leave --now and --zone out"))
    let marked = try Command(
      ["understand", "--stdin"],
      input: "\u{FEFF}" + #"{"id":7,"text":"x"}"# + "\n"
    )
    #expect(marked.output.hasPrefix(#"{"id":7,"title":"x""#), "\(marked.output)")
  }

  @Test func `YOMO-4.1b: Yomo's form has five keys, whatever is said`() throws {
    func form(_ text: String) throws -> String {
      try Command([
        "understand", text, "--now", "2026-02-13T10:00", "--zone", "America/New_York", "--format",
        "yomo",
      ])
      .output
    }
    #expect(
      try form("Water plants every Tuesday at 3pm")
        == #"{"title":"Water plants","date":"2026-02-17","time":"15:00","recurrence_type":"weekly","recurrence_rule":"#
        + #"{"interval":1,"unit":"week","days_of_week":["tue"],"time_range_start":null,"time_range_end":null,"#
        + #""based_on_completion":false}}"# + "\n"
    )
    #expect(
      try form("think of a name")
        == #"{"title":"think of a name","date":null,"time":null,"recurrence_type":"none","recurrence_rule":null}"#
        + "\n"
    )
    #expect(
      try form("take vitamins every day")
        .contains(#""recurrence_type":"daily","recurrence_rule":null"#)
    )
    #expect(
      try form("drink every 3 hours between 9 and 6")
        .contains(#""time_range_start":"09:00","time_range_end":"18:00""#)
    )
  }

  @Test func `what Yomo's form has no place for is said, not dropped`() throws {
    let command = try Command([
      "understand", "pay rent every year on 4 July when I get home, high priority", "--now",
      "2026-02-13T10:00", "--zone", "America/New_York", "--format", "yomo",
    ])
    #expect(command.output.contains(#""recurrence_type":"none""#))
    #expect(command.errors.contains(#"Yomo's form has no place for "when I get home""#))
    #expect(command.errors.contains("Yomo's form has no place for a priority"))
    let kept = try Command([
      "understand", "Water plants every Tuesday at 3pm", "--now", "2026-02-13T10:00", "--format",
      "yomo",
    ])
    #expect(!kept.errors.contains("no place"))
    func said(_ text: String) throws -> Command {
      try Command(["understand", text, "--now", "2026-02-13T10:00", "--format", "yomo"])
    }
    let last = try said("pay rent on the last friday of every month")
    #expect(last.output.contains(#""recurrence_type":"none""#))
    #expect(last.errors.contains("Yomo's form has no place for"), "\(last.errors)")
    let first = try said("pay rent on the 1st of every month at 9am")
    #expect(first.output.contains(#""date":"2026-03-01""#))
    #expect(first.output.contains(#"{"interval":1,"unit":"month","days_of_week":null"#))
    #expect(!first.errors.contains("no place"), "\(first.errors)")
  }

  @Test func `YOMO-4.1c: nothing is saved without a yes`() throws {
    let folder = try TemporaryFolder()
    let db = folder.path("my.db")
    let sentence = "call mum tomorrow at 5pm"
    let no = try Command(["remember", sentence, "--db", db], input: "n\n")
    #expect(no.status == 1)
    #expect(no.errors.contains("nothing is saved"))
    let silent = try Command(["remember", sentence, "--db", db])
    #expect(silent.status == 1)
    #expect(!FileManager.default.fileExists(atPath: db))
    let shown = no.output.split(separator: "\n")
    #expect(shown[0] == "  call mum tomorrow at 5pm")
    #expect(shown[1] == "           ~~~~~~~~~~~~~~~")
    let yes = try Command(["remember", sentence, "--db", db], input: "every day at 7pm\ny\n")
    #expect(yes.status == 0)
    let list = try Command(["reminder", "list", "--db", db, "--format", "json"])
    #expect(list.output.contains("call mum"))
    #expect(list.output.contains("FREQ=DAILY"))
    // Small words around a time are no other title.
    let polite = try Command(["remember", sentence, "--db", db], input: "no, at 6 please\ny\n")
    #expect(polite.status == 0 && polite.output.hasPrefix("  call mum"), "\(polite.output)")
    #expect(polite.output.split(separator: "\n").last?.contains("call mum") == true)
    let atOnce = try Command(["remember", "buy stamps on Monday", "--yes", "--db", db])
    #expect(atOnce.status == 0)
  }
}
