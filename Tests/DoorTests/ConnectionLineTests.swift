import NIOCore
import NIOEmbedded
import TestSupport
import Testing

import Door

/// Which connection is closed where too many are open.
@Suite struct ConnectionLineTests {
  private func opened(_ count: Int, in line: ConnectionLine) throws -> [EmbeddedChannel] {
    try (0..<count)
      .map { _ in
        let channel = EmbeddedChannel()
        try channel.connect(to: .init(unixDomainSocketPath: "/near")).wait()
        line.join(channel)
        return channel
      }
  }

  @Test func `who has asked nothing for longest is closed for the newest`() throws {
    let line = ConnectionLine(most: 3)
    let held = try opened(3, in: line)
    line.begin(held[0])
    line.finish(held[0])
    line.begin(held[1])
    let later = try opened(2, in: line)
    // The second is being answered, and the first has asked since.
    #expect(held.map { $0.isActive } == [false, true, false])
    #expect(later.map { $0.isActive } == [true, true])
    line.finish(held[1])
    line.leave(later[0])
    let last = try opened(2, in: line)
    #expect(later[1].isActive == false)
    #expect((last + [held[1]]).allSatisfy { $0.isActive })
  }

  @Test func `nobody who is being answered is closed`() throws {
    let line = ConnectionLine(most: 2)
    let busy = try opened(2, in: line)
    for channel in busy { line.begin(channel) }
    let more = try opened(3, in: line)
    #expect(busy.allSatisfy { $0.isActive })
    // Each new one is the only one that could go.
    #expect(more.allSatisfy { !$0.isActive })
  }

  @Test func `who asks twice at once is being answered until both are`() throws {
    let line = ConnectionLine(most: 1)
    let asking = try opened(1, in: line)[0]
    line.begin(asking)
    line.begin(asking)
    line.finish(asking)
    #expect(try opened(1, in: line)[0].isActive == false)
    #expect(asking.isActive)
    line.finish(asking)
    #expect(try opened(1, in: line)[0].isActive)
    #expect(!asking.isActive)
  }

  @Test func `who is answered before all is asked, as too large a body is, waits again`() throws {
    let line = ConnectionLine(most: 1)
    let refused = try opened(1, in: line)[0]
    line.finish(refused)
    line.begin(refused)
    #expect(try opened(1, in: line)[0].isActive)
    #expect(!refused.isActive)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the line agrees with a list that is sorted at each step`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let most = 8
    let line = ConnectionLine(most: most)
    var open: [(channel: EmbeddedChannel, since: Int, isBusy: Bool)] = []
    for step in 0..<4_000 {
      let at = open.indices.randomElement(using: &random)
      switch (Int.random(in: 0..<5, using: &random), at) {
      case (0, let at?):
        line.leave(open[at].channel)
        open.remove(at: at)
      case (1, let at?), (2, let at?):
        if open[at].isBusy {
          line.finish(open[at].channel)
        } else {
          line.begin(open[at].channel)
        }
        open[at].isBusy.toggle()
        open[at].since = step
      default:
        open.append((try opened(1, in: line)[0], step, false))
        if open.count > most,
          let first = open.indices.filter({ !open[$0].isBusy })
            .min(by: {
              open[$0].since < open[$1].since
            })
        {
          #expect(!open[first].channel.isActive, "step \(step)")
          open.remove(at: first)
        }
      }
      #expect(open.allSatisfy { $0.channel.isActive }, "step \(step)")
    }
  }
}
