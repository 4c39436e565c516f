import Foundation
import Testing

/// The README's example is a file of this target, so it compiles; and it is that file.
@Suite struct ReadmeTests {
  @Test func `the example in the README compiles as it stands`() throws {
    let file = URL(fileURLWithPath: #filePath)
    let example = try String(
      contentsOf: file.deletingLastPathComponent().appendingPathComponent("ReadmeExample.swift"),
      encoding: .utf8
    )
    let root = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(readme.contains("```swift\n" + example + "```"))
  }
}
