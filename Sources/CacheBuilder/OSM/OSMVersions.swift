/// The elements of a file that are places, where elements may come again: as versions of theirs in a file with
/// the full history, or printed a second time.
///
/// What the file has last counts. A version that is no place, or was deleted, takes the place away.
struct OSMVersions {
  private var all: [OSMElement] = []
  /// Of each element the last place, by its index, with its version.
  private var last: [OSMElementID: (index: Int, version: Int64?)] = [:]
  /// The places before it of elements that came again without a newer version.
  private var earlier: [OSMElementID: [Int]] = [:]
  private var gone: Set<Int> = []
  /// Of each kind the greatest id that is a place: most files are in order, and then nothing is looked up.
  private var greatest: [Int64] = [.min, .min, .min]

  /// In the order of the file; those that came again without a newer version are all there.
  var elements: [OSMElement] {
    gone.isEmpty ? all : all.indices.filter { !gone.contains($0) }.map { all[$0] }
  }

  /// Adds a place.
  mutating func add(_ element: OSMElement, _ version: Int64?) {
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
    gone.insert(known.index)
    gone.formUnion(earlier[id] ?? [])
    last[id] = nil
    earlier[id] = nil
  }

  private func known(_ id: OSMElementID) -> (index: Int, version: Int64?)? {
    id.id <= greatest[id.kind.rank] ? last[id] : nil
  }
}
