import Basics
import Timeline
import Traces

/// Reads one request: finds out what is there, and gathers what it says.
struct IntakeReader {
  /// No more messages or entries of lists are taken from one request: Overland sends a thousand at most.
  static let mostThings = 5_000

  let body: IntakeBody
  private var items: [IntakeItem] = []
  private var passedOver: [IntakeRefusal: Int] = [:]
  private var messageID: String?
  private var thingsTaken = 0
  /// The newest word about the battery: a list of a thousand fixes has it a thousand times.
  private var battery: (percent: Double?, isCharging: Bool?, at: Timestamp)?

  init(_ body: IntakeBody) { self.body = body }

  var reading: IntakeReading {
    var items = items
    if let battery {
      items.append(
        .battery(percent: battery.percent, isCharging: battery.isCharging, at: battery.at)
      )
    }
    let order = items.indices.sorted {
      let (a, b) = (items[$0].at ?? body.receivedAt, items[$1].at ?? body.receivedAt)
      return (a, $0) < (b, $1)
    }
    items = order.map { items[$0] }
    var passedOver = passedOver
    let invented = Self.dropInvented(&items)
    if invented > 0 { passedOver[.inventedFix, default: 0] += invented }
    let saysSomething = items.contains { item in
      switch item {
      // Both stand beside a fix, and are there even where the fix could not be read.
      case .battery: false
      case .status(let values): values.contains { $0.name != "mode" }
      default: true
      }
    }
    return IntakeReading(
      items: items,
      passedOver: passedOver,
      isUnusable: !saysSomething && passedOver.keys.contains { !$0.isHarmless },
      messageID: messageID
    )
  }

  /// - Returns: how many positions an app had made up.
  private static func dropInvented(_ items: inout [IntakeItem]) -> Int {
    var invented: Set<Int> = []
    var last: (index: Int, fix: Fix)?
    for (index, item) in items.enumerated() {
      guard case .fix(let fix, _) = item else { continue }
      if let last, isInvented(last.fix, before: fix) { invented.insert(last.index) }
      last = (index, fix)
    }
    if !invented.isEmpty {
      items = items.indices.filter { !invented.contains($0) }.map { items[$0] }
    }
    return invented.count
  }

  // MARK: - What the readers of each form hand over

  mutating func add(_ item: IntakeItem) { items.append(item) }

  mutating func pass(over reason: IntakeRefusal, count: Int = 1) {
    passedOver[reason, default: 0] += count
  }

  mutating func noteBattery(_ percent: Double?, isCharging: Bool?, at: Timestamp) {
    let percent = percent.flatMap { (0...100).contains($0) ? $0 : nil }
    guard percent != nil || isCharging != nil else { return }
    if let battery, battery.at > at { return }
    battery = (percent, isCharging, at)
  }

  /// Whether one more message or entry is taken; counts it if not.
  mutating func takesOneMore() -> Bool {
    thingsTaken += 1
    if thingsTaken > Self.mostThings { pass(over: .tooMany) }
    return thingsTaken <= Self.mostThings
  }

  // MARK: - By content

  mutating func readAll() {
    guard body.bytes.count <= IntakeBody.mostBytes else { return pass(over: .tooLong) }
    // A mark of UTF-8, and blanks.
    let text = body.bytes.drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
    switch text.first {
    case nil: readEmpty()
    case UInt8(ascii: "{"), UInt8(ascii: "["): readJSON(text)
    default: readForm(text)
    }
  }

  private mutating func readEmpty() {
    if !body.query.isEmpty { return readFlat(.object(queryMembers), isForm: false) }
    pass(over: body.source == .owntracks ? .friendDeleted : .empty)
  }

  private mutating func readForm(_ text: ArraySlice<UInt8>) {
    var members = FormText.parts(text, contentType: body.contentType)
    if members.isEmpty { members = FormText.members(text) }
    // What the body says comes before what the address keeps saying.
    readFlat(.object(queryMembers + members), isForm: true)
  }

  private var queryMembers: JSONValue.Members {
    body.query.prefix(FormText.mostMembers).map { ($0.name, .string($0.value)) }
  }

  private mutating func readJSON(_ text: ArraySlice<UInt8>) {
    switch Self.parse(text) {
    case .success(let value): readTop(value)
    case .failure(let error) where error.kind == .tooMany: pass(over: .tooLong)
    case .failure:
      guard takesLines, text.contains(0x0A) else { return pass(over: .badJSON) }
      readLines(text)
    }
  }

  private var takesLines: Bool { body.source == .fixes || body.source == .signals }

  private static func parse(_ text: ArraySlice<UInt8>) -> Result<JSONValue, JSONError> {
    text.withUnsafeBytes { bytes -> Result<JSONValue, JSONError> in
      do throws(JSONError) { return .success(try JSONValue.parse(bytes)) } catch {
        return .failure(error)
      }
    }
  }

  private mutating func readTop(_ value: JSONValue) {
    if value.elements?.isEmpty ?? false { return pass(over: .empty) }
    if let elements = value.elements { return readEach(of: elements) { $0.read($1) } }
    messageID = value["_id"]?.word(most: 200)
    read(value)
  }

  /// JSON texts, one on a line.
  private mutating func readLines(_ text: ArraySlice<UInt8>) {
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      guard thingsTaken < Self.mostThings else {
        pass(over: .tooMany)
        continue
      }
      switch Self.parse(line) {
      case .success(let value): read(value)
      case .failure:
        thingsTaken += 1
        pass(over: .badJSON)
      }
    }
  }

  /// Reads entries until there are too many, and counts the rest.
  mutating func readEach(
    of elements: [JSONValue],
    _ readOne: (_ reader: inout IntakeReader, _ element: JSONValue) -> Void
  ) {
    for (index, element) in elements.enumerated() {
      guard thingsTaken < Self.mostThings else {
        return pass(over: .tooMany, count: elements.count - index)
      }
      readOne(&self, element)
    }
  }

  /// One message.
  private mutating func read(_ node: JSONValue) {
    if let list = (node["locations"] ?? node["features"])?.elements {
      return readOverland(list, in: node)
    }
    guard takesOneMore() else { return }
    guard let members = node.members, !members.isEmpty else { return pass(over: .unknownType) }
    if let kind = node["_type"]?.text {
      readOwnTracks(kind, node)
    } else if node["type"]?.text == "Feature" {
      readFeature(node)
    } else if body.source == .signals || (body.source == .fixes && node["signal"] != nil) {
      readSignal(node)
    } else {
      readObject(node)
    }
  }

  /// A form or a query.
  private mutating func readFlat(_ node: JSONValue, isForm: Bool) {
    guard takesOneMore() else { return }
    if body.source == .signals || (body.source == .fixes && node["signal"] != nil) {
      readSignal(node)
    } else {
      readFields(of: node, isForm: isForm)
    }
  }
}
