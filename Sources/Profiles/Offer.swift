/// Something that can be bought.
public struct Offer: Hashable, Sendable {
  /// Its name with the store, such as `com.example.monthly`.
  public let id: String
  /// What is bought.
  public let kind: Kind
  /// The price in hundredths of the currency.
  public let priceCents: Int
  /// The currency, three letters of ISO 4217.
  public let currency: String
  /// Where it can be bought.
  public let stores: [Store]

  /// Makes an offer.
  public init(id: String, kind: Kind, priceCents: Int, currency: String, stores: [Store]) {
    self.id = id
    self.kind = kind
    self.priceCents = priceCents
    self.currency = currency
    self.stores = stores
  }

  /// What is bought.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A month that renews itself.
    case monthly
    /// A year that renews itself.
    case yearly
    /// All for ever, paid once.
    case lifetime

    /// Whether it renews itself.
    public var isSubscription: Bool { self != .lifetime }
  }

  /// Where things can be bought.
  public enum Store: String, Hashable, Sendable, CaseIterable {
    case apple, google, stripe
  }

  /// The price as text, such as `$2.99`.
  public var price: String {
    let sign = currency == "USD" ? "$" : currency + " "
    let cents = priceCents % 100
    return "\(sign)\(priceCents / 100).\(cents < 10 ? "0" : "")\(cents)"
  }

  /// How much less a year of it costs than twelve months of another offer, in whole percent, rounded down so that
  /// no more is claimed than is so.
  ///
  /// - Returns: nil unless this is a year, the other a month, in one currency, and the year is cheaper.
  public func savingsPercent(over monthly: Offer) -> Int? {
    guard kind == .yearly, monthly.kind == .monthly, currency == monthly.currency else {
      return nil
    }
    let twelve = monthly.priceCents * 12
    guard twelve > priceCents else { return nil }
    return (twelve - priceCents) * 100 / twelve
  }
}
