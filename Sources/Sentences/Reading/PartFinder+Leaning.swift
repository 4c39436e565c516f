/// In which part of the day what is to be done usually lies, where the hour does not say it.
extension PartFinder {
  /// "Wake me up at 6" is in the morning, "halloween party at 7" in the evening; nil where nothing is known.
  var leaning: PartOfDay? {
    guard let first = tokens.indices.first(where: isOfTitle) else { return besideMeal }
    return ofFirstWord(first) ?? besideMeal ?? ofTable ?? ofEvent ?? ofSchool
  }

  /// What the first word of what is to be done says.
  private func ofFirstWord(_ first: Int) -> PartOfDay? {
    let next = first + 1
    if let rising = groups.rising, next < tokens.count, tokens[first].terms.contains(rising),
      let up = groups.up, tokens[next].terms.contains(up)
    {
      return .morning
    }
    if isRinging { return .morning }
    // "Watch 1917 Friday at 8": a film, by its number.
    if let titled = groups.titled, next < tokens.count, tokens[first].terms.contains(titled),
      isLongNumber(next), !isMeasure(next + 1)
    {
      return .evening
    }
    // "Bed by 10:30", "put the kids to bed at 8"; but not "buy a bed at 10".
    if let bed = groups.bed,
      (first..<min(first + 5, tokens.count))
        .contains(where: { index in
          tokens[index].terms.contains(bed)
            && (index == first || tokens[index - 1].terms.contains(groups.connector))
        })
    {
      return .night
    }
    if isWaking(first) { return .morning }
    // "Wake Bob from his nap at 4" is another thing.
    guard
      next == tokens.count || items.contains(where: { $0.start == next })
        || groups.leans.map({ tokens[next].terms.contains($0) }) ?? false
    else { return nil }
    if let meal = meal(first) { return meal }
    if let nights = groups.nights, next < tokens.count, isOfTitle(next),
      tokens[next].terms.contains(nights)
    {
      return .night
    }
    if let early = groups.early, tokens[first].terms.contains(early) { return .morning }
    if let late = groups.late, tokens[first].terms.contains(late) { return .evening }
    return nil
  }

  /// "Wake the kids at 6:30", by a name of one word and from 5 on: a nap ends earlier.
  private func isWaking(_ first: Int) -> Bool {
    guard let early = groups.early, tokens[first].terms.contains(early), first + 2 < tokens.count,
      tokens[first + 1].terms.contains(groups.determiner), isOfTitle(first + 2),
      items.contains(where: { $0.start == first + 3 })
    else { return false }
    // Today's morning may be over.
    return items.allSatisfy { item in
      if case .place = item.part { return false }
      guard case .time(let moment) = item.part else { return true }
      if case .offset(0) = moment.day { return false }
      return moment.clock.map { $0.second >= 5 * 3_600 } ?? true
    }
  }

  /// The part of the day of a meal, or of what is had late as dinner is.
  private func meal(_ index: Int) -> PartOfDay? {
    let terms = tokens[index].terms
    if let breakfasts = groups.breakfasts, terms.contains(breakfasts) { return .morning }
    if let lunches = groups.lunches, terms.contains(lunches) { return .lunch }
    if let dinners = groups.dinners, terms.contains(dinners) { return .night }
    return nil
  }

  /// The part of the day of what something is done before, with or after: "pills before breakfast at 7".
  private var besideMeal: PartOfDay? {
    guard let beside = groups.beside else { return nil }
    for index in tokens.indices.dropFirst() where tokens[index].kind == .word {
      guard let meal = meal(index) else { continue }
      let isNamed = index > 1 && tokens[index - 1].terms.contains(groups.determiner)
      let terms = tokens[isNamed ? index - 2 : index - 1].terms
      guard terms.contains(beside) else { continue }
      // "Wein zum Abendessen kaufen" is done at any hour.
      if let toward = groups.toward, terms.contains(toward), isForLater { continue }
      return meal
    }
    return nil
  }

  /// A table is booked for dinner: "book a table for 4 at 7".
  private var ofTable: PartOfDay? {
    guard let tables = groups.tables, let toward = groups.toward else { return nil }
    func isTables(_ index: Int, _ value: Int) -> Bool {
      tokens[index].terms.contains(tables)
        && chart.language.lexicon.value(of: tokens[index].entry, term: tables) == value
    }
    let isBooked = tokens.indices.dropFirst(2).dropLast()
      .contains { index in
        isTables(index, 0) && isOfTitle(index) && isTables(index - 2, 1)
          && tokens[index - 1].terms.contains(groups.determiner)
          && tokens[index + 1].terms.contains(toward)
      }
    return isBooked ? .evening : nil
  }

  /// Whether something is bought or planned.
  private var isForLater: Bool {
    guard let arranges = groups.arranges else { return false }
    return tokens.contains { $0.terms.contains(arranges) }
  }

  /// Leaves a meal in the title where an hour is said as well: "walk the dog after dinner at 8" is at 8 alone.
  mutating func leaveMeals() {
    guard let beside = groups.beside,
      let place = items.firstIndex(where: { item in
        guard item.end - item.start <= 3, tokens[item.start].terms.contains(beside),
          meal(item.end - 1) != nil
        else { return false }
        switch item.part {
        case .time(let moment): return moment.isClock
        case .interval(let interval): return interval.isOfClocks
        default: return false
        }
      })
    else { return }
    let item = items[place]
    for other in items.indices where other != place && Self.saysHour(items[other].part) {
      let words =
        other > place ? item.end..<items[other].start : items[other].end..<item.start
      let isAnother = !words.isEmpty && isList(words) || meal(items[other].end - 1) != nil
      guard !isAnother else { return }
    }
    guard items.indices.contains(where: { $0 != place && Self.saysHour(items[$0].part) }) else {
      return
    }
    items.remove(at: place)
  }

  /// Leaves it in the title where an hour is said as well: "drinks after work Friday at 7" is at 7, wherever one is.
  mutating func leaveWork() {
    guard let beside = groups.beside, items.contains(where: { Self.saysHour($0.part) }) else {
      return
    }
    let tokens = tokens
    items.removeAll { item in
      guard case .leave = item.part else { return false }
      return item.end - item.start <= 3 && tokens[item.start].terms.contains(beside)
    }
  }

  /// Leaves a heat in the title where it is said how long from now: "take out the turkey at 350 in 20 minutes".
  mutating func leaveHeat() {
    let isFromNow = items.contains { item in
      if case .time(let moment) = item.part, let later = moment.later {
        !later.isOfDays
      } else {
        false
      }
    }
    guard isFromNow else { return }
    let tokens = tokens
    items.removeAll { item in
      guard case .time(let moment) = item.part, moment.isClock else { return false }
      return tokens[item.end - 1].terms.contains(Shape.hmm.rawValue)
    }
  }

  /// Leaves a day in the title for which something is done on another: "set the trash out tonight for Monday", "charge
  /// the camera tonight so it is ready Sunday".
  mutating func leavePurposes() {
    guard let purpose = groups.purpose else { return }
    for place in items.indices.dropFirst().reversed() {
      guard case .time(let moment) = items[place].part, moment.day != nil, moment.clock == nil,
        let day = items[..<place].lastIndex(where: { $0.part.saysDay && !$0.isRepetition }),
        !tokens[items[day].start].terms.contains(purpose)
      else { continue }
      let words = items[day].end..<items[place].start
      // "Friday and for Saturday" is both.
      let isFor =
        tokens[items[place].start].terms.contains(purpose) && (words.isEmpty || !isList(words))
      if isFor || isBehindReason(words) { items.remove(at: place) }
    }
  }

  /// Leaves the hour of an event in the title for which something is done at another: "start the slow cooker at 1 for
  /// dinner at 6".
  mutating func leaveEvents() {
    guard let purpose = groups.purpose else { return }
    for place in items.indices.dropFirst().reversed() {
      guard case .time = items[place].part, Self.saysHour(items[place].part),
        case .time = items[place - 1].part, Self.saysHour(items[place - 1].part),
        case let words = items[place - 1].end..<items[place].start,
        let start = words.first(where: { tokens[$0].terms.contains(purpose) }),
        start + 1 < words.upperBound,
        // Where verbs come last, the one that is done then may stand before: "um 9 Torte abholen für die Feier um 15 Uhr".
        start == words.lowerBound || isEndVerb(start - 1),
        words.allSatisfy({ $0 == start || isOfTitle($0) && !isConnector($0) })
      else { continue }
      items.remove(at: place)
    }
  }

  /// Whether what something is for begins within some words: "so it is ready for the trip"; not so "so remind me".
  private func isBehindReason(_ words: Range<Int>) -> Bool {
    guard let therefore = groups.therefore,
      let so = words.first(where: { tokens[$0].terms.contains(therefore) }), so + 1 < tokens.count
    else { return false }
    return isOfTitle(so + 1)
  }

  private static func saysHour(_ part: Part) -> Bool {
    switch part {
    case .time(let moment): moment.clock.map { !$0.isPart } ?? false
    case .clocks: true
    case .repetition(let said): said.clocks.contains { !$0.isPart }
    default: false
    }
  }

  /// The part of the day of the event that is named: "work dinner", "meet Ann for drinks", "bring a cake to the party".
  ///
  /// What is only bought, planned or talked about for it is done at any hour.
  private var ofEvent: PartOfDay? {
    guard !isArranged, var start = firstNamed else { return nil }
    while start < tokens.count, isOfTitle(start) || isInName(start) {
      var end = start
      while end < tokens.count, isInName(end) || isOfTitle(end) && !isConnector(end) { end += 1 }
      if let part = ofPhrase(start..<end) { return part }
      guard end < tokens.count, let toward = groups.toward, tokens[end].terms.contains(toward)
      else { return nil }
      start = end + 1
    }
    return nil
  }

  /// The morning, where one goes to school then, or takes a bus on weekdays: "school bus every weekday at 6:50", "take
  /// the train every weekday at 6:10"; from 6 on, and with the word of a school and minutes from 5.
  private var ofSchool: PartOfDay? {
    guard let schools = groups.schools, let rides = groups.rides, !isArranged,
      let first = firstNamed
    else { return nil }
    var end = first
    while end < tokens.count, isInName(end) || isOfTitle(end) && !isConnector(end) { end += 1 }
    if end + 1 < tokens.count, groups.toward.map(tokens[end].terms.contains) ?? false {
      let isSchool = tokens[end + 1].terms.contains(schools) && isOfTitle(end + 1)
      let isLast = end + 2 == tokens.count || !isOfTitle(end + 2) || isConnector(end + 2)
      return isSchool && isLast && isEarly(from: 5) ? .morning : nil
    }
    guard end > first, isOfTitle(end - 1) else { return nil }
    let last = tokens[end - 1].terms
    let ofSchool = tokens[first..<end].contains { $0.terms.contains(schools) }
    if last.contains(schools) || ofSchool && last.contains(rides) {
      return isEarly(from: 5) ? .morning : nil
    }
    let isOnWeekdays = items.contains { item in
      if case .repetition(let said) = item.part { said.weekdays == 0b11111 } else { false }
    }
    return last.contains(rides) && isOnWeekdays && isEarly(from: 6) ? .morning : nil
  }

  /// Whether all hours that are said are of a morning from one on, and none is of today, whose morning may be over.
  private func isEarly(from hour: Int) -> Bool {
    items.allSatisfy { item in
      let clocks: [Clock]
      switch item.part {
      case .time(let moment):
        if case .offset(0) = moment.day { return false }
        clocks = [moment.clock].compactMap(\.self)
      case .clocks(let said): clocks = said
      case .repetition(let said): clocks = said.clocks
      default: return true
      }
      return clocks.allSatisfy { clock in
        clock.second >= hour * 3_600 && (clock.second >= 21_600 || clock.second % 3_600 != 0)
      }
    }
  }

  /// The weekday in the name of a meal or an event that the sentence begins with: "Sunday dinner at 5".
  var namedDay: Int? {
    guard let weekday = groups.weekday, let first = firstNamed, first + 1 < tokens.count,
      tokens[first].terms.contains(weekday), isOfTitle(first + 1),
      meal(first + 1) != nil
        || groups.events.map({ tokens[first + 1].terms.contains($0) }) ?? false
    else { return nil }
    return chart.language.lexicon.value(of: tokens[first].entry, term: weekday)
  }

  /// Whether what is to be done is done for an event, or has nothing to do with one.
  var isArranged: Bool {
    guard let first = firstNamed else { return false }
    let terms = tokens[first].terms
    if groups.attends.map(terms.contains) ?? false { return false }
    // "Pick up Ann for dinner", but not "pick up wine for dinner".
    if let goods = groups.goods, groups.fetches.map(terms.contains) ?? false {
      return tokens.contains { $0.terms.contains(goods) }
    }
    return terms.contains(groups.verb) || groups.arranges.map(terms.contains) ?? false
  }

  /// What the last noun of a phrase says; in some languages what is done with it stands behind.
  private func ofPhrase(_ words: Range<Int>) -> PartOfDay? {
    var words = words
    if words.count > 1, let attends = groups.attends,
      tokens[words.upperBound - 1].terms.contains(attends)
    {
      words = words.dropLast()
    }
    guard let last = words.last else { return nil }
    if let meal = meal(last) { return meal }
    if let overMeal = groups.overMeal, words.count > 1, tokens[last].terms.contains(overMeal),
      let meal = meal(last - 1)
    {
      return meal
    }
    if let nights = groups.nights, words.contains(where: { tokens[$0].terms.contains(nights) }) {
      return .night
    }
    guard let events = groups.events, tokens[last].terms.contains(events) else { return nil }
    return .evening
  }

  /// The first word of what is to be done that is no small word: "remind me Friday at 9 to buy dinner".
  private var firstNamed: Int? {
    tokens.indices.first { isOfTitle($0) && !isConnector($0) }
  }

  private func isConnector(_ index: Int) -> Bool {
    tokens[index].terms.contains(groups.connector)
  }

  /// Whether a sign or a number stands within a name: "Ann's party", "the 50th birthday party".
  private func isInName(_ index: Int) -> Bool {
    guard !items.contains(where: { $0.start <= index && index < $0.end }) else { return false }
    return tokens[index].kind == .number || tokens[index].kind == .sign && isJoiner(index)
  }
}
