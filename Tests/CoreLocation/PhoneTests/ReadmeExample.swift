import NearMeCoreLocation

/// One for as long as the process lives, made before the app's launch ends.
@MainActor final class Reminders: PhoneApp {
  let host: PhoneHost

  init(_ catalog: POICatalog) {
    host = PhoneHost(.coreLocation(), PhoneSettings(catalog: catalog))
    host.app = self
    host.launch()
  }

  /// From a button, when the user knows why.
  func allow() { host.askForPermission() }

  func remind(of title: String, id: String) {
    host.save(Reminder(id: id, title: title, target: .category(CategoryID("pharmacy"))))
  }
}
