import Basics
import Foundation
import HTTPTypes
import Hummingbird
import Timeline

/// A request that has been let in: whose it is comes from its credential alone.
struct APICall: Sendable {
  /// What came in with it.
  let credential: Credential
  /// When.
  let now: Timestamp
  /// What stands for `:id` in its address.
  let id: String
  /// The names and values behind the "?".
  let query: [(name: String, value: String)]
  /// The headers.
  let headers: HTTPFields
  /// The body; null where there is none.
  let body: JSONValue
  /// Where phones and links reach the door, as this request did: `https://near.example.org`.
  let origin: String
  /// When the same change was begun before and not answered: it may have been done; nil: it is new.
  var begunAt: Timestamp?

  /// What a request came in with.
  struct Credential: Sendable {
    /// The session or the token.
    let session: StoredSession
    /// What a page sends with changes; nil for tokens.
    let csrf: String?
  }

  /// Whose request it is.
  var person: DoorPerson { credential.session.person }

  // MARK: What stands behind the "?"

  /// A value, once.
  func query(_ name: String) throws(APIRefusal) -> String? {
    let values = query.filter { $0.name == name }.map(\.value)
    guard values.count <= 1 else { throw .badQuery(name, "give it once") }
    return values.first
  }

  /// A text.
  func text(_ name: String, most: Int) throws(APIRefusal) -> String? {
    guard let value = try query(name) else { return nil }
    guard (1...most).contains(value.unicodeScalars.count) else {
      throw .badQuery(name, "must be a text of 1 to \(most) characters")
    }
    return value
  }

  /// A number.
  func number(_ name: String, in range: ClosedRange<Double>) throws(APIRefusal) -> Double? {
    guard let value = try query(name) else { return nil }
    guard let number = Double(value), range.contains(number) else {
      throw .badQuery(
        name,
        "must be a number of \(plainText(range.lowerBound)) to \(plainText(range.upperBound))"
      )
    }
    return number
  }

  /// A whole number.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(APIRefusal) -> Int? {
    guard let value = try query(name) else { return nil }
    guard let number = Int(value), range.contains(number) else {
      throw .badQuery(
        name,
        "must be a whole number of \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number
  }

  /// `true` or `false`.
  func bool(_ name: String) throws(APIRefusal) -> Bool? {
    guard let value = try query(name) else { return nil }
    guard value == "true" || value == "false" else {
      throw .badQuery(name, "must be true or false")
    }
    return value == "true"
  }

  // MARK: Changes

  /// Whether what is to be changed is what the client has read.
  ///
  /// - Parameter isNeeded: whether the client must say what it has read.
  func match(_ etag: String, isNeeded: Bool) throws(APIRefusal) {
    guard let wanted = try ifMatch(isNeeded: isNeeded) else { return }
    guard wanted == etag else { throw .changed }
  }

  /// The ETag that the client has read.
  @discardableResult
  func ifMatch(isNeeded: Bool) throws(APIRefusal) -> String? {
    guard let wanted = headers[.ifMatch] else {
      if isNeeded { throw .matchNeeded }
      return nil
    }
    let isOurs =
      (3...100).contains(wanted.utf8.count) && wanted.first == "\"" && wanted.last == "\""
      && wanted.dropFirst().dropLast().allSatisfy { $0.isASCII && $0.isHexDigit && !$0.isUppercase }
    guard isOurs else {
      throw APIRefusal(400, "bad_match", "If-Match: send the ETag as it was, with its quotes")
    }
    return wanted
  }

  // MARK: Pages

  /// So many on a page at most.
  static let page = 100

  /// How many are wanted.
  var limit: Int { get throws(APIRefusal) { try integer("limit", in: 1...Self.page) ?? Self.page } }

  /// A page of things that have ids, behind the one that the client names.
  ///
  /// - Throws: `bad_query` where that one is no more: then the client begins anew.
  func page<Item>(
    _ all: [Item],
    id: (Item) -> String
  ) throws(APIRefusal) -> (items: ArraySlice<Item>, next: String?) {
    var start = 0
    if let after = try text("after", most: 300) {
      guard let last = all.firstIndex(where: { id($0) == after }) else {
        throw .noSuchPage
      }
      start = last + 1
    }
    let items = all[start...].prefix(try limit)
    return (items, items.endIndex < all.endIndex ? items.last.map(id) : nil)
  }
}

/// What is answered.
struct APIReply: Sendable {
  /// The status.
  var status = HTTPResponse.Status.ok
  /// JSON; nil: no body.
  var json: String?
  /// Headers beside the usual ones.
  var headers = HTTPFields()
  /// A body that goes on, instead of ``json``.
  var stream: ResponseBody?

  /// A list's page.
  static func page(_ items: some Sequence<String>, next: String?) -> APIReply {
    var json = JSONText()
    json.add("items", json: JSONText.array(Array(items)))
    json.add("next", next)
    return APIReply(json: json.closed)
  }

  /// A thing with its ETag.
  static func thing(
    _ json: String,
    etag: String,
    status: HTTPResponse.Status = .ok,
    location: String? = nil
  ) -> APIReply {
    var reply = APIReply(status: status, json: json)
    reply.headers[.eTag] = etag
    if let location { reply.headers[.location] = location }
    return reply
  }

  /// Nothing more to say.
  static let done = APIReply(status: .noContent)
}
