// Linux: against the signatures in Tests/CoreLocation.
#if canImport(CoreLocation) && canImport(UserNotifications) && (os(iOS) || os(Linux))
import Foundation
import NearMe
import TimeZones

extension Phone {
  /// How regions are watched.
  public enum Regions: String, Hashable, Sendable, CaseIterable {
    /// By `CLMonitor` from iOS 18 on, else by `CLCircularRegion`.
    case automatic
    /// By `CLCircularRegion`.
    case circular
    /// By `CLMonitor`.
    case conditions
  }

  /// An iPhone: Core Location, User Notifications, and a file.
  ///
  /// There is one in a process, made before the app's launch ends and kept by its host: a second one would open the same
  /// monitor and write over the same file.
  ///
  /// - Precondition: the one before is gone.
  /// - Parameters:
  ///   - file: where the state is kept; nil is `near-me/phone.json` in the application support folder.
  ///   - regions: how regions are watched; another choice than before lets go of what the other way watches, but for one
  ///     from `.conditions` to `.automatic` on iOS 17.
  ///   - usesVisits: whether visits, too, wake the app while a position is awaited; an app that monitors visits itself
  ///     says no, for they are one switch for all of the app.
  ///   - isDelegate: whether the host is the notification center's delegate; an app that is that itself passes answers
  ///     on, as `UserNotificationCenter.answer(_:)` reads them.
  ///   - label: what is written on the button of an action, by its name, in the language of the app.
  public static func coreLocation(
    file: URL? = nil,
    regions: Regions = .automatic,
    usesVisits: Bool = true,
    isDelegate: Bool = true,
    label: @escaping @Sendable (String) -> String = { PhoneNotification.Buttons.label(of: $0) }
  ) -> Phone {
    precondition(
      LocationManager.ofPhone == nil,
      "this process has a phone already: make one host when the app is launched, and keep it"
    )
    let manager = LocationManager(usesVisits: usesVisits)
    LocationManager.ofPhone = manager
    var service: any RegionService = manager
    var usesConditions = regions == .conditions
    if #available(iOS 18.0, macOS 15.0, *), regions == .automatic { usesConditions = true }
    if usesConditions, #available(iOS 17.0, macOS 14.0, *) {
      service = ConditionMonitor()
      manager.watch([])
    } else if regions == .circular, #available(iOS 17.0, macOS 14.0, *) {
      // With the first list: before, the monitor's file may be out of reach.
      manager.atFirstList = { ConditionMonitor.forget() }
    }
    return Phone(
      regions: service,
      positions: manager,
      authorization: manager,
      notifications: UserNotificationCenter(isDelegate: isDelegate, label: label),
      storage: PhoneFile(file ?? PhoneFile.usual),
      clock: SystemPhoneClock()
    )
  }
}

/// Keeps the state in a file, which is replaced as a whole.
///
/// On iOS it can be read from the first unlock after the phone's start on.
@MainActor
public final class PhoneFile: PhoneStorage {
  private let url: URL

  /// Makes one.
  public init(_ url: URL) { self.url = url }

  /// `near-me/phone.json` in the application support folder.
  public nonisolated static var usual: URL {
    FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
      .appending(path: "near-me/phone.json")
  }

  /// Reads the file; nil if there is none.
  public func load() throws -> PhoneMemory? {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    }
    do {
      return try JSONDecoder().decode(PhoneMemory.self, from: data)
    } catch {
      throw PhoneFailure.stateDamaged("\(url.path): \(error)")
    }
  }

  /// Renames the file to `phone.json.damaged`, in place of one of that name.
  public func setAside() throws {
    let aside = url.appendingPathExtension("damaged")
    let files = FileManager.default
    if files.fileExists(atPath: aside.path) { try files.removeItem(at: aside) }
    if files.fileExists(atPath: url.path) { try files.moveItem(at: url, to: aside) }
  }

  /// Writes another file and puts it in the place of this one.
  public func save(_ memory: PhoneMemory) throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    var options: Data.WritingOptions = [.atomic]
    #if os(iOS)
    options.insert(.completeFileProtectionUntilFirstUserAuthentication)
    #endif
    try JSONEncoder().encode(memory).write(to: url, options: options)
  }
}

/// The phone's clock and zone, and a timer that runs while the app does.
@MainActor
public final class SystemPhoneClock: PhoneClock {
  /// Who is told when the time has come, or is another one.
  public weak var listener: (any PhoneListener)?
  private let start = ContinuousClock.now
  private let known = SystemZones()
  private var timer: Task<Void, Never>?

  /// Makes one, which listens for changes of the clock and for the app's coming to the screen.
  public init() {
    observe(.NSSystemTimeZoneDidChange, as: .clockMayHaveChanged)
    // Names as text: Foundation has not the first everywhere, and UIKit would be needed for the other.
    observe(Notification.Name("NSSystemClockDidChangeNotification"), as: .clockMayHaveChanged)
    observe(Notification.Name("UIApplicationDidBecomeActiveNotification"), as: .becameActive)
    observe(Notification.Name("UIApplicationDidEnterBackgroundNotification"), as: .leftScreen)
  }

  private func observe(_ name: Notification.Name, as happening: PhoneHappening) {
    // For as long as the process lives, as this does.
    _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) {
      [weak self] _ in
      MainActor.assumeIsolated { self?.listener?.take(happening) }
    }
  }

  /// What the phone's clock shows.
  public var now: Timestamp { Timestamp(Date()) }

  /// How long this has been, the phone's sleep included.
  public var uptime: Milliseconds {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return Milliseconds(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
  }

  /// The zone of the phone's clock.
  public var zone: UTCOffsetTable {
    known.zone(named: TimeZone.autoupdatingCurrent.identifier) ?? .utc
  }

  /// The zones of the system.
  public var zones: any ZoneSource { known }

  /// Tells the listener at an instant, while the app runs.
  public func wake(at instant: Timestamp?) {
    timer?.cancel()
    guard let instant else { return timer = nil }
    let span = Duration.milliseconds(max(0, (instant - now).value))
    timer = Task { [weak self] in
      do { try await Task.sleep(for: span, clock: .continuous) } catch { return }
      self?.listener?.take(.timer)
    }
  }
}
#endif
