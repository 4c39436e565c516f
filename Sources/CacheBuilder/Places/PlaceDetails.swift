import Basics

/// What the map knows of a place beyond its name, in the order of the alphabet.
package enum PlaceDetails {
  /// The keys of the JSON text, which are also columns of the CSV and properties of the GeoJSON.
  package static let keys = ["address", "opening_hours", "operator", "phone", "website"]

  /// The tags that details are made of.
  static let sourceKeys: Set<String> = [
    "addr:city", "addr:full", "addr:housenumber", "addr:place", "addr:postcode", "addr:street",
    "address", "contact:mobile", "contact:phone", "contact:website", "opening_hours", "operator",
    "phone", "phone_number", "url", "website",
  ]

  /// The details that tags give, as compact JSON with its keys in order.
  ///
  /// - Parameter value: the value of a key; nil where it is not there.
  /// - Returns: nil where there is none.
  static func json(_ value: (String) -> String?) -> String? {
    func first(_ names: String...) -> String? {
      for name in names { if let text = kept(value(name)) { return text } }
      return nil
    }
    return json(values: [
      address(value), first("opening_hours"), first("operator"),
      first("phone", "contact:phone", "contact:mobile", "phone_number"),
      first("website", "contact:website", "url"),
    ])
  }

  /// The details of two sources as one; where both have a key, the first one's value counts.
  static func merged(_ a: String?, _ b: String?) -> String? {
    guard let a, let b else { return a ?? b }
    let (first, second) = (values(a), values(b))
    return json(values: keys.map { first[$0] ?? second[$0] })
  }

  /// The values of a JSON text by their keys; empty for nothing.
  package static func values(_ json: String?) -> [String: String] {
    guard let json, let members = (try? JSONValue.parse(json))?.members else { return [:] }
    var values: [String: String] = [:]
    for member in members { values[member.key] = member.value.text }
    return values
  }

  private static func json(values: [String?]) -> String? {
    let members = zip(keys, values)
      .compactMap { key, value in
        value.map { "\(quoted(key)):\(quoted($0))" }
      }
    return members.isEmpty ? nil : "{\(members.joined(separator: ","))}"
  }

  /// Street and house number, then city and postcode, as far as they are there.
  private static func address(_ value: (String) -> String?) -> String? {
    func part(_ key: String) -> String? { kept(value("addr:\(key)")) }
    let street = [part("street") ?? part("place"), part("housenumber")].compactMap { $0 }
    let city = [part("city"), part("postcode")].compactMap { $0 }
    let lines = [street, city].filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
    // A number or a postcode alone does not lead to a door.
    guard part("street") != nil || part("place") != nil || part("city") != nil else {
      return part("full") ?? kept(value("address"))
    }
    return kept(lines.joined(separator: ", "))
  }

  /// A text whole, as far as any is: tables have longer opening hours than OpenStreetMap takes.
  private static func kept(_ text: String?) -> String? { cleaned(text, longest: 4_096) }
}
