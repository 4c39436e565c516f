import Basics
import NearMeEngine
import Timeline
import TraceDoctor
import TraceFiles
import Traces

/// Prints what the doctor says of traces.
struct TraceCheckPrinter {
  let format: TraceCheckCommand.FormatName
  let allowed: Set<FindingKind>
  let output: OutputFile

  func print(_ check: TraceCheck) throws {
    switch format {
    case .text: for line in lines(check) { try output.writeLine(line) }
    case .json: try output.writeLine(json(check))
    }
  }

  func print(
    _ steps: [(step: RepairStep, count: Int)],
    fixes: Int,
    of points: Int,
    to path: String
  ) throws {
    switch format {
    case .text:
      try output.writeLine(
        "\nrepaired: \(fixes) of \(counted(points, "point")) \(fixes == 1 ? "is" : "are") now in \(path)"
      )
      for (step, count) in steps { try output.writeLine("  \(count) \(step.meaning(of: count))") }
      if steps.isEmpty { try output.writeLine("  nothing was changed") }
      try output.writeLine("")
    case .json:
      var json = JSONText()
      json.add("repaired", path)
      json.add("points", points)
      json.add("kept", fixes)
      let items = steps.map { step in
        var item = JSONText()
        item.add("step", step.step.rawValue)
        item.add("count", step.count)
        return item.closed
      }
      json.add("steps", json: JSONText.array(items))
      try output.writeLine(json.closed)
    }
  }

  func flush() throws { try output.flush() }
  func finish() throws { try output.finish() }

  // MARK: - Text

  private func lines(_ check: TraceCheck) -> [String] {
    let diagnosis = check.diagnosis
    // Of what could not be read at all the error says enough.
    guard check.error == nil || diagnosis.points > 0 else { return [] }
    let name = check.path == "-" ? "standard input" : check.path
    var lines = ["\(name): \(extent(diagnosis))"]
    if let passedOver = check.passedOver { lines.append("  passed over: " + passedOver) }
    guard diagnosis.points > 0 else { return lines }
    let distorting = diagnosis.findings.filter { $0.kind.severity == .distorts }
    let counting = distorting.filter { !allowed.contains($0.kind) }
    lines += list("  would distort a replay", counting)
    lines += list(
      "  would distort a replay, and is allowed",
      distorting.filter { !counting.contains($0) }
    )
    lines += list("  worth knowing", diagnosis.findings.filter { $0.kind.severity == .note })
    if counting.isEmpty, diagnosis.fixes > 0 {
      lines.append("  nothing\(distorting.isEmpty ? "" : " else") would distort a replay")
    }
    if let advice = advice(check) { lines.append("  " + advice) }
    if diagnosis.fixes > 1 { lines.append("  " + habits(diagnosis)) }
    if diagnosis.fixes > 0 { lines.append("  " + check.accuracySentence) }
    for judgment in diagnosis.accuracy where judgment.rests > 0 {
      lines.append("    " + sentence(judgment))
    }
    if let sentence = sentence(diagnosis.speed) { lines.append("  " + sentence) }
    return lines + check.guesses.map { "  " + $0 }
  }

  /// What may be done about what was found, as a sentence; nil for nothing.
  private func advice(_ check: TraceCheck) -> String? {
    let ofSeveral: [FindingKind] = [.twoPlacesAtOnce, .teleport, .impossibleSpeed]
    guard check.format == .csv,
      check.diagnosis.findings.contains(where: {
        ofSeveral.contains($0.kind) && !allowed.contains($0.kind)
      })
    else { return nil }
    return "if the table holds several people, take it apart: nearme trace convert "
      + "\(check.path == "-" ? "FILE" : check.path) --by COLUMN --to gpx -o FOLDER"
  }

  private func extent(_ diagnosis: Diagnosis) -> String {
    guard let start = diagnosis.start, let end = diagnosis.end else {
      return diagnosis.points == 0 ? "no points" : counted(diagnosis.points, "point") + ", no fixes"
    }
    var parts = [diagnosis.fixes == 1 ? "1 fix" : "\(diagnosis.fixes) fixes"]
    if diagnosis.points > diagnosis.fixes {
      parts[0] += " of \(counted(diagnosis.points, "point"))"
    }
    if end > start { parts[0] += " in " + duration((end - start).seconds) }
    if diagnosis.segments > 1 { parts.append("\(diagnosis.segments) segments") }
    if let interval = diagnosis.usualIntervalSeconds {
      parts.append("mostly every \(duration(interval))")
      parts.append("longest silence \(duration(diagnosis.longestSilenceSeconds))")
    }
    return parts.joined(separator: ", ")
  }

  /// What the phone is used to, in one line: how often it tells, and what it tells of speed and accuracy.
  private func habits(_ diagnosis: Diagnosis) -> String {
    let receiver = diagnosis.receiver
    var parts: [String] = []
    if let interval = diagnosis.usualIntervalSeconds {
      parts.append("a fix mostly every \(duration(interval))")
      parts.append("silent for \(duration(diagnosis.longestSilenceSeconds)) at most")
    }
    switch (receiver.speeds, receiver.zeroSpeeds) {
    case (0, _): parts.append("no speed")
    case (let speeds, let zeros) where speeds == zeros: parts.append("speed always 0")
    case (let speeds, let zeros):
      parts.append(
        "speed in \(share(speeds, of: diagnosis.fixes)), 0 in \(share(zeros, of: speeds))"
      )
    }
    switch receiver.accuracyMeters {
    case nil: parts.append("no accuracy")
    case let meters? where meters.lowerBound == meters.upperBound:
      parts.append("accuracy always \(distance(meters.lowerBound))")
    case let meters?:
      let (least, most) = (distance(meters.lowerBound), distance(meters.upperBound))
      let isOneUnit = least.hasSuffix(" km") == most.hasSuffix(" km")
      let start = isOneUnit ? String(least.prefix { $0 != " " }) : least
      parts.append("accuracy \(start) to \(most)")
    }
    return "this phone: " + parts.joined(separator: ", ")
  }

  private func share(_ part: Int, of whole: Int) -> String {
    "\(fixed(100 * Double(part) / Double(whole), 0)) %"
  }

  private func list(_ title: String, _ tallies: [FindingTally]) -> [String] {
    guard !tallies.isEmpty else { return [] }
    var lines = [title + ":"]
    for tally in tallies {
      lines.append("    \(tally.count) \(tally.kind.rawValue): \(tally.kind.meaning)")
      for place in tally.places { lines.append("      " + sentence(place)) }
      if !tally.places.isEmpty, tally.count > tally.places.count {
        lines.append("      and \(tally.count - tally.places.count) more")
      }
    }
    return lines
  }

  private func sentence(_ finding: Finding) -> String {
    var text = "line \(finding.first.line), point \(finding.first.number)"
    if finding.last.number != finding.first.number { text += " to \(finding.last.number)" }
    if let at = finding.first.at { text += ", \(RFC3339.format(at))" }
    var measures: [String] = []
    if let meters = finding.meters { measures.append(distance(meters)) }
    if let seconds = finding.seconds, seconds > 0 {
      switch finding.kind {
      case .timeReversal, .swappedPoints: measures.append("\(duration(seconds)) back")
      case .cadenceChange: measures.append("every \(duration(seconds))")
      default: measures.append(duration(seconds))
      }
    }
    if finding.fixes > 1 { measures.append("\(finding.fixes) fixes") }
    return measures.isEmpty ? text : text + ": " + measures.joined(separator: ", ")
  }

  private func sentence(_ judgment: AccuracyJudgment) -> String {
    let rests = judgment.rests == 1 ? "1 rest" : "\(judgment.rests) rests"
    var text = "\(name(judgment.source)), in \(rests): "
    if let meters = judgment.scatterMeters, let ratio = judgment.scatterByClaim {
      text += "68 % within \(fixed(meters, 1)) m, \(fixed(ratio, 2)) of the claim: "
    }
    switch judgment.verdict {
    case .plausible: text += "plausible"
    case .tooSmall: text += "too small"
    case .held: text += "the device holds its position, so nothing can be said"
    case .tooFewRests: text += "too few rests to say"
    }
    return text
  }

  private func name(_ source: AccuracySource) -> String {
    switch source {
    case .reported: "reported"
    case .modeledFromHDOP: "from hdop"
    case .assumed: "assumed"
    }
  }

  private func sentence(_ judgment: SpeedJudgment) -> String? {
    guard let ratio = judgment.reportedByTraveled else { return nil }
    let verdict =
      switch judgment.verdict {
      case .plausible, .tooFew: "plausible"
      case .knots: "these are knots"
      case .milesPerHour: "these are miles an hour"
      case .kilometersPerHour: "these are kilometers an hour"
      case .tooSmall: "too small"
      case .tooLarge: "too large"
      }
    return "speed reported is \(fixed(ratio, 2)) of the speed traveled"
      + " (\(judgment.stretches == 1 ? "1 stretch" : "\(judgment.stretches) stretches")): \(verdict)"
  }

  private func distance(_ meters: Double) -> String {
    meters < 10_000 ? "\(fixed(meters, 0)) m" : "\(fixed(meters / 1_000, 0)) km"
  }

  private func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<9.95: "\(trimmed(fixed(seconds, 1))) s"
    case ..<120: "\(fixed(seconds, 0)) s"
    case ..<7_200: "\(fixed(seconds / 60, 0)) min"
    case ..<172_800: "\(trimmed(fixed(seconds / 3_600, 1))) h"
    default: "\(fixed(seconds / 86_400, 0)) days"
    }
  }

  private func trimmed(_ number: String) -> String {
    number.hasSuffix(".0") ? String(number.dropLast(2)) : number
  }

  // MARK: - JSON

  private func json(_ check: TraceCheck) -> String {
    let diagnosis = check.diagnosis
    var json = JSONText()
    json.add("trace", check.path)
    // Of what was not read nothing is known.
    let isUnknown = check.error != nil && diagnosis.points == 0
    json.add(
      "distorts",
      json: isUnknown ? "null" : "\(diagnosis.isDistorted(allowing: allowed))"
    )
    json.add("points", diagnosis.points)
    json.add("fixes", diagnosis.fixes)
    json.add("start", diagnosis.start.map(RFC3339.format))
    json.add("end", diagnosis.end.map(RFC3339.format))
    json.add("segments", diagnosis.segments)
    json.add("usual_interval_s", json: number(diagnosis.usualIntervalSeconds, 2))
    json.add("longest_silence_s", json: number(diagnosis.longestSilenceSeconds, 1))
    json.add("passed_over", check.passedOver)
    json.add("guesses", check.guesses)
    json.add("findings", json: JSONText.array(diagnosis.findings.map(object)))
    let accuracy = diagnosis.accuracy.filter {
      diagnosis.accuracyCounts[Int($0.source.rawValue)] > 0
    }
    json.add(
      "accuracy",
      json: JSONText.array(
        accuracy.map { object($0, diagnosis.accuracyCounts[Int($0.source.rawValue)]) }
      )
    )
    var speed = JSONText()
    speed.add("stretches", diagnosis.speed.stretches)
    speed.add("reported_by_travelled", json: number(diagnosis.speed.reportedByTraveled, 3))
    speed.add("verdict", diagnosis.speed.verdict.rawValue)
    json.add("speed", json: speed.closed)
    var receiver = JSONText()
    receiver.add("speeds", diagnosis.receiver.speeds)
    receiver.add("zero_speeds", diagnosis.receiver.zeroSpeeds)
    receiver.add(
      "least_accuracy_m",
      json: number(diagnosis.receiver.accuracyMeters?.lowerBound, 1)
    )
    receiver.add("most_accuracy_m", json: number(diagnosis.receiver.accuracyMeters?.upperBound, 1))
    json.add("receiver", json: receiver.closed)
    json.add("advice", advice(check))
    json.add("error", check.error?.description)
    return json.closed
  }

  private func object(_ tally: FindingTally) -> String {
    var json = JSONText()
    json.add("kind", tally.kind.rawValue)
    json.add("severity", tally.kind.severity.rawValue)
    json.add("allowed", json: "\(allowed.contains(tally.kind))")
    json.add("count", tally.count)
    json.add("fixes", tally.fixes)
    json.add("places", json: JSONText.array(tally.places.map(object)))
    return json.closed
  }

  private func object(_ finding: Finding) -> String {
    var json = JSONText()
    json.add("point", finding.first.number)
    json.add("last_point", finding.last.number)
    json.add("line", finding.first.line)
    json.add("at", finding.first.at.map(RFC3339.format))
    json.add("last_at", finding.last.at.map(RFC3339.format))
    json.add("fixes", finding.fixes)
    json.add("seconds", json: number(finding.seconds, 3))
    json.add("meters", json: number(finding.meters, 1))
    return json.closed
  }

  private func object(_ judgment: AccuracyJudgment, _ fixes: Int) -> String {
    var json = JSONText()
    json.add("source", name(judgment.source).split(separator: " ").joined(separator: "_"))
    json.add("fixes", fixes)
    json.add("rests", judgment.rests)
    json.add("scatter_m", json: number(judgment.scatterMeters, 2))
    json.add("scatter_by_claim", json: number(judgment.scatterByClaim, 3))
    json.add("verdict", judgment.verdict.rawValue)
    return json.closed
  }

  private func number(_ value: Double?, _ digits: Int) -> String {
    value.map { fixed($0, digits) } ?? "null"
  }
}
