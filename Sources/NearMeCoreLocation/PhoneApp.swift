import NearMe

/// What an app is told by its ``PhoneHost``; each of it can be left out.
@MainActor
public protocol PhoneApp: AnyObject {
  /// What the app shows of ``PhoneHost`` has changed: ``PhoneHost/reminders``, ``PhoneHost/places``,
  /// ``PhoneHost/ended``, ``PhoneHost/access`` or ``PhoneHost/isReady``.
  ///
  /// Once for all that one happening brings, whoever made it happen: a button of a notification, too.
  func changed()
  /// The user opened a notification about these reminders.
  func open(reminders: [String])
  /// The user wants to see a place on a map, by a link such as `geo:18.34,-64.95`; `mapLinkForApple(_:)` is what an
  /// iPhone opens.
  func openMap(_ link: String)
  /// A reminder has ended; ``PhoneHost/ended`` has it until the app takes it over.
  func archive(_ reminder: Reminder)
  /// The engine asks for the signals of these names, once in every process; see ``PhoneHost/signal(_:)``.
  func listen(to signals: [String])
  /// The engine says what happened and why.
  func note(_ record: Record)
  /// Something could not be done; it is tried again.
  func failed(_ failure: PhoneFailure)
}

extension PhoneApp {
  /// Does nothing.
  public func changed() {}
  /// Does nothing.
  public func open(reminders: [String]) {}
  /// Does nothing.
  public func openMap(_ link: String) {}
  /// Does nothing.
  public func archive(_ reminder: Reminder) {}
  /// Does nothing.
  public func listen(to signals: [String]) {}
  /// Does nothing.
  public func note(_ record: Record) {}
  /// Does nothing.
  public func failed(_ failure: PhoneFailure) {}
}
