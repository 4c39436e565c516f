/// Topics of MQTT, as `mosquitto_sub -v` puts them before a message.
enum MessageTopic {
  /// The device that a topic is of; nil where there is none.
  ///
  /// - Source: OwnTracks has `owntracks/USER/DEVICE`, and what is no location below that.
  static func device(of text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    let blanks: (UInt8) -> Bool = { $0 <= 0x20 }
    guard let last = text.lastIndex(where: { !blanks($0) }) else { return nil }
    let topic = text[...last].drop(while: blanks)
    // Loggers put a time there.
    guard let first = topic.first, !(0x30...0x39).contains(first) else { return nil }
    let slash = UInt8(ascii: "/")
    let parts = topic.split(separator: slash, omittingEmptySubsequences: false)
    if let own = parts.firstIndex(where: { $0.elementsEqual("owntracks".utf8) }),
      parts.count >= own + 3
    {
      return Array(parts.prefix(own + 3).joined(separator: [slash]))
    }
    return parts.count > 1 && !topic.contains(where: blanks) ? Array(topic) : nil
  }

  /// Whether one topic is the other, or below it.
  static func areSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    let (short, long) = a.count < b.count ? (a, b) : (b, a)
    return long.starts(with: short)
      && (long.count == short.count || long[short.count] == UInt8(ascii: "/"))
  }

  /// Whether a line is a topic, a blank and a message in JSON.
  static func begins(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let start = line.firstIndex(of: UInt8(ascii: "{")), start > line.startIndex,
      line[start - 1] == 0x20 || line[start - 1] == 0x09
    else { return false }
    let topic = line[..<start]
    // Tables have objects in their rows, and quote them.
    guard !topic.contains(where: { ",;\"|".utf8.contains($0) }) else { return false }
    let inside = line[(start + 1)...].first { $0 > 0x20 }
    return inside.map { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "}") } ?? false
      && device(of: topic) != nil
  }
}
