import NearMeEngine
import Traces

/// The order in which counts of refused fixes are printed.
enum FixNames { static let order = FixRefusal.allCases }

/// The order in which counts of notifications are printed.
enum KindNames {
  static let order: [NotificationKind] = [.approach, .arrival, .postArrival, .summary]
}
