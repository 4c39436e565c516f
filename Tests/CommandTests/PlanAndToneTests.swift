import Foundation
import TestSupport
import Testing

/// `nearme plan explain` and `nearme tone` as people run them.
@Suite struct PlanAndToneTests {
  private static let checkout = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private func profile(_ name: String) -> String { "\(Self.checkout)/data/profiles/\(name).yaml" }
  private func tone(_ name: String) -> String { "\(Self.checkout)/data/tones/\(name).yaml" }

  private func explain(_ name: String, _ arguments: String...) throws -> [String] {
    let run = try Command(
      ["plan", "explain", "--profile", profile(name), "--zone", "UTC"] + arguments
    )
    #expect(run.status == 0, "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test
  func `CTX-P3, CTX-P6: a full free plan says what is locked, what is refused and what is shown`()
    throws
  {
    let lines = try explain("context", "--active", "3", "--now", "2026-03-02T09:00:00Z")
    #expect(lines.contains("plan: free"))
    #expect(lines.contains("quota: 3 of 3 live reminders"))
    #expect(lines.contains("one more reminder: refused: there is room for 3 live reminders"))
    #expect(
      lines.contains {
        $0.hasPrefix(
          "locked: trigger.place, trigger.charging, trigger.app_opened, condition.compound"
        )
      }
    )
    #expect(lines.contains("at quota_reached:active: modal, because of fourth_reminder"))
    #expect(lines.contains("at open: nothing, no rule says so"))
    #expect(lines.contains("at first_open: nothing, never at the first opening"))
    #expect(lines.contains("offer: com.app.until.yearly, $19.99 a year, 44% less (apple)"))
  }

  @Test func `TODO-FR20, TODO-FR22: a trial says which day it is and what is due`() throws {
    func morning(_ now: String) throws -> [String] {
      try explain(
        "morning",
        "--launch",
        "2026-01-05",
        "--user",
        "u0",
        "--signup",
        "2026-02-17T09:00:00Z",
        "--now",
        now,
        "--open",
        "40",
        "--event",
        "open"
      )
    }
    let late = try morning("2026-03-16T09:00:00Z")
    #expect(late.contains("cohort: early_freemium_4.99 (the account is of week 7)"))
    #expect(
      late.contains("trial: runs, day 27; it ends in 3 days, or it ends with 60 more reminders")
    )
    #expect(late.contains("at open: modal, because of trial_ending"))
    #expect(late.contains("  Trial ending in 3 days"))
    let over = try morning("2026-03-19T09:00:00Z")
    #expect(over.contains("plan: free"))
    #expect(over.contains("trial: ended at 2026-03-19T09:00:00Z: its days were over"))
    #expect(over.contains("at open: blocking, because of trial_ended"))
    #expect(over.contains("  (the way past it: go on with what is free)"))
  }

  @Test func `a plan can be asked for whatever the dates say, and so can a single event`() throws {
    let paid = try explain("yomo", "--plan", "paid", "--event", "feature_locked:recurrence.custom")
    #expect(paid.contains("plan: paid"))
    #expect(paid.last == "at feature_locked:recurrence.custom: nothing, it is paid for")
    let free = try explain("yomo", "--event", "feature_locked:recurrence.custom")
    #expect(free.contains("  Unlock Yomo Pro"))
    let all = try explain("unified", "--active", "100000")
    #expect(all.contains("one more reminder: taken"))
    #expect(!all.contains { $0.hasPrefix("locked") || $0.contains("because of") })
  }

  @Test(arguments: [
    (["--profile", "nosuch"], 66 as Int32, "there are no profiles of this name"),
    (["--zone", "Mars/Base"], 64, "this system has no time zone \"Mars/Base\""),
    (["--now", "yesterday"], 64, "--now: \"yesterday\" is no time"),
    (["--event", "quota_reached"], 64, "is none of first_open, open"),
    (
      ["--signup", "2030-01-01T00:00:00Z", "--now", "2026-01-01T00:00:00Z"], 64, "made after --now"
    ),
    (["--active=-1"], 64, "counts of reminders are not negative"),
    (["--trial-start", "2026-01-01T00:00:00Z"], 64, "it has no trial"),
    (
      ["--trial-start", "2026-01-02T00:00:00Z", "--now", "2026-01-01T00:00:00Z"], 64,
      "the trial begins after --now"
    ),
    (
      [
        "--trial-start", "2026-01-01T00:00:00Z", "--signup", "2026-01-02T00:00:00Z", "--now",
        "2026-01-03T00:00:00Z",
      ], 64, "the trial begins before --signup"
    ),
    (["--launch", "2026-02-30"], 64, "no date such as 2026-01-05"),
  ])
  func `what is wrong with a question is said`(
    _ arguments: [String],
    _ status: Int32,
    _ message: String
  ) throws {
    let named = arguments.contains("--profile") ? [] : ["--profile", profile("unified")]
    let run = try Command(["plan", "explain"] + named + arguments)
    #expect(run.status == status, "\(run.errors)")
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test func `a trial that began and ended before now has ended, without the sign-up, too`() throws
  {
    let run = try Command([
      "plan", "explain", "--profile", profile("context"), "--trial-start", "2026-01-01T09:00:00Z",
      "--now", "2026-02-01T09:00:00Z", "--zone", "UTC",
    ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains("trial: ended at 2026-01-08T09:00:00Z: its days were over"),
      "\(run.output)"
    )
  }

  @Test func `the profiles and tones beside the command are found by name`() throws {
    let profiles = try Command(["plan", "profiles"])
    let names = profiles.output.split(separator: "\n")
    #expect(names == ["context", "morning", "nearme", "unified", "yomo", "yourmom"])
    let unified = try Command(["plan", "explain"])
    #expect(unified.status == 0 && unified.output.hasPrefix("profile: unified\n"))
    let tones = try Command(["tone", "list"])
    #expect(tones.output.split(separator: "\n").count == 4)
  }

  @Test func `a list of profiles that finds no folder of them says so`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["NEARME_DATA=/nowhere", Command.binary.path, "plan", "profiles"]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(output.fileHandleForReading.readDataToEndOfFile().isEmpty)
    process.waitUntilExit()
    #expect(process.terminationStatus == 66)
    #expect(said.contains("there is no folder of them in /nowhere: name it with NEARME_DATA"))
  }

  @Test(arguments: [
    (["NEARME_PROFILE=context"], "profile: context\nplan: free\n"),
    (["NEARME_PROFILE="], "profile: unified\nplan: free\n"),
    (["NEARME_DATA=/nowhere"], "profile: unified\nplan: free\n"),
    (["NEARME_DATA=/nowhere", "NEARME_PROFILE=context"], ""),
  ])
  func `the environment names the profile, and where profiles are`(
    _ environment: [String],
    _ output: String
  ) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = environment + [Command.binary.path, "plan", "explain"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text.hasPrefix(output) && text.isEmpty == output.isEmpty)
    #expect(process.terminationStatus == (output.isEmpty ? 66 : 0))
  }

  @Test func `MOM-14: a preview never says the same twice in a row, and the same next time`() throws
  {
    let arguments = ["tone", "preview", tone("sassy"), "call mum", "--count", "40"]
    let run = try Command(arguments)
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 9 * 41)
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 || !$0.hasPrefix(" ") })
    #expect(lines.filter { $0.hasPrefix(" ") && $0.contains("all mum") }.count >= 7 * 40)
    #expect(try Command(arguments).output == run.output)
    #expect(try Command(arguments + ["--seed", "1"]).output != run.output)
    let plain = try Command(["tone", "preview", tone("plain"), "{place}\nx", "--kind", "arrival"])
    #expect(
      plain.output.hasPrefix("arrival\n  Arriving at the pharmacy — {place} x now?\n")
    )
  }

  @Test func `a tone that does not exist is answered with those that do`() throws {
    let run = try Command(["tone", "preview", "salty", "call mum"])
    #expect(run.status == 66)
    #expect(run.errors.contains("there are chaotic, plain, sassy, sweet"))
  }
}
