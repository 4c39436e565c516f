/// Values of `Codable` types as JSON without Foundation, for the pure targets.
///
/// Keys come in the order in which the type writes them, so that the same value is the same text.
extension JSONValue {
  /// Makes the JSON of a value.
  ///
  /// - Throws: what the value's own encoding throws.
  package init(encoding value: some Encodable) throws {
    let box = JSONBox()
    try value.encode(to: JSONBoxEncoder(box: box))
    self = box.json
  }

  /// The value that this JSON says.
  ///
  /// - Throws: `DecodingError`, or what the type's own decoding throws.
  package func decoded<Value: Decodable>(_: Value.Type) throws -> Value {
    try Value(from: JSONValueDecoder(value: self, codingPath: []))
  }

  /// The JSON on one line without blanks.
  package var compact: String {
    switch self {
    case .object(let members):
      "{" + members.map { JSONText.quoted($0.key) + ":" + $0.value.compact }.joined(separator: ",")
        + "}"
    case .array(let elements): JSONText.array(elements.map(\.compact))
    case .string(let text): JSONText.quoted(text)
    case .number(let text): text
    case .bool(let isSo): isSo ? "true" : "false"
    case .null: "null"
    }
  }
}

// MARK: - Writing

/// What is being written: containers share it, since several may be asked for one object.
private final class JSONBox {
  private enum Content {
    case nothing
    case value(JSONValue)
    case members([(key: String, box: JSONBox)])
    case elements([JSONBox])
  }

  private var content = Content.nothing

  var json: JSONValue {
    switch content {
    case .nothing: .object([])
    case .value(let value): value
    case .members(let members): .object(members.map { ($0.key, $0.box.json) })
    case .elements(let elements): .array(elements.map(\.json))
    }
  }

  func set(_ value: JSONValue) { content = .value(value) }

  func beginMembers() { if case .nothing = content { content = .members([]) } }

  func beginElements() { if case .nothing = content { content = .elements([]) } }

  func member(_ key: String) -> JSONBox {
    guard case .members(let members) = content else {
      preconditionFailure("a value is an object or it is not")
    }
    let box = JSONBox()
    content = .members(members.filter { $0.key != key } + [(key, box)])
    return box
  }

  func element() -> JSONBox {
    guard case .elements(let elements) = content else {
      preconditionFailure("a value is a list or it is not")
    }
    let box = JSONBox()
    content = .elements(elements + [box])
    return box
  }

  var count: Int { if case .elements(let elements) = content { elements.count } else { 0 } }

  func encode<Value: Encodable>(_ value: Value, _ path: [any CodingKey]) throws {
    try value.encode(to: JSONBoxEncoder(box: self, codingPath: path))
  }
}

private struct JSONBoxEncoder: Encoder, SingleValueEncodingContainer {
  let box: JSONBox
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    box.beginMembers()
    return KeyedEncodingContainer(JSONMembers<Key>(box: box, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    box.beginElements()
    return JSONElements(box: box, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { box.set(.null) }
  func encode(_ value: Bool) { box.set(.bool(value)) }
  func encode(_ value: String) { box.set(.string(value)) }
  func encode(_ value: Double) throws { box.set(.number(try number(value))) }
  func encode(_ value: Float) throws { box.set(.number(try number(Double(value)))) }
  func encode(_ value: Int) { box.set(.number("\(value)")) }
  func encode(_ value: Int8) { box.set(.number("\(value)")) }
  func encode(_ value: Int16) { box.set(.number("\(value)")) }
  func encode(_ value: Int32) { box.set(.number("\(value)")) }
  func encode(_ value: Int64) { box.set(.number("\(value)")) }
  func encode(_ value: UInt) { box.set(.number("\(value)")) }
  func encode(_ value: UInt8) { box.set(.number("\(value)")) }
  func encode(_ value: UInt16) { box.set(.number("\(value)")) }
  func encode(_ value: UInt32) { box.set(.number("\(value)")) }
  func encode(_ value: UInt64) { box.set(.number("\(value)")) }

  func encode<Value: Encodable>(_ value: Value) throws { try box.encode(value, codingPath) }

  private func number(_ value: Double) throws -> String {
    guard value.isFinite else {
      let context = EncodingError.Context(
        codingPath: codingPath,
        debugDescription: "JSON has no number \(value)"
      )
      throw EncodingError.invalidValue(value, context)
    }
    return value == value.rounded() && value.magnitude < 1e15
      ? "\(Int64(value))" : plainText(value)
  }
}

private struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let box: JSONBox
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) { box.member(key.stringValue).set(.null) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try box.member(key.stringValue).encode(value, codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(key.stringValue).container(keyedBy: Nested.self)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder("super") }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(key.stringValue) }

  private func encoder(_ key: String) -> JSONBoxEncoder {
    JSONBoxEncoder(box: box.member(key), codingPath: codingPath)
  }
}

private struct JSONElements: UnkeyedEncodingContainer {
  let box: JSONBox
  let codingPath: [any CodingKey]
  var count: Int { box.count }

  func encodeNil() { box.element().set(.null) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try box.element().encode(value, codingPath)
  }

  func nestedContainer<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    encoder.container(keyedBy: Key.self)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder }

  private var encoder: JSONBoxEncoder {
    JSONBoxEncoder(box: box.element(), codingPath: codingPath)
  }
}

// MARK: - Reading

private struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = value.members else { throw failure("an object") }
    // The last of equal keys counts, as elsewhere.
    var values: [String: JSONValue] = [:]
    for (key, value) in members { values[key] = value }
    return KeyedDecodingContainer(JSONObject<Key>(values: values, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.elements else { throw failure("a list") }
    return JSONList(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { if case .null = value { true } else { false } }

  func decode(_: Bool.Type) throws -> Bool {
    guard case .bool(let isSo) = value else { throw failure("true or false") }
    return isSo
  }

  func decode(_: String.Type) throws -> String {
    guard let text = value.text else { throw failure("a text") }
    return text
  }

  func decode(_: Double.Type) throws -> Double {
    guard let number = value.double else { throw failure("a number") }
    return number
  }

  func decode(_: Float.Type) throws -> Float { Float(try decode(Double.self)) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

  func decode<Value: Decodable>(_: Value.Type) throws -> Value { try Value(from: self) }

  private func integer<Number: FixedWidthInteger>(_: Number.Type) throws -> Number {
    guard case .number(let text) = value, let number = Number(text) else {
      throw failure("a whole number")
    }
    return number
  }

  private func failure(_ wanted: String) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: codingPath, debugDescription: "must be \(wanted)")
    )
  }
}

private struct JSONObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let values: [String: JSONValue]
  let codingPath: [any CodingKey]
  var allKeys: [Key] { values.keys.sorted().compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
    try Value(from: decoder(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: Nested.self)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    JSONValueDecoder(value: values["super"] ?? .null, codingPath: codingPath)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> JSONValueDecoder {
    guard let value = values[key.stringValue] else {
      let context = DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "needs the key \"\(key.stringValue)\""
      )
      throw DecodingError.keyNotFound(key, context)
    }
    return JSONValueDecoder(value: value, codingPath: codingPath + [key])
  }
}

private struct JSONList: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  var currentIndex = 0
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try peek().decodeNil() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value {
    let value = try Value(from: peek())
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    let container = try peek().container(keyedBy: Key.self)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try peek().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try peek()
    currentIndex += 1
    return decoder
  }

  private func peek() throws -> JSONValueDecoder {
    guard !isAtEnd else {
      let context = DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "the list ends at \(elements.count)"
      )
      throw DecodingError.valueNotFound(JSONValue.self, context)
    }
    return JSONValueDecoder(value: elements[currentIndex], codingPath: codingPath)
  }
}
