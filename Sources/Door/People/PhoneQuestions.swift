import LiveHost
import Phones
import Traces

/// What an answer asks a phone for.
///
/// A phone answers a question at once, and that is the next request: what is asked in each answer never ends.
struct PhoneQuestions: Hashable, Sendable, Codable {
  /// The request in whose answer it asks.
  var message: UInt64
  /// One more position.
  var wantsPosition = false
  /// All regions that it holds.
  var wantsHeldRegions = false
}

extension DeviceMemory {
  /// A phone is asked anew what it holds after so many bodies: it may have been set up anew, or lost regions.
  private static let bodiesBetweenQuestions = 100
  /// One that has shown none is asked after so many.
  private static let bodiesBetweenTrials = 20

  /// Whether to look again if the phone takes regions.
  var isToBeTried: Bool { bodiesSinceAsked.map { $0 >= Self.bodiesBetweenTrials } ?? true }

  /// What to ask in the answer to a body, which is on record as asked.
  ///
  /// A question is put once. Where the body came before, its answer may have been lost, and what it asked is
  /// asked again.
  ///
  /// - Parameter reading: what is in the body; one that is an answer to a question is not asked the same.
  mutating func ask(
    _ asked: AskedOfPhone,
    in reading: IntakeReading,
    message: UInt64
  ) -> PhoneQuestions {
    if let last = lastQuestions, last.message == message { return last }
    var questions = PhoneQuestions(message: message)
    questions.wantsPosition = asked.wantsPosition && !reading.isAskedPosition
    if reading.held == nil, !asked.regions.isEmpty {
      let isDue = bodiesSinceAsked.map { $0 >= Self.bodiesBetweenQuestions } ?? true
      questions.wantsHeldRegions = isToBeAsked && slotsWhenAsked == nil || isDue
    }
    if questions.wantsHeldRegions {
      isToBeAsked = false
      bodiesSinceAsked = 0
    }
    if questions.wantsPosition || questions.wantsHeldRegions { lastQuestions = questions }
    return questions
  }
}

extension IntakeReading {
  /// The regions that the phone says it holds; nil if it says nothing of them.
  var held: [HeldRegion]? {
    for case .held(let held) in items { return held }
    return nil
  }

  /// Its positions, in its order.
  var fixes: [Fix] {
    items.compactMap { if case .fix(let fix, _) = $0 { fix } else { nil } }
  }

  /// Whether it holds a position that was asked for.
  var isAskedPosition: Bool {
    items.contains { if case .fix(_, .asked) = $0 { true } else { false } }
  }
}
