import Foundation
import NearMeEngine
import Testing

/// The pages that explain notifications are played, block by block.
@Suite struct DrawingTests {
  static let pages = ["notifications", "notification-pairs", "reasons"]

  @Test(arguments: pages)
  func `every drawing on the page is what the engine does`(_ page: String) throws {
    let text = try Drawing.text(of: page)
    let drawn = try Drawing.drawnAnew(page)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try drawn.write(to: Drawing.url(of: page), atomically: true, encoding: .utf8)
      return
    }
    let (old, new) = (text.components(separatedBy: "\n"), drawn.components(separatedBy: "\n"))
    for (line, (is_, says)) in zip(new, old).enumerated() where is_ != says {
      Issue.record("docs/\(page).md:\(line + 1) says \"\(says)\", the engine \"\(is_)\"")
      break
    }
    #expect(old.count == new.count)
    #expect(try Drawing.drawings(of: page).count >= 12)
  }

  /// Drawings that say something else when they are walked: their number on the page, and why.
  private static let otherwise: [String: [Int: String]] = [
    "notifications": [
      2: "drawn is a gap in which rings are jumped over", 6: "as 2", 8: "as 2",
      17: "as 2", 20: "an arrival is weighed in less time than the edit takes to come",
    ],
    "notification-pairs": [
      2: "the snooze is drawn for a position that comes later on the way",
      12: "what is drawn is a hold by radius", 18: "the arrival is weighed into the quiet hours",
      25: "as 2 of the other page",
    ],
  ]

  /// A phone that is seen every few seconds, weighed by the policy that ships, is told the same as the
  /// drawing says of its few positions.
  @Test(arguments: pages)
  func `every drawing says the same with the policy that ships`(_ page: String) throws {
    var others: [Int] = []
    let drawings = try Drawing.drawings(of: page)
    for (i, drawing) in drawings.enumerated() {
      let walked = try drawing.walked()
      if walked.told != (try drawing.drawnLines()) {
        others.append(i)
        if Self.otherwise[page]?[i] == nil { Issue.record("\(drawing.title): \(walked.told)") }
      }
      #expect(walked.violations == [], "\(drawing.title)")
    }
    #expect(
      others == Self.otherwise[page, default: [:]].keys.sorted(),
      "of \(drawings.count) on \(page)"
    )
  }

  @Test func `every reason for silence is drawn`() throws {
    let text = try Self.pages.map { try Drawing.text(of: $0) }.joined(separator: "\n")
    // A ladder enters a ring only after it has left it, and nothing rings for a reminder that has spoken
    // once, so these are second locks; leaving is not told unasked; what is told again leaves no line
    // while it waits.
    let undrawn: [Silence] = [.alreadySaid, .exit, .fired, .nag]
    for silence in Silence.allCases where !undrawn.contains(silence) {
      let isDrawn =
        text.contains("not said: \(silence.rawValue)\n")
        || text.contains("waits: \(silence.rawValue)")
      #expect(isDrawn, "\(silence.rawValue)")
    }
    for reason in CancelRecord.Reason.allCases {
      #expect(text.contains("comes to nothing: \(reason.rawValue)"), "\(reason.rawValue)")
    }
  }

  @Test func `a drawing that says something else is found`() throws {
    let page = try Drawing.text(of: "notifications")
    let lies = page.replacingOccurrences(of: "~ ", with: "! ")
    #expect(try Drawing.drawnAnew("notifications") != lies)
  }

  @Test func `a drawing that nobody can read is a mistake with its title`() {
    #expect(throws: Drawing.Mistake.self) { try Drawing(title: "x", "meds at pharmacy\n\nway 9") }
    let odd = "5 min a column\nmeds = \"a\" at pharmacy\n\nway   9?"
    #expect(throws: Drawing.Mistake.self) { try Drawing(title: "x", odd).played() }
  }
}
