/// What a browser is called where somebody looks which one it was.
enum BrowserName {
  /// In this order: each also names those behind it.
  private static let browsers = [
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
  ]
  private static let systems = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("CrOS", "ChromeOS"), ("Macintosh", "Mac"), ("Linux", "Linux"),
  ]

  /// Such as "Firefox, Android"; "browser" where neither is known.
  ///
  /// - Parameter userAgent: what it says of itself, of which nothing else is kept.
  static func name(userAgent: String?) -> String {
    guard let userAgent else { return "browser" }
    let names = [browsers, systems]
      .compactMap { known in known.first { userAgent.contains($0.0) }?.1 }
    return names.isEmpty ? "browser" : names.joined(separator: ", ")
  }
}
