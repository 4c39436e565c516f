/// What a phone can be told, by what its app calls itself.
package enum PhoneKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// OwnTracks for iOS: regions, compared by the app itself.
  case iOS = "ios"
  /// OwnTracks for Android with Google's services: regions, each one replaced as a whole.
  case android
  /// OwnTracks for Android from F-Droid: it reckons crossings from its fixes, and watches no regions.
  case androidWithoutRegions = "android_without_regions"
  /// Anything else that speaks as OwnTracks does: it is told nothing.
  case unknown

  /// Whether it can be told which regions to watch.
  package var hasRegions: Bool { self == .iOS || self == .android }

  /// Knows an app by its header `User-Agent`.
  ///
  /// Android sends `Owntracks-Android/FLAVOUR/CODE`, and iOS what the system makes of the app's name.
  package static func kind(userAgent: String?) -> PhoneKind {
    guard let words = userAgent?.lowercased() else { return .unknown }
    if words.hasPrefix("owntracks-android/") {
      return words.hasPrefix("owntracks-android/oss") ? .androidWithoutRegions : .android
    }
    // A debug build of Android's keeps its name in another place.
    guard words.hasPrefix("owntracks/") else { return .unknown }
    return words.contains("cfnetwork") || words.contains("darwin") || words.contains("ios")
      ? .iOS : .unknown
  }
}
