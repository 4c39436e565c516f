import Foundation
import TestSupport
import Testing

/// The checks of `make check-door-pages`, which need a browser that can be driven.
private enum PageCheck {
  static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  static let hasBrowser = FileManager.default.isExecutableFile(
    atPath: root.appendingPathComponent(".build/browser/bin/python").path
  )
}

/// What a person does on the pages of a door, in a real Chromium.
@Suite(.serialized, .enabled(if: PageCheck.hasBrowser, "`make setup-browser` installs a browser"))
struct DoorPageTests {
  /// Starts a door and makes some of the checks of `make check-door-pages`.
  private func check(_ names: String...) throws {
    let process = Process()
    process.executableURL = PageCheck.root.appendingPathComponent("scripts/check-door-pages.sh")
    process.arguments = [Command.binary.path] + names
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.standardError
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    // Each begins by signing in.
    let count = names.count + 1
    #expect(text.hasSuffix("\n\(count) of \(count) checks hold\n"), "\(text)")
  }

  @Test func `NM-6.1, NM-6.4, NM-6.6: the introduction asks for nothing unasked and adds examples`()
    throws
  { try check("the_introduction_asks_for_nothing_unasked") }

  @Test
  func `NM-6.2, NM-6.3, NM-6.5: it shows an example, asks for home and work, and notifies once`()
    throws
  { try check("the_introduction_sets_up_a_phone_and_shows_an_example") }

  @Test func `NM-3.1: a place is found by its name or picked on the map`() throws {
    try check("the_map_moves_by_keys_and_has_a_list")
  }

  @Test func `NM-10.2: what was written without the door arrives once`() throws {
    try check("a_sentence_is_shown_before_it_is_saved", "an_edit_without_the_door_arrives_once")
  }

  @Test func `what is written to a page that was just opened stays`() throws {
    try check("what_is_written_at_once_stays")
  }
}
