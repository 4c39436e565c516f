/// The elements of a file that are places, where elements may come again: as versions of theirs in a file with
/// the full history, or printed a second time.
///
/// What the file has last counts. A version that is no place, or was deleted, takes the place away.
struct OSMVersions {
  private let budget: ImportBudget
  /// Nil for those that are gone: of a history, most are.
  private var all: [OSMElement?] = []
  /// Of each element the last place, by its index, with its version.
  private var last: [OSMElementID: (index: Int, version: Int64?)] = [:]
  /// The places before it of elements that came again without a newer version.
  private var earlier: [OSMElementID: [Int]] = [:]
  /// Of each kind the greatest id that is a place: most files are in order, and then nothing is looked up.
  private var greatest: [Int64] = [.min, .min, .min]

  init(budget: ImportBudget) { self.budget = budget }

  /// In the order of the file; those that came again without a newer version are all there.
  var elements: [OSMElement] { all.compactMap { $0 } }

  /// Adds a place.
  ///
  /// - Returns: whether it may be kept beside the others.
  mutating func add(_ element: OSMElement, _ version: Int64?) -> Bool {
    let id = element.elementID
    if let known = known(id) {
      if let version, let older = known.version, version > older {
        // It is no other place of the same id, of which people are told.
        remove(id)
      } else {
        earlier[id, default: []].append(known.index)
      }
    }
    last[id] = (all.count, version)
    greatest[id.kind.rank] = max(greatest[id.kind.rank], id.id)
    all.append(element)
    return budget.takes(element)
  }

  /// Notes an element that is no place.
  ///
  /// One with neither tags nor a version is no version of it, but its shape alone: Overpass's `out skel` prints what
  /// an outline refers to, be it a place as well or not.
  mutating func noteNoPlace(_ id: OSMElementID, _ version: Int64?, hasTags: Bool) {
    guard let known = known(id) else { return }
    if hasTags || version != nil && version != known.version { remove(id) }
  }

  /// Forgets a place that was deleted.
  mutating func remove(_ id: OSMElementID) {
    guard let known = known(id) else { return }
    for index in [known.index] + (earlier[id] ?? []) {
      if let element = all[index] { budget.giveBack(element) }
      all[index] = nil
    }
    last[id] = nil
    earlier[id] = nil
  }

  private func known(_ id: OSMElementID) -> (index: Int, version: Int64?)? {
    id.id <= greatest[id.kind.rank] ? last[id] : nil
  }
}
