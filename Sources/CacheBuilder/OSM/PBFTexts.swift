/// The texts of a block, and what the rules say of each.
///
/// A thread keeps one for all of its blocks, so that memory is asked for once.
final class PBFTexts {
  /// The most texts of a block.
  ///
  /// A real one has some thousands.
  static let most = 1 << 20

  private struct Place {
    let start: UInt32
    let count: UInt32
  }

  private var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  private var places: UnsafeMutablePointer<Place>
  private var capacity = 1 << 13
  /// For each text, what the rules say of it; valid until the next block is read.
  private(set) var marks: UnsafeMutablePointer<UInt8>
  /// How many there are.
  private(set) var count = 0

  init() {
    places = .allocate(capacity: capacity)
    marks = .allocate(capacity: capacity)
  }

  deinit {
    places.deallocate()
    marks.deallocate()
  }

  /// Takes the texts of a block in place of those before.
  ///
  /// - Parameter table: where the table of texts lies; nil for a block without one.
  func read(_ bytes: UnsafeRawBufferPointer, _ table: Range<Int>?) throws(PBFBlockError) {
    self.bytes = bytes
    count = 0
    guard let table else { return }
    var reader = WireReader(bytes, table)
    var count = 0
    var places = self.places
    while let field = reader.field() {
      guard field.number == 1 else {
        reader.skip(field.type)
        continue
      }
      if count == capacity {
        guard count < Self.most else { throw PBFBlock.tooMuch("texts", reader) }
        grow()
        places = self.places
      }
      let text = reader.bytes(field.type)
      // A block has at most 32 MiB: its offsets fit.
      let place = Place(start: UInt32(text.lowerBound), count: UInt32(text.count))
      (places + count).initialize(to: place)
      count += 1
    }
    try PBFBlock.check(reader)
    self.count = count
  }

  private func grow() {
    let more = UnsafeMutablePointer<Place>.allocate(capacity: capacity * 2)
    more.update(from: places, count: capacity)
    places.deallocate()
    marks.deallocate()
    places = more
    capacity *= 2
    marks = .allocate(capacity: capacity)
  }

  subscript(index: Int) -> String {
    precondition(index < count, "an index is checked where it is read")
    return String(decoding: self.bytes(places[index]), as: UTF8.self)
  }

  private func bytes(_ place: Place) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: bytes.baseAddress.map { $0 + Int(place.start) },
      count: Int(place.count)
    )
  }

  /// Looks up every text.
  ///
  /// - Returns: whether the texts could make a place; ``marks`` mean nothing where they cannot.
  func mark(_ vocabulary: TagVocabulary) -> Bool {
    var isPresent = [Bool](repeating: false, count: vocabulary.tokenCount)
    let (places, marks) = (places, marks)
    for index in 0..<count { marks[index] = vocabulary.mark(bytes(places[index]), &isPresent) }
    return vocabulary.canMatch(isPresent)
  }
}
