import CacheBuilder
import Foundation
import Geodesy
import Places

extension ProgressLine {
  /// Shows how far the build of a cache is.
  func show(_ progress: BuildProgress) {
    switch progress.step {
    case .reading(let path, let look):
      let name = URL(fileURLWithPath: path).lastPathComponent
      let task = look == 1 ? "reading \(name)" : "reading \(name), look \(look)"
      show(task, done: progress.done, of: progress.total, in: .bytes)
    case .merging: show("merging", done: 0, of: 0, in: .bytes)
    case .writing: show("writing", done: progress.done, of: progress.total, in: .things("rows"))
    case .cells: show("writing", done: progress.done, of: progress.total, in: .things("cells"))
    }
  }
}

extension CacheBuild {
  /// Has the build show how far it is, and list every skipped row where the person wants them all.
  mutating func report(on line: ProgressLine, isVerbose: Bool) {
    onProgress = { line.show($0) }
    if isVerbose { onSkip = { line.print(skippedText($0)) } }
  }
}

func skippedText(_ row: SkippedRow) -> String {
  shown("\(row.fate) \(StandardInputSpool.name(of: row.path)): \(row.row): \(row.reason)")
}

/// Lists what gave no place of its own, on standard error: files without any, rows that were skipped, unless they have
/// been listed on the way, places that later inputs made others of or would have cut, and every merged pair where the
/// person wants them.
func printLosses(_ report: CacheBuild.Report, isVerbose: Bool) {
  for input in report.emptyInputs {
    printError(
      shown("nearme: note: \(StandardInputSpool.name(of: input.path)): \(input.reason)")
    )
  }
  let others = report.replacedOthers
  for (old, new) in others.prefix(isVerbose ? others.count : 3) {
    let meters = Int(old.coordinate.distanceMeters(to: new.coordinate).rounded())
    printError(
      shown("replaced \(new.sourceID): \(described(old)) by \(described(new)), \(meters) m away")
    )
  }
  if !isVerbose, others.count > 3 {
    printError("replaced \(others.count - 3) more by others; --verbose lists them all")
  }
  for id in report.keptWhole.prefix(isVerbose ? report.keptWhole.count : 3) {
    printError(shown("kept \(id) as it was: a later input has a part of its outline only"))
  }
  if !isVerbose, report.keptWhole.count > 3 {
    printError("kept \(report.keptWhole.count - 3) more as they were; --verbose lists them all")
  }
  if isVerbose {
    for pair in report.duplicates {
      let categories = pair.categories.map(\.name).joined(separator: ", ")
      printError(shown("merged \(pair.dropped) into \(pair.kept) (\(categories))"))
    }
    return
  }
  printSkipped(report.skipped)
}

private func described(_ place: PointOfInterest) -> String {
  let categories = place.categories.map(\.name).joined(separator: "+")
  return place.name.map { "\"\($0)\" (\(categories))" } ?? categories
}

/// Lists the first rows that were skipped, or taken but for something, on standard error.
func printSkipped(_ skipped: SkippedRows) {
  let listed = 20
  for row in skipped.rows.prefix(listed) { printError(skippedText(row)) }
  if skipped.count > listed {
    let fate = skipped.rows.contains(where: \.isTaken) ? "" : "skipped "
    printError("\(fate)\(skipped.count - listed) more; --verbose lists them all")
  }
}
