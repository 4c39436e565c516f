import NearMeEngine
import Testing
import Timeline

struct SurroundingsTests {
  private func noted(
    _ count: Int,
    isListenedTo: (String) -> Bool = { _ in false }
  ) -> Surroundings {
    var surroundings = Surroundings()
    for i in 0..<count {
      surroundings.note(
        Signal(name: "s\(i)", id: "\(i)", level: "on"),
        at: Timestamp(seconds: 1_767_600_000 + Int64(i)),
        isListenedTo: isListenedTo
      )
    }
    return surroundings
  }

  @Test
  func `of too many signals those go that were the same for longest`() {
    #expect(noted(256).levels.count == 256)
    let names = noted(1_000).levels.map(\.signal)
    #expect(Set(names) == Set((744..<1_000).map { "s\($0)" }))
    #expect(names == names.sorted())
  }

  @Test func `a signal that a reminder listens to is never forgotten`() {
    let heard: Set<String> = ["s0", "s300"]
    let names = noted(1_000, isListenedTo: heard.contains).levels.map(\.signal)
    #expect(heard.isSubset(of: names))
    #expect(names.count == 258)
  }

  @Test func `what the battery tells is never forgotten`() {
    var surroundings = Surroundings()
    let names = Signal.namesOfPower.sorted()
    for (i, name) in (names + (0..<500).map { "s\($0)" }).enumerated() {
      surroundings.note(
        Signal(name: name, id: "\(i)", level: "20"),
        at: Timestamp(seconds: 1_767_600_000 + Int64(i))
      )
    }
    #expect(Set(names).isSubset(of: surroundings.levels.map(\.signal)))
  }

  @Test func `a signal that says the same again is no younger for it`() {
    var surroundings = noted(256)
    let late = Timestamp(seconds: 1_767_700_000)
    surroundings.note(Signal(name: "s0", id: "again", level: "on"), at: late)
    surroundings.note(Signal(name: "new", id: "new", level: "on"), at: late)
    #expect(!surroundings.levels.contains { $0.signal == "s0" })
    #expect(surroundings.levels.contains { $0.signal == "new" })
  }
}
