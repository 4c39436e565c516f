import Fencing
import LiveHost
import Phones
import Timeline
import Traces

/// What a phone is told in the answer to what it sent.
extension Desk {
  /// What is said to the app that sent a body.
  func answer(to body: LoggedBody) async -> DeskAnswer {
    let (sender, reading) = (body.device, body.reading)
    guard let open, body.source == .owntracks else { return DeskAnswer() }
    let id = sender.id
    guard open.memory.leading == id else { return DeskAnswer() }
    guard open.hasRegions else { return await tryRegions(answering: body) }
    let isCompared = body.serial == comparedBody
    // Lists come by themselves, too, and the same one again: only one that was asked for leads to more.
    guard reading.held == nil || isCompared else { return DeskAnswer() }
    let asked = await open.host.asked
    var device = open.memory[device: id]
    let later = device.messages?.after(body.message) ?? []
    let questions =
      later.isEmpty
      ? device.ask(asked, in: reading, message: body.message)
      : PhoneQuestions(message: body.message)
    if questions.wantsPosition { await open.host.notePositionAsked() }
    let text = ownTracksAnswer(
      kind: PhoneKind.kind(userAgent: body.userAgent),
      orders: PhoneOrders(
        regions: asked.regions,
        wantsPosition: questions.wantsPosition,
        followUntil: asked.followUntil,
        wantsHeldRegions: questions.wantsHeldRegions,
        mode: device.status["mode"]
      ),
      slots: &device.slots,
      knownHeld: isCompared ? reading.held : nil,
      options: AnswerOptions(
        hasFollowRegion: sender.settings.hasFollowRegion,
        message: body.message,
        later: later
      )
    )
    if questions.wantsHeldRegions { device.slotsWhenAsked = device.slots }
    self.open?.memory[device: id] = device
    await keep()
    return DeskAnswer(text: text)
  }

  /// Asks a phone that has shown no region, now and then, to watch one around where it is, and what it holds: once it has
  /// shown that one, it is given the others.
  private func tryRegions(answering body: LoggedBody) async -> DeskAnswer {
    let kind = PhoneKind.kind(userAgent: body.userAgent)
    guard var memory = open?.memory, body.device.settings.regions == .auto, kind.hasRegions,
      body.reading.held == nil
    else { return DeskAnswer() }
    var device = memory[device: body.device.id]
    // Where it comes once more, its answer may have been lost.
    let isAgain = device.lastQuestions?.message == body.message
    guard device.isToBeTried || isAgain, let here = body.reading.fixes.last?.coordinate else {
      return DeskAnswer()
    }
    // It may never have taken what it was told before.
    device.slots.doubt()
    let text = ownTracksAnswer(
      kind: kind,
      orders: PhoneOrders(
        regions: [
          Region(id: "trial", center: here, radiusMeters: Self.trialMeters, kind: .exit)
        ],
        // Until then every position counts.
        followUntil: .endOfTime,
        wantsHeldRegions: true,
        mode: device.status["mode"]
      ),
      slots: &device.slots,
      options: AnswerOptions(
        hasFollowRegion: body.device.settings.hasFollowRegion,
        message: body.message
      )
    )
    device.bodiesSinceAsked = 0
    device.lastQuestions = PhoneQuestions(message: body.message, wantsHeldRegions: true)
    device.slotsWhenAsked = device.slots
    memory[device: body.device.id] = device
    open?.memory = memory
    await keep()
    return DeskAnswer(text: text)
  }

  /// How large a region is with which it is tried whether a phone takes any, in meters.
  private static let trialMeters = 200.0
}

/// What is said to an app beside its own word for "taken"; nil: nothing.
struct DeskAnswer: Sendable {
  var text: String?
}
