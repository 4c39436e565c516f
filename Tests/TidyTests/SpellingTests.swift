import Testing

/// American spelling in the sources and in what is written about them.
///
/// Names in stored forms and in output are kept as they are: those who read them would not find them
/// under another. They stand in ``kept``, as do words of others.
@Suite struct SpellingTests {
  private static let british: Set<String> = {
    var words = Set(
      """
      acknowledgement aeroplane afterwards ageing aluminium amongst anticlockwise artefact artefacts \
      backwards cancelled cancelling catalogue catalogued catalogues centre centred centres cheque \
      cheques defence dialogue dialogues downwards draught draughts enquire enquiry enrol enrolment \
      fibre fibres forwards fulfil fulfilment fulfils grey greyed greys greyscale instalment inwards \
      jewellery judgement judgements kerb kerbs kilometre kilometres learnt licence licences litre \
      litres manoeuvre manoeuvres metre metres millimetre millimetres misspelt mould offence onwards \
      outwards plough practise practised practises pretence programme programmes sceptical skilful \
      speciality spelt spilt spoilt storey storeys theatre theatres towards tyre tyres upwards whilst \
      wilful centimetre centimetres
      """
      .split(separator: " ").map(String.init)
    )
    let stems: [(stems: String, endings: String)] = [
      (
        "behavi col fav flav harb hon hum lab neighb od rum sav vap endeav",
        "our ours oured ouring ourable ourite ourites ourful ourless ourhood ourhoods"
      ),
      (
        "apolog author capital categor character critic custom emphas equal external final formal "
          + "general harmon ideal initial internal item linear local material maxim memor minim "
          + "modern neutral normal optim organ parallel penal polar popular priorit quant "
          + "random real recogn reorgan sanit serial special stabil standard summar symbol synchron "
          + "token unrecogn util visual",
        "ise ised iser isers ises ising isation isations isable"
      ),
      ("anal catal paral", "yse ysed yser ysers yses ysing"),
      (
        "channel dial duel equal fuel funnel initial label level marvel model panel parcel pencil "
          + "quarrel rival shovel signal spiral swivel total trial travel tunnel unravel",
        "led ler lers ling"
      ),
    ]
    for (stems, endings) in stems {
      for stem in stems.split(separator: " ") {
        for ending in endings.split(separator: " ") { words.insert("\(stem)\(ending)") }
      }
    }
    return words
  }()

  /// A word that may stand in a file, and why.
  private struct Kept: Hashable {
    let path: String
    let word: String
  }

  private static let kept: Set<Kept> = {
    let lists: [(word: String, paths: String)] = [
      // The title of a journal.
      ("ageing", "Sources/Arrivals/SpeedSettings.swift"),
      // An option of Foundation.
      ("backwards", "Sources/LiveHost/Sinks/NDJSONSink.swift Sources/PhoneCheck/Verdict.swift"),
      // The type of a line of output, the outcome of a stored decision, a property of Swift's tasks.
      (
        "cancelled",
        """
        Sources/Door/API/HappeningRoutes.swift Sources/Door/People/DailyMails.swift \
        Sources/Door/People/Household.swift \
        Sources/NearMeEngine/Stored/Record+Codable.swift Sources/OutputLines/NDJSONFormat.swift \
        Sources/UserStore/UserStore+Decisions.swift Sources/nearme/Reports/Assets/day-panels.js \
        Sources/nearme/User/ReminderWhyCommand.swift \
        docs/core-location.md docs/decisions/0006-notification-pipeline.md
        """
      ),
      // A key of states and journals, the strategy `nearest_centre`, a quotation.
      (
        "centre",
        """
        Sources/Arrivals/ArrivalTracker.swift Sources/Fencing/Region.swift \
        Sources/NearMeEngine/Regions/RegionWatch+Standing.swift \
        Sources/Replay/Comparison/RegionStrategy.swift Sources/Replay/Comparison/RivalPlanner.swift \
        Sources/nearme/Replay/ServiceOptions.swift docs/regions.md
        """
      ),
      // `kerb_wait`, a kind of stay in truths, and once a key of policies.
      (
        "kerb",
        """
        Sources/SampleWorld/DayTruth.swift Sources/SampleWorld/ErrandDay.swift \
        Sources/Scoring/DayTruth.swift Sources/Scoring/TargetVisit.swift \
        Sources/SettingsFiles/PolicyFile+Arrival.swift Sources/Simulation/TravelPath.swift
        """
      ),
      // A column of caches.
      (
        "licence",
        """
        Sources/PlaceStore/CacheSchema.swift Sources/PlaceStore/POICache.swift \
        Sources/PlaceStore/POICacheWriter.swift
        """
      ),
      // Units that are understood.
      ("metre", "Sources/Geodesy/LengthText.swift"),
      ("metres", "Sources/Geodesy/LengthText.swift"),
      // A key of what `nearme trace check --json` prints.
      ("travelled", "Sources/nearme/Trace/TraceCheckPrinter.swift"),
    ]
    return Set(
      lists.flatMap { list in
        list.paths.split(separator: " ").map { Kept(path: String($0), word: list.word) }
      }
    )
  }()

  /// The British words in a text in small letters, each with the number of its line; a name in camel case is
  /// several words.
  private static func findings(in text: String) -> [(line: Int, word: String)] {
    var findings: [(line: Int, word: String)] = []
    var line = 1
    var letters: [UInt8] = []
    func end() {
      let word = String(decoding: letters, as: UTF8.self)
      if british.contains(word) { findings.append((line, word)) }
      letters.removeAll(keepingCapacity: true)
    }
    for byte in Array(text.utf8) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): letters.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        end()
        letters.append(byte | 0x20)
      default:
        if !letters.isEmpty { end() }
        if byte == UInt8(ascii: "\n") { line += 1 }
      }
    }
    end()
    return findings
  }

  @Test func `spelling is American`() throws {
    let paths =
      ["README.md", "CONTRIBUTING.md"]
      + (try ["Sources", "Benchmarks", "Fuzz", "docs"]
        .flatMap { try Repository.paths(in: $0, ["css", "html", "js", "json", "md", "swift"]) })
    #expect(paths.count > 400)
    var used: Set<Kept> = []
    for path in paths {
      for (line, word) in Self.findings(in: try Repository.text(path)) {
        let kept = Kept(path: path, word: word)
        if Self.kept.contains(kept) {
          used.insert(kept)
        } else {
          Issue.record("\(path):\(line): \(word) is not American")
        }
      }
    }
    for kept in Self.kept.subtracting(used) {
      Issue.record("\(kept.path) has no \(kept.word) any more: take it off the list")
    }
  }

  @Test func `British words are found, in sentences and in names`() {
    let sample = """
      // The neighbours travelled towards the Centre.
      let mapColour = organiser(labelledAs: "grey_area")
      let center = color(of: neighbor, otherwise: raised, our: hour, cancellation, analysis)
      """
    let findings = Self.findings(in: sample).map { "\($0.line) \($0.word)" }
    #expect(
      findings == [
        "1 neighbours", "1 travelled", "1 towards", "1 centre", "2 colour", "2 organiser",
        "2 labelled", "2 grey",
      ]
    )
  }
}
