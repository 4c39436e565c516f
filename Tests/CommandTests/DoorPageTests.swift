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

  @Test func `NM-10.2, TODO-FR6: what was written without the door arrives once`() throws {
    // The first of them makes what is looked at without the door.
    try check(
      "a_sentence_is_shown_before_it_is_saved",
      "an_edit_without_the_door_arrives_once",
      "nothing_is_done_in_anothers_name"
    )
  }

  @Test
  func
    `CTX-12.1, MOM-12, YOMO-4.2c: one field shows how a sentence is read, and saves it or leaves it`()
    throws
  { try check("a_sentence_is_shown_before_it_is_saved") }

  @Test
  func
    `YOMO-7.1, TODO-NFR4: every view is plain to read by day and in the dark, on screens of two widths`()
    throws
  { try check("every_view_holds_to_axe_and_fits") }

  @Test func `MOM-9, YOMO-4.3b: a card says when it is next, how often, and in which tone`() throws
  { try check("a_card_says_when_how_often_and_in_which_tone") }

  @Test func `MOM-10, MOM-13, YOMO-4.3e: the list and the field lead to each other`() throws {
    try check("the_list_and_the_field_lead_to_each_other")
  }

  @Test
  func
    `YOMO-4.3c, YOMO-4.3d, YOMO-4.5.2: a card is done, put off, or deleted and had back, by buttons`()
    throws
  { try check("answers_work_from_the_list", "a_deletion_can_be_taken_back") }

  @Test
  func
    `YOMO-4.3c, YOMO-4.3d, MOM-10, TODO-FR12, TODO-NFR13: a card is swiped done, and goes, or deleted`()
    throws
  { try check("a_card_is_swiped_done_or_deleted") }

  @Test func `TODO-NFR2: what was written without a network arrives within 5 s of its return`()
    throws
  { try check("an_edit_without_a_network_arrives_within_5_s") }

  @Test
  func `TODO-FR8, TODO-FR9, TODO-FR10: a mail a day is set, and what was mailed is folded away`()
    throws
  { try check("a_mail_a_day_is_set_and_what_was_mailed_is_folded") }

  @Test func `YOMO-4.1e, YOMO-4.3f: the pages say what a product says in words of its own`() throws
  {
    try check("the_pages_say_a_products_words")
  }

  @Test func `TODO-FR28: the pages can be installed`() throws { try check("it_can_be_installed") }

  @Test func `what is written to a page that was just opened stays`() throws {
    try check("what_is_written_at_once_stays")
  }

  @Test func `a browser that signs in again is pushed to again`() throws {
    try check("a_browser_that_signs_in_again_is_pushed_to_again")
  }
}
