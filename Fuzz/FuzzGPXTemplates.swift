import Traces

@testable import TraceFiles

private let file = InputFile()

/// Any bytes as a GPX file, read with templates and without: nobody could tell which.
///
/// What is read stands three times in a row, so that a shape is shown, learned and met again.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: bytes, count: count)
  // The last byte says which part is repeated: one point, found by its end.
  let part = repeatedPart(input)
  file.fill(
    UnsafeRawBufferPointer(rebasing: input[..<part.upperBound]),
    UnsafeRawBufferPointer(rebasing: input[part]),
    UnsafeRawBufferPointer(rebasing: input[part]),
    UnsafeRawBufferPointer(rebasing: input[part.upperBound...])
  )
  let plain = Reading(usesTemplates: false)
  let fast = Reading(usesTemplates: true)
  precondition(fast.records == plain.records, "the points differ")
  precondition(fast.report == plain.report, "the reports differ")
  precondition(fast.error == plain.error, "the errors differ")
  return 0
}

/// The bytes of one point with the white space before it, or none.
private func repeatedPart(_ input: UnsafeRawBufferPointer) -> Range<Int> {
  let mark = Array("trkpt>".utf8)
  var ends: [Int] = []
  var position = 0
  while position + mark.count <= input.count {
    if input[position..<(position + mark.count)].elementsEqual(mark) {
      ends.append(position + mark.count)
    }
    position += 1
  }
  guard let choice = input.last, ends.count > 1 else { return 0..<0 }
  let index = 1 + Int(choice) % (ends.count - 1)
  return ends[index - 1]..<ends[index]
}

private struct Reading {
  var records: [TraceRecord] = []
  var report: TraceReport?
  var error: TraceError?

  init(usesTemplates: Bool) {
    do throws(TraceError) {
      let reader = try TraceReader(
        path: file.path,
        options: TraceOptions(usesTemplates: usesTemplates)
      )
      defer { report = reader.report }
      while let record = try reader.nextRecord() { records.append(record) }
    } catch {
      self.error = error
    }
  }
}
